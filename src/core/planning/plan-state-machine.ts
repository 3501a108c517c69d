/**
 * State machine of a plan, one occurrence after the other. The record contains everything that happened, so a restart
 * changes nothing.
 *
 * - Runs that have begun never move. Other runs are planned again when prices, settings or other plans change.
 * - A run begins on a confirmed price, on a command, or as a fallback; never on an estimate alone. A `window` then runs to
 *   its end. Other kinds are committed only as far as prices are confirmed.
 * - A missed start is made up for at once, unless a later run is cheaper.
 * - An `avoid` plan rests ON: it is OFF only as planned. Without prices or a trusted clock, `when_lost` decides.
 * - An interrupted run counts until the plug's timer ended it. The rest of a `window` follows at once.
 */

import { pointAt } from "../prices/timeline.ts";
import { contains, DAY_MS, type EpochMs, type Interval, lengthOf, MINUTE_MS, overlaps } from "../time/interval.ts";
import { isCharged } from "./charge.ts";
import { hasHours, profileOf, whenLostOf } from "./model/plan-spec.ts";
import { mergeRuns, roundAt } from "./model/plan-windows.ts";
import { confirmedUntil, LATE_MS, type PlanInput } from "./plan-input.ts";
import { cutShort, disabledAt, doubted, halted, lookedAfter, renewalAfter } from "./plan-interruption.ts";
import { type BegunRun, begunInRound, checkWindow, newRecord, type PlanRecord, type PlanRun } from "./plan-record.ts";
import { awakened, endedRest, gapEndsAt, isLost, isOnWithoutRun, restEndsAt, rested } from "./plan-resting.ts";
import { inputFingerprint, priceOfRuns, replan } from "./replan.ts";
import { type Baselines, baselinesOf, type FinishedRun, runPrice, settleRuns } from "./snapshot/plan-savings.ts";
import { kilowattsOf, sunEnergy } from "./sun.ts";

export const planStates = [
  "waiting",
  "scheduled",
  "running",
  "partial",
  "done",
  "no_prices",
  "fallback",
  "impossible",
  "disabled",
  "skipped",
] as const;
export type PlanState = (typeof planStates)[number];

export interface PlanAdvance {
  /** Null if the plan never has an occurrence. */
  readonly memory: PlanRecord | null;
  readonly state: PlanState;
  /** The signal: ON during a run, while an `avoid` plan rests, and without prices or clock if `when_lost` is on. */
  readonly on: boolean;
  /** True if prices or a trusted clock are missing, so that `when_lost` decides. */
  readonly lost: boolean;
  /** Mean price of the occurrence if it started now; null once it has begun. Unit: currency per kWh. */
  readonly startedNow: number | null;
  /** Mean price of the runs that are not over, otherwise of all runs; null if unknown. Unit: currency per kWh. */
  readonly price: number | null;
  /** Energy of the same runs that is probably from the roof; absent without `sun`. Unit: kWh. */
  readonly sunKwh?: number;
  /** Null if the plan never has an occurrence. */
  readonly baselines: Baselines | null;
  /** End of the holiday in which nothing is planned; absent otherwise. */
  readonly awayUntil?: EpochMs;
  readonly running: BegunRun | null;
  /** Next time at which this changes by itself; null for never. */
  readonly nextChangeAt: EpochMs | null;
  /** Runs whose price and saving have become known. Shape: ascending. */
  readonly finished: readonly FinishedRun[];
}

/** State of a plan that was not decided yet. */
export const UNDECIDED: PlanAdvance = {
  memory: null,
  state: "waiting",
  on: false,
  lost: true,
  startedNow: null,
  price: null,
  baselines: null,
  running: null,
  nextChangeAt: null,
  finished: [],
};

/** Time for which runs of the previous occurrence are kept: longer than any pause or gap within a day. */
const REMEMBERED_MS = 26 * 60 * MINUTE_MS;

