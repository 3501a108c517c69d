/**
 * The life of a plan, one occurrence after the other: what it remembers, what it does at a moment, and when it changes
 * next. Everything that happened is in the memory, so a restart in the middle changes nothing.
 *
 * - What has begun is never moved. What has not begun is planned again when prices, settings or other plans change.
 * - A run begins on a confirmed price, on its owner's word, or as a fallback; never on an estimate alone. `window` then
 *   runs through; of the other kinds only what is confirmed is committed.
 * - A start that was missed is made up for at once where that costs no more than what is left to choose from.
 * - A run that nobody looked after has run until its plugs ended it. What is missing of a `window` follows at once.
 */
import { contains, type EpochMs, type Interval, MINUTE_MS } from "../time/interval.ts";
import { horizonOf, mergeRuns } from "./model/plan-windows.ts";
import { confirmedUntil, LATE_MS, type PlanInput, pointAt } from "./plan-input.ts";
import { cutShort, lengthOf, lookedAfter, renewalAfter } from "./plan-interruption.ts";
import { type BegunRun, newRecord, type PlanRecord, type PlanRun } from "./plan-record.ts";
import { type FinishedRun, settleRuns } from "./plan-savings.ts";
import { inputFingerprint, replan } from "./replan.ts";

export const planStates = [
  "waiting",
  "scheduled",
  "running",
  "done",
  "no_prices",
  "fallback",
  "impossible",
  "disabled",
  "skipped",
] as const;
export type PlanState = (typeof planStates)[number];

export interface PlanAdvance {
  /** Null for a plan that never has an occurrence. */
  readonly memory: PlanRecord | null;
  readonly state: PlanState;
  /** The run that is ON right now. */
  readonly running: BegunRun | null;
  /** When this changes next by itself; null for never. */
  readonly nextChangeAt: EpochMs | null;
  /** Runs whose price and saving are known from now on. Shape: ascending. */
  readonly finished: readonly FinishedRun[];
}

/** How far back runs of the occurrence before are remembered: longer than any pause or gap that fits into a day. */
const REMEMBERED_MS = 26 * 60 * MINUTE_MS;

/** What a plan does at `now`. */
export function advancePlan(moment: PlanInput): PlanAdvance {
  const { spec, now } = moment;
  const settled = occurrenceAt(moment);
  let { memory } = settled;
  if (!memory) return { memory, state: "impossible", running: null, nextChangeAt: null, finished: settled.finished };
  if (moment.trusted) {
    if (!spec.enabled) memory = halted(memory, now);
    const due = begin(moment, memory);
    memory = due.memory;
    const stale = due.missed || memory.madeFrom !== inputFingerprint(moment, memory) || reached(memory.replanAt, now);
    if (stale) memory = begin(moment, replan(moment, memory, due.missed)).memory;
    memory = lookedAfter(memory, now);
  }
  const running = moment.trusted ? (memory.begun.find((run) => contains(run, now)) ?? null) : null;
  const state = stateOf(moment, memory, running);
  return { memory, state, running, nextChangeAt: nextChange(moment, memory), finished: settled.finished };
}

/** The occurrence that counts at a moment, as far as it is known, and the runs that are over. */
export function occurrenceAt(moment: PlanInput): Pick<PlanAdvance, "memory" | "finished"> {
  const { spec, now, timeline, trusted } = moment;
  const known = moment.memory && trusted ? cutShort(moment.memory, spec, now) : moment.memory;
  const settled = known ? settleRuns(known, spec, timeline?.points ?? [], now) : { memory: null, finished: [] };
  return { ...settled, memory: occurrenceOf(moment, settled.memory, horizonOf(spec, now, moment.calendar)) };
}

function reached(at: EpochMs | null, now: EpochMs): boolean {
  return at !== null && at <= now;
}

/** The occurrence that counts: the known one until it is over, a changed one as soon as that takes nothing away. */
function occurrenceOf(
  { now }: PlanInput,
  memory: PlanRecord | null,
  window: PlanRecord["window"] | null,
): PlanRecord | null {
  if (!memory) return window && newRecord(window, now, []);
  const runs = memory.begun.some((run) => run.end > now);
  if (runs) return memory;
  if (window && window.start === memory.window.start && window.end === memory.window.end)
    return window.until === memory.window.until ? memory : { ...memory, window };
  const untouched = memory.begun.length === 0 && memory.ended === null;
  const over = now >= memory.window.end;
  if (!over && !untouched && !(window && window.start >= now)) return memory;
  const before = [...memory.before, ...memory.begun.map(({ start, end }) => ({ start, end }))];
  return (
    window &&
    newRecord(
      window,
      now,
      before.filter((run) => run.end > window.start - REMEMBERED_MS),
    )
  );
}

