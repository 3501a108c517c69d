/** All plans: current states, commands, and results. */

import { readOneShot } from "../config/one-shot.ts";
import { type GroupEntry, MAX_GROUP_PLANS } from "../config/plan-schema.ts";
import { unknownText } from "../config/suggest-key.ts";
import { message, textIn } from "../core/language/text.ts";
import { type RefusedCommand, refusedCommand as refused } from "../core/planning/command-refusal.ts";
import { type PlanDefinition, readDuration } from "../core/planning/model/plan-definition.ts";
import { whenLostOf } from "../core/planning/model/plan-spec.ts";
import { type Commanded, type PlanAction, planActions, runNow, skip, stop } from "../core/planning/plan-commands.ts";
import { blockedBy } from "../core/planning/plan-dependencies.ts";
import type { FinishedRun } from "../core/planning/plan-savings.ts";
import {
  adjustedSpec,
  type ChangedSettings,
  changeSettings,
  planSettings,
  RESET_SETTINGS,
  resetOf,
} from "../core/planning/plan-settings.ts";
import type { PlanMonth, PlanSnapshot } from "../core/planning/plan-snapshot.ts";
import { type StartCost, startCosts } from "../core/planning/start-costs.ts";
import type { Wanted } from "../core/plugs/plug-types.ts";
import type { KeyValue } from "../core/runtime/key-value.ts";
import { freeSlug } from "../core/text/slug.ts";
import type { EpochMs, Interval } from "../core/time/interval.ts";
import { inSlices, type SliceClock } from "../state/slices.ts";
import { MAX_ONCE, OncePlans } from "./once-plans.ts";
import { PlanDecisions, type PlanDecisionsDeps, problemSubject, UNDECIDED } from "./plan-decisions.ts";
import { type MonthResult, type PlanResult, PlanResults, type ResultPlan } from "./plan-results.ts";
import { PlanSlots } from "./plan-slots.ts";

export interface PlansDeps extends PlanDecisionsDeps {
  readonly definitions: readonly PlanDefinition[];
  /** Stores the plans that run once. */
  readonly memory: KeyValue;
  /** The power groups of the configuration. */
  readonly groups?: readonly GroupEntry[];
  /** Called with the home's id after a command that changed something. */
  readonly onChange: (home: string) => void;
}

/** Snapshots of plans, and the next time at which one of them changes by itself. */
export interface ShownPlans {
  /** Shape: in the order of the configuration. */
  readonly plans: readonly PlanSnapshot[];
  readonly until: EpochMs | null;
}

/** A plan with its finished runs. */
export interface PlanDetail {
  readonly snapshot: PlanSnapshot;
  /** Shape: newest first. */
  readonly runs: readonly FinishedRun[];
  /** Shape: newest first; months without a run are omitted. */
  readonly months: readonly PlanMonth[];
}

/** Selects the plans of a home, one plan, or all plans. */
export interface WhichPlans {
  readonly home: string | null;
  readonly plan: string | null;
}

/** Result of a command. */
type PlanCommanded = { readonly kind: "done" } | RefusedCommand;

export class Plans {
  readonly #deps: PlansDeps;
  readonly #once: OncePlans;
  readonly #slots = new PlanSlots();
  readonly #results: PlanResults;
  readonly #decisions: PlanDecisions;
  #groups: readonly GroupEntry[] = [];
  /** Reason of the last refused MQTT command, keyed by plan. */
  readonly #refusals = new Map<string, string>();

  constructor(deps: PlansDeps) {
    this.#deps = deps;
    this.#once = new OncePlans(deps.memory);
    this.#results = new PlanResults(deps.store, deps.calendar);
    this.#decisions = new PlanDecisions(deps, this.#slots, this.#results, this.#refusals);
    this.take(deps.definitions, deps.groups);
  }

  /**
   * Replaces the configured plans. A plan that remains continues with its record, as after a restart. Returns the names
   * of the circles with new, changed or removed plans; the plans of the others keep their snapshots.
   */
  take(configured: readonly PlanDefinition[], groups: readonly GroupEntry[] = this.#groups): readonly string[] {
    this.#groups = groups;
    const { store, problems } = this.#deps;
    const ids = new Set(configured.map(({ id }) => id));
    const definitions = [...configured, ...this.#once.plans.filter(({ id }) => !ids.has(id))];
    const remaining = new Set(definitions.map(({ id }) => id));
    for (const id of this.ids) if (!remaining.has(id)) problems.end(problemSubject(id));
    store.keepOnly([...remaining]);
    const { circles, unchanged } = this.#slots.replace(definitions, (definition) => {
      const spec = adjustedSpec(definition, store.settings(definition.id));
      const memory = store.memory(definition.id);
      const whenLost = whenLostOf(spec);
      const on = whenLost === "on" || (whenLost === "keep" && memory?.on === true);
      return { definition, spec, advance: { ...UNDECIDED, on, memory } };
    });
    this.#decisions.keepOnly(unchanged);
    for (const plan of this.#refusals.keys()) if (!unchanged.has(plan)) this.#refusals.delete(plan);
    return circles;
  }

