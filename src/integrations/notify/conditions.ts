/** Conditions that hold now and cause a notification, each with an id and its message. */
import type { Language } from "../../core/language/language.ts";
import { type Say, sayIn } from "../../core/language/text.ts";
import { localTimeText } from "../../core/planning/model/local-time.ts";
import { hasHours } from "../../core/planning/model/plan-spec.ts";
import { mergeRuns } from "../../core/planning/model/plan-windows.ts";
import { type PlanSnapshot, savingOf, savingOver } from "../../core/planning/snapshot/plan-snapshot.ts";
import { MIN_SAVED, savedTotal } from "../../core/planning/snapshot/saved-total.ts";
import type { HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import type { PricePoint } from "../../core/prices/timeline.ts";
import type { NotifyEvent } from "../../core/status/notify-event.ts";
import { type Problem, problemIn } from "../../core/status/problem.ts";
import { twoDecimals } from "../../core/text/rounding.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import type { EpochMs, Interval } from "../../core/time/interval.ts";
import type { PlanResult } from "../../plans/plan-results.ts";
import type { Note } from "./note.ts";

export interface Condition {
  /** Stays the same while the condition lasts, also across a restart. */
  readonly id: string;
  readonly event: NotifyEvent;
  /** Time that the condition must hold before a message is sent. */
  readonly patience: "none" | "some";
  readonly note: Omit<Note, "click">;
}

export interface Observed {
  readonly homes: readonly HomeSnapshot[];
  readonly plans: readonly PlanSnapshot[];
  readonly problems: readonly Problem[];
  /** Runs of plans that began yesterday. */
  readonly yesterday: readonly PlanResult[];
  readonly calendar: Calendar;
  readonly now: EpochMs;
  readonly language: Language;
}

/** Maximum number of spans of negative prices that are listed. */
const MAX_SPANS = 4;
/** Before this time the night has not ended, and no saving is told. From the other one on it is old. */
const MORNING_MINUTE = 6 * 60;
const EVENING_MINUTE = 20 * 60;
/** States in which a plan does not get its hours. */
const HINDERED: ReadonlySet<PlanSnapshot["state"]> = new Set(["impossible", "no_prices", "partial"]);

export function conditionsIn(observed: Observed): Condition[] {
  const say = sayIn(observed.language);
  return [
    ...observed.homes.flatMap((home) => [...tomorrowOf(home, observed, say), ...negativeOf(home, observed, say)]),
    ...observed.plans.flatMap((plan) => [...obstacleOf(plan, observed, say), ...plannedOf(plan, observed, say)]),
    ...savedOf(observed, say),
    ...observed.problems.flatMap((problem) => problemOf(problem, observed, say)),
  ];
}

function tomorrowOf(snapshot: HomeSnapshot, { calendar }: Observed, say: Say): Condition[] {
  const { home, tomorrow, tomorrowValid, tomorrowMean, currency } = snapshot;
  const sorted = tomorrow.toSorted((a, b) => a.price - b.price);
  const least = sorted[0];
  const most = sorted.find(({ price }) => price === sorted.at(-1)?.price);
  if (!tomorrowValid || !least || !most || tomorrowMean === null) return [];
  const at = (point: PricePoint) => say("format.clock_alone", { clock: clockOf(point.start, calendar, say) });
  const message = say("note.tomorrow", {
    mean: money(tomorrowMean, currency, say),
    least: money(least.price, currency, say),
    least_at: at(least),
    most: money(most.price, currency, say),
    most_at: at(most),
  });
  const id = `tomorrow ${home.id} ${calendar.dateOf(least.start)}`;
  const title = say("note.tomorrow_title", { home: home.name });
  return [{ id, event: "tomorrow", patience: "none", note: { title, message, priority: 3, tags: ["zap"] } }];
}

function negativeOf(snapshot: HomeSnapshot, { calendar, now }: Observed, say: Say): Condition[] {
  const { home, today, tomorrow, tomorrowValid, currency } = snapshot;
  return [today, tomorrowValid ? tomorrow : []].flatMap((points, i): Condition[] => {
    const negative = points.filter(({ price, estimate, end }) => price < 0 && !estimate && end > now);
    const [first] = negative;
    if (!first) return [];
    const times = spansOf(negative, calendar, say);
    const least = money(Math.min(...negative.map(({ price }) => price)), currency, say);
    const message = say(i === 0 ? "note.negative_today" : "note.negative_tomorrow", { times, least });
    const id = `negative ${home.id} ${calendar.dateOf(first.start)}`;
    const title = say("note.negative_title", { home: home.name });
    const note = { title, message, priority: 3, tags: ["chart_with_downwards_trend"] } as const;
    return [{ id, event: "negative_prices", patience: "none", note }];
  });
}

function obstacleOf({ definition, state, reason }: PlanSnapshot, { calendar, now }: Observed, say: Say): Condition[] {
  if (!HINDERED.has(state)) return [];
  const id = `plan ${definition.id} ${state} ${calendar.dateOf(now)}`;
  const title = say(state === "partial" ? "note.plan_part_title" : "note.plan_title", { plan: definition.name });
  const note = { title, message: sentence(reason.text), priority: 4, tags: ["warning"] } as const;
  return [{ id, event: "plan", patience: "some", note }];
}

/** A plan with hours that no price can move any more, once for each day of its start. */
function plannedOf(plan: PlanSnapshot, { calendar, now }: Observed, say: Say): Condition[] {
  const { definition, provisional, state, runs, nextStart, opensAt, saving, currency } = plan;
  if (state !== "scheduled" || provisional || nextStart === null || !hasHours(definition.spec)) return [];
  const today = calendar.startOf("day", now);
  const isTonight = nextStart >= calendar.add("day", today, 1) && calendar.minuteOfDay(nextStart) < MORNING_MINUTE;
  const day = isTonight ? "tonight" : calendar.startOf("day", nextStart) === today ? "today" : "tomorrow";
  const saved = saving.againstWindowStart ?? 0;
  const time = say("format.clock_alone", { clock: clockOf(opensAt ?? now, calendar, say) });
  const cheaper = saved < MIN_SAVED ? "" : say("note.cheaper", { saved: amount(saved, currency, say), time });
  const ahead = runs.filter(({ end }) => end > now);
  const note = {
    title: say("note.planned_title", { plan: definition.name }),
    message: `${say(`note.planned_${day}`, { times: spansOf(ahead, calendar, say) })}${cheaper}.`,
    priority: 3,
    tags: ["alarm_clock"],
  } as const;
  const id = `planned ${definition.id} ${calendar.dateOf(nextStart)}`;
  return [{ id, event: "planned", patience: "some", note }];
}

/** What the plans saved yesterday, in the morning. */
function savedOf({ yesterday, calendar, now }: Observed, say: Say): Condition[] {
  const minute = calendar.minuteOfDay(now);
  if (minute < MORNING_MINUTE || minute >= EVENING_MINUTE) return [];
  const runs = yesterday.map(({ definition, currency, run }) => {
    return { plan: definition.name, currency, saved: savingOver(savingOf(run), run.kwh).againstWindowStart };
  });
  const saving = savedTotal(runs);
  if (!saving) return [];
  const { total, currency, most, share } = saving;
  const facts = { saved: amount(total, currency, say), plan: most ?? "" };
  const message = say(share === "most" ? "note.saved_most" : "note.saved", facts);
  const note = { title: say("note.saved_title"), message, priority: 3, tags: ["moneybag"] } as const;
  return [{ id: `saved ${calendar.dateOf(now)}`, event: "saved", patience: "none", note }];
}

function problemOf(problem: Problem, { language }: Observed, say: Say): Condition[] {
  const { code, subject } = problem;
  // A notification cannot report its own failure.
  if (code === "notifications_failed") return [];
  const { advice, detail } = problemIn(language, problem);
  const event = code === "plug_silent" ? "plug" : "problem";
  const title = say(event === "plug" ? "note.plug_title" : "note.problem_title");
  const message = `${sentence(advice)}\n${detail}`;
  const note = { title, message, priority: 4, tags: [event === "plug" ? "electric_plug" : "warning"] } as const;
  return [{ id: `problem ${code} ${subject}`, event, patience: "some", note }];
}

/** Returns the first spans of intervals, touching ones joined. */
function spansOf(intervals: readonly Interval[], calendar: Calendar, say: Say): string {
  const joined = mergeRuns(intervals);
  const texts = joined.slice(0, MAX_SPANS).map(({ start, end }) => {
    return say("format.span", { start: clockOf(start, calendar, say), end: clockOf(end, calendar, say) });
  });
  const more = joined.length - texts.length;
  return `${texts.join(", ")}${more > 0 ? say("word.and_more", { count: more }) : ""}`;
}

function clockOf(at: EpochMs, calendar: Calendar, say: Say): string {
  return localTimeText(calendar.minuteOfDay(at)).replace(":", say("format.clock_point"));
}

function money(perKwh: number, currency: string | null, say: Say): string {
  return `${amount(perKwh, currency, say)}${currency === null ? "" : "/kWh"}`;
}

function amount(value: number, currency: string | null, say: Say): string {
  return `${twoDecimals(value).replace(".", say("format.decimal_point"))}${currency === null ? "" : ` ${currency}`}`;
}

/** Returns a reason as a sentence, with a capital letter and a full stop. */
function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.…]$/.test(text) ? "" : "."}`;
}