/** Cuts what runs, and drops what has not begun. */
export function halted(memory: PlanRecord, now: EpochMs): PlanRecord {
  const runs = memory.begun.some((run) => run.end > now);
  if (!runs && memory.planned.length === 0) return memory;
  const begun = memory.begun
    .map((run) => (run.end > now ? { ...run, end: now } : run))
    .filter((run) => run.start < run.end);
  return { ...memory, begun, planned: [], madeFrom: null };
}

interface Begun {
  readonly memory: PlanRecord;
  /** Whether something should have begun and did not. */
  readonly missed: boolean;
}

/** Begins what is due. */
function begin(moment: PlanInput, memory: PlanRecord): Begun {
  const { now } = moment;
  const due = memory.planned.filter((run) => run.start <= now);
  if (due.length === 0) return { memory, missed: false };
  const begun: BegunRun[] = [];
  const later: PlanRun[] = [];
  let missed = false;
  for (const run of due) {
    const end = beginnableUntil(moment, run);
    const onTime = run.basis === "fallback" || now - run.start <= LATE_MS;
    if (!onTime) missed = true;
    if (run.end <= now || end === null || (!onTime && moment.spec.kind === "window")) {
      if (run.basis === "fallback" && run.end > now) later.push(run);
      else missed = true;
      continue;
    }
    begun.push({ start: onTime && run.basis !== "fallback" ? run.start : now, end, basis: run.basis, settled: false });
    if (end < run.end) later.push({ ...run, start: end });
  }
  const rest = memory.planned.filter((run) => run.start > now);
  const owedMs = Math.max(0, memory.owedMs - lengthOf(begun));
  const next = { ...memory, begun: [...memory.begun, ...begun], planned: [...later, ...rest], owedMs };
  return { memory: next, missed };
}

/** Up to where a run may be committed now; null where it may not begin. */
function beginnableUntil({ spec, timeline, now, graceUntil }: PlanInput, run: PlanRun): EpochMs | null {
  if (run.basis === "fallback") return now >= graceUntil ? run.end : null;
  const points = timeline?.points ?? [];
  const current = pointAt(points, now);
  if (current === null || current.estimate) return null;
  return spec.kind === "window" ? run.end : Math.min(run.end, confirmedUntil(points, now));
}

function stateOf({ spec, now, trusted }: PlanInput, memory: PlanRecord, running: BegunRun | null): PlanState {
  if (!spec.enabled) return "disabled";
  if (!trusted) return "waiting";
  if (running) return running.basis === "fallback" ? "fallback" : "running";
  if (memory.ended === "skipped" || memory.ended === "stopped") return "skipped";
  const [next] = memory.planned;
  if (next) return next.basis === "fallback" ? "fallback" : "scheduled";
  if (memory.ended === "run_now") return "done";
  switch (memory.outcome.kind) {
    case "impossible":
      return "impossible";
    case "missing":
      return now < memory.outcome.overdueAt ? "waiting" : "no_prices";
    case "waiting_for_plan":
      return "waiting";
    case "solved":
    case "none":
      return memory.begun.length > 0 && memory.owedMs === 0 ? "done" : "waiting";
  }
}

function nextChange(moment: PlanInput, memory: PlanRecord): EpochMs {
  const { now, graceUntil, spec, timeline } = moment;
  const confirmed = confirmedUntil(timeline?.points ?? [], now);
  const times = [
    memory.window.end,
    memory.replanAt,
    memory.lastsUntil === null ? null : renewalAfter(now),
    spec.fallback ? graceUntil : null,
    spec.fallback || spec.useForecast ? confirmed : null,
    ...memory.begun.map((run) => run.end),
    ...memory.planned.map((run) => run.start),
  ];
  const ahead = times.filter((at): at is EpochMs => at !== null && at > now);
  return Math.min(...ahead, now + 24 * 60 * MINUTE_MS);
}

/** Everything of an occurrence that ran or will, touching runs joined. Shape: ascending, apart. */
export function runsOf({ begun, planned }: PlanRecord): Interval[] {
  return mergeRuns([...begun, ...planned]);
}
