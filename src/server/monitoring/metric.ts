/** What a figure is, and what all of them are read from. */

import type { PlanSnapshot } from "../../core/planning/plan-snapshot.ts";
import type { PlugSnapshot } from "../../core/plugs/plug-snapshot.ts";
import type { Home, HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import type { PlaceSnapshot } from "../../core/prices/place-snapshot.ts";
import type { DaemonState } from "../../core/status/daemon-status.ts";
import { type EpochMs, SECOND_MS } from "../../core/time/interval.ts";
import type { ReportedWindow } from "../../service/client/account.ts";
import type { HealthReport } from "./health.ts";
import type { MonitoringDeps } from "./monitoring-deps.ts";
import type { MetricFamily, Sample } from "./prometheus-text.ts";
import type { DatabaseFigures, SpentToday } from "./system-report.ts";

/** Everything the figures are read from, at one moment. */
export interface MetricMoment {
  readonly deps: MonitoringDeps;
  readonly now: EpochMs;
  readonly health: HealthReport;
  readonly state: DaemonState;
  readonly homes: readonly { readonly home: Home; readonly snapshot: HomeSnapshot }[];
  readonly places: readonly PlaceSnapshot[];
  readonly plans: readonly PlanSnapshot[];
  readonly plugs: readonly PlugSnapshot[];
  readonly accounts: readonly {
    readonly name: string;
    readonly windows: Readonly<Record<"minute" | "day", ReportedWindow | null>>;
    readonly spent: SpentToday;
  }[];
  readonly database: DatabaseFigures;
  readonly delays: LoopDelays;
}

/** A figure: its name, what it says, the labels it has, and how it is read. */
export interface MetricRow extends Omit<MetricFamily, "samples"> {
  readonly labels: readonly string[];
  readonly samples: (moment: MetricMoment) => readonly Sample[];
}

/** How long the event loop was held since it was last asked. Unit: seconds. */
export interface LoopDelays {
  readonly median: number;
  readonly most: number;
}

/** A length of time as figures tell it. */
export function seconds(ms: number): number {
  return ms / SECOND_MS;
}
