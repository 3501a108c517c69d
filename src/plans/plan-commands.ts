/** Commands of the owner to plans. Each is carried out at once, and its plan is decided. */

import { message, textIn } from "../core/language/text.ts";
import {
  type PlanCommanded,
  type RefusedCommand,
  refusedCommand as refused,
} from "../core/planning/command-refusal.ts";
import type { PlanSlot } from "../core/planning/group/plan-dependencies.ts";
import { crowdedFor } from "../core/planning/group/power-group.ts";
import { readDuration } from "../core/planning/model/plan-definition.ts";
import type { PlanSpec } from "../core/planning/model/plan-spec.ts";
import {
  type Commanded,
  type PlanAction,
  planActions,
  runNow,
  skip,
  stop,
  takeBack,
} from "../core/planning/plan-commands.ts";
import { type ChangedSettings, changeSettings, RESET_SETTINGS, resetOf } from "../core/planning/plan-settings.ts";
import { planSettings } from "../core/planning/setting-rows.ts";
import type { PlanSnapshot } from "../core/planning/snapshot/plan-snapshot.ts";
import type { KeyValue } from "../core/runtime/key-value.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { noteChange, OVER_MQTT } from "../storage/noted-changes.ts";
import type { PlanStore } from "../storage/plan-store.ts";
import type { PlanCircles } from "./plan-circles.ts";
import type { PlanFactsDeps } from "./plan-facts.ts";
import type { PlanLearning } from "./plan-learning.ts";

/** What commands need of the plans. */
interface CommandedPlans extends Pick<PlanFactsDeps, "language" | "isTimeTrusted"> {
  readonly store: PlanStore;
  readonly circles: PlanCircles;
  readonly learning: PlanLearning;
  /** Returns the settings of a plan after a change. */
  readonly specOf: (slot: PlanSlot, now: EpochMs) => PlanSpec;
  /** Decides the plans of a home. */
  readonly decideFor: (home: string, now: EpochMs) => void;
  readonly once: (request: object, now: EpochMs, caller: string) => PlanCommanded;
  readonly snapshot: (plan: string) => PlanSnapshot | null;
  /** Has the changes for the history. */
  readonly memory: KeyValue;
}

export class PlanCommands {
  readonly #plans: CommandedPlans;
  /** Reason of the last refused MQTT command, keyed by plan. Bounded by the plans. */
  readonly #refusals = new Map<string, string>();

  constructor(plans: CommandedPlans) {
    this.#plans = plans;
  }

  refusalOf(plan: string): string | null {
    return this.#refusals.get(plan) ?? null;
  }

  /** Forgets the refusals of all plans but `others`. */
  forgetRefusals(others: ReadonlySet<string>): void {
    for (const plan of this.#refusals.keys()) if (!others.has(plan)) this.#refusals.delete(plan);
  }

  take([home = "", plan = "", setting = ""]: readonly string[], payload: string, now: EpochMs): PlanCommanded {
    if (this.#plans.circles.get(plan)?.definition.home !== home)
      return refused("unknown_plan", message("refused.no_plan", { home, plan }));
    const before = this.#refusals.get(plan);
    this.#refusals.delete(plan);
    const result = this.#carryOut(plan, setting, payload, now);
    if (result.kind === "refused") {
      const reason = textIn(this.#plans.language, result.reason);
      this.#refusals.set(plan, reason);
      if (reason !== before) this.#plans.decideFor(home, now);
    }
    return result;
  }

  #carryOut(plan: string, setting: string, payload: string, now: EpochMs): PlanCommanded {
    const command = planCommandOf(setting, payload);
    switch (command.kind) {
      case "action":
        return this.act(plan, command.action, now, OVER_MQTT);
      case "settings":
        return this.change(plan, command.changes, now, OVER_MQTT);
      case "reset": {
        const slot = this.#plans.circles.get(plan);
        return slot ? this.change(plan, resetOf(slot.definition), now, OVER_MQTT) : unknownPlan(plan);
      }
      case "once": {
        const { kind: _, ...within } = command;
        return this.#plans.once({ plan, ...within }, now, OVER_MQTT);
      }
      case "refused":
        return command;
    }
  }

  /** `caller` is who sends the command, for the history. */
  act(plan: string, action: PlanAction, now: EpochMs, caller: string | null = null): PlanCommanded {
    const done = this.#done(plan, action, now);
    const differences = [{ path: `plans.${plan}.command`, before: null, after: action }];
    if (done.kind === "done") noteChange(this.#plans.memory, { now, caller }, differences);
    return done;
  }

  #done(plan: string, action: PlanAction, now: EpochMs): PlanCommanded {
    const { store, isTimeTrusted } = this.#plans;
    const slot = this.#plans.circles.get(plan);
    if (!slot) return unknownPlan(plan);
    if (!isTimeTrusted(now)) return refused("clock_not_trusted", message("refused.clock"));
    if (action === "forget_learned") return this.#forget(slot, now);
    const done = this.#acted(slot, action, now);
    if (done.kind === "refused") return done;
    store.write(plan, done.memory, []);
    this.#plans.circles.set({ ...slot, advance: { ...slot.advance, memory: done.memory } });
    this.#plans.decideFor(slot.definition.home, now);
    return { kind: "done" };
  }

  #acted(slot: PlanSlot, action: PlanAction, now: EpochMs): Commanded {
    const { definition, spec, advance } = slot;
    if (action === "skip") return skip(advance.memory, now);
    if (action === "stop") return stop(advance.memory, now, spec);
    if (action === "replan") return takeBack(advance.memory, now);
    const circle = this.#plans.circles.in(this.#plans.circles.circleOf(definition.home) ?? "");
    const crowded = crowdedFor(slot, circle, (other) => other.advance.memory?.startedRuns ?? []);
    return runNow(spec, advance.memory, now, crowded);
  }

  #forget({ definition: { id, home, learns } }: PlanSlot, now: EpochMs): PlanCommanded {
    if (!learns) return refused("unknown_setting", message("refused.no_learn"));
    this.#plans.learning.forget(id, now);
    this.#plans.decideFor(home, now);
    return { kind: "done" };
  }

