/**
 * Metrics for Prometheus. Counters start at 0 with the daemon. Values per day or month come from the database, so they
 * include the time before a restart.
 */
import type { EpochMs } from "../../core/time/interval.ts";
import { inSlices } from "../../state/slices.ts";
import { daemonMetricRows } from "./daemon-metrics.ts";
import type { HealthReport } from "./health.ts";
import { houseMetricRows } from "./home-metrics.ts";
import { type MetricRow, metricMoment } from "./metric.ts";
import type { MonitoringDeps } from "./monitoring-deps.ts";
import type { MetricFamily } from "./prometheus-text.ts";

/** Every metric. Durations are in seconds. */
export const metricRows: readonly MetricRow[] = [...houseMetricRows, ...daemonMetricRows];

/** Reads all metrics, in slices. */
export async function readMetrics(
  deps: MonitoringDeps,
  health: HealthReport,
  now: EpochMs,
): Promise<readonly MetricFamily[]> {
  const moment = await metricMoment(deps, health, now);
  const families: MetricFamily[] = [];
  await inSlices(
    metricRows,
    ({ name, type, help, samples }) => void families.push({ name, type, help, samples: samples(moment) }),
  );
  return families;
}
