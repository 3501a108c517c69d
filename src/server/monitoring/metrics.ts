/**
 * Figures of house and daemon for Prometheus. Counters start at 0 with the daemon; what is counted by the day or month
 * comes from the database, which outlives a restart.
 */
import type { EpochMs } from "../../core/time/interval.ts";
import { daemonMetricRows } from "./daemon-metrics.ts";
import type { HealthReport } from "./health.ts";
import { houseMetricRows } from "./home-metrics.ts";
import { type MetricRow, metricMoment } from "./metric.ts";
import type { MonitoringDeps } from "./monitoring-deps.ts";
import type { MetricFamily } from "./prometheus-text.ts";

/** Every figure. Times are in seconds. */
export const metricRows: readonly MetricRow[] = [...houseMetricRows, ...daemonMetricRows];

/** Reads the figures. */
export function readMetrics(deps: MonitoringDeps, health: HealthReport, now: EpochMs): readonly MetricFamily[] {
  const moment = metricMoment(deps, health, now);
  return metricRows.map(({ name, type, help, samples }) => ({ name, type, help, samples: samples(moment) }));
}
