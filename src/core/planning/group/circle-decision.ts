/** Decides the plans of a circle, which depend on each other, in their order. */

import { InvariantError } from "../../invariant.ts";
import type { Language } from "../../language/language.ts";
import { message, textIn } from "../../language/text.ts";
import type { LevelThresholds } from "../../prices/level.ts";
import type { Timeline } from "../../prices/timeline.ts";
import type { Calendar } from "../../time/calendar.ts";
import { contains, type EpochMs } from "../../time/interval.ts";
import { inOrder, type PlanDefinition } from "../model/plan-definition.ts";
import { type Away, type PlanSpec, type PlanWindow, whenLostOf } from "../model/plan-spec.ts";
import { awayTime, neverIn, roundAt } from "../model/plan-windows.ts";
import type { PlanInput, PlanMachine, Solve } from "../plan-input.ts";
import { halted } from "../plan-interruption.ts";
import { checkGroup, checkPlan } from "../plan-promises.ts";
import { awakened } from "../plan-resting.ts";
import { advancePlan, runsOf, UNDECIDED } from "../plan-state-machine.ts";
import { planReasonOf } from "../snapshot/plan-reason.ts";
import { settleRuns } from "../snapshot/plan-savings.ts";
import { type PlanSnapshot, planSnapshot } from "../snapshot/plan-snapshot.ts";
import { solvePlan } from "../solve-plan.ts";
import { kilowattsOf, type PoweredRun, sunPrices, type UsualSurplus } from "../sun.ts";
import { withUsualPrices } from "../usual-prices.ts";
import type { GroupSeat } from "./place-group.ts";
import { afterStateOf, finishByOf, type PlanSlot } from "./plan-dependencies.ts";
import { crowdedFor, type GroupTurn, groupTurn, inTurn } from "./power-group.ts";

/** State of a plan's home. `awaited`: it may be in a list of homes that was never received. `gone`: no list has it. */
export type PlanHome = "listed" | "awaited" | "gone";

/** Prices of a plan. */
export interface PlanPrices {
  readonly home: PlanHome;
  /** Prices of the plan's kind, import or export; null if none are known. */
  readonly timeline: Timeline | null;
  /** True if the home has import prices and will not get the export prices that the plan needs. */
  readonly lacksExport: boolean;
  /** Only for a plan with `sun`: what the roof usually has left, and its price; null if that is not known. */
  readonly sun?: { readonly surplus: UsualSurplus; readonly exported: Timeline } | null;
}

/** What a decision depends on, besides the plans and their records. */
export interface DecisionContext {
  readonly now: EpochMs;
  readonly calendar: Calendar;
  readonly thresholds?: LevelThresholds;
  readonly pricesOf: (plan: Pick<PlanSlot, "definition" | "spec">) => PlanPrices;
  /** Returns what is known of the machine of a plan; undefined if no plug watches it. */
  readonly machineOf?: (plan: string) => PlanMachine | undefined;
  readonly awayOf?: (home: string) => Away | null;
  readonly trusted: boolean;
  /** Earliest start of fallback hours. */
  readonly graceUntil: EpochMs;
  readonly solve?: Solve;
  readonly language: Language;
  /** Takes a promise of a plan that does not hold. The plan is then undecided, and `when_lost` decides. */
  readonly onBroken: (plan: string, error: InvariantError) => void;
}

/** Returns all plans of a circle as decided at `context.now`. Stores nothing. Shape: in the order of their decision. */
export function decideCircle(circle: readonly PlanSlot[], context: DecisionContext): readonly PlanSlot[] {
  const { pricesOf, now } = context;
  const gone = new Set(circle.filter((slot) => pricesOf(slot).home === "gone"));
  const slots = new Map(circle.map((slot) => [slot.definition.id, gone.has(slot) ? withoutHome(slot, now) : slot]));
  const ordered = inOrder(inTurn(circle.flatMap((slot) => (gone.has(slot) ? [] : slot.definition))));
  const turns = context.trusted ? groupTurns(ordered, slots, context) : new Map<string, GroupTurn>();
  const decided = new Set<string>();
  for (const { id } of ordered) {
    const slot = slots.get(id);
    const decide = (own: PlanSlot) => decideOne(own, [...slots.values()], { decided, turns }, context);
    if (slot) slots.set(id, kept(slot, decide, context));
    decided.add(id);
  }
  for (const slot of slots.values()) {
    const check = (own: PlanSlot) => {
      checkGroup(own, [...slots.values()], now);
      return own;
    };
    slots.set(slot.definition.id, kept(slot, check, context));
  }
  return [...slots.values()];
}

/** Returns the published state of a decided plan. */
export function decidedSnapshot(
  { definition, spec, advance }: PlanSlot,
  context: DecisionContext,
  given: Pick<PlanSnapshot, "history" | "refused" | "learned">,
): PlanSnapshot {
  const { now, calendar, trusted, language } = context;
  const { timeline, home: homeState, lacksExport, sun } = context.pricesOf({ definition, spec });
  const currency = timeline?.currency ?? null;
  const home = homeState === "listed" ? null : definition.home;
  const reason =
    lacksExport && spec.enabled
      ? ({ code: "no_export_price", text: textIn(language, message("plan.no_export_price")) } as const)
      : planReasonOf({ spec, advance, now, calendar, trusted, currency, home, language, lacksSun: sun === null });
  return planSnapshot({ definition, spec, advance, reason, currency, now, ...given });
}

/** Ends the runs of a plan whose home is gone. It is not ON, and has no fallback: `when_lost` decides for plugs. */
function withoutHome(slot: PlanSlot, now: EpochMs): PlanSlot {
  const { memory } = slot.advance;
  const ended = memory && settleRuns(halted(awakened(memory, now), now), slot.spec, [], now);
  return { ...slot, advance: { ...UNDECIDED, ...ended, state: "impossible" } };
}

