/** All plans: decisions, commands, and what others read of them. Reading decides nothing. */

import type { GroupEntry } from "../config/plan-list.ts";
import { unknownHome } from "../config/reading/suggest-key.ts";
import { message } from "../core/language/text.ts";
import { whyUnknown, withCharge } from "../core/planning/charge.ts";
import {
  type PlanCommanded,
  type RefusedCommand,
  refusedCommand as refused,
} from "../core/planning/command-refusal.ts";
import { type DecisionContext, decideCircle, decidedSnapshot } from "../core/planning/group/circle-decision.ts";
import { circlesOf, type PlanSlot } from "../core/planning/group/plan-dependencies.ts";
import { withLearned } from "../core/planning/learned-course.ts";
import type { PlanDefinition } from "../core/planning/model/plan-definition.ts";
import { type PlanSpec, whenLostOf } from "../core/planning/model/plan-spec.ts";
import type { PlanMachine } from "../core/planning/plan-input.ts";
import type { PlanRecord } from "../core/planning/plan-record.ts";
import { adjustedSpec } from "../core/planning/plan-settings.ts";
import { UNDECIDED } from "../core/planning/plan-state-machine.ts";
import { hasBattery } from "../core/planning/setting-rows.ts";
import type { PlanSnapshot } from "../core/planning/snapshot/plan-snapshot.ts";
import type { Wanted } from "../core/plugs/plug-types.ts";
import type { KeyValue } from "../core/runtime/key-value.ts";
import { keepingPromises } from "../core/status/kept-promise.ts";
import { objectIn } from "../core/text/foreign-text.ts";
import { contains, type EpochMs } from "../core/time/interval.ts";
import { noteChange, OVER_MQTT } from "../storage/noted-changes.ts";
import type { PlanStore } from "../storage/plan-store.ts";
import { Holidays } from "./holidays.ts";
import type { MeasuredRuns } from "./measured-runs.ts";
import { OncePlans } from "./once-plans.ts";
import { PlanCircles } from "./plan-circles.ts";
import { PlanCommands } from "./plan-commands.ts";
import { type ChargeMessage, GRACE_MS, PlanFacts, type PlanFactsDeps } from "./plan-facts.ts";
import { PlanLearning } from "./plan-learning.ts";
import { PlanResults, type WhichPlans } from "./plan-results.ts";
import { wantedBy, wantedByAny } from "./signals.ts";

export interface PlansDeps extends PlanFactsDeps {
  /** Stores plans that run once, what plans learned, and holidays. */
  readonly memory: KeyValue;
  readonly definitions: readonly PlanDefinition[];
  readonly store: PlanStore;
  /** What plugs measured in finished runs. */
  readonly measured?: Pick<MeasuredRuns, "with" | "courses">;
  /** The power groups of the configuration. */
  readonly groups: readonly GroupEntry[];
  /** Called after each decision of a circle. `until`: when one of its plans changes by itself. */
  readonly onDecided: (circle: string, until: EpochMs) => void;
  /** Called after the holiday of a home was set and its plans are decided. */
  readonly onAway?: (home: string) => void;
}

export class Plans {
  readonly commands: PlanCommands;
  readonly results: PlanResults;
  readonly holidays: Holidays;
  readonly #deps: PlansDeps;

