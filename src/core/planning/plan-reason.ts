/** Why a plan is ON or OFF, as a code and in words with the numbers. */
import type { Calendar } from "../time/calendar.ts";
import { type EpochMs, HOUR_MS, type Interval, QUARTER_MS } from "../time/interval.ts";
import { hoursText, localTimeText } from "./model/plan-definition.ts";
import { type PlanShortfall, type PlanSpec, weekdays } from "./model/plan-spec.ts";
import { mergeRuns } from "./model/plan-windows.ts";
import { interruptionsOf } from "./plan-interruption.ts";
import { type PlanRecord, type PlanRun, without } from "./plan-record.ts";
import { type PlanAdvance, runsOf } from "./plan-state-machine.ts";

export const planCodes = [
  "scheduled",
  "scheduled_on_estimates",
  "running",
  "running_by_hand",
  "running_fallback",
  "fallback_planned",
  "partial",
  "done",
  "cut_short",
  "waiting_for_prices",
  "waiting_for_plan",
  "waiting_for_low_price",
  "clock_not_trusted",
  "no_prices",
  "no_occurrence",
  "unknown_home",
  "no_export_price",
  "window_too_short",
  "blocked",
  "max_price",
  "constraints",
  "disabled",
  "skipped",
  "stopped",
] as const;
export type PlanCode = (typeof planCodes)[number];

export interface PlanReason {
  readonly code: PlanCode;
  /** One sentence without a point. Shape: at most `MAX_REASON_LENGTH` characters. */
  readonly text: string;
}

export interface ReasonedFrom {
  readonly spec: PlanSpec;
  readonly advance: PlanAdvance;
  readonly now: EpochMs;
  readonly calendar: Calendar;
  readonly trusted: boolean;
  readonly currency: string | null;
  /** The name of a home that there is not; null where there is. */
  readonly home: string | null;
}

type SolvedOutcome = Extract<PlanRecord["outcome"], { kind: "solved" }>;

/** Home Assistant refuses a state of more than 255 characters. */
const MAX_REASON_LENGTH = 255;
/** Runs that are told one by one. */
const MAX_RUNS_TOLD = 4;