/** Plans that are decided already, and how those of groups are decided. */
interface Turns {
  readonly decided: ReadonlySet<string>;
  readonly turns: ReadonlyMap<string, GroupTurn>;
}

/** Returns the result of a step of a plan. If one of its promises does not hold, the plan is undecided, without a record. */
function kept(slot: PlanSlot, step: (slot: PlanSlot) => PlanSlot, { onBroken }: DecisionContext): PlanSlot {
  try {
    return step(slot);
  } catch (error) {
    if (!(error instanceof InvariantError)) throw error;
    onBroken(slot.definition.id, error);
    return { ...slot, advance: { ...UNDECIDED, on: whenLostOf(slot.spec) === "on" } };
  }
}

function decideOne(
  slot: PlanSlot,
  all: readonly PlanSlot[],
  { decided, turns }: Turns,
  context: DecisionContext,
): PlanSlot {
  const { definition, spec } = slot;
  const alone = inputOf(
    slot,
    all,
    all.filter((other) => decided.has(other.definition.id)),
    context,
  );
  const turn = spec.kind === "avoid" ? undefined : turns.get(definition.power?.group ?? "");
  const crowded = crowdedFor(slot, all, ({ definition: other, advance }) => {
    const isSettled = turn?.places === null || decided.has(other.id);
    const runs = advance.memory && (isSettled ? runsOf(advance.memory) : advance.memory.startedRuns);
    return (isSettled ? null : turn?.places?.get(other.id)) ?? runs ?? [];
  });
  const group = turn && { token: turn.token, blocked: alone.blocked };
  const advanced = advancePlan({ ...alone, blocked: [...alone.blocked, ...crowded], ...(group ? { group } : {}) });
  const { home, lacksExport } = context.pricesOf(slot);
  // Until its home is listed no run is ON, and `when_lost` decides.
  const lost = { ...advanced, running: null, lost: true, on: whenLostOf(spec) === "on" };
  const advance = home === "listed" ? advanced : lost;
  if (lacksExport && !advance.running) return { ...slot, advance: { ...advance, state: "impossible" } };
  checkPlan({ ...slot, advance }, { calendar: context.calendar, crowded });
  return { ...slot, advance };
}

function groupTurns(
  ordered: readonly PlanDefinition[],
  slots: ReadonlyMap<string, PlanSlot>,
  context: DecisionContext,
): Map<string, GroupTurn> {
  const all = ordered.flatMap(({ id }) => slots.get(id) ?? []);
  const seats = all.flatMap((slot, i): GroupSeat[] => {
    const { definition, spec } = slot;
    const { power } = definition;
    return power && spec.kind !== "avoid" ? [{ slot, power, input: inputOf(slot, all, all.slice(0, i), context) }] : [];
  });
  const groups = Map.groupBy(seats, ({ power }) => power.group);
  const members = Map.groupBy(all, ({ definition }) => definition.power?.group);
  return new Map([...groups].map(([group, own]) => [group, groupTurn(own, members.get(group) ?? [])]));
}

function poweredRuns({ spec, advance: { memory } }: PlanSlot): PoweredRun[] {
  return memory ? runsOf(memory).map((run) => ({ ...run, kw: kilowattsOf(spec) })) : [];
}

/** `first`: the plans that are decided before this one. */
function inputOf(
  { definition, spec, advance }: PlanSlot,
  all: readonly PlanSlot[],
  first: readonly PlanSlot[],
  { now, calendar, thresholds, pricesOf, machineOf, awayOf, trusted, graceUntil, solve = solvePlan }: DecisionContext,
): PlanInput {
  const { timeline: bought, sun } = pricesOf({ definition, spec });
  const timeline =
    bought && sun
      ? sunPrices(bought, sun.exported, { ...sun, kw: kilowattsOf(spec), others: first.flatMap(poweredRuns), calendar })
      : bought;
  const roundOf = (slot: Pick<PlanSlot, "spec" | "advance">) => occurrenceOf(slot, calendar, now);
  const window = roundOf({ spec, advance });
  const away =
    spec.kind === "avoid"
      ? []
      : [spec.away, awayOf?.(definition.home)].flatMap((each) => awayTime(each, calendar) ?? []);
  const before = all.find((other) => other.definition.id === definition.after?.plan) ?? null;
  const notBegun = (each: PlanSlot) =>
    each.advance.memory?.startedRuns.length || each.advance.memory?.ended ? null : roundOf(each);
  return {
    now,
    spec,
    memory: advance.memory,
    calendar,
    trusted,
    graceUntil,
    solve,
    timeline: timeline && withUsualPrices(timeline, calendar),
    ...(thresholds ? { thresholds } : {}),
    blocked: [...(window ? neverIn(spec, window, calendar) : []), ...away],
    away,
    after: afterStateOf(definition, window, before),
    machine: machineOf?.(definition.id),
    finishBy: window && finishByOf(definition.id, window, all, notBegun),
  };
}

/** Returns the occurrence in the plan's record while it is current, otherwise the one of its settings. */
function occurrenceOf(
  { spec, advance }: Pick<PlanSlot, "spec" | "advance">,
  calendar: Calendar,
  now: EpochMs,
): PlanWindow | null {
  const { memory } = advance;
  const keeps = memory && (contains(memory.window, now) || memory.startedRuns.some((run) => run.end > now));
  return keeps ? memory.window : roundAt(spec, memory?.window ?? null, now, calendar);
}

/** Returns true if a plan follows the export price. */
export function isExport(spec: PlanSpec): boolean {
  return spec.kind === "below" && spec.price === "export";
}