  readonly #once: OncePlans;
  readonly #learning: PlanLearning;
  readonly #facts: PlanFacts;
  readonly #circles = new PlanCircles();
  #groups: readonly GroupEntry[] = [];
  /** The last snapshot of each plan. Bounded by the plans. */
  readonly #snapshots = new Map<string, PlanSnapshot>();
  /** When a circle changes by itself. Bounded by the circles. */
  readonly #dueAt = new Map<string, EpochMs>();
  constructor(deps: PlansDeps) {
    this.#deps = deps;
    this.#once = new OncePlans(deps.memory);
    this.holidays = new Holidays({
      ...deps,
      onSet: (home, now) => {
        this.#decideFor(home, now);
        deps.onAway?.(home);
      },
    });
    this.results = new PlanResults(deps, (which) => this.#selected(which));
    this.#facts = new PlanFacts(deps, this.holidays, this.results);
    this.#learning = new PlanLearning(deps);
    this.commands = new PlanCommands({
      ...deps,
      circles: this.#circles,
      learning: this.#learning,
      specOf: ({ definition, advance }, now) => this.#specOf(definition, advance.memory, now),
      decideFor: (home, now) => this.#decideFor(home, now),
      once: (request, now, caller) => this.once(request, now, caller),
      snapshot: (plan) => this.snapshot(plan),
    });
    this.configure(deps.definitions, deps.groups);
  }

  /**
   * Replaces the configured plans. A plan that remains continues with its record, as after a restart. Returns the names
   * of the circles with new, changed or removed plans, which have to be decided.
   */
  configure(configured: readonly PlanDefinition[], groups: readonly GroupEntry[] = this.#groups): readonly string[] {
    this.#groups = groups;
    const { store, problems } = this.#deps;
    const ids = new Set(configured.map(({ id }) => id));
    const definitions = [...configured, ...this.#once.plans.filter(({ id }) => !ids.has(id))];
    const remaining = new Set(definitions.map(({ id }) => id));
    for (const id of this.ids) if (!remaining.has(id)) for (const subject of problemSubjects(id)) problems.end(subject);
    store.keepOnly([...remaining]);
    const { circles, unchanged } = this.#circles.replace(definitions, (definition) => {
      const memory = store.memory(definition.id);
      const spec = this.#specOf(definition, memory, memory?.window.start ?? 0);
      const whenLost = whenLostOf(spec);
      const on = whenLost === "on" || (whenLost === "keep" && memory?.on === true);
      return { definition, spec, advance: { ...UNDECIDED, on, memory } };
    });
    for (const circle of circles) this.#dueAt.delete(circle);
    for (const plan of this.#snapshots.keys()) if (!remaining.has(plan)) this.#snapshots.delete(plan);
    this.commands.forgetRefusals(unchanged);
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

  /** Plans that are not decided, because no home is known yet. */
  get waiting(): readonly Pick<PlanDefinition, "id" | "name">[] {
    return this.#circles.definitions.flatMap(({ id, name }) => (this.#snapshots.has(id) ? [] : { id, name }));
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
    return wantedBy(slot, this.snapshot(plan), this.#deps.language);
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
    return wantedByAny(known);
  }

  /** Returns the plans, each followed by the plans that run once for its appliance. */
  withOnce(plans: readonly string[]): readonly string[] {
    return plans.flatMap((plan) => [plan, ...this.#once.idsFor(plan)]);
  }

  /** Takes what a plug knows of a plan's machine. Decides it at `now`, or at its next decision if that is null. */
  machineIs(plan: string, machine: PlanMachine | undefined, now: EpochMs | null): void {
    if (!this.#facts.machineIs(plan, machine)) return;
    const circle = this.circleOf(this.#circles.get(plan)?.definition.home ?? "");
    if (circle !== null && now !== null) this.decide(circle, now);
    else if (circle !== null) this.#dueAt.delete(circle);
  }

  get chargeTopics(): readonly string[] {
    return [...new Set(this.#circles.definitions.flatMap(({ spec }) => ("soc" in spec && spec.soc?.topic) || []))];
  }

  /** Takes the charge of a battery, and decides its plans. */
  chargeIs(message: ChargeMessage, now: EpochMs): void {
    if (!this.#facts.chargeIs(message, now)) return;
    const own = this.#circles.definitions.filter(({ spec }) => "soc" in spec && spec.soc?.topic === message.topic);
    for (const home of new Set(own.map((each) => each.home))) this.#decideFor(home, now);
  }

  /** Returns whether a plan would run a machine that is started at `now`: its window is open, and it has not run. */
  takesMachine(plan: string, now: EpochMs): boolean {
    const { memory, state } = this.#circles.get(plan)?.advance ?? UNDECIDED;
    if (!memory || memory.ended !== null || memory.startedRuns.length > 0) return false;
    return contains(memory.window, now) && !["disabled", "impossible", "no_prices"].includes(state);
  }

  /**
   * Decides the plans of a circle, stores and announces it. Returns when one of them changes by itself. If a promise does
   * not hold, the stored decision stays.
   */
  decide(circle: string, now: EpochMs): EpochMs {
    const { problems, homes } = this.#deps;
    if (!homes.known) return Number.POSITIVE_INFINITY;
    const run = () => this.#decide(circle, now);
    return keepingPromises(problems, { of: `plans ${circle}`, now, run, safe: () => Number.POSITIVE_INFINITY });
  }

  #decide(circle: string, now: EpochMs): EpochMs {
    const { store, onDecided } = this.#deps;
    this.#removeOldOnce(circle, now);
    for (const slot of this.#circles.in(circle))
      if (slot.definition.learns || hasBattery(slot.spec))
        this.#circles.set({ ...slot, spec: this.#specOf(slot.definition, slot.advance.memory, now) });
    const before = this.#circles.in(circle);
    const context = this.#facts.contextAt(now);
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
      this.#reportCharge(slot, now);
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
    const own = { definition, spec: this.#charged(definition, definition.spec, null, now), advance: UNDECIDED };
    const slots = circle.flatMap((each) => (each === definition ? own : (this.#circles.get(each.id) ?? [])));
    const context = this.#facts.contextAt(now);
    const decided = decideCircle(slots, context).find((each) => each.definition === definition);
    return decided ? this.#snapshotOf(decided, context) : null;
  }

  /** Returns the configured settings with the owner's changes, and what the plan has learned or its battery needs. */
  #specOf(definition: PlanDefinition, memory: PlanRecord | null, now: EpochMs): PlanSpec {
    const spec = adjustedSpec(definition, this.#deps.store.settings(definition.id));
    if (definition.learns) return withLearned(spec, this.#learning.of(definition.id, spec, now));
    return this.#charged(definition, spec, memory, now);
  }

  #charged({ id }: PlanDefinition, spec: PlanSpec, memory: PlanRecord | null, now: EpochMs): PlanSpec {
    if (spec.kind !== "slots" || !spec.soc) return spec;
    const charge = this.#facts.chargeOf(spec.soc.topic, now);
    return withCharge(spec, { charge, usualMs: () => this.#learning.usualMs(id, spec, now) }, memory, now);
  }

  #snapshotOf(slot: PlanSlot, context: DecisionContext): PlanSnapshot {
    const { id } = slot.definition;
    const history = this.results.history({ id, spec: slot.spec }, context.now);
    const learned = slot.definition.learns ? this.#learning.of(id, slot.spec, context.now) : null;
    return decidedSnapshot(slot, context, { history, learned, refused: this.commands.refusalOf(id) });
  }

  #reportUnknownHome({ id, name, home }: PlanDefinition, now: EpochMs): void {
    const { problems, homes } = this.#deps;
    const [subject] = problemSubjects(id);
    if (homes.named(home)) {
      problems.end(subject);
      return;
    }
    const owner = message("word.owner_plan", { name });
    problems.start(unknownHome({ subject, since: now, home, owner }, [...homes.ids]));
  }

  /** Reports a battery whose charge is unknown. After a start it is awaited. */
  #reportCharge({ definition: { id, name }, spec }: PlanSlot, now: EpochMs): void {
    const { problems, startedAt, calendar } = this.#deps;
    const [, subject] = problemSubjects(id);
    const soc = spec.enabled && spec.kind === "slots" && spec.battery?.kind === "unknown" ? spec.soc : undefined;
    const charge = soc && this.#facts.chargeOf(soc.topic, now);
    if (charge?.kind !== "unknown") problems.end(subject);
    else if (now >= startedAt + GRACE_MS)
      problems.start({
        code: "charge_unknown",
        subject,
        since: now,
        names: { name },
        detail: whyUnknown(charge, calendar),
      });
  }

  #selected({ home, plan }: WhichPlans) {
    return this.#circles.definitions
      .filter((each) => (home === null || each.home === home) && (plan === null || each.id === plan))
      .map((definition) => ({ definition, currency: this.#snapshots.get(definition.id)?.currency ?? null }));
  }

  /** Adds a plan that runs once. It is removed when it is over. */
  once(
    request: object,
    now: EpochMs,
    caller: string | null = null,
  ): { readonly kind: "done"; readonly plan: string } | RefusedCommand {
    const { isTimeTrusted, homes, language } = this.#deps;
    if (!isTimeTrusted(now)) return refused("clock_not_trusted", message("plan.clock"));
    const { definitions } = this.#circles;
    const definition = this.#once.read(request, { definitions, groups: this.#groups, homes: homes.ids, language, now });
    if ("kind" in definition) return definition;
    for (const circle of this.#replaceOnce([...this.#once.plans, definition])) this.decide(circle, now);
    const path = `plans.${definition.id}`;
    noteChange(this.#deps.memory, { now, caller }, [{ path, before: null, after: { name: definition.name } }]);
    return { kind: "done", plan: definition.id };
  }

  /** Carries out a command of the topic `<home>/once/set`: JSON as over HTTP. */
  onceAt([home = ""]: readonly string[], payload: string, now: EpochMs): PlanCommanded {
    const request = objectIn(payload);
    const expected = message("refused.json", { example: '{"hours": 2, "within": 8}' });
    return request ? this.once({ home, ...request }, now, OVER_MQTT) : refused("unreadable_setting", expected);
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
    return this.configure(configured);
  }

  #decideFor(home: string, now: EpochMs): void {
    const circle = this.circleOf(home);
    if (circle !== null) this.decide(circle, now);
  }
}

function problemSubjects(plan: string): readonly [home: string, charge: string] {
  return [`plan ${plan}`, `charge of plan ${plan}`];
}
