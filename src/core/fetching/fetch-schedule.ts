/**
 * What to ask next, and when: the fetch schedule of one account, as a pure function of what series store and request log know.
 *
 * Every want is a list of local clock times at which it may be asked until it is satisfied. The next time after the
 * last asking is when it is due, so a restart asks nothing again, and a clock that jumped catches up with one request.
 */

import type { SeriesKey } from "../series/series.ts";
import type { Calendar } from "../time/calendar.ts";
import { type EpochMs, HOUR_MS } from "../time/interval.ts";
import { nextSlot, slotOn, slots } from "../time/schedule-slots.ts";
import {
  type AccountTarget,
  type AddressPoll,
  type AddressSeries,
  type CollectTarget,
  type FetchRequest,
  type FetchScheduleInput,
  type NextFetch,
  type Priority,
  priorities,
  type SeriesState,
} from "./fetch-types.ts";
import { USAGE_DAYS, usageCandidate } from "./usage-schedule.ts";

/** A want that may be asked from `dueAt` on. */
interface FetchCandidate {
  readonly dueAt: EpochMs;
  readonly step: FetchRequest;
}

/** Days before today that a request for prices brings along while they lack: the reference of the price levels. */
const PRICE_DAYS_BACK = 3;
/** The longest sleep without looking again; a bound against a clock that was set back. */
const MAX_SLEEP_MS = HOUR_MS;

/** The most urgent request that is due now, or the time until which nothing is. */
export function nextFetch(input: FetchScheduleInput): NextFetch {
  let best: FetchRequest | null = null;
  let until = input.now + MAX_SLEEP_MS;
  for (const want of wants(input)) {
    const at = Math.max(want.dueAt, input.notBefore(want.step.series, want.step.priority));
    if (at > input.now) until = Math.min(until, at);
    else if (!best || rank(want.step) < rank(best)) best = want.step;
  }
  return best ?? { kind: "sleep", until };
}

function rank(step: FetchRequest): number {
  return priorities.indexOf(step.priority);
}

function* wants(input: FetchScheduleInput): Generator<FetchCandidate> {
  for (const target of input.accountTargets) yield* accountWants(input, target);
  for (const target of input.targets) {
    for (const { series } of polledAs(target, "prices")) yield* priceWants(input, series);
    yield* usageWants(input, target);
    for (const { series } of polledAs(target, "forecast")) yield* forecastWants(input, target, series);
    for (const polled of polledAs(target, "prices")) yield* backfillWants(input, polled, PRICE_DAYS_BACK);
    for (const polled of polledAs(target, "usage")) yield* backfillWants(input, polled, USAGE_DAYS);
  }
}

function* accountWants(input: FetchScheduleInput, target: AccountTarget): Generator<FetchCandidate> {
  const { series, poll, reaches } = target;
  const { answeredAt } = input.stateOf(series);
  const step: FetchRequest = { kind: "request", series, priority: accountPriority(target, answeredAt === null) };
  if (answeredAt === null) return yield { dueAt: input.now, step };
  switch (poll) {
    case "once":
      return;
    case "addresses":
      return yield { dueAt: nextSlot(input, answeredAt, slots.addresses), step };
    case "daily":
      return yield { dueAt: nextSlot(input, answeredAt, slots.placeDaily), step };
    case "placePrices": {
      const today = input.calendar.day(input.now);
      if (reaches === null || reaches < today.end)
        return yield { dueAt: nextSlot(input, answeredAt, slots.placeToday), step };
      if (reaches >= input.calendar.add("day", today.end, 1)) return;
      return yield { dueAt: nextSlot(input, Math.max(answeredAt, today.start), slots.placeTomorrow), step };
    }
  }
}

/** Without the list of addresses nothing else can be asked; the first prices of a place are today's. */
function accountPriority({ poll }: AccountTarget, isFirst: boolean): Priority {
  switch (poll) {
    case "addresses":
      return isFirst ? "today" : "account";
    case "placePrices":
      return isFirst ? "today" : "tomorrow";
    case "daily":
    case "once":
      return "account";
  }
}

/** Whether the chunk that starts at an instant is whole. */
function isComplete(state: SeriesState, start: EpochMs): boolean {
  return state.chunk(start)?.complete === true;
}

