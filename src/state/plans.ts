/** The plans of the house: the configuration, the prices, the clock and what is remembered come together here. */

import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { readOneShot } from "../config/one-shot.ts";
import { type GroupEntry, MAX_GROUP_PLANS } from "../config/plan-schema.ts";
import { unknownHome, unknownText } from "../config/suggest-key.ts";
import { en } from "../core/language/en.ts";
import type { Language } from "../core/language/language.ts";
import { message, textIn } from "../core/language/text.ts";
import { type RefusedCommand, refusedCommand as refused } from "../core/planning/command-refusal.ts";
import { inOrder, type PlanDefinition, readDuration } from "../core/planning/model/plan-definition.ts";
import { type PlanSpec, type PlanWindow, whenLostOf } from "../core/planning/model/plan-spec.ts";
import { roundAt } from "../core/planning/model/plan-windows.ts";
import { type Commanded, type PlanAction, planActions, runNow, skip, stop } from "../core/planning/plan-commands.ts";
import { afterStateOf, blockedBy, circlesOf, finishByOf, type PlanSlot } from "../core/planning/plan-dependencies.ts";
import type { PlanInput, Solve } from "../core/planning/plan-input.ts";
import { reasonOf } from "../core/planning/plan-reason.ts";
import type { PlanRecord } from "../core/planning/plan-record.ts";
import type { FinishedRun } from "../core/planning/plan-savings.ts";
import {
  adjustedSpec,
  type ChangedSettings,
  changeSettings,
  planSettings,
  RESET_SETTINGS,
  resetOf,
} from "../core/planning/plan-settings.ts";
import { type PlanHistory, type PlanMonth, type PlanSnapshot, planSnapshot } from "../core/planning/plan-snapshot.ts";
import { advancePlan, type PlanAdvance, runsOf } from "../core/planning/plan-state-machine.ts";
import { crowdedFor, type GroupSeat, type GroupShares, shareOut } from "../core/planning/power-group.ts";
import { solvePlan } from "../core/planning/solve-plan.ts";
import { type StartCost, startCosts } from "../core/planning/start-costs.ts";
import type { Wanted } from "../core/plugs/plug-types.ts";
import type { Home } from "../core/prices/home-snapshot.ts";
import type { LevelThresholds } from "../core/prices/level.ts";
import type { Timeline } from "../core/prices/timeline.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import type { Problems } from "../core/status/problem.ts";
import { freeSlug } from "../core/text/slug.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { contains, type EpochMs, type Interval, MINUTE_MS } from "../core/time/interval.ts";
import type { PlanStore } from "../storage/plan-store.ts";

export interface PlansDeps {
  readonly definitions: readonly PlanDefinition[];
  readonly store: PlanStore;
  readonly homes: { readonly ids: ReadonlySet<string>; named(id: string): Home | null; readonly known: boolean };
  readonly timelineOf: (home: Home, now: EpochMs) => Timeline | null;
  readonly calendar: Calendar;
  readonly thresholds?: LevelThresholds;
  readonly isTimeTrusted: (now: EpochMs) => boolean;
  readonly problems: Pick<Problems, "start" | "end">;
  readonly startedAt: EpochMs;
  /** Remembers the plans for once. */
  readonly memory: KeyValue;
  /** The power groups of the configuration. */
  readonly groups?: readonly GroupEntry[];
  /** What exported energy is worth; null where the service does not tell it and no place of the region does. */
  readonly exportTimelineOf?: (home: Home, now: EpochMs) => Timeline | null;
  /** Called with the home's id after a command that changed something. */
  readonly onChange: (home: string) => void;
  readonly solve?: Solve;
  /** Of the reasons; English where absent. */
  readonly language?: Language;
}

/** The plans as they are, and when they change by themselves. */
export interface ShownPlans {
  /** Shape: in the order of the file. */
  readonly plans: readonly PlanSnapshot[];
  readonly until: EpochMs | null;
}

/** A plan with what has run. */
export interface PlanDetail {
  readonly snapshot: PlanSnapshot;
  /** Shape: newest first. */
  readonly runs: readonly FinishedRun[];
  /** Shape: newest first; months without a run are left out. */
  readonly months: readonly PlanMonth[];
}

