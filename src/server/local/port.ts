/** What the operations of `/local/v1` need of the house. */

import type { CheapSpec } from "../../core/planning/cheap-query.ts";
import type { RefusedCommand } from "../../core/planning/command-refusal.ts";
import type { PlanAction } from "../../core/planning/plan-commands.ts";
import type { FinishedRun } from "../../core/planning/plan-savings.ts";
import type { ChangedSettings } from "../../core/planning/plan-settings.ts";
import type { PlanMonth, PlanSnapshot } from "../../core/planning/plan-snapshot.ts";
import type { Home, HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import type { LevelThresholds } from "../../core/prices/level.ts";
import type { PlacePoint } from "../../core/prices/place-snapshot.ts";
import type { PricePoint } from "../../core/prices/timeline.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import type { EpochMs, Interval } from "../../core/time/interval.ts";
import type { CheapAnswer, Priced } from "../../state/cheap-queries.ts";

/** Its prices at a moment. Of a place only what its day's prices are there for is judged. */
export interface PriceView extends Priced {
  readonly resolution: Home["resolution"];
  /** The price region, as `DK1`; null where it is not known. */
  readonly region: string | null;
  readonly snapshot: HomeSnapshot;
  /** The third-party price now, by its parts; null for a home, and while there is none. */
  readonly parts: PlacePoint | null;
}

export interface PlanPast {
  readonly snapshot: PlanSnapshot;
  readonly runs: readonly FinishedRun[];
  readonly months: readonly PlanMonth[];
}

/** What became of a command. */
export type Done = { readonly kind: "done" } | RefusedCommand;

export interface LocalSource {
  readonly calendar: Calendar;
  readonly thresholds: LevelThresholds;
  /** Homes first, then places. */
  list(): readonly Priced[];
  /** Null for an id that nothing has. */
  view(id: string, now: EpochMs): PriceView | null;
  /**
   * Confirmed prices and estimates; at least those of `range` that the shelf has, and the days before it that levels
   * are taken of.
   */
  points(id: string, range: Interval, now: EpochMs): readonly PricePoint[];
  askCheap(view: PriceView, spec: CheapSpec, now: EpochMs): CheapAnswer;
  /** Those of the configuration. */
  planIds(): readonly string[];
  plans(now: EpochMs): readonly PlanSnapshot[];
  /** Null for one that there is not, and while no home is known yet. */
  plan(id: string, now: EpochMs): PlanPast | null;
  change(plan: string, changes: ChangedSettings): Done;
  act(plan: string, action: PlanAction, now: EpochMs): Done;
}