export function reasonOf(given: ReasonedFrom): PlanReason {
  const { state, on, running } = given.advance;
  const reason = reasoned(given);
  const { code } = reason;
  const text = `${reason.text}${on && !running && state !== "scheduled" ? "; stays ON" : ""}`;
  return { code, text: text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH - 1)}…` : text };
}

function reasoned(given: ReasonedFrom): PlanReason {
  const { spec, advance, trusted } = given;
  const { memory, state, running } = advance;
  const told = (code: PlanCode, text: string): PlanReason => ({ code, text });
  if (!spec.enabled) return told("disabled", "the plan is disabled");
  if (given.home !== null && !running) return told("unknown_home", `there is no home "${given.home}"`);
  if (!memory) return told("no_occurrence", "no day of the plan has a window; check days, from and ready_by");
  if (!trusted) {
    const effect = advance.on ? "" : ", so nothing is ON";
    return told("clock_not_trusted", `the clock of this machine cannot be trusted${effect}`);
  }
  if (running) return runningReason(given, memory, running);
  switch (state) {
    case "scheduled": {
      const estimated = memory.planned.some((run) => run.basis === "estimates");
      const note = estimated ? "; on estimates until the prices are confirmed" : "";
      return told(estimated ? "scheduled_on_estimates" : "scheduled", `${planWords(given, memory)}${note}`);
    }
    case "partial": {
      const words = memory.planned.length > 0 ? planWords(given, memory) : hasRunWords(given, memory);
      return told("partial", `${shortWords(given, memory)}; ${words}`);
    }
    case "fallback":
      return told("fallback_planned", `prices are missing; runs at its fixed hours ${spansOf(given, memory.planned)}`);
    case "done":
      return told("done", `${hasRunWords(given, memory)}${interruptedWords(given, memory)}`);
    case "skipped":
      return memory.ended === "stopped"
        ? told("stopped", `was stopped; goes on after ${endOf(given, memory.window.end)}`)
        : told("skipped", `is skipped until ${endOf(given, memory.window.end)}`);
    default:
      return idleReason(given, memory);
  }
}

function runningReason(given: ReasonedFrom, memory: PlanRecord, { basis, end }: PlanRun): PlanReason {
  const until = endOf(given, end);
  switch (basis) {
    case "fallback":
      return { code: "running_fallback", text: `prices are missing; runs at its fixed hours until ${until}` };
    case "manual":
      return { code: "running_by_hand", text: `was started by hand; runs until ${until}` };
    default: {
      const short = shortWords(given, memory);
      const text = `runs until ${until}: ${planWords(given, memory)}${interruptedWords(given, memory)}${short ? `; ${short}` : ""}`;
      return { code: "running", text };
    }
  }
}

function hasRunWords(given: ReasonedFrom, memory: PlanRecord): string {
  if (given.spec.kind === "avoid") return `was ${planWords(given, memory)}`;
  return `has run: ${spansOf(given, runsOf(memory))}${averageOf(given, memory)}`;
}

function interruptedWords(given: ReasonedFrom, memory: PlanRecord): string {
  const times = interruptionsOf(given.spec, memory);
  return times.length === 0 ? "" : `; was OFF ${spansOf(given, times)}, as elbro was not running`;
}

function idleReason(given: ReasonedFrom, memory: PlanRecord): PlanReason {
  const { outcome, owedMs } = memory;
  if (owedMs > 0) {
    const text = `${hasRunWords(given, memory)}; ${hoursText(owedMs)} h are missing, as elbro was not running then`;
    return { code: "cut_short", text };
  }
  switch (outcome.kind) {
    case "missing": {
      const from = timeOf(given, outcome.from);
      return given.now < outcome.overdueAt
        ? { code: "waiting_for_prices", text: `waits for the prices from ${from} on` }
        : {
            code: "no_prices",
            text: `no prices from ${from} on${given.spec.fallback ? ", and no fallback hours are left" : ""}${given.advance.on ? "" : "; nothing runs"}`,
          };
    }
    case "waiting_for_plan":
      return { code: "waiting_for_plan", text: `waits until "${outcome.plan}" knows when it runs` };
    case "impossible":
      return { code: outcome.reason, text: impossibleWords(given.spec, outcome.reason, outcome.shortfallMs) };
    case "solved":
    case "none":
      if (given.advance.state === "no_prices") return { code: "no_prices", text: "there is no price for now" };
      return { code: "waiting_for_low_price", text: "no price that is known is low enough" };
  }
}

/** What is missing of the hours and why; empty where nothing is. */
function shortWords({ spec }: ReasonedFrom, { outcome }: PlanRecord): string {
  const shortfall = outcome.kind === "solved" ? outcome.shortfall : null;
  return shortfall ? impossibleWords(spec, shortfall.reason, shortfall.missingMs) : "";
}

function impossibleWords(spec: PlanSpec, reason: PlanShortfall["reason"], shortfallMs: number): string {
  const hours = "hoursMs" in spec ? `${hoursText(spec.hoursMs)} h` : "its time";
  const short = `${hoursText(shortfallMs)} h are missing`;
  switch (reason) {
    case "window_too_short":
      return `not enough time is left for ${hours}: ${short}`;
    case "blocked":
      return `other plans of its group or power_limit run: ${short} of ${hours}`;
    case "no_prices":
      return `prices are missing: ${short} of ${hours}`;
    case "max_price":
      return `prices are above max_price ${spec.maxPrice ?? ""}: ${short} of ${hours}`;
    case "constraints":
      return `no choice of runs, pauses and gaps gives ${hours}: ${short}`;
  }
}

/** "23:15-02:15, 1.12 DKK/kWh on average; next best 01:00 at 1.31; bought at 2.05 if started now". */
function planWords(given: ReasonedFrom, memory: PlanRecord): string {
  const { kind } = given.spec;
  const runs = runsOf(memory);
  if (kind === "avoid") return `${onButWords(given, memory, runs)}${averageOf(given, memory)}`;
  const parts = [`${spansOf(given, runs)}${averageOf(given, memory)}`];
  if (memory.outcome.kind === "solved" && kind !== "below") {
    const { best, nextBest } = memory.outcome.alternatives;
    const { tolerance } = given.spec;
    if (best && tolerance)
      parts.push(
        `${tolerance.side} within ${tolerance.percent} % of the best, ${timeOf(given, best.start)} at ${price(best.meanPrice)}`,
      );
    if (nextBest) parts.push(`next best ${timeOf(given, nextBest.start)} at ${price(nextBest.meanPrice)}`);
    parts.push(...baselineWords(given, memory.outcome));
  }
  return parts.join("; ");
}

/** What the same would cost if started now, and if started when the window opens, where that is another time. */
function baselineWords(
  given: ReasonedFrom,
  { alternatives: { startedNow: windowStart }, startedNowAt: opensAt }: SolvedOutcome,
): string[] {
  const { now, advance } = given;
  const words: string[] = [];
  if (advance.startedNow !== null) words.push(`at ${price(advance.startedNow)} if started now`);
  if (windowStart !== null && (Math.abs(now - opensAt) >= QUARTER_MS || words.length === 0))
    words.push(`at ${price(windowStart)} if started at ${timeOf(given, opensAt)}`);
  return words.length === 0 ? [] : [`bought ${words.join(", ")}`];
}

/** What is OFF says more of a plan that is nearly always ON. */
function onButWords(given: ReasonedFrom, { window, since }: PlanRecord, runs: readonly Interval[]): string {
  const off = without({ start: Math.max(window.start, since), end: window.end }, runs);
  return off.length === 0 ? "ON all the time" : `ON but for ${spansOf(given, off)}`;
}

function averageOf({ currency }: ReasonedFrom, { outcome }: PlanRecord): string {
  if (outcome.kind !== "solved" || outcome.meanPrice === null) return "";
  return `, ${price(outcome.meanPrice)} ${currency === null ? "" : `${currency}/kWh `}on average`;
}

function spansOf(given: ReasonedFrom, runs: readonly Interval[]): string {
  const joined = mergeRuns(runs);
  const told = joined
    .slice(0, MAX_RUNS_TOLD)
    .map(({ start, end }) => `${timeOf(given, start)}-${clockOn(given, end, end - 1, start)}`);
  const more = joined.length - told.length;
  return `${told.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The local clock, with the day where that is not today. */
function timeOf(given: ReasonedFrom, at: EpochMs): string {
  return clockOn(given, at, at, given.now);
}

/** The local clock of an end: midnight belongs to the day that it ends. */
function endOf(given: ReasonedFrom, at: EpochMs): string {
  return clockOn(given, at, at - 1, given.now);
}

/** The clock of `at`, with the day of `on` where that is not the day of `known`. */
function clockOn(given: ReasonedFrom, at: EpochMs, on: EpochMs, known: EpochMs): string {
  const { calendar } = given;
  if (calendar.startOf("day", on) === calendar.startOf("day", known)) return clockOf(given, at);
  const local = new Date(on + calendar.offsetAt(on));
  const day = weekdays[(local.getUTCDay() + 6) % 7] ?? "";
  return `${day.slice(0, 1).toUpperCase()}${day.slice(1)} ${clockOf(given, at)}`;
}

/** `02:15`; in the hour that comes twice in autumn `02:15 A`, then `02:15 B`, as on the dashboard. */
function clockOf({ calendar }: ReasonedFrom, at: EpochMs): string {
  const offset = calendar.offsetAt(at);
  const fold = calendar.offsetAt(at + HOUR_MS) < offset ? " A" : calendar.offsetAt(at - HOUR_MS) > offset ? " B" : "";
  return `${localTimeText(calendar.minuteOfDay(at))}${fold}`;
}

function price(perKwh: number): string {
  return perKwh.toFixed(2);
}