/** Advances a plan to `now`. */
export function advancePlan(moment: PlanInput): PlanAdvance {
  const { spec, now } = moment;
  const { memory: known, finished } = occurrenceAt(moment);
  let memory = known;
  const lost = !moment.trusted;
  if (!memory) return { ...UNDECIDED, state: "impossible", on: isOnWithoutRun(moment, null), lost, finished };
  if (lost) {
    memory = doubted(memory, moment);
    const on = isOnWithoutRun(moment, memory);
    const nextChangeAt = nextChange(moment, memory, on);
    return { ...UNDECIDED, memory, state: stateOf(moment, memory, null), on, nextChangeAt, finished };
  }
  memory = decided(
    moment,
    spec.enabled ? machineDone(moment, chargeDone(moment, memory)) : disabledAt(memory, spec, now),
  );
  if (spec.kind === "avoid") memory = restDecided(moment, memory);
  const running = runningAt(memory, now);
  const on = running !== null || isOnWithoutRun(moment, memory);
  memory = lookedAfter(memory.on === on ? memory : { ...memory, on }, now);
  const state = stateOf(moment, memory, running);
  const nextChangeAt = nextChange(moment, memory, on);
  const startedNow = startedNowPrice(moment, memory);
  const all = runsOf(memory);
  const ahead = all.filter((run) => run.end > now);
  const shown = ahead.length > 0 ? ahead : all;
  const price = priceOfRuns(moment, shown);
  const sunKwh = spec.sun && moment.timeline ? sunEnergy(moment.timeline, shown, kilowattsOf(spec)) : 0;
  const isUnknown = running === null && isLost(moment, memory);
  const baselines = baselinesOf(memory, spec, moment.timeline?.points ?? [], "all");
  const away = running ? null : awayEnd(moment, memory);
  const awayUntil = away === null ? {} : { awayUntil: away };
  const prices = { startedNow, price, baselines, ...(sunKwh > 0 && { sunKwh }) };
  return { ...awayUntil, ...prices, memory, state, on, lost: isUnknown, running, nextChangeAt, finished };
}

/** Returns the end of the holiday that covers the rest of an occurrence without runs, or its beginning; null if none does. */
function awayEnd({ away = [], now }: PlanInput, { window, planned, ended }: PlanRecord): EpochMs | null {
  const at = Math.max(now, window.start);
  const holiday = mergeRuns(away).find((each) => contains(each, at));
  return holiday && planned.length === 0 && ended === null ? holiday.end : null;
}

/** Ends the run, and its occurrence, when its machine is done. */
function machineDone({ machine, now }: PlanInput, memory: PlanRecord): PlanRecord {
  if (machine !== "done" || !runningAt(memory, now)) return memory;
  return { ...halted(memory, now), ended: "machine_done" };
}

/** Ends the run of a battery that has its target, unless it was started manually. */
function chargeDone({ spec, now }: PlanInput, memory: PlanRecord): PlanRecord {
  const running = runningAt(memory, now);
  return isCharged(spec) && running && running.basis !== "manual" ? halted(memory, now) : memory;
}

/** Begins due runs, and plans again if the input has changed. */
function decided(moment: PlanInput, memory: PlanRecord): PlanRecord {
  const due = begin(moment, memory);
  const isOld = due.memory.madeFrom !== inputFingerprint(moment, due.memory);
  const stale = isOld || due.missed || reached(due.memory.replanAt, moment.now);
  return stale ? begin(moment, replan(moment, due.memory, due.missed)).memory : due.memory;
}

/** Returns true if a plan has to be planned again although its input is the same: a run was missed, or its time has come. */
export function hasToReplan(moment: PlanInput, memory: PlanRecord): boolean {
  return begin(moment, memory).missed || reached(memory.replanAt, moment.now);
}

/** Begins and ends the rest of an `avoid` plan. It rests before its first decision, because its past is unknown. */
function restDecided(moment: PlanInput, memory: PlanRecord): PlanRecord {
  const { now, spec } = moment;
  const running = runningAt(memory, now);
  if (running) {
    const { restingSince } = memory;
    if (restingSince === null) return memory;
    return decided(moment, awakened(memory, Math.max(restingSince, Math.min(now, running.start))));
  }
  if (isOnWithoutRun(moment, memory)) return rested(memory, now);
  const resting = moment.memory ? memory : rested(memory, now);
  return resting.restingSince === null ? memory : decided(moment, awakened(resting, restEndsAt(spec, resting, now)));
}

