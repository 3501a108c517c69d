/** Reason why a plan is ON or OFF, as a code and as a text with figures. */
import type { Language } from "../../language/language.ts";
import { type Say, sayIn } from "../../language/text.ts";
import { twoDecimals } from "../../text/rounding.ts";
import { shortened } from "../../text/shortened.ts";
import { type EpochMs, type Interval, without } from "../../time/interval.ts";
import { isChargeUnknown } from "../charge.ts";
import { localTimeText } from "../model/local-time.ts";
import { hoursText } from "../model/plan-definition.ts";
import { hasHours, type PlanShortfall } from "../model/plan-spec.ts";
import { mergeRuns, weekdayOf } from "../model/plan-windows.ts";
import type { PlanInput } from "../plan-input.ts";
import { interruptionsOf } from "../plan-interruption.ts";
import { interruptionCauses, isProvisional, type PlanRecord, type PlanRun } from "../plan-record.ts";
import { type PlanAdvance, runsOf } from "../plan-state-machine.ts";

export const planCodes = [
  "scheduled",
  "scheduled_on_estimates",
  "running",
  "running_by_hand",
  "running_fallback",
  "running_at_once",
  "fallback_planned",
  "partial",
  "done",
  "charged",
  "charge_unknown",
  "cut_short",
  "waiting_for_prices",
  "waiting_for_plan",
  "waiting_for_machine",
  "waiting_for_low_price",
  "waiting_for_saving",
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
  "away",
] as const;
export type PlanCode = (typeof planCodes)[number];

export interface PlanReason {
  readonly code: PlanCode;
  /** One sentence without a full stop, short enough for a state of Home Assistant. */
  readonly text: string;
}

export interface ReasonedFrom extends Pick<PlanInput, "spec" | "now" | "calendar" | "trusted"> {
  readonly advance: PlanAdvance;
  readonly currency: string | null;
  /** Name of the plan's home if it is unknown; null if it is known. */
  readonly home: string | null;
  /** True for a plan with `sun` whose home has no known surplus. */
  readonly lacksSun?: boolean;
  readonly language: Language;
}

/** Input of a reason, with the function that returns texts in its language. */
interface ReasonContext extends ReasonedFrom {
  readonly say: Say;
}

/** Maximum runs in a text; further runs are only counted. */
const MAX_NAMED_RUNS = 4;
/** A lower saving is shown as zero. Unit: currency per kWh. */
const MIN_SHOWN_SAVING = 0.005;

export function planReasonOf(given: ReasonedFrom): PlanReason {
  const { state, on, running } = given.advance;
  const say = sayIn(given.language);
  const { code, text: sentence } = reasoned({ ...given, say });
  const isSaid = state === "scheduled" || code === "waiting_for_saving";
  const stays = on && !running && !isSaid ? say("plan.stays_on") : "";
  const noSun = given.lacksSun && given.spec.enabled ? say("plan.no_sun") : "";
  const text = `${sentence}${stays}${noSun}${code === "charge_unknown" ? "" : assumedWords({ ...given, say })}`;
  return { code, text: shortened(text) };
}

function reasoned(given: ReasonContext): PlanReason {
  const { spec, advance, trusted, say } = given;
  const { memory, state, running } = advance;
  const reason = (code: PlanCode, text: string): PlanReason => ({ code, text });
  if (!spec.enabled) return reason("disabled", say("plan.disabled"));
  if (given.home !== null && !running) return reason("unknown_home", say("plan.unknown_home", { home: given.home }));
  if (!memory) return reason("no_occurrence", say("plan.no_occurrence"));
  if (!trusted) return reason("clock_not_trusted", say(advance.on ? "plan.clock" : "plan.clock_off"));
  if (running) return runningReason(given, memory, running);
  switch (state) {
    case "scheduled":
      return reason(isProvisional(memory) ? "scheduled_on_estimates" : "scheduled", planWords(given, memory));
    case "partial": {
      const words = memory.planned.length > 0 ? planWords(given, memory) : hasRunWords(given, memory);
      return reason("partial", `${shortWords(given, memory)}; ${words}`);
    }
    case "fallback":
      return reason("fallback_planned", say("plan.fallback", { runs: spansOf(given, memory.planned) }));
    case "done":
      if (memory.outcome.kind === "charged") return idleReason(given, memory);
      return reason("done", `${hasRunWords(given, memory)}${interruptedWords(given, memory)}`);
    case "skipped": {
      if (advance.awayUntil !== undefined)
        return reason("away", say("plan.away", { end: endOf(given, advance.awayUntil) }));
      const code = memory.ended === "stopped" ? "stopped" : "skipped";
      return reason(code, say(`plan.${code}`, { end: endOf(given, memory.window.end) }));
    }
    default:
      return idleReason(given, memory);
  }
}

