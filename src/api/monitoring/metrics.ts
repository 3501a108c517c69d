/** Metrics for Prometheus. Counters start with the daemon; values per day or month come from the database. */
import type { EpochMs } from "../../core/time/interval.ts";
import { inSlices } from "../../state/slices.ts";
import type { ApiDeps } from "../deps.ts";
import { daemonMetricRows } from "./daemon-metrics.ts";
import type { HealthReport } from "./health.ts";
import { houseMetricRows } from "./home-metrics.ts";
import { type MetricRow, metricMoment } from "./metric.ts";
import { metricsText } from "./prometheus-text.ts";

/** Every metric. Durations are in seconds. */
export const metricRows: readonly MetricRow[] = [...houseMetricRows, ...daemonMetricRows];

export async function allMetrics(deps: ApiDeps, health: HealthReport, now: EpochMs): Promise<string> {
  const moment = await metricMoment(deps, health, now);
  const texts: string[] = [];
  await inSlices(metricRows, (row) => void texts.push(metricsText([{ ...row, samples: row.samples(moment) }])));
  return texts.join("");
}