function runningAt({ startedRuns }: PlanRecord, now: EpochMs): BegunRun | null {
  return startedRuns.find((run) => contains(run, now)) ?? null;
}

/** Returns the mean price of the planned time, if it started now in one run; null once a run has begun. */
function startedNowPrice({ spec, now, timeline }: PlanInput, { startedRuns, planned }: PlanRecord): number | null {
  if (!hasHours(spec) || startedRuns.length > 0 || planned.length === 0) return null;
  const run = { start: now, end: now + lengthOf(planned) };
  return runPrice(timeline?.points ?? [], run, "all", profileOf(spec));
}

/** Returns the record of the current occurrence, and the runs that are over. */
export function occurrenceAt(moment: PlanInput): Pick<PlanAdvance, "memory" | "finished"> {
  const { spec, now, timeline, trusted } = moment;
  const window = roundAt(spec, moment.memory?.window ?? null, now, moment.calendar);
  const known = moment.memory && trusted ? endedRest(cutShort(moment.memory, spec, now), now) : moment.memory;
  const settled = known ? settleRuns(known, spec, timeline?.points ?? [], now) : { memory: null, finished: [] };
  return { ...settled, memory: occurrenceOf(moment, settled.memory, window) };
}

function reached(at: EpochMs | null, now: EpochMs): boolean {
  return at !== null && at <= now;
}

/**
 * Returns the recorded occurrence until it is over, or a changed window as soon as no begun run is lost. A window that was
 * moved is the same occurrence, so its begun runs count.
 */
function occurrenceOf(
  { now, spec }: PlanInput,
  memory: PlanRecord | null,
  window: PlanRecord["window"] | null,
): PlanRecord | null {
  if (!memory) return window && newRecord(window, now, []);
  const runs = memory.startedRuns.some((run) => run.end > now);
  if (runs) return memory;
  const untouched = memory.startedRuns.every(({ basis }) => basis === "resting") && memory.ended === null;
  const isSame = window?.start === memory.window.start && window.end === memory.window.end;
  // It ends at the deadline of the known one, or as much later as an owner moves one.
  const isMoved = window && overlaps(memory.window, window) && window.end - memory.window.end < DAY_MS / 2;
  if (window && (isSame || (hasHours(spec) && !untouched && isMoved))) {
    const start = Math.min(memory.window.start, window.start);
    const { end, until } = memory.window;
    const isKnown = start === memory.window.start && window.end === end && window.until === until;
    return isKnown ? memory : { ...memory, window: { ...window, start } };
  }
  if (now < memory.window.end && !untouched && !(window && window.start >= now)) return memory;
  if (!window) return null;
  const before = [...memory.before, ...memory.startedRuns.map(({ start, end }) => ({ start, end }))];
  const remembered = before.filter((run) => run.end > window.start - REMEMBERED_MS);
  return newRecord(window, now, remembered);
}

/** Begins the due runs. `missed`: one of them did not begin. */
function begin(moment: PlanInput, memory: PlanRecord): { readonly memory: PlanRecord; readonly missed: boolean } {
  const { now } = moment;
  const due = memory.planned.filter((run) => run.start <= now);
  if (due.length === 0) return { memory, missed: false };
  const startedRuns: BegunRun[] = [];
  const later: PlanRun[] = [];
  let missed = false;
  for (const run of due) {
    checkWindow(run, memory);
    const end = beginnableUntil(moment, run);
    const onTime = run.basis === "fallback" || now - run.start <= LATE_MS;
    if (!onTime) missed = true;
    if (run.end <= now || end === null || (!onTime && moment.spec.kind === "window")) {
      if (run.basis === "fallback" && run.end > now) later.push(run);
      else missed = true;
      continue;
    }
    startedRuns.push({
      start: onTime && run.basis !== "fallback" ? run.start : now,
      end,
      basis: run.basis,
      settled: false,
    });
    if (end < run.end) later.push({ ...run, start: end });
  }
  const rest = memory.planned.filter((run) => run.start > now);
  const owedMs = Math.max(0, memory.owedMs - lengthOf(startedRuns));
  const next = {
    ...memory,
    startedRuns: [...memory.startedRuns, ...startedRuns],
    planned: [...later, ...rest],
    owedMs,
  };
  return { memory: next, missed };
}

