/**
 * Figures of house and daemon for Prometheus. Counters start at 0 with the daemon; what is counted by the day or month
 * comes from the database, which outlives a restart.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { EpochMs } from "../../core/time/interval.ts";
import { daemonMetricRows } from "./daemon-metrics.ts";
import type { HealthReport } from "./health.ts";
import { houseMetricRows } from "./home-metrics.ts";
import type { LoopDelays, MetricMoment, MetricRow } from "./metric.ts";
import type { MonitoringDeps } from "./monitoring-deps.ts";
import type { MetricFamily } from "./prometheus-text.ts";
import { databaseFigures, spentToday } from "./system-report.ts";

/** Every figure. The name of a counter ends in `_total`; times are in seconds. */
export const metricRows: readonly MetricRow[] = [...houseMetricRows, ...daemonMetricRows];

const NANOSECONDS = 1e9;

/** Reads the figures. The event loop is watched from the first reading on. */
export function readMetrics(deps: MonitoringDeps, health: HealthReport, now: EpochMs): readonly MetricFamily[] {
  const moment = momentOf(deps, health, now);
  return metricRows.map(({ name, type, help, samples }) => ({ name, type, help, samples: samples(moment) }));
}

function momentOf(deps: MonitoringDeps, health: HealthReport, now: EpochMs): MetricMoment {
  const { state, storage } = deps;
  const homes = state.homes.list();
  return {
    ...{ deps, now, health },
    state: state.daemonState(now),
    places: state.places.snapshots(now, new Set(homes.map(({ id }) => id))),
    homes: homes.map((home) => ({ home, snapshot: state.homeReader.snapshot(home, now) })),
    plans: state.plans.snapshots,
    plugs: deps.plugs.snapshots(),
    accounts: state.accounts.all.map((account) => ({
      name: account.name,
      windows: account.standing(now),
      spent: spentToday(state.repository, account.name, now),
    })),
    database: databaseFigures(storage),
    delays: loopDelays(deps),
  };
}

function loopDelays({ state, signal }: MonitoringDeps): LoopDelays {
  const delay = state.stats.loopDelay(monitorEventLoopDelay, signal);
  const { count } = delay;
  const seconds = (nanoseconds: number) => (count === 0 ? 0 : nanoseconds / NANOSECONDS);
  const delays = { median: seconds(delay.percentile(50)), most: seconds(delay.max) };
  delay.reset();
  return delays;
}
