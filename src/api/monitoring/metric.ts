/** Definition of a metric, and the snapshot that all metrics are read from. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Home, HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import { type EpochMs, SECOND_MS } from "../../core/time/interval.ts";
import { publishedSnapshot } from "../../state/price-reader.ts";
import { inSlices } from "../../state/slices.ts";
import type { ApiDeps } from "../deps.ts";
import { daemonRecord } from "./daemon-record.ts";
import type { HealthReport } from "./health.ts";
import type { MetricFamily } from "./prometheus-text.ts";

/** Definition of a metric: name, help text, labels, and the function that reads its samples. */
export interface MetricRow extends Omit<MetricFamily, "samples"> {
  readonly labels: readonly string[];
  readonly samples: (moment: MetricMoment) => MetricFamily["samples"];
}

/** Returns a metric with labels. `read` returns the label values and the value of each sample; null if unknown. */
export function metric(
  name: string,
  help: string,
  labels: readonly string[],
  read: (moment: MetricMoment) => readonly (readonly [values: readonly string[], value: number | null])[],
): MetricRow {
  const named = (values: readonly string[]) => Object.fromEntries(labels.map((label, i) => [label, values[i] ?? ""]));
  const samples: MetricRow["samples"] = (moment) =>
    read(moment).map(([values, value]) => ({ labels: named(values), value }));
  const type = name.endsWith("_total") ? "counter" : labels.includes("quantile") ? "summary" : "gauge";
  return { name, type, help, labels, samples };
}

export function single(name: string, help: string, read: (moment: MetricMoment) => number | null): MetricRow {
  return metric(name, help, [], (moment) => [[[], read(moment)]]);
}

export function seconds(ms: number): number {
  return ms / SECOND_MS;
}

export type MetricMoment = Awaited<ReturnType<typeof metricMoment>>;

export async function metricMoment(deps: ApiDeps, health: HealthReport, now: EpochMs) {
  const { state } = deps;
  const homes: { readonly home: Home; readonly snapshot: HomeSnapshot }[] = [];
  await inSlices(
    state.homes.list(),
    (home) => void homes.push({ home, snapshot: publishedSnapshot(state, home, now) }),
  );
  const places = state.places.snapshots(now, state.homes.ids);
  return { ...(await daemonRecord(deps, health, now)), homes, places, delays: loopDelays(deps) };
}

const NANOSECONDS = 1e9;

/** Returns the event-loop delays in seconds since the previous call. The measurement starts with the first call. */
function loopDelays({ state, signal }: ApiDeps) {
  const delay = state.stats.loopDelay(monitorEventLoopDelay, signal);
  const { count } = delay;
  const inSeconds = (nanoseconds: number) => (count === 0 ? 0 : nanoseconds / NANOSECONDS);
  const delays = { median: inSeconds(delay.percentile(50)), most: inSeconds(delay.max) };
  delay.reset();
  return delays;
}