function* priceWants(input: FetchScheduleInput, series: SeriesKey): Generator<FetchCandidate> {
  const { calendar, now } = input;
  const state = input.stateOf(series);
  const today = calendar.day(now);
  const tomorrow = calendar.day(today.end);
  const missingToday = !isComplete(state, today.start);
  const missingTomorrow = !isComplete(state, tomorrow.start);
  if (!missingToday && !missingTomorrow) return;
  const range = {
    start: oldestShortDay(state, calendar, today.start) ?? (missingToday ? today.start : tomorrow.start),
    end: missingTomorrow ? tomorrow.end : today.end,
  };
  yield {
    dueAt: missingToday ? todayDueAt(input, state, today.start) : tomorrowDueAt(input, state, tomorrow.start),
    step: { kind: "request", series, range, priority: missingToday ? "today" : "tomorrow" },
  };
}

function todayDueAt(input: FetchScheduleInput, state: SeriesState, today: EpochMs): EpochMs {
  const asked = state.askedAt(today);
  return asked === null ? input.now : nextSlot(input, asked, slots.today);
}

/** Yesterday's times were for today's prices: tomorrow's are asked at the times of this day only. */
function tomorrowDueAt(input: FetchScheduleInput, state: SeriesState, tomorrow: EpochMs): EpochMs {
  const today = input.calendar.startOf("day", input.now);
  return nextSlot(input, Math.max(state.askedAt(tomorrow) ?? today, today), slots.tomorrow);
}

/** The oldest of the days before today that was never asked, or answered short; null if all are whole. */
function oldestShortDay(state: SeriesState, calendar: Calendar, today: EpochMs): EpochMs | null {
  for (let back = PRICE_DAYS_BACK; back > 0; back--) {
    const start = calendar.add("day", today, -back);
    if (!isComplete(state, start)) return start;
  }
  return null;
}

/**
 * The series of use. They come from one meter, so the first there is asks whether yesterday has come, and
 * the others wait for it until the last time of the day: it may have a gap that never closes.
 */
function* usageWants(input: FetchScheduleInput, target: CollectTarget): Generator<FetchCandidate> {
  const { calendar, now } = input;
  const today = calendar.startOf("day", now);
  const yesterday = calendar.add("day", today, -1);
  const polled = polledAs(target, "usage");
  const states = polled.map(({ series }) => input.stateOf(series));
  const waitUntil = states[0] && isComplete(states[0], yesterday) ? now : slotOn(input, today, slots.usageLast);
  for (const [i, { series }] of polled.entries()) {
    const state = states[i];
    const want = state && usageCandidate(input, state, today);
    if (!want) continue;
    const waits = i > 0 && state.answeredAt !== null;
    yield {
      dueAt: waits ? Math.max(want.dueAt, waitUntil) : want.dueAt,
      step: {
        kind: "request",
        series,
        range: { start: want.start, end: today },
        priority: "usage",
      },
    };
  }
}

/** The forecast begins where the confirmed prices end: it is asked again when tomorrow's have come. */
function* forecastWants(
  input: FetchScheduleInput,
  target: CollectTarget,
  series: SeriesKey,
): Generator<FetchCandidate> {
  const { answeredAt } = input.stateOf(series);
  const confirmed = polledAs(target, "prices")[0];
  const prices = confirmed ? input.stateOf(confirmed.series) : null;
  const today = input.calendar.day(input.now);
  const missingToday = prices !== null && !isComplete(prices, today.start);
  const cameAt = prices && isComplete(prices, today.end) ? prices.askedAt(today.end) : null;
  const due = answeredAt === null || (cameAt !== null && answeredAt < cameAt);
  yield {
    dueAt: due ? input.now : nextSlot(input, answeredAt, missingToday ? slots.forecastWithoutToday : slots.forecast),
    step: { kind: "request", series, priority: "forecast" },
  };
}

/** History that was never asked, newest first. The last `pollDays` days have times of their own. */
function* backfillWants(
  input: FetchScheduleInput,
  { series, maxRangeDays }: AddressSeries,
  pollDays: number,
): Generator<FetchCandidate> {
  const { calendar, now } = input;
  const state = input.stateOf(series);
  if (state.answeredAt === null) return;
  const start = calendar.startOf("day", input.historyFrom);
  const end = calendar.add("day", calendar.startOf("day", now), -pollDays);
  const gap = start < end ? state.newestGap({ start, end }) : null;
  if (!gap) return;
  const from = Math.max(gap.start, calendar.add("day", gap.end, -maxRangeDays));
  yield {
    dueAt: now,
    step: { kind: "request", series, range: { start: from, end: gap.end }, priority: "backfill" },
  };
}

function polledAs(target: CollectTarget, poll: AddressPoll): AddressSeries[] {
  return target.series.filter((each) => each.poll === poll);
}
