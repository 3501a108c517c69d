/** Opens the plans, and the loop that decides them. */

import { isDeepStrictEqual } from "node:util";
import { entryId } from "../config/entry-list.ts";
import { planDefinitions } from "../config/plan-list.ts";
import { plansOf } from "../config/schema/plug-schema.ts";
import type { Config } from "../config/schema/schema.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { type EpochMs, QUARTER_MS, stepEnd } from "../core/time/interval.ts";
import type { ChangeBus } from "../state/change-bus.ts";
import { DueLoop } from "../state/due-loop.ts";
import type { State } from "../state/open-state.ts";
import type { Storage } from "../storage/open-storage.ts";
import { PlanStore } from "../storage/plan-store.ts";
import { PlugEnergyStore } from "../storage/plug-energy-store.ts";
import { measuredRuns } from "./measured-runs.ts";
import { Plans } from "./plans.ts";
import { PricedHomes } from "./priced-homes.ts";

/** The state and its plans. */
export interface PlannedState extends State {
  readonly plans: Plans;
  /** Resolves when every decision that is due now was made. */
  readonly decided: () => Promise<void>;
}

export interface PlansOptions {
  readonly config: Config;
  readonly clock: Clock;
  /** Fires when the daemon stops. */
  readonly signal: AbortSignal;
}

const NO_CIRCLES: ReadonlySet<string> = new Set();

/**
 * Opens the configured plans, and those that run once. After `run`, a circle of plans is decided when its home or the
 * configuration changes, when one of its plans changes by itself, and in each quarter of an hour, in which the cost of a
 * start now changes. A command decides its circle at once.
 */
export function openPlans(
  { config, clock, signal }: PlansOptions,
  storage: Pick<Storage, "database" | "writing" | "settings">,
  state: State,
  changes: ChangeBus,
) {
  const { calendar, thresholds, problems, startedAt, isTimeTrusted, stats } = state;
  const homes = new PricedHomes(state);
  let levels = { ...thresholds };
  let { plugs } = config;
  const plugsOf = (plan: string) => plugs.filter((plug) => plansOf(plug).includes(plan)).map(entryId);
  const store = new PlanStore(storage.database, storage.writing);
  const plans = new Plans({
    definitions: planDefinitions(config.plans, config.groups),
    groups: config.groups,
    language: config.language,
    memory: storage.settings,
    store,
    onDecided(circle, until) {
      loop.worked(circle, dueAfter(clock.now(), until));
      changes.plansDecided.emit({ circle });
    },
    onAway: (home) => changes.stateChanged.emit({ home }),
    measured: measuredRuns(new PlugEnergyStore(storage.database, storage.writing), plugsOf),
    homes,
    calendar,
    thresholds,
    problems,
    startedAt,
    isTimeTrusted,
  });
  const loop = new DueLoop({
    clock,
    items: () => (homes.known ? plans.circles : NO_CIRCLES),
    work: (circle, now) => dueAfter(now, plans.decide(circle, now)),
    within: (slice) => store.gather(slice),
    trust: isTimeTrusted,
    heartbeat: stats.heartbeat("planning", signal),
  });
  changes.stateChanged.subscribe(({ home }) => {
    const changed = (home === null ? homes.places : [home]).flatMap((each) => plans.circleOf(each) ?? []);
    loop.changed(...changed);
  });
  let running: Promise<void> | null = null;
  return {
    plans,
    decided: () => loop.ready,
    configure(next: Config): void {
      ({ plugs } = next);
      const circles = plans.configure(planDefinitions(next.plans, next.groups), next.groups);
      loop.changed(...(isDeepStrictEqual(levels, thresholds) ? circles : plans.circles));
      levels = { ...thresholds };
      for (const circle of circles) if (!plans.circles.has(circle)) changes.plansDecided.emit({ circle });
    },
    run(): void {
      running = loop.run(signal);
    },
    close: async () => void (await running),
  };
}

/** Returns `until`, or the end of the current quarter of an hour if that is earlier. */
function dueAfter(now: EpochMs, until: EpochMs): EpochMs {
  return Math.min(until, stepEnd(now, QUARTER_MS));
}
