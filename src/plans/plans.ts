/** All plans: decisions, commands, and what others read of them. Reading decides nothing. */

import { readOneShot } from "../config/one-shot.ts";
import { type GroupEntry, MAX_GROUP_PLANS } from "../config/plan-schema.ts";
import { unknownHome, unknownId } from "../config/suggest-key.ts";
import type { Language } from "../core/language/language.ts";
import { message, placed, textIn } from "../core/language/text.ts";
import {
  type DecisionContext,
  decideCircle,
  decidedSnapshot,
  isExport,
  type PlanPrices,
  UNDECIDED,
} from "../core/planning/circle-decision.ts";
import { type RefusedCommand, refusedCommand as refused } from "../core/planning/command-refusal.ts";
import { withLearned } from "../core/planning/learned-course.ts";
import type { PlanDefinition } from "../core/planning/model/plan-definition.ts";
import { type PlanSpec, whenLostOf } from "../core/planning/model/plan-spec.ts";
import { type Commanded, type PlanAction, type RunAction, runNow, skip, stop } from "../core/planning/plan-commands.ts";
import { blockedBy, circlesOf, type PlanSlot } from "../core/planning/plan-dependencies.ts";
import type { PlanMachine } from "../core/planning/plan-input.ts";
import { adjustedSpec, type ChangedSettings, changeSettings, resetOf } from "../core/planning/plan-settings.ts";
import type { PlanSnapshot } from "../core/planning/plan-snapshot.ts";
import { crowdedFor } from "../core/planning/power-group.ts";
import { type StartCost, startCosts } from "../core/planning/start-costs.ts";
import type { Wanted } from "../core/plugs/plug-types.ts";
import type { Home } from "../core/prices/home-snapshot.ts";
import type { LevelThresholds } from "../core/prices/level.ts";
import type { Timeline } from "../core/prices/timeline.ts";
import type { KeyValue } from "../core/runtime/key-value.ts";
import type { Problems } from "../core/status/problem.ts";
import { freeSlug } from "../core/text/slug.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { contains, type EpochMs, MINUTE_MS } from "../core/time/interval.ts";
import type { PlanStore } from "../storage/plan-store.ts";
import { objectIn, planCommandOf } from "./command-payload.ts";
import type { MeasuredRuns } from "./measured-runs.ts";
import { MAX_ONCE, OncePlans } from "./once-plans.ts";
import { PlanCircles } from "./plan-circles.ts";
import { PlanLearning } from "./plan-learning.ts";
import { PlanResults, type WhichPlans } from "./plan-results.ts";

export interface PlansDeps {
  readonly definitions: readonly PlanDefinition[];
  readonly store: PlanStore;
  /** Stores the plans that run once. */
  readonly memory: KeyValue;
  /** What plugs measured in finished runs. */
  readonly measured?: Pick<MeasuredRuns, "with" | "courses">;
  /** The power groups of the configuration. */
  readonly groups?: readonly GroupEntry[];
  readonly homes: { readonly ids: ReadonlySet<string>; named(id: string): Home | null; readonly known: boolean };
  readonly timelineOf: (home: Home, now: EpochMs) => Timeline | null;
  /** Returns the export prices; null if neither the service nor a place of the region has them. */
  readonly exportTimelineOf?: (home: Home, now: EpochMs) => Timeline | null;
  readonly calendar: Calendar;
  readonly thresholds?: LevelThresholds;
  readonly isTimeTrusted: (now: EpochMs) => boolean;
  readonly problems: Pick<Problems, "start" | "end">;
  readonly startedAt: EpochMs;
  /** Language of the reasons; default English. */
  readonly language?: Language;
  /** Called after each decision of a circle. `until`: when one of its plans changes by itself. */
  readonly onDecided: (circle: string, until: EpochMs) => void;
}

/** Result of a command. */
type PlanCommanded = { readonly kind: "done" } | RefusedCommand;

/** Delay of fallback hours after the daemon's start, because missing prices may still arrive. */
const GRACE_MS = 10 * MINUTE_MS;

export class Plans {
  readonly results: PlanResults;
  readonly #deps: PlansDeps;
  readonly #language: Language;
  readonly #once: OncePlans;
  readonly #learning: PlanLearning;
  readonly #circles = new PlanCircles();
  #groups: readonly GroupEntry[] = [];
  /** The last snapshot of each plan. Bounded by the plans. */
  readonly #snapshots = new Map<string, PlanSnapshot>();
  /** When a circle changes by itself. Bounded by the circles. */
  readonly #dueAt = new Map<string, EpochMs>();
  /** Machines that plugs watch, keyed by plan. Bounded by the plugs. */
  readonly #machines = new Map<string, PlanMachine>();
  /** Reason of the last refused MQTT command, keyed by plan. */
  readonly #refusals = new Map<string, string>();