/** A run that is over, and its plan. */
export interface PlanResult {
  readonly definition: PlanDefinition;
  /** Null while no price of its home is known. */
  readonly currency: string | null;
  readonly run: FinishedRun;
}

/** The plans of a home, one plan, or all. */
export interface WhichPlans {
  readonly home: string | null;
  readonly plan: string | null;
}

/** What the runs of a month saved, and their plan. */
export interface MonthResult extends Omit<PlanResult, "run"> {
  readonly month: PlanMonth;
}

/** Runs of a plan that are told one by one. */
const MAX_RUNS_TOLD = 60;
/** As far back as runs are kept. */
const MAX_MONTHS_TOLD = 14;

/** Plans for once at a time; a house has a few. */
const MAX_ONCE = 8;
const ONCE = "plans_once";
/** What the rest of the program relies on; the digest has told that it is as it was written. */
const keptOnce = z.array(
  z.looseObject({
    ...{ id: z.string(), name: z.string(), home: z.string(), after: z.nullable(z.looseObject({ plan: z.string() })) },
    spec: z.looseObject({ kind: z.string(), once: z.object({ start: z.number(), end: z.number() }) }),
  }),
);
/** Plans that have to do with each other, as they stand in the file and as they are decided. */
interface PlanCircle {
  readonly inFile: readonly PlanDefinition[];
  readonly ordered: readonly PlanDefinition[];
}

const NO_PLANS: PlanCircle = { inFile: [], ordered: [] };

/** After a start, prices that are missing may only be late; fallback hours wait this long. */
const GRACE_MS = 10 * MINUTE_MS;
const NOTHING_YET: PlanAdvance = {
  memory: null,
  state: "waiting",
  on: false,
  lost: true,
  startedNow: null,
  running: null,
  nextChangeAt: null,
  finished: [],
};

export class Plans {
  readonly #deps: PlansDeps;
  /** In the order of the file, then those for once. */
  #definitions: readonly PlanDefinition[] = [];
  /** Those for once, the oldest first. Bounded by MAX_ONCE. */
  #once: readonly PlanDefinition[];
  #groups: readonly GroupEntry[] = [];
  /** In the order in which they are decided. */
  #ordered: readonly PlanDefinition[] = [];
  /** Plans that have to do with each other, by the home of the first. */
  #circles: ReadonlyMap<string, PlanCircle> = new Map();
  #circleOf: ReadonlyMap<string, string> = new Map();
  /** By plan. Bounded by the configuration. */
  readonly #companions = new Map<string, PlanSlot>();
  readonly #snapshots = new Map<string, PlanSnapshot>();
  /** By plan: why its last command over MQTT was refused. */
  readonly #refusals = new Map<string, string>();

  constructor(deps: PlansDeps) {
    this.#deps = deps;
    this.#once = (readJson(deps.memory, ONCE, keptOnce) ?? []) as unknown as PlanDefinition[];
    this.take(deps.definitions, deps.groups);
  }