/** Says for how long the plan of a battery runs although its charge is unknown; empty if it is known. */
function assumedWords({ spec, say, ...given }: ReasonContext): string {
  if (!spec.enabled || !isChargeUnknown(spec) || !("hoursMs" in spec)) return "";
  return say("plan.charge_assumed", { hours: hoursOf({ spec, say, ...given }, spec.hoursMs) });
}

function runningReason(given: ReasonContext, memory: PlanRecord, run: PlanRun): PlanReason {
  const { say } = given;
  const end = endOf(given, run.end);
  switch (run.basis) {
    case "fallback":
      return { code: "running_fallback", text: say("plan.fallback_until", { end }) };
    case "at_once": {
      const { minimum = 0 } = (given.spec.kind === "slots" && given.spec.soc) || {};
      return { code: "running_at_once", text: say("plan.at_once", { end, minimum: decimal(given, minimum) }) };
    }
    case "manual":
      return { code: "running_by_hand", text: say("plan.by_hand", { end }) };
    default: {
      const short = shortWords(given, memory);
      const plan = `${planWords(given, memory)}${interruptedWords(given, memory)}${short ? `; ${short}` : ""}`;
      return { code: "running", text: say("plan.runs", { end, plan }) };
    }
  }
}

function hasRunWords(given: ReasonContext, memory: PlanRecord): string {
  const { say } = given;
  if (given.spec.kind === "avoid") return say("plan.was", { plan: planWords(given, memory) });
  return `${say("plan.has_run", { runs: spansOf(given, runsOf(memory)) })}${averageOf(given, memory)}`;
}

/** Ends of the keys of an interruption's texts, by its cause. */
const CAUSE_ENDS = { stop: "", clock: "_clock", disabled: "_disabled" } as const;

function interruptedWords(given: ReasonContext, memory: PlanRecord): string {
  const words = interruptionCauses.map((cause) => {
    const times = interruptionsOf(given.spec, memory, cause);
    return times.length === 0 ? "" : given.say(`plan.was_off${CAUSE_ENDS[cause]}`, { times: spansOf(given, times) });
  });
  return words.join("");
}

function idleReason(given: ReasonContext, memory: PlanRecord): PlanReason {
  const { say } = given;
  const { outcome, owedMs } = memory;
  if (owedMs > 0) {
    const cause = memory.startedRuns.findLast(({ cutBy }) => cutBy)?.cutBy ?? "stop";
    const missing = say(`plan.cut_short${CAUSE_ENDS[cause]}`, { hours: hoursOf(given, owedMs) });
    const text = `${hasRunWords(given, memory)}${missing}`;
    return { code: "cut_short", text };
  }
  switch (outcome.kind) {
    case "missing": {
      const time = timeOf(given, outcome.from);
      if (given.now < outcome.overdueAt)
        return { code: "waiting_for_prices", text: say("plan.waits_for_prices", { time }) };
      const noHours = given.spec.fallback ? say("plan.no_fallback_left") : "";
      const effect = given.advance.on ? "" : say("plan.nothing_runs");
      return { code: "no_prices", text: `${say("plan.no_prices_from", { time })}${noHours}${effect}` };
    }
    case "waiting_for_plan":
      return { code: "waiting_for_plan", text: say("plan.waits_for_plan", { plan: outcome.plan }) };
    case "waiting_for_machine":
      return { code: "waiting_for_machine", text: say("plan.waits_for_machine") };
    case "charged": {
      const { spec } = given;
      const target = spec.kind === "slots" ? decimal(given, spec.soc?.upTo ?? spec.soc?.target ?? "") : "";
      return { code: "charged", text: say("plan.charged", { target }) };
    }
    case "charge_unknown":
      return { code: "charge_unknown", text: say("plan.charge_unknown") };
    case "saves_too_little":
      return { code: "waiting_for_saving", text: littleWords(given, outcome) };
    case "impossible":
      return { code: outcome.reason, text: impossibleWords(given, outcome.reason, outcome.shortfallMs) };
    case "solved":
    case "none":
      if (given.advance.state === "no_prices") return { code: "no_prices", text: say("plan.no_price_now") };
      return { code: "waiting_for_low_price", text: say("plan.no_low_price") };
  }
}

