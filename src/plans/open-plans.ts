/** Opens the plans, and announces them on the change bus. */

import { isDeepStrictEqual } from "node:util";
import { planDefinitions } from "../config/plan-schema.ts";
import type { Config } from "../config/schema.ts";
import type { ChangeBus } from "../state/change-bus.ts";
import { exportTimelineOf } from "../state/export-prices.ts";
import type { State } from "../state/open-state.ts";
import type { Storage } from "../storage/open-storage.ts";
import { PlanStore } from "../storage/plan-store.ts";
import { Plans } from "./plans.ts";

/** The state and its plans. */
export interface PlannedState extends State {
  readonly plans: Plans;
}

export interface PlansModule {
  readonly plans: Plans;
  /** Applies the plans of a new configuration. A plan that remains continues with its record. */
  readonly take: (next: Config) => void;
}

/** Opens the configured plans, and those that run once. */
export function openPlans(
  { config }: { readonly config: Config },
  storage: Pick<Storage, "database" | "writing" | "settings">,
  state: State,
  changes: ChangeBus,
): PlansModule {
  const { homes, homeReader, calendar, thresholds, problems, startedAt, isTimeTrusted } = state;
  let levels = { ...thresholds };
  const plans = new Plans({
    definitions: planDefinitions(config.plans, config.groups),
    groups: config.groups,
    language: config.language,
    memory: storage.settings,
    exportTimelineOf: (home, now) => exportTimelineOf(state, home, now),
    store: new PlanStore(storage.database, storage.writing),
    timelineOf: (home, now) => homeReader.timeline(home, now),
    onChange: (home) => changes.stateChanged.emit({ home }),
    ...{ homes, calendar, thresholds, problems, startedAt, isTimeTrusted },
  });
  return {
    plans,
    take(next) {
      const circles = plans.take(planDefinitions(next.plans, next.groups), next.groups);
      const changed = isDeepStrictEqual(levels, thresholds) ? circles : plans.circles.keys();
      levels = { ...thresholds };
      for (const home of changed) changes.stateChanged.emit({ home });
    },
  };
}
