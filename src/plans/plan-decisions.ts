/** Decides the plans of a circle in their order, stores what changed, and builds their snapshots. */

import { unknownHome } from "../config/suggest-key.ts";
import type { Language } from "../core/language/language.ts";
import { message, textIn } from "../core/language/text.ts";
import { inOrder, type PlanDefinition } from "../core/planning/model/plan-definition.ts";
import type { PlanSpec, PlanWindow } from "../core/planning/model/plan-spec.ts";
import { roundAt } from "../core/planning/model/plan-windows.ts";
import { afterStateOf, blockedBy, finishByOf, type PlanSlot } from "../core/planning/plan-dependencies.ts";
import type { PlanInput, Solve } from "../core/planning/plan-input.ts";
import { reasonOf } from "../core/planning/plan-reason.ts";
import { type PlanSnapshot, planSnapshot } from "../core/planning/plan-snapshot.ts";
import { advancePlan, type PlanAdvance, runsOf } from "../core/planning/plan-state-machine.ts";
import { crowdedFor, type GroupSeat, type GroupTurn, groupTurn, inTurn } from "../core/planning/power-group.ts";
import { solvePlan } from "../core/planning/solve-plan.ts";
import type { Home } from "../core/prices/home-snapshot.ts";
import type { LevelThresholds } from "../core/prices/level.ts";
import type { Timeline } from "../core/prices/timeline.ts";
import type { Problems } from "../core/status/problem.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { contains, type EpochMs, type Interval, MINUTE_MS } from "../core/time/interval.ts";
import type { PlanStore } from "../storage/plan-store.ts";
import type { PlanResults } from "./plan-results.ts";
import type { PlanSlots } from "./plan-slots.ts";

export interface PlanDecisionsDeps {
  readonly store: PlanStore;
  readonly homes: { readonly ids: ReadonlySet<string>; named(id: string): Home | null; readonly known: boolean };
  readonly timelineOf: (home: Home, now: EpochMs) => Timeline | null;
  /** Returns the export prices; null if neither the service nor a place of the region has them. */
  readonly exportTimelineOf?: (home: Home, now: EpochMs) => Timeline | null;
  readonly calendar: Calendar;
  readonly thresholds?: LevelThresholds;
  readonly isTimeTrusted: (now: EpochMs) => boolean;
  readonly problems: Pick<Problems, "start" | "end">;
  readonly startedAt: EpochMs;
  readonly solve?: Solve;
  /** Language of the reasons; default English. */
  readonly language?: Language;
}

/** Delay of fallback hours after the daemon's start, because missing prices may still arrive. */
const GRACE_MS = 10 * MINUTE_MS;

/** State of a plan that was not decided yet. */
export const UNDECIDED: PlanAdvance = {
  memory: null,
  state: "waiting",
  on: false,
  lost: true,
  startedNow: null,
  running: null,
  nextChangeAt: null,
  finished: [],
};

export class PlanDecisions {
  readonly #deps: PlanDecisionsDeps;
  readonly #slots: PlanSlots;
  readonly #results: PlanResults;
  readonly #snapshots = new Map<string, PlanSnapshot>();
  /** True while `decideAhead` runs. */
  #isAhead = false;
  /** Reason of the last refused MQTT command, keyed by plan. */
  readonly #refusals: ReadonlyMap<string, string>;

  constructor(deps: PlanDecisionsDeps, slots: PlanSlots, results: PlanResults, refusals: ReadonlyMap<string, string>) {
    this.#deps = deps;
    this.#slots = slots;
    this.#results = results;
    this.#refusals = refusals;
  }

  /** Decides plans at `now`. Returns the next time at which one of them changes by itself; null for never. */
  decide(ordered: readonly PlanDefinition[], now: EpochMs): EpochMs | null {
    const decided = new Set<string>();
    const turns = this.#groupTurns(ordered, now);
    const changes = this.#deps.store.gather(() =>
      reordered(ordered, turns).flatMap((definition) => {
        const { nextChangeAt } = this.#decideOne(definition, decided, turns, now);
        if (!this.#isAhead) this.#reportUnknownHome(definition, now);
        decided.add(definition.id);
        return nextChangeAt ?? [];
      }),
    );
    return changes.length === 0 ? null : Math.min(...changes);
  }