/** Returns for example "1.26 DKK/kWh instead of 1.31 DKK/kWh from 19:00 saves less than the wanted 0.20 DKK/kWh". */
function littleWords(
  given: ReasonContext,
  { meanPrice, windowStart, opensAt }: Extract<PlanRecord["outcome"], { readonly kind: "saves_too_little" }>,
): string {
  const { minSaving = { perKwh: 0 } } = given.spec;
  const least = "perKwh" in minSaving ? priceIn(given, minSaving.perKwh) : `${decimal(given, minSaving.percent)} %`;
  const prices = { price: priceIn(given, meanPrice), start: priceIn(given, windowStart) };
  if (given.spec.kind === "avoid") return given.say("plan.avoids_too_little", { ...prices, least });
  return given.say("plan.saves_too_little", { ...prices, time: timeOf(given, opensAt), least });
}

/** Returns the missing hours and the reason; empty if none are missing. */
function shortWords(given: ReasonContext, { outcome }: PlanRecord): string {
  const shortfall = outcome.kind === "solved" ? outcome.shortfall : null;
  return shortfall ? impossibleWords(given, shortfall.reason, shortfall.missingMs) : "";
}

function impossibleWords(given: ReasonContext, reason: PlanShortfall["reason"], shortfallMs: number): string {
  const { say, spec } = given;
  const wanted =
    "hoursMs" in spec ? say("format.hours_long", { hours: hoursOf(given, spec.hoursMs) }) : say("plan.its_time");
  const missing = say("plan.missing", { hours: hoursOf(given, shortfallMs) });
  return say(`plan.${reason}`, { price: priceIn(given, spec.maxPrice ?? 0), wanted, missing });
}

/** Returns for example "23:15-02:15, 1.12 DKK/kWh on average instead of 2.05 DKK/kWh from 22:00". */
function planWords(given: ReasonContext, memory: PlanRecord): string {
  const { say, spec } = given;
  const runs = aheadIn(runsOf(memory), given.now);
  if (spec.kind === "avoid") return `${onButWords(given, memory)}${averageOf(given, memory)}`;
  const parts = [`${spansOf(given, runs)}${averageOf(given, memory)}${sunOf(given)}`];
  if (memory.outcome.kind === "solved" && spec.kind !== "below") {
    const { waits } = memory.outcome;
    if (isProvisional(memory)) parts[0] = say("plan.probably", { plan: parts[0] ?? "" });
    if (waits) parts.push(waitWords(given, waits));
  }
  return parts.join("; ");
}

/** Returns when the plan becomes firm, or which prices are late. */
function waitWords(given: ReasonContext, { until, from }: { readonly until: EpochMs; readonly from: EpochMs }): string {
  const isLate = until <= given.now;
  return given.say(isLate ? "plan.prices_late" : "plan.firm", { time: timeOf(given, isLate ? from : until) });
}

/** Describes an `avoid` plan by its times OFF, because it is nearly always ON. */
function onButWords(given: ReasonContext, memory: PlanRecord): string {
  const { window, since } = memory;
  const off = without({ start: Math.max(window.start, since), end: window.end }, runsOf(memory));
  const times = spansOf(given, aheadIn(off, given.now));
  return off.length === 0 ? given.say("plan.on_all_time") : given.say("plan.on_but", { times });
}