/** Returns the time up to which a run may be committed now; null if it may not begin, also because of other plans. */
function beginnableUntil({ spec, timeline, now, graceUntil, blocked }: PlanInput, run: PlanRun): EpochMs | null {
  const left = { start: Math.max(run.start, now), end: run.end };
  if (spec.kind !== "avoid" && blocked.some((other) => overlaps(other, left))) return null;
  if (run.basis === "fallback") return now >= graceUntil ? run.end : null;
  const points = timeline?.points ?? [];
  const current = pointAt(points, now);
  if (current === null || current.estimate) return null;
  const confirmed = confirmedUntil(points, now);
  if (spec.kind === "window") return confirmed >= run.end ? run.end : null;
  return Math.min(run.end, confirmed);
}

function stateOf(moment: PlanInput, memory: PlanRecord, running: BegunRun | null): PlanState {
  const { spec, now, trusted } = moment;
  if (!spec.enabled) return "disabled";
  if (!trusted) return "waiting";
  if (running) return running.basis === "fallback" ? "fallback" : "running";
  if (memory.ended === "skipped" || memory.ended === "stopped") return "skipped";
  const [next] = memory.planned;
  if (
    spec.kind === "avoid" &&
    next?.basis !== "fallback" &&
    memory.outcome.kind !== "missing" &&
    isLost(moment, memory)
  )
    return "no_prices";
  if (next?.basis === "fallback") return "fallback";
  if (awayEnd(moment, memory) !== null) return "skipped";
  const isShort = memory.outcome.kind === "solved" && !!memory.outcome.shortfall;
  if (next) return isShort ? "partial" : "scheduled";
  if (memory.ended === "run_now" || memory.ended === "machine_done") return "done";
  switch (memory.outcome.kind) {
    case "impossible":
      return "impossible";
    case "charged":
      return "done";
    case "missing":
      return now < memory.outcome.overdueAt ? "waiting" : "no_prices";
    case "waiting_for_plan":
    case "waiting_for_machine":
    case "charge_unknown":
    case "saves_too_little":
      return "waiting";
    case "solved":
    case "none":
      if (spec.kind === "avoid") return "scheduled";
      if (begunInRound(memory).length === 0 || memory.owedMs > 0) return "waiting";
      return isShort ? "partial" : "done";
  }
}

function nextChange(moment: PlanInput, memory: PlanRecord, on: boolean): EpochMs {
  const { now, graceUntil, spec, timeline } = moment;
  const confirmed = confirmedUntil(timeline?.points ?? [], now);
  const rests = spec.kind === "avoid" || whenLostOf(spec) !== "off";
  const times = [
    memory.window.end,
    memory.replanAt,
    rests ? memory.window.start : null,
    memory.lastsUntil !== null || (on && rests) ? renewalAfter(now) : null,
    on ? null : gapEndsAt(spec, memory),
    spec.fallback ? graceUntil : null,
    confirmed,
    ...(moment.away ?? []).flatMap(({ start, end }) => [start, end]),
    ...memory.startedRuns.map((run) => run.end),
    ...memory.planned.map((run) => run.start),
  ];
  const ahead = times.filter((at): at is EpochMs => at !== null && at > now);
  return Math.min(...ahead, now + 24 * 60 * MINUTE_MS);
}

/** Returns the begun and planned runs of an occurrence, touching ones joined. Shape: ascending, apart. */
export function runsOf({ startedRuns, planned }: PlanRecord): Interval[] {
  return mergeRuns([...startedRuns, ...planned]);
}