  /**
   * Returns the snapshots as they will be at `at` if nothing changes until then, and when they change next. Stores and
   * reports nothing, and does not change the current state of the plans.
   */
  decideAhead(ordered: readonly PlanDefinition[], at: EpochMs) {
    const before = ordered.map(({ id }) => ({ id, slot: this.#slots.get(id), snapshot: this.#snapshots.get(id) }));
    this.#isAhead = true;
    try {
      const until = this.decide(ordered, at);
      return { until, snapshots: new Map(before.map(({ id }) => [id, this.#snapshots.get(id)])) };
    } finally {
      this.#isAhead = false;
      for (const { id, slot, snapshot } of before) {
        if (slot) this.#slots.set(slot);
        if (snapshot) this.#snapshots.set(id, snapshot);
        else this.#snapshots.delete(id);
      }
    }
  }

  /** Returns the last snapshot of a plan; undefined if it was not decided yet. */
  snapshot(plan: string): PlanSnapshot | undefined {
    return this.#snapshots.get(plan);
  }

  /** Forgets the snapshots of all other plans, because they were replaced. */
  keepOnly(plans: ReadonlySet<string>): void {
    for (const plan of this.#snapshots.keys()) if (!plans.has(plan)) this.#snapshots.delete(plan);
  }

  /** Returns how a new plan would be decided at `now`, and stores nothing. Null if its home is unknown. */
  preview(definition: PlanDefinition, now: EpochMs): PlanSnapshot | null {
    const home = this.#deps.homes.named(definition.home);
    if (!home) return null;
    const { id, spec } = definition;
    const slot = { definition, spec, advance: UNDECIDED };
    const others = this.#slots.definitions.map((each) => each.id).filter((each) => each !== id);
    const input = this.#inputOf(slot, home, new Set(others), now);
    const circle = this.#slots.circleWith(definition).filter((other) => other.definition.id !== id);
    const turn = inTurn([...circle.map((other) => other.definition), definition]).map((each) => each.id);
    const crowded = crowdedFor(slot, circle, ({ definition: other, advance: { memory } }) =>
      memory ? (turn.indexOf(other.id) < turn.indexOf(id) ? runsOf(memory) : memory.startedRuns) : [],
    );
    const advance = advancePlan({ ...input, blocked: [...input.blocked, ...crowded] });
    const { calendar, timeline, trusted } = input;
    const currency = timeline?.currency ?? null;
    const { language = "en" } = this.#deps;
    const reason = reasonOf({ spec, advance, now, calendar, trusted, currency, home: null, language });
    const history = this.#results.history({ id, spec }, now);
    return planSnapshot({ definition, spec, advance, reason, currency, history, refused: null, now });
  }

  /** Returns the times when begun runs of its power group leave too little power for a plan. */
  crowdedByBegun(slot: PlanSlot): Interval[] {
    const all = this.#slots.circleWith(slot.definition);
    return crowdedFor(slot, all, ({ advance }) => advance.memory?.startedRuns ?? []);
  }

  /** Returns how each power group is decided, by group. Without a trusted clock the result is empty. */
  #groupTurns(ordered: readonly PlanDefinition[], now: EpochMs): Map<string, GroupTurn> {
    if (!this.#deps.isTimeTrusted(now)) return new Map();
    const before = new Set<string>();
    const slots = ordered.flatMap((definition) => this.#slots.get(definition.id) ?? []);
    const seats = slots.flatMap((slot): GroupSeat[] => {
      const { definition, spec } = slot;
      const { power, home, id } = definition;
      const input = power && this.#inputOf(slot, this.#deps.homes.named(home), before, now);
      before.add(id);
      return input && spec.kind !== "avoid" ? [{ slot, power, input }] : [];
    });
    const groups = Map.groupBy(seats, ({ power }) => power.group);
    const all = Map.groupBy(slots, ({ definition }) => definition.power?.group);
    return new Map([...groups].map(([group, own]) => [group, groupTurn(own, all.get(group) ?? [])]));
  }

  #inputOf(slot: PlanSlot, home: Home | null, decided: ReadonlySet<string>, now: EpochMs): PlanInput {
    const { definition, spec, advance } = slot;
    const { calendar, timelineOf, exportTimelineOf = () => null } = this.#deps;
    const { thresholds, isTimeTrusted, startedAt, solve = solvePlan } = this.#deps;
    const all = this.#slots.circleWith(definition);
    const window = occurrenceOf(slot, calendar, now);
    const before = definition.after ? (this.#slots.get(definition.after.plan) ?? null) : null;
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

  #decideOne(
    definition: PlanDefinition,
    decided: ReadonlySet<string>,
    turns: ReadonlyMap<string, GroupTurn>,
    now: EpochMs,
  ): PlanAdvance {
    const { id } = definition;
    const { store, homes, calendar, language = "en" } = this.#deps;
    const home = homes.named(definition.home);
    const slot = this.#slots.get(id) ?? { definition, spec: definition.spec, advance: UNDECIDED };
    const { spec } = slot;
    const { memory } = slot.advance;
    const alone = this.#inputOf(slot, home, decided, now);
    const { timeline, trusted } = alone;
    const turn = spec.kind === "avoid" ? undefined : turns.get(definition.power?.group ?? "");
    const crowded = crowdedFor(slot, this.#slots.circleWith(definition), ({ definition: other, advance }) => {
      const isSettled = turn?.order === null || decided.has(other.id);
      return advance.memory ? (isSettled ? runsOf(advance.memory) : advance.memory.startedRuns) : [];
    });
    const group = turn && { token: turn.token, blocked: alone.blocked };
    const decision = advancePlan({ ...alone, blocked: [...alone.blocked, ...crowded], ...(group ? { group } : {}) });
    // A home with import prices and without export prices will not get export prices later.
    const isRefused = isExport(spec) && home !== null && timeline === null && this.#deps.timelineOf(home, now) !== null;
    const advance = isRefused && !decision.running ? { ...decision, state: "impossible" as const } : decision;
    const isChanged = advance.memory !== memory || advance.finished.length > 0;
    if (isChanged && !this.#isAhead) store.write(id, advance.memory, advance.finished);
    this.#slots.set({ definition, spec, advance });
    const currency = timeline?.currency ?? null;
    const reason =
      isRefused && spec.enabled
        ? ({ code: "no_export_price", text: textIn(language, message("plan.no_export_price")) } as const)
        : reasonOf({ spec, advance, now, calendar, trusted, currency, home: home ? null : definition.home, language });
    const history = this.#results.history({ id, spec }, now);
    const refused = this.#refusals.get(id) ?? null;
    this.#snapshots.set(id, planSnapshot({ definition, spec, advance, reason, currency, history, refused, now }));
    return advance;
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
}

/** Returns the subject of a plan's problems. */
export function problemSubject(plan: string): string {
  return `plan ${plan}`;
}

/** Returns the plans of a circle with the plans of each group in the order of its turn. */
function reordered(
  ordered: readonly PlanDefinition[],
  turns: ReadonlyMap<string, GroupTurn>,
): readonly PlanDefinition[] {
  const queues = new Map([...turns].map(([group, { order }]) => [group, order && [...order]]));
  const byId = new Map(ordered.map((plan) => [plan.id, plan]));
  const next = ({ power, spec }: PlanDefinition) => (spec.kind === "avoid" ? null : queues.get(power?.group ?? ""));
  return inOrder(ordered.map((plan) => byId.get(next(plan)?.shift() ?? "") ?? plan));
}

/** Returns the occurrence in the plan's record while it is current, otherwise the one of its settings. */
function occurrenceOf({ spec, advance }: PlanSlot, calendar: Calendar, now: EpochMs): PlanWindow | null {
  const { memory } = advance;
  const keeps = memory && (contains(memory.window, now) || memory.startedRuns.some((run) => run.end > now));
  return keeps ? memory.window : roundAt(spec, memory?.window ?? null, now, calendar);
}

function isExport(spec: PlanSpec): boolean {
  return spec.kind === "below" && spec.price === "export";
}