  /** Configured plans, then those that run once. Shape: in the order of the configuration. */
  get ids(): readonly string[] {
    return this.#slots.definitions.map(({ id }) => id);
  }

  /** The last snapshots. Shape: in the order of the configuration; empty before homes are known. */
  get snapshots(): readonly PlanSnapshot[] {
    return this.ids.flatMap((id) => this.#decisions.snapshot(id) ?? []);
  }

  /** Circles of plans that depend on each other, by name. Returns the same map until the plans are replaced. */
  get circles(): ReadonlyMap<string, unknown> {
    return this.#slots.circles;
  }

  /** Returns the name of the circle of a home's plans; null for a home without plans. */
  circleOf(home: string): string | null {
    return this.#slots.circleOf(home);
  }

  /**
   * Decides all plans at `now`, in slices. Plans that are decided for a later time meanwhile are not decided again.
   * Shape: in the order of the configuration.
   */
  async all(now: EpochMs, slices?: SliceClock): Promise<readonly PlanSnapshot[]> {
    const before = new Map(this.snapshots.map((plan) => [plan.definition.id, plan]));
    const isDue = (plan: string) => this.#decisions.snapshot(plan) === before.get(plan);
    await inSlices(this.ids, (plan) => void (isDue(plan) && this.snapshot(plan, now)), slices);
    return this.snapshots;
  }

  /** Decides all plans at `now`, or those of one circle. */
  at(now: EpochMs, circle: string | null = null): ShownPlans {
    if (!this.#deps.homes.known) return { plans: [], until: null };
    this.#removeOldOnce(now);
    const { inFile, ordered } = this.#slots.plansIn(circle);
    const until = this.#decisions.decide(ordered, now);
    return { plans: inFile.flatMap(({ id }) => this.#decisions.snapshot(id) ?? []), until };
  }

  /** Returns the plans of a circle as they will be at `at` if nothing changes until then. Decides nothing. */
  ahead(at: EpochMs, circle: string): ShownPlans {
    if (!this.#deps.homes.known) return { plans: [], until: null };
    const { inFile, ordered } = this.#slots.plansIn(circle);
    const { snapshots, until } = this.#decisions.decideAhead(ordered, at);
    return { plans: inFile.flatMap(({ id }) => snapshots.get(id) ?? []), until };
  }

  /** Returns a plan at `now`; null if there is no such plan, or no home is known yet. Decides only its circle. */
  snapshot(plan: string, now: EpochMs): PlanSnapshot | null {
    const slot = this.#slots.get(plan);
    if (!slot) return null;
    this.at(now, this.circleOf(slot.definition.home));
    return this.#decisions.snapshot(plan) ?? null;
  }

  /** Returns the signal of a plan at `now`; null if there is no such plan, or not at `home` if one is given. */
  wanted(plan: string, home: string | null, now: EpochMs): Wanted | null {
    const slot = this.#slots.get(plan);
    if (!slot || (home !== null && home !== slot.definition.home)) return null;
    this.at(now, this.circleOf(slot.definition.home));
    const { running, memory, on, lost } = this.#slots.get(plan)?.advance ?? UNDECIDED;
    const whenLost = lost ? { lost: whenLostOf(slot.spec) } : {};
    const reason =
      this.#decisions.snapshot(plan)?.reason.text ?? textIn(this.#deps.language ?? "en", message("plan.nothing_known"));
    const next = memory?.planned.find((run) => run.start > now)?.start ?? null;
    return { on, until: running?.end ?? (on ? null : next), reason, ...whenLost };
  }

  /** Returns ON while any of the plans wants it, with the reasons of those plans; null if none of them exists. */
  wantedByAny(plans: readonly string[], home: string | null, now: EpochMs): Wanted | null {
    const all = plans.flatMap((plan) => [plan, ...this.#once.idsFor(plan)]);
    const known = all.flatMap((plan) => {
      const wanted = this.wanted(plan, home, now);
      if (!wanted) return [];
      const { name } = this.#slots.get(plan)?.definition ?? { name: plan };
      return all.length > 1 ? { ...wanted, reason: `${name}: ${wanted.reason}` } : wanted;
    });
    const [only] = known;
    if (!only || known.length === 1) return only ?? null;
    const on = known.some((wanted) => wanted.on);
    const deciding = known.filter((wanted) => wanted.on === on);
    const times = deciding.flatMap(({ until }) => until ?? []);
    const isOpen = times.length === 0 || (on && times.length < deciding.length);
    const until = isOpen ? null : on ? Math.max(...times) : Math.min(...times);
    // If a plan with known prices wants ON, `when_lost` of the others does not matter.
    const isKnownOn = known.some((wanted) => wanted.on && wanted.lost === undefined);
    const lost = (["on", "keep", "off"] as const).find((each) => known.some((wanted) => wanted.lost === each));
    const whenLost = lost === undefined || isKnownOn ? {} : { lost };
    return { on, until, reason: deciding.map(({ reason }) => reason).join("; "), ...whenLost };
  }

  /** Returns a plan at `now` with its finished runs; null if there is no such plan, or no home is known yet. */
  detail(plan: string, now: EpochMs): PlanDetail | null {
    const snapshot = this.snapshot(plan, now);
    return snapshot ? { snapshot, ...this.#results.detail(snapshot.definition, now) } : null;
  }

  /** Returns the runs that began in `range`. Shape: newest first, at most `most` of them. */
  results(which: WhichPlans, range: Interval, most: number): PlanResult[] {
    return this.#results.runs(this.#selected(which), range, most);
  }

  /** Returns the months of `range`, plan by plan. Shape: oldest first; months without a run are omitted. */
  monthResults(which: WhichPlans, range: Interval): MonthResult[] {
    return this.#results.months(this.#selected(which), range);
  }

  /** Returns the cost of a plan's hours by start time; null if there is no such plan or it has no hours. */
  startCosts(plan: string, now: EpochMs): StartCost[] | null {
    const slot = this.#slots.get(plan);
    const home = slot && this.#deps.homes.named(slot.definition.home);
    const timeline = home && this.#deps.timelineOf(home, now);
    return slot ? startCosts(slot.spec, timeline?.points ?? [], now) : null;
  }

  #selected({ home, plan }: WhichPlans): ResultPlan[] {
    return this.#slots.definitions
      .filter((each) => (home === null || each.home === home) && (plan === null || each.id === plan))
      .map((definition) => ({ definition, currency: this.#decisions.snapshot(definition.id)?.currency ?? null }));
  }

  /** Returns how a new plan would be decided at `now`, and stores nothing of it. Null if its home is unknown. */
  preview(definition: PlanDefinition, now: EpochMs): PlanSnapshot | null {
    if (!this.#deps.homes.named(definition.home)) return null;
    const circle = this.circleOf(definition.home);
    if (circle !== null) this.at(now, circle);
    return this.#decisions.preview(definition, now);
  }

  /** Carries out a command of the topic `<home>/plan/<plan>/<setting>/set`. */
  command([home = "", plan = "", setting = ""]: readonly string[], payload: string, now: EpochMs): PlanCommanded {
    if (this.#slots.get(plan)?.definition.home !== home)
      return refused("unknown_plan", `${home} has no plan "${plan}"`);
    const before = this.#refusals.get(plan);
    this.#refusals.delete(plan);
    const result = this.#carryOut(plan, setting, payload, now);
    if (result.kind === "refused") {
      const reason = textIn(this.#deps.language ?? "en", result.reason);
      this.#refusals.set(plan, reason);
      if (reason !== before) this.#deps.onChange(home);
    }
    return result;
  }

  #carryOut(plan: string, setting: string, payload: string, now: EpochMs): PlanCommanded {
    const action = planActions.find((each) => each === setting);
    if (action) return this.act(plan, action, now);
    const value = payload.trim();
    if (setting === "once")
      return this.once({ plan, ...(readDuration(hoursOf(value)) ? { within: hoursOf(value) } : {}) }, now);
    const name = planSettings.find((each) => each === setting);
    if (name) return this.change(plan, { [name]: value });
    if (setting === RESET_SETTINGS) return this.#resetSettings(plan);
    const expected = [...planSettings, ...planActions, RESET_SETTINGS].join(", ");
    return refused("unknown_setting", `a plan has no "${setting.slice(0, 40)}"; expected ${expected}`);
  }

  /** Carries out an action of the owner: run now, skip or stop. */
  act(plan: string, action: PlanAction, now: EpochMs): PlanCommanded {
    const { store, isTimeTrusted, onChange } = this.#deps;
    const slot = this.#slots.get(plan);
    if (!slot) return refused("unknown_plan", `unknown plan "${plan}"`);
    const { definition, spec, advance } = slot;
    if (!isTimeTrusted(now)) return refused("clock_not_trusted", textIn("en", message("refused.clock")));
    const { memory } = advance;
    const commanded = (): Commanded => {
      if (action === "skip") return skip(memory, now);
      if (action === "stop") return stop(memory, now, spec);
      const running = blockedBy(definition, new Set(), this.#slots.circleWith(definition));
      return runNow(spec, memory, now, running, this.#decisions.crowdedByBegun(slot));
    };
    const done = commanded();
    if (done.kind === "refused") return done;
    store.write(definition.id, done.memory, []);
    this.#slots.set({ ...slot, advance: { ...advance, memory: done.memory } });
    onChange(definition.home);
    return { kind: "done" };
  }

  /** Adds a plan that runs once. It is removed when it is over. */
  once(asked: object, now: EpochMs): { readonly kind: "done"; readonly plan: string } | RefusedCommand {
    const { isTimeTrusted, onChange, homes } = this.#deps;
    if (!isTimeTrusted(now)) return refused("clock_not_trusted", textIn("en", message("plan.clock")));
    const { definitions } = this.#slots;
    const read = readOneShot(asked, definitions, this.#groups, now);
    if (typeof read === "string") return refused("unreadable_setting", read);
    if (!homes.ids.has(read.home))
      return refused("unreadable_setting", `home: ${unknownText("a home", read.home, [...homes.ids])}`);
    const sameGroup = definitions.filter(({ power }) => power && power.group === read.power?.group);
    const { plans } = this.#once;
    if (plans.length >= MAX_ONCE || sameGroup.length >= MAX_GROUP_PLANS)
      return refused("too_many", `there are ${plans.length} one-time plans already; wait until one has ended`);
    const definition = { ...read, id: freeSlug(read.id, new Set(this.ids)) };
    this.#replaceOnce([...plans, definition]);
    onChange(definition.home);
    return { kind: "done", plan: definition.id };
  }

  /** Carries out a command of the topic `<home>/once/set`: JSON as over HTTP. */
  onceAt([home = ""]: readonly string[], payload: string, now: EpochMs): PlanCommanded {
    const asked = objectIn(payload);
    const expected = 'expected JSON such as {"hours": 2, "within": 8}';
    return asked ? this.once({ home, ...asked }, now) : refused("unreadable_setting", expected);
  }

  /** Removes the plans that run once and are over. */
  #removeOldOnce(now: EpochMs): void {
    if (!this.#deps.isTimeTrusted(now)) return;
    const current = this.#once.plans.filter(({ id, spec }) => {
      const started = this.#slots.get(id)?.advance.memory?.startedRuns ?? [];
      return now < (spec.once?.end ?? 0) || started.some(({ end }) => end > now);
    });
    if (current.length < this.#once.plans.length) this.#replaceOnce(current);
  }

  #replaceOnce(plans: readonly PlanDefinition[]): void {
    const configured = this.#slots.definitions.filter(({ spec }) => !spec.once);
    this.#once.replace(plans);
    this.take(configured);
  }

  /** Changes settings, all or none. An empty text restores the value of the configuration. */
  change(plan: string, changes: ChangedSettings): PlanCommanded {
    const { store, onChange } = this.#deps;
    const slot = this.#slots.get(plan);
    if (!slot) return refused("unknown_plan", `unknown plan "${plan}"`);
    const { definition } = slot;
    const change = changeSettings(definition, store.settings(plan), changes);
    if (change.kind === "refused") return change;
    if (!store.writeSettings(plan, change.texts))
      return refused("not_writable", textIn("en", message("refused.not_writable")));
    this.#slots.set({ ...slot, spec: adjustedSpec(definition, store.settings(plan)) });
    onChange(definition.home);
    return { kind: "done" };
  }

  #resetSettings(plan: string): PlanCommanded {
    const slot = this.#slots.get(plan);
    return slot ? this.change(plan, resetOf(slot.definition)) : refused("unknown_plan", `unknown plan "${plan}"`);
  }
}

/** Returns the object of a JSON text; null if the text is not one. */
function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null; // invalid JSON
  }
}

/** Returns hours without a unit as a number, otherwise the text. */
function hoursOf(text: string): number | string {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