/** Returns the energy that is probably from the roof; empty for none. */
function sunOf(given: ReasonContext): string {
  const kwh = (given.advance.sunKwh ?? 0).toFixed(1);
  return Number(kwh) === 0 ? "" : given.say("plan.from_roof", { kwh: decimal(given, kwh) });
}

/** Returns the mean price of what is named, and that of a start when the window opened if nothing has run yet. */
function averageOf(given: ReasonContext, memory: PlanRecord): string {
  const { say, spec, advance, now } = given;
  const { price, baselines } = advance;
  if (memory.outcome.kind !== "solved" || price === null) return "";
  const average = say("plan.average", { price: priceIn(given, price) });
  const all = [...memory.startedRuns, ...memory.planned];
  const isWhole = aheadIn(all, now).length === all.length && all.every(({ basis }) => basis !== "manual");
  const { windowStart, opensAt } = baselines ?? { windowStart: null, opensAt: now };
  if (!hasHours(spec) || !isWhole || windowStart === null || windowStart - price < MIN_SHOWN_SAVING) return average;
  return `${average}${say("plan.instead_of", { price: priceIn(given, windowStart), time: timeOf(given, opensAt) })}`;
}

/** Returns the current and later spans; all of them if they are over. */
export function aheadIn<Span extends Interval>(spans: readonly Span[], now: EpochMs): readonly Span[] {
  const ahead = spans.filter(({ end }) => end > now);
  return ahead.length > 0 ? ahead : spans;
}

function spansOf(given: ReasonContext, runs: readonly Interval[]): string {
  const joined = mergeRuns(runs);
  const spans = joined.slice(0, MAX_NAMED_RUNS).map(({ start, end }) => {
    const [from, to] = [clockOn(given, start, start, given.now), clockOn(given, end, end - 1, start)];
    return given.say("format.span", { start: spoken(given, from, "within"), end: spoken(given, to, "within") });
  });
  const more = joined.length - spans.length;
  return `${spans.join(", ")}${more > 0 ? given.say("word.and_more", { count: more }) : ""}`;
}

/** Returns the local time, with the day if that is not today. */
function timeOf(given: ReasonContext, at: EpochMs): string {
  return spoken(given, clockOn(given, at, at, given.now), "alone");
}

/** Returns the local time of an end. Midnight belongs to the day that it ends. */
function endOf(given: ReasonContext, at: EpochMs): string {
  return spoken(given, clockOn(given, at, at - 1, given.now), "alone");
}

/** Local time, and the day if it has to be named. */
interface Clock {
  readonly clock: string;
  readonly day: string | null;
}

/** Formats a time in Danish as `man. kl. 02.15` alone, and as `man. 02.15` within a span. */
function spoken({ say }: ReasonContext, { clock, day }: Clock, where: "alone" | "within"): string {
  if (where === "within") return day === null ? clock : `${day} ${clock}`;
  return day === null ? say("format.clock_alone", { clock }) : say("format.clock_of_day", { day, clock });
}

/** Returns the local time of `at`, with the day of `on` if that is not the day of `known`. */
function clockOn(given: ReasonContext, at: EpochMs, on: EpochMs, known: EpochMs): Clock {
  const { calendar, say } = given;
  const clock = clockOf(given, at);
  if (calendar.startOf("day", on) === calendar.startOf("day", known)) return { clock, day: null };
  return { clock, day: say(`weekday.${weekdayOf(calendar, on)}`) };
}

/** Returns for example `02:15`. In the hour that comes twice in autumn: `02:15 A`, then `02:15 B`, as on the dashboard. */
function clockOf({ calendar, say }: ReasonContext, at: EpochMs): string {
  const fold = ["", " A", " B"][calendar.fold(at)];
  return `${localTimeText(calendar.minuteOfDay(at)).replace(":", say("format.clock_point"))}${fold}`;
}

function priceIn(given: ReasonContext, perKwh: number): string {
  return `${decimal(given, twoDecimals(perKwh))}${given.currency === null ? "" : ` ${given.currency}/kWh`}`;
}

function hoursOf(given: ReasonContext, ms: number): string {
  return decimal(given, hoursText(ms));
}

function decimal({ say }: ReasonContext, number: number | string): string {
  return String(number).replace(".", say("format.decimal_point"));
}