  constructor(deps: PlansDeps) {
    this.#deps = deps;
    this.#language = deps.language ?? "en";
    this.#once = new OncePlans(deps.memory);
    this.results = new PlanResults(deps.store, deps.calendar, (which) => this.#selected(which), deps.measured);
    this.#learning = new PlanLearning(deps.store, deps.memory, deps.measured ?? { courses: () => [] });
    this.take(deps.definitions, deps.groups);
  }

  /**
   * Replaces the configured plans. A plan that remains continues with its record, as after a restart. Returns the names
   * of the circles with new, changed or removed plans, which have to be decided.
   */
  take(configured: readonly PlanDefinition[], groups: readonly GroupEntry[] = this.#groups): readonly string[] {
    this.#groups = groups;
    const { store, problems } = this.#deps;
    const ids = new Set(configured.map(({ id }) => id));
    const definitions = [...configured, ...this.#once.plans.filter(({ id }) => !ids.has(id))];
    const remaining = new Set(definitions.map(({ id }) => id));
    for (const id of this.ids) if (!remaining.has(id)) problems.end(problemSubject(id));
    store.keepOnly([...remaining]);
    const { circles, unchanged } = this.#circles.replace(definitions, (definition) => {
      const spec = this.#specOf(definition);
      const memory = store.memory(definition.id);
      const whenLost = whenLostOf(spec);
      const on = whenLost === "on" || (whenLost === "keep" && memory?.on === true);
      return { definition, spec, advance: { ...UNDECIDED, on, memory } };
    });
    for (const circle of circles) this.#dueAt.delete(circle);
    for (const plan of this.#snapshots.keys()) if (!remaining.has(plan)) this.#snapshots.delete(plan);
    for (const plan of this.#refusals.keys()) if (!unchanged.has(plan)) this.#refusals.delete(plan);
    return circles;
  }

  /** Configured plans, then those that run once. Shape: in the order of the configuration. */
  get ids(): readonly string[] {
    return this.#circles.definitions.map(({ id }) => id);
  }

  /** Names of the circles of plans that depend on each other. Returns the same set until the plans are replaced. */
  get circles(): ReadonlySet<string> {
    return this.#circles.names;
  }

  /** Returns the name of the circle of a home's plans; null for a home without plans. */
  circleOf(home: string): string | null {
    return this.#circles.circleOf(home);
  }

  /** The decided plans. Shape: in the order of the configuration. */
  get snapshots(): readonly PlanSnapshot[] {
    return this.ids.flatMap((id) => this.#snapshots.get(id) ?? []);
  }

  /** Returns the decided plans of a circle. Shape: in the order of the configuration. */
  snapshotsOf(circle: string): readonly PlanSnapshot[] {
    return this.#circles.in(circle).flatMap(({ definition }) => this.#snapshots.get(definition.id) ?? []);
  }

  /** Returns a decided plan; null if there is no such plan, or no home is known yet. */
  snapshot(plan: string): PlanSnapshot | null {
    return this.#snapshots.get(plan) ?? null;
  }

  /** Returns true if a decision is due that can change the signal of one of the plans. */
  isDue(plans: readonly string[], now: EpochMs): boolean {
    if (!this.#deps.homes.known) return false;
    return plans.some((plan) => {
      const slot = this.#circles.get(plan);
      const dueAt = slot && this.#dueAt.get(this.#circles.circleOf(slot.definition.home) ?? "");
      return slot !== undefined && (dueAt === undefined || dueAt <= now);
    });
  }

  /** Returns the decided signal of a plan; null if there is no such plan, or not at `home` if one is given. */
  wanted(plan: string, home: string | null): Wanted | null {
    const slot = this.#circles.get(plan);
    if (!slot || (home !== null && home !== slot.definition.home)) return null;
    const { running, on, lost } = slot.advance;
    const snapshot = this.#snapshots.get(plan);
    const whenLost = lost ? { lost: whenLostOf(slot.spec) } : {};
    const reason = snapshot?.reason.text ?? textIn(this.#language, message("plan.nothing_known"));
    return { on, until: running?.end ?? (on ? null : (snapshot?.nextStart ?? null)), reason, ...whenLost };
  }

  /** Returns ON while any of the plans wants it, with the reasons of those plans; null if none of them exists. */
  wantedByAny(plans: readonly string[], home: string | null): Wanted | null {
    const all = this.withOnce(plans);
    const known = all.flatMap((plan) => {
      const wanted = this.wanted(plan, home);
      if (!wanted) return [];
      const { name } = this.#circles.get(plan)?.definition ?? { name: plan };
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

  /** Returns the plans, each followed by the plans that run once for its appliance. */
  withOnce(plans: readonly string[]): readonly string[] {
    return plans.flatMap((plan) => [plan, ...this.#once.idsFor(plan)]);
  }

  /**
   * Takes what a plug knows of the machine of a plan; undefined if it does not watch it any more. Decides the plan at
   * `now`, or at its next decision if that is null.
   */
  machineIs(plan: string, machine: PlanMachine | undefined, now: EpochMs | null): void {
    if (this.#machines.get(plan) === machine) return;
    if (machine === undefined) this.#machines.delete(plan);
    else this.#machines.set(plan, machine);
    const circle = this.circleOf(this.#circles.get(plan)?.definition.home ?? "");
    if (circle !== null && now !== null) this.decide(circle, now);
    else if (circle !== null) this.#dueAt.delete(circle);
  }

  /** Returns whether a plan would run a machine that is started at `now`: its window is open, and it has not run. */
  takesMachine(plan: string, now: EpochMs): boolean {
    const { memory, state } = this.#circles.get(plan)?.advance ?? UNDECIDED;
    if (!memory || memory.ended !== null || memory.startedRuns.length > 0) return false;
    return contains(memory.window, now) && !["disabled", "impossible", "no_prices"].includes(state);
  }

  /** Returns the cost of a plan's hours by start time; null if there is no such plan or it has no hours. */
  startCosts(plan: string, now: EpochMs): StartCost[] | null {
    const slot = this.#circles.get(plan);
    const home = slot && this.#deps.homes.named(slot.definition.home);
    const timeline = home && this.#deps.timelineOf(home, now);
    return slot ? startCosts(slot.spec, timeline?.points ?? [], now) : null;
  }

  /**
   * Decides the plans of a circle, stores what changed, and announces it. Does nothing before homes are known. Returns
   * when one of its plans changes by itself.
   */
  decide(circle: string, now: EpochMs): EpochMs {
    const { store, onDecided, homes } = this.#deps;
    if (!homes.known) return Number.POSITIVE_INFINITY;
    this.#removeOldOnce(circle, now);
    for (const slot of this.#circles.in(circle))
      if (slot.definition.learns) this.#circles.set({ ...slot, spec: this.#specOf(slot.definition) });
    const before = this.#circles.in(circle);
    const context = this.#contextAt(now);
    const decided = decideCircle(before, context);
    store.gather(() => {
      for (const slot of decided) {
        const { memory, finished } = slot.advance;
        const { id } = slot.definition;
        const isChanged = memory !== this.#circles.get(id)?.advance.memory || finished.length > 0;
        if (isChanged) store.write(id, memory, finished);
        this.#circles.set(slot);
      }
    });
    for (const slot of decided) {
      this.#reportUnknownHome(slot.definition, now);
      this.#snapshots.set(slot.definition.id, this.#snapshotOf(slot, context));
    }
    const until = Math.min(...decided.flatMap(({ advance }) => advance.nextChangeAt ?? []));
    if (decided.length > 0) this.#dueAt.set(circle, until);
    onDecided(circle, until);
    return until;
  }

  /** Returns how a new or changed plan would be decided at `now`. Null if its home is unknown. */
  preview(definition: PlanDefinition, now: EpochMs): PlanSnapshot | null {
    if (!this.#deps.homes.named(definition.home)) return null;
    const { definitions } = this.#circles;
    const place = definitions.findIndex(({ id }) => id === definition.id);
    const all = place < 0 ? [...definitions, definition] : definitions.with(place, definition);
    const circle = circlesOf(all).find((plans) => plans.includes(definition)) ?? [];
    const own = { definition, spec: definition.spec, advance: UNDECIDED };
    const slots = circle.flatMap((each) => (each === definition ? own : (this.#circles.get(each.id) ?? [])));
    const context = this.#contextAt(now);
    const decided = decideCircle(slots, context).find((each) => each.definition === definition);
    return decided ? this.#snapshotOf(decided, context) : null;
  }

  /** Returns the configured settings with the owner's changes and what the plan has learned. */
  #specOf(definition: PlanDefinition): PlanSpec {
    const spec = adjustedSpec(definition, this.#deps.store.settings(definition.id));
    return definition.learns ? withLearned(spec, this.#learning.of(definition.id, spec)) : spec;
  }

  #contextAt(now: EpochMs): DecisionContext {
    const { calendar, thresholds, isTimeTrusted, startedAt } = this.#deps;
    return {
      ...{ now, calendar, trusted: isTimeTrusted(now), graceUntil: startedAt + GRACE_MS, language: this.#language },
      ...(thresholds ? { thresholds } : {}),
      pricesOf: (plan) => this.#pricesOf(plan, now),
      machineOf: (plan) => this.#machines.get(plan),
    };
  }

  #pricesOf({ definition, spec }: Pick<PlanSlot, "definition" | "spec">, now: EpochMs): PlanPrices {
    const { homes, timelineOf, exportTimelineOf = () => null } = this.#deps;
    const home = homes.named(definition.home);
    const bought = home && timelineOf(home, now);
    if (!home || !isExport(spec)) return { isHomeKnown: home !== null, timeline: bought, lacksExport: false };
    const sold = exportTimelineOf(home, now);
    // A home with import prices and without export prices will not get export prices later.
    return { isHomeKnown: true, timeline: sold, lacksExport: sold === null && bought !== null };
  }

  #snapshotOf(slot: PlanSlot, context: DecisionContext): PlanSnapshot {
    const { id } = slot.definition;
    const history = this.results.history({ id, spec: slot.spec }, context.now);
    const learned = slot.definition.learns ? this.#learning.of(id, slot.spec) : null;
    return decidedSnapshot(slot, context, { history, learned, refused: this.#refusals.get(id) ?? null });
  }

  #reportUnknownHome({ id, home }: PlanDefinition, now: EpochMs): void {
    const { problems, homes } = this.#deps;
    const subject = problemSubject(id);
    if (homes.named(home)) {
      problems.end(subject);
      return;
    }
    const ids = [...homes.ids];
    problems.start({
      code: "unknown_home",
      subject,
      since: now,
      names: { owner: message("word.owner_plan", { id }), homes: ids.join(", ") || message("word.the_homes") },
      detail: unknownHome(home, ids),
    });
  }

  #selected({ home, plan }: WhichPlans) {
    return this.#circles.definitions
      .filter((each) => (home === null || each.home === home) && (plan === null || each.id === plan))
      .map((definition) => ({ definition, currency: this.#snapshots.get(definition.id)?.currency ?? null }));
  }

  /** Carries out a command of the topic `<home>/plan/<plan>/<setting>/set`. */
  command([home = "", plan = "", setting = ""]: readonly string[], payload: string, now: EpochMs): PlanCommanded {
    if (this.#circles.get(plan)?.definition.home !== home)
      return refused("unknown_plan", message("refused.no_plan", { home, plan }));
    const before = this.#refusals.get(plan);
    this.#refusals.delete(plan);
    const result = this.#carryOut(plan, setting, payload, now);
    if (result.kind === "refused") {
      const reason = textIn(this.#language, result.reason);
      this.#refusals.set(plan, reason);
      if (reason !== before) this.#decideFor(home, now);
    }
    return result;
  }

  #carryOut(plan: string, setting: string, payload: string, now: EpochMs): PlanCommanded {
    const command = planCommandOf(setting, payload);
    switch (command.kind) {
      case "action":
        return this.act(plan, command.action, now);
      case "settings":
        return this.change(plan, command.changes, now);
      case "reset": {
        const slot = this.#circles.get(plan);
        return slot ? this.change(plan, resetOf(slot.definition), now) : unknownPlan(plan);
      }
      case "once":
        return this.once({ plan, ...(command.within === undefined ? {} : { within: command.within }) }, now);
      case "refused":
        return command;
    }
  }

  /** Carries out an action of the owner: run now, skip or stop. */
  act(plan: string, action: PlanAction, now: EpochMs): PlanCommanded {
    const { store, isTimeTrusted } = this.#deps;
    const slot = this.#circles.get(plan);
    if (!slot) return unknownPlan(plan);
    if (!isTimeTrusted(now)) return refused("clock_not_trusted", message("refused.clock"));
    if (action === "freeze_learned" || action === "forget_learned") return this.#learnedActed(slot, action, now);
    const done = this.#acted(slot, action, now);
    if (done.kind === "refused") return done;
    store.write(plan, done.memory, []);
    this.#circles.set({ ...slot, advance: { ...slot.advance, memory: done.memory } });
    this.#decideFor(slot.definition.home, now);
    return { kind: "done" };
  }

  #acted(slot: PlanSlot, action: RunAction, now: EpochMs): Commanded {
    const { definition, spec, advance } = slot;
    if (action === "skip") return skip(advance.memory, now);
    if (action === "stop") return stop(advance.memory, now, spec);
    const circle = this.#circles.in(this.circleOf(definition.home) ?? "");
    const crowded = crowdedFor(slot, circle, (other) => other.advance.memory?.startedRuns ?? []);
    return runNow(spec, advance.memory, now, blockedBy(definition, new Set(), circle), crowded);
  }

  #learnedActed(
    { definition, spec }: PlanSlot,
    action: "freeze_learned" | "forget_learned",
    now: EpochMs,
  ): PlanCommanded {
    const { id, learns, home } = definition;
    const learned = learns ? this.#learning.of(id, spec) : null;
    if (!learns) return refused("unknown_setting", message("refused.no_learn"));
    if (action === "forget_learned") this.#learning.forget(id, now);
    else if (learned) this.#learning.freeze(id, learned);
    else return refused("unknown_setting", message("refused.nothing_learned"));
    this.#decideFor(home, now);
    return { kind: "done" };
  }

  /** Changes settings, all or none. An empty text restores the value of the configuration. */
  change(plan: string, changes: ChangedSettings, now: EpochMs): PlanCommanded {
    const { store } = this.#deps;
    const slot = this.#circles.get(plan);
    if (!slot) return unknownPlan(plan);
    const { definition } = slot;
    const change = changeSettings(definition, store.settings(plan), changes);
    if (change.kind === "refused") return change;
    if (!store.writeSettings(plan, change.texts)) return refused("not_writable", message("refused.not_writable"));
    this.#circles.set({ ...slot, spec: this.#specOf(definition) });
    this.#decideFor(definition.home, now);
    return { kind: "done" };
  }

  /** Adds a plan that runs once. It is removed when it is over. */
  once(asked: object, now: EpochMs): { readonly kind: "done"; readonly plan: string } | RefusedCommand {
    const { isTimeTrusted, homes } = this.#deps;
    if (!isTimeTrusted(now)) return refused("clock_not_trusted", message("plan.clock"));
    const { definitions } = this.#circles;
    const read = readOneShot(asked, definitions, this.#groups, now);
    if ("key" in read) return refused("unreadable_setting", read);
    if (!homes.ids.has(read.home))
      return refused("unreadable_setting", placed("home", unknownId("home", read.home, [...homes.ids])));
    const sameGroup = definitions.filter(({ power }) => power && power.group === read.power?.group);
    const { plans } = this.#once;
    if (plans.length >= MAX_ONCE || sameGroup.length >= MAX_GROUP_PLANS)
      return refused("too_many", message("refused.too_many", { count: plans.length }));
    const definition = { ...read, id: freeSlug(read.id, new Set(this.ids)) };
    for (const circle of this.#replaceOnce([...plans, definition])) this.decide(circle, now);
    return { kind: "done", plan: definition.id };
  }

  /** Carries out a command of the topic `<home>/once/set`: JSON as over HTTP. */
  onceAt([home = ""]: readonly string[], payload: string, now: EpochMs): PlanCommanded {
    const asked = objectIn(payload);
    const expected = message("refused.json", { example: '{"hours": 2, "within": 8}' });
    return asked ? this.once({ home, ...asked }, now) : refused("unreadable_setting", expected);
  }

  /** Removes the plans of a circle that run once and are over. */
  #removeOldOnce(circle: string, now: EpochMs): void {
    if (!this.#deps.isTimeTrusted(now)) return;
    const current = this.#once.plans.filter(({ id, home, spec }) => {
      const started = this.#circles.get(id)?.advance.memory?.startedRuns ?? [];
      return this.circleOf(home) !== circle || now < (spec.once?.end ?? 0) || started.some(({ end }) => end > now);
    });
    if (current.length === this.#once.plans.length) return;
    for (const other of this.#replaceOnce(current)) if (other !== circle) this.decide(other, now);
  }

  #replaceOnce(plans: readonly PlanDefinition[]): readonly string[] {
    const configured = this.#circles.definitions.filter(({ spec }) => !spec.once);
    this.#once.replace(plans);
    return this.take(configured);
  }

  #decideFor(home: string, now: EpochMs): void {
    const circle = this.circleOf(home);
    if (circle !== null) this.decide(circle, now);
  }
}

/** Returns the subject of a plan's problems. */
function problemSubject(plan: string): string {
  return `plan ${plan}`;
}

function unknownPlan(plan: string): RefusedCommand {
  return refused("unknown_plan", message("refused.unknown_plan", { plan }));
}