  change(plan: string, changes: ChangedSettings, now: EpochMs, caller: string | null = null): PlanCommanded {
    const before = this.#plans.snapshot(plan);
    const done = this.#changed(plan, changes, now);
    const after = done.kind === "done" ? this.#plans.snapshot(plan) : null;
    if (before && after) noteChange(this.#plans.memory, { now, caller }, settingDifferences(before, after));
    return done;
  }

  #changed(plan: string, changes: ChangedSettings, now: EpochMs): PlanCommanded {
    const { store } = this.#plans;
    const slot = this.#plans.circles.get(plan);
    if (!slot) return unknownPlan(plan);
    const { definition } = slot;
    const change = changeSettings(definition, store.settings(plan), changes);
    if (change.kind === "refused") return change;
    if (!store.writeSettings(plan, change.texts)) return refused("not_writable", message("refused.not_writable"));
    this.#plans.circles.set({ ...slot, spec: this.#plans.specOf(slot, now) });
    this.#plans.decideFor(definition.home, now);
    return { kind: "done" };
  }
}

function settingDifferences({ definition, settings }: PlanSnapshot, after: PlanSnapshot) {
  return planSettings.flatMap((name) => {
    const [old, next] = [settings[name]?.value ?? null, after.settings[name]?.value ?? null];
    return old === next ? [] : { path: `plans.${definition.id}.${name}`, before: old, after: next };
  });
}

function unknownPlan(plan: string): RefusedCommand {
  return refused("unknown_plan", message("refused.unknown_plan", { plan }));
}

/** A command to a plan. */
type PlanCommand =
  | { readonly kind: "action"; readonly action: PlanAction }
  | { readonly kind: "settings"; readonly changes: ChangedSettings }
  | { readonly kind: "reset" }
  /** `within`: a duration; absent for the default. */
  | { readonly kind: "once"; readonly within?: number | string }
  | RefusedCommand;

/** Reads a command of the topic `<home>/plan/<plan>/<setting>/set`. */
function planCommandOf(setting: string, payload: string): PlanCommand {
  const action = planActions.find((each) => each === setting);
  if (action) return { kind: "action", action };
  // A time entity of Home Assistant sends seconds.
  const value = payload.trim().replace(/^(\d\d:\d\d):00$/, "$1");
  const within = /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (setting === "once") return { kind: "once", ...(readDuration(within) ? { within } : {}) };
  const name = planSettings.find((each) => each === setting);
  if (name) return { kind: "settings", changes: { [name]: value } };
  if (setting === RESET_SETTINGS) return { kind: "reset" };
  const expected = [...planSettings, ...planActions, RESET_SETTINGS].join(", ");
  return refused("unknown_setting", message("refused.no_setting", { setting: setting.slice(0, 40), expected }));
}