  /**
   * Replaces the plans. One that stays continues where it is, as after a restart. Returns the names of the circles
   * with new, changed or removed plans; the other circles keep what was decided.
   */
  take(configured: readonly PlanDefinition[], groups: readonly GroupEntry[] = this.#groups): readonly string[] {
    this.#groups = groups;
    const { store, problems } = this.#deps;
    const ids = new Set(configured.map(({ id }) => id));
    const definitions = [...configured, ...this.#once.filter(({ id }) => !ids.has(id))];
    const stay = new Set(definitions.map(({ id }) => id));
    for (const { id } of this.#definitions) if (!stay.has(id)) problems.end(subjectOf(id));
    this.#definitions = definitions;
    this.#ordered = inOrder(definitions.toSorted((a, b) => (a.power?.priority ?? 0) - (b.power?.priority ?? 0)));
    const rank = new Map(this.#ordered.map(({ id }, i) => [id, i]));
    const circles = circlesOf(definitions).map((inFile) => {
      const ordered = inFile.toSorted((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0));
      return [inFile[0]?.home ?? "", { inFile, ordered }] as const;
    });
    const before = this.#circles;
    this.#circles = new Map(circles);
    this.#circleOf = new Map(circles.flatMap(([name, { inFile }]) => inFile.map(({ home }) => [home, name] as const)));
    const changed = circles.filter(([name, { inFile }]) => !isDeepStrictEqual(before.get(name)?.inFile, inFile));
    const renewed = new Set(changed.flatMap(([, { inFile }]) => inFile.map(({ id }) => id)));
    for (const made of [this.#companions, this.#snapshots, this.#refusals])
      for (const id of made.keys()) if (renewed.has(id) || !stay.has(id)) made.delete(id);
    store.keepOnly([...stay]);
    for (const definition of this.#ordered) {
      if (!renewed.has(definition.id)) continue;
      const spec = adjustedSpec(definition, store.settings(definition.id));
      const memory = store.memory(definition.id);
      const wish = whenLostOf(spec);
      const on = wish === "on" || (wish === "keep" && memory?.on === true);
      const advance = { ...NOTHING_YET, on, memory };
      this.#companions.set(definition.id, { definition, spec, advance });
    }
    return changed.map(([name]) => name);
  }

  /** Those of the configuration, then those for once. Shape: in the order of the file. */
  get ids(): readonly string[] {
    return this.#definitions.map(({ id }) => id);
  }

  /** The plans as they were last decided. Shape: in the order of the file; empty before homes are known. */
  get snapshots(): readonly PlanSnapshot[] {
    return this.#definitions.flatMap(({ id }) => this.#snapshots.get(id) ?? []);
  }

  /** The names of the circles of plans that have to do with each other; the same map as long as the plans are. */
  get circles(): ReadonlyMap<string, unknown> {
    return this.#circles;
  }

  /** The circle of a home's plans; null for a home without any. */
  circleOf(home: string): string | null {
    return this.#circleOf.get(home) ?? null;
  }

  /** Decides every plan at `now`, or those of one circle, and remembers it. */
  at(now: EpochMs, circle: string | null = null): ShownPlans {
    const { homes, store } = this.#deps;
    if (!homes.known) return { plans: [], until: null };
    this.#endOnce(now);
    const all = { inFile: this.#definitions, ordered: this.#ordered };
    const { inFile, ordered } = circle === null ? all : (this.#circles.get(circle) ?? NO_PLANS);
    const decided = new Set<string>();
    const homeOf = ({ home }: PlanDefinition) => homes.named(home);
    const shares = this.#shareOut(ordered, homeOf, now);
    const changes = store.gather(() =>
      ordered.flatMap((definition) => {
        const home = homeOf(definition);
        const { nextChangeAt } = this.#decide(definition, home, decided, shares, now);
        this.#tellHome(definition, home, now);
        decided.add(definition.id);
        return nextChangeAt ?? [];
      }),
    );
    const plans = inFile.flatMap(({ id }) => this.#snapshots.get(id) ?? []);
    return { plans, until: changes.length === 0 ? null : Math.min(...changes) };
  }

  /** What a plan wants at `now`; null for a plan that there is not, or not at `home` where one is given. */
  wanted(plan: string, home: string | null, now: EpochMs): Wanted | null {
    const known = this.#companions.get(plan);
    if (!known || (home !== null && home !== known.definition.home)) return null;
    this.at(now, this.circleOf(known.definition.home));
    const { running, memory, on, lost } = this.#companions.get(plan)?.advance ?? NOTHING_YET;
    const whenLost = lost ? { lost: whenLostOf(known.spec) } : {};
    const reason =
      this.#snapshots.get(plan)?.reason.text ?? textIn(this.#deps.language ?? "en", message("plan_nothing_known"));
    const next = memory?.planned.find((run) => run.start > now)?.start ?? null;
    return { on, until: running?.end ?? (on ? null : next), reason, ...whenLost };
  }

  /** ON while any of the plans wants it, and says which; null where nothing is known of any of them. */
  wantedByAny(plans: readonly string[], home: string | null, now: EpochMs): Wanted | null {
    const all = plans.flatMap((plan) => [plan, ...this.#once.flatMap(({ of, id }) => (of === plan ? id : []))]);
    const known = all.flatMap((plan) => {
      const wanted = this.wanted(plan, home, now);
      if (!wanted) return [];
      const { name } = this.#companions.get(plan)?.definition ?? { name: plan };
      return all.length > 1 ? { ...wanted, reason: `${name}: ${wanted.reason}` } : wanted;
    });
    const [only] = known;
    if (!only || known.length === 1) return only ?? null;
    const on = known.some((wanted) => wanted.on);
    const telling = known.filter((wanted) => wanted.on === on);
    const times = telling.flatMap(({ until }) => until ?? []);
    const isOpen = times.length === 0 || (on && times.length < telling.length);
    const until = isOpen ? null : on ? Math.max(...times) : Math.min(...times);
    // Where one that is known wants ON, what the others do without prices is of no matter.
    const isKnownOn = known.some((wanted) => wanted.on && wanted.lost === undefined);
    const lost = (["on", "keep", "off"] as const).find((each) => known.some((wanted) => wanted.lost === each));
    const whenLost = lost === undefined || isKnownOn ? {} : { lost };
    return { on, until, reason: telling.map(({ reason }) => reason).join("; "), ...whenLost };
  }

  /** The plan as it is at `now`, with what has run; null where there is none, or no home is known yet. */
  detail(plan: string, now: EpochMs): PlanDetail | null {
    const known = this.#companions.get(plan);
    if (!known) return null;
    this.at(now, this.circleOf(known.definition.home));
    const snapshot = this.#snapshots.get(plan);
    if (!snapshot) return null;
    const { calendar, store } = this.#deps;
    const months: PlanMonth[] = [];
    let from = calendar.startOf("month", now);
    for (let i = 0; i < MAX_MONTHS_TOLD; i++, from = calendar.add("month", from, -1)) {
      const month = this.#monthFrom(plan, snapshot.definition.spec, from);
      if (month.runs > 0) months.push(month);
    }
    return { snapshot, runs: store.lastRuns(plan, MAX_RUNS_TOLD), months };
  }

  /** Runs that began in `range`. Shape: newest first, at most `most` of them. */
  results(which: WhichPlans, range: Interval, most: number): PlanResult[] {
    const found = this.#plansOf(which).flatMap((plan) =>
      this.#deps.store.lastRuns(plan.definition.id, most, range).map((run) => ({ ...plan, run })),
    );
    return found.sort((a, b) => b.run.start - a.run.start).slice(0, most);
  }

  /** The months from the one of `range.start` on, plan by plan. Shape: oldest first; months without a run are left out. */
  monthResults(which: WhichPlans, range: Interval): MonthResult[] {
    const months = this.#deps.calendar.intervals("month", range);
    return months.flatMap(({ start }) =>
      this.#plansOf(which).flatMap((plan) => {
        const month = this.#monthFrom(plan.definition.id, plan.definition.spec, start);
        return month.runs > 0 ? { ...plan, month } : [];
      }),
    );
  }

  /** What the hours of a plan would cost by when they start; null for a plan that is not there or has no hours. */
  startCosts(plan: string, now: EpochMs): StartCost[] | null {
    const known = this.#companions.get(plan);
    const home = known && this.#deps.homes.named(known.definition.home);
    const timeline = home && this.#deps.timelineOf(home, now);
    return known ? startCosts(known.spec, timeline?.points ?? [], now) : null;
  }

  #plansOf({ home, plan }: WhichPlans) {
    const wanted = this.#definitions.filter(
      (each) => (home === null || each.home === home) && (plan === null || each.id === plan),
    );
    return wanted.map((definition) => ({
      definition,
      currency: this.#snapshots.get(definition.id)?.currency ?? null,
    }));
  }

  /**
   * A plan as it would be at `now`, next to the others; nothing is remembered of it. Null where nothing is known of its
   * home.
   */
  preview(definition: PlanDefinition, now: EpochMs): PlanSnapshot | null {
    const home = this.#deps.homes.named(definition.home);
    if (!home) return null;
    this.at(now);
    const { id, spec } = definition;
    const known = { definition, spec, advance: NOTHING_YET };
    const others = new Set(this.ids.filter((each) => each !== id));
    const input = this.#inputOf(known, home, others, now);
    const slots = [...this.#companions.values()];
    const crowded = crowdedFor(known, slots, ({ advance }) => (advance.memory ? runsOf(advance.memory) : []));
    const advance = advancePlan({ ...input, blocked: [...input.blocked, ...crowded] });
    const { calendar, timeline, trusted } = input;
    const currency = timeline?.currency ?? null;
    const { language = "en" } = this.#deps;
    const reason = reasonOf({ spec, advance, now, calendar, trusted, currency, home: null, language });
    const history = this.#historyOf(known, now);
    return planSnapshot({ definition, spec, advance, reason, currency, history, refused: null, now });
  }

  /** A command of `<home>/plan/<plan>/<setting>/set`. */
  command([home = "", plan = "", setting = ""]: readonly string[], payload: string, now: EpochMs): PlanCommanded {
    const known = this.#companions.get(plan);
    if (!known || known.definition.home !== home) return refused("unknown_plan", `${home} has no plan "${plan}"`);
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
    const within = payload.trim();
    if (setting === "once")
      return this.once({ plan, ...(readDuration(hoursOf(within)) ? { within: hoursOf(within) } : {}) }, now);
    const name = planSettings.find((each) => each === setting);
    if (name) return this.change(plan, { [name]: payload.trim() });
    if (setting === RESET_SETTINGS) return this.#resetSettings(plan);
    const expected = [...planSettings, ...planActions, RESET_SETTINGS].join(", ");
    return refused("unknown_setting", `a plan has no "${setting.slice(0, 40)}"; expected ${expected}`);
  }

  /** Does at once what an owner says, from wherever. */
  act(plan: string, action: PlanAction, now: EpochMs): PlanCommanded {
    const { store, isTimeTrusted, onChange } = this.#deps;
    const known = this.#companions.get(plan);
    if (!known) return refused("unknown_plan", `there is no plan "${plan}"`);
    const { definition, spec, advance } = known;
    if (!isTimeTrusted(now)) return refused("clock_not_trusted", en.refused_clock);
    const commanded = (memory: PlanRecord | null): Commanded => {
      if (action === "skip") return skip(memory, now);
      if (action === "stop") return stop(memory, now, spec);
      const all = this.#fellowsOf(definition);
      const crowded = crowdedFor(known, all, (other) => other.advance.memory?.startedRuns ?? []);
      return runNow(spec, memory, now, blockedBy(definition, new Set(), all), crowded);
    };
    const done = commanded(advance.memory);
    if (done.kind === "refused") return done;
    store.write(definition.id, done.memory, []);
    this.#companions.set(definition.id, { ...known, advance: { ...advance, memory: done.memory } });
    onChange(definition.home);
    return { kind: "done" };
  }

  /** Plans something once, as it is asked for; it ends by itself. */
  once(asked: object, now: EpochMs): { readonly kind: "done"; readonly plan: string } | RefusedCommand {
    const { isTimeTrusted, onChange, homes } = this.#deps;
    if (!isTimeTrusted(now)) return refused("clock_not_trusted", "the clock of this machine cannot be trusted");
    const read = readOneShot(asked, this.#definitions, this.#groups, now);
    if (typeof read === "string") return refused("unreadable_setting", read);
    if (!homes.ids.has(read.home))
      return refused("unreadable_setting", `home: ${unknownText("a home", read.home, [...homes.ids])}`);
    const fellows = this.#definitions.filter(({ power }) => power && power.group === read.power?.group);
    if (this.#once.length >= MAX_ONCE || fellows.length >= MAX_GROUP_PLANS)
      return refused("too_many", `there are ${this.#once.length} plans for once already; wait until one is over`);
    const definition = { ...read, id: freeSlug(read.id, new Set(this.ids)) };
    this.#keepOnce([...this.#once, definition]);
    onChange(definition.home);
    return { kind: "done", plan: definition.id };
  }

  /** A command of `<home>/once/set`: JSON as over HTTP. */
  onceAt([home = ""]: readonly string[], payload: string, now: EpochMs): PlanCommanded {
    const asked = objectIn(payload);
    const expected = 'expected JSON such as {"hours": 2, "within": 8}';
    return asked ? this.once({ home, ...asked }, now) : refused("unreadable_setting", expected);
  }

  /** Forgets those for once that are over. */
  #endOnce(now: EpochMs): void {
    if (!this.#deps.isTimeTrusted(now)) return;
    const stay = this.#once.filter(({ id, spec }) => {
      const started = this.#companions.get(id)?.advance.memory?.startedRuns ?? [];
      return now < (spec.once?.end ?? 0) || started.some(({ end }) => end > now);
    });
    if (stay.length < this.#once.length) this.#keepOnce(stay);
  }

  #keepOnce(once: readonly PlanDefinition[]): void {
    const configured = this.#definitions.filter(({ spec }) => !spec.once);
    this.#once = once;
    this.#deps.memory.write(ONCE, JSON.stringify(once));
    this.take(configured);
  }

  /** Changes settings, all or none; an empty text goes back to the file's. */
  change(plan: string, changes: ChangedSettings): PlanCommanded {
    const { store, onChange } = this.#deps;
    const known = this.#companions.get(plan);
    if (!known) return refused("unknown_plan", `there is no plan "${plan}"`);
    const { definition } = known;
    const change = changeSettings(definition, store.settings(plan), changes);
    if (change.kind === "refused") return change;
    if (!store.writeSettings(plan, change.texts)) return refused("not_writable", en.refused_not_writable);
    this.#companions.set(plan, { ...known, spec: adjustedSpec(definition, store.settings(plan)) });
    onChange(definition.home);
    return { kind: "done" };
  }

  #resetSettings(plan: string): PlanCommanded {
    const known = this.#companions.get(plan);
    return known ? this.change(plan, resetOf(known.definition)) : refused("unknown_plan", `there is no plan "${plan}"`);
  }

  /** The plans of the same circle, itself included. Shape: in the order in which they are decided. */
  #fellowsOf({ home }: PlanDefinition): PlanSlot[] {
    const { ordered } = this.#circles.get(this.circleOf(home) ?? "") ?? NO_PLANS;
    return ordered.flatMap(({ id }) => this.#companions.get(id) ?? []);
  }

  /** By group, when its plans run. Without a clock that can be right nothing is settled. */
  #shareOut(
    ordered: readonly PlanDefinition[],
    homeOf: (definition: PlanDefinition) => Home | null,
    now: EpochMs,
  ): Map<string, GroupShares> {
    const seats = ordered.flatMap((definition): GroupSeat[] => {
      const slot = this.#companions.get(definition.id);
      const { power } = definition;
      if (!slot || !power || !this.#deps.isTimeTrusted(now)) return [];
      const crowded = crowdedFor(slot, this.#fellowsOf(definition), (other) => other.advance.memory?.startedRuns ?? []);
      const input = this.#inputOf(slot, homeOf(definition), new Set(), now);
      return [{ slot, power, input: { ...input, blocked: [...input.blocked, ...crowded] } }];
    });
    const groups = Map.groupBy(seats, ({ power }) => power.group);
    return new Map([...groups].map(([group, own]) => [group, shareOut(own)]));
  }

  #inputOf(known: PlanSlot, home: Home | null, decided: ReadonlySet<string>, now: EpochMs): PlanInput {
    const { definition, spec, advance } = known;
    const { calendar, timelineOf, exportTimelineOf = () => null } = this.#deps;
    const { thresholds, isTimeTrusted, startedAt, solve = solvePlan } = this.#deps;
    const all = this.#fellowsOf(definition);
    const window = occurrenceOf(known, calendar, now);
    const before = definition.after ? (this.#companions.get(definition.after.plan) ?? null) : null;
    const notBegun = (each: PlanSlot) =>
      each.advance.memory?.startedRuns.length || each.advance.memory?.ended ? null : occurrenceOf(each, calendar, now);
    return {
      now,
      spec,
      memory: advance.memory,
      timeline: home && (isExport(spec) ? exportTimelineOf(home, now) : timelineOf(home, now)),
      calendar,
      ...(thresholds ? { thresholds } : {}),
      blocked: blockedBy(definition, decided, all).map(({ start, end }) => ({ start, end })),
      after: afterStateOf(definition, window, before),
      finishBy: window && finishByOf(definition.id, window, all, notBegun),
      trusted: isTimeTrusted(now),
      graceUntil: startedAt + GRACE_MS,
      solve,
    };
  }

  #decide(
    definition: PlanDefinition,
    home: Home | null,
    decided: ReadonlySet<string>,
    shares: ReadonlyMap<string, GroupShares>,
    now: EpochMs,
  ): PlanAdvance {
    const { id } = definition;
    const { calendar, store, language = "en" } = this.#deps;
    const known = this.#companions.get(id) ?? { definition, spec: definition.spec, advance: NOTHING_YET };
    const { spec } = known;
    const { memory } = known.advance;
    const plain = this.#inputOf(known, home, decided, now);
    const { timeline, trusted } = plain;
    const share = shares.get(definition.power?.group ?? "");
    const crowded = crowdedFor(known, this.#fellowsOf(definition), (other) => {
      const runs = decided.has(other.definition.id) ? null : share?.runs.get(other.definition.id);
      return runs ?? (other.advance.memory ? runsOf(other.advance.memory) : []);
    });
    const group = share && { token: share.token, blocked: plain.blocked };
    const decision = advancePlan({ ...plain, blocked: [...plain.blocked, ...crowded], ...(group ? { group } : {}) });
    // What has a price to buy at and none to sell at never will have one.
    const isRefused = isExport(spec) && home !== null && timeline === null && this.#deps.timelineOf(home, now) !== null;
    const advance = isRefused && !decision.running ? { ...decision, state: "impossible" as const } : decision;
    if (advance.memory !== memory || advance.finished.length > 0) store.write(id, advance.memory, advance.finished);
    this.#companions.set(id, { definition, spec, advance });
    const currency = timeline?.currency ?? null;
    const reason =
      isRefused && spec.enabled
        ? ({ code: "no_export_price", text: textIn(language, message("plan_no_export_price")) } as const)
        : reasonOf({ spec, advance, now, calendar, trusted, currency, home: home ? null : definition.home, language });
    const history = this.#historyOf(known, now);
    const refused = this.#refusals.get(id) ?? null;
    this.#snapshots.set(id, planSnapshot({ definition, spec, advance, reason, currency, history, refused, now }));
    return advance;
  }

  #historyOf({ definition: { id }, spec }: PlanSlot, now: EpochMs): PlanHistory {
    const { calendar, store } = this.#deps;
    const start = calendar.startOf("month", now);
    return {
      month: this.#monthFrom(id, spec, start),
      monthBefore: this.#monthFrom(id, spec, calendar.add("month", start, -1)),
      lastRun: store.lastRun(id),
    };
  }

  #monthFrom(id: string, spec: PlanSpec, start: EpochMs): PlanMonth {
    const { calendar, store } = this.#deps;
    const { runs, hours, cost, savingWindowStart, savingMean } = store.totals(
      id,
      start,
      calendar.add("month", start, 1),
    );
    const money = spec.kwh !== undefined;
    const saving = {
      againstNow: null,
      againstWindowStart: money ? savingWindowStart : null,
      againstMean: money ? savingMean : null,
    };
    return { start, runs, hours, cost: money ? cost : null, saving };
  }

  #tellHome({ id, home: name }: PlanDefinition, home: Home | null, now: EpochMs): void {
    const { problems, homes } = this.#deps;
    const subject = subjectOf(id);
    if (home) {
      problems.end(subject);
      return;
    }
    const ids = [...homes.ids];
    problems.start({
      code: "unknown_home",
      subject,
      since: now,
      names: { owner: message("owner_plan", { id }), homes: ids.join(", ") || message("the_homes") },
      detail: unknownHome(name, ids),
    });
  }
}

/** What became of a command to a plan. */
type PlanCommanded = { readonly kind: "done" } | RefusedCommand;

/** The occurrence that a plan is in, as far as it is remembered; else the one its settings give. */
function occurrenceOf({ spec, advance }: PlanSlot, calendar: Calendar, now: EpochMs): PlanWindow | null {
  const { memory } = advance;
  const keeps = memory && (contains(memory.window, now) || memory.startedRuns.some((run) => run.end > now));
  return keeps ? memory.window : roundAt(spec, memory?.window ?? null, now, calendar);
}

function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null; // no JSON
  }
}

function isExport(spec: PlanSpec): boolean {
  return spec.kind === "below" && spec.price === "export";
}

/** Hours that are written as a number alone are meant as a number. */
function hoursOf(text: string): number | string {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** What a plan is called among the problems. */
function subjectOf(plan: string): string {
  return `plan ${plan}`;
}
