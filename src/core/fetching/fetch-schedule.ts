/**
 * What to ask next, and when: the timetable of one account, as a pure function of what the shelf and the ledger know.
 *
 * Every want is a list of local clock times at which it may be asked until it is satisfied. The next time after the
 * last asking is when it is due, so a restart asks nothing again, and a clock that jumped catches up with one request.
 */

import type { SeriesKey, SeriesOperation } from "../series/series.ts";
import type { Calendar } from "../time/calendar.ts";
import { type EpochMs, HOUR_MS } from "../time/interval.ts";
import { nextSlot, slotOn, slots } from "../time/schedule-slots.ts";
import {
  type CollectTarget,
  type FetchRequest,
  type FetchScheduleInput,
  type NextFetch,
  type PlaceTarget,
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
/** The longest ranges one request of history may have. Source: service interface, part 8.1. */
const BACKFILL_DAYS = { hour: 366, fifteenMinutes: 90 } as const;
/** The longest sleep without looking again; a bound against a clock that was set back. */
const MAX_SLEEP_MS = HOUR_MS;

const USAGE_OPERATIONS = ["consumption", "consumptionCosts", "solarExport", "solarExportRevenue"] as const;

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
  if (input.places.length === 0) yield addressesWant(input);
  for (const place of input.places) yield* placeWants(input, place);
  for (const target of input.targets) {
    yield* priceWants(input, target);
    yield* usageWants(input, target);
    yield* forecastWants(input, target);
    yield* backfillWants(input, target);
  }
}

function addressesWant(input: FetchScheduleInput): FetchCandidate {
  const series: SeriesKey = { account: input.account, place: "", operation: "addresses", unit: "latest" };
  const { answeredAt } = input.stateOf(series);
  const dueAt = answeredAt === null ? input.now : nextSlot(input, answeredAt, slots.addresses);
  return { dueAt, step: { kind: "request", series, priority: answeredAt === null ? "today" : "account" } };
}

function* placeWants(input: FetchScheduleInput, { series, rhythm, reaches }: PlaceTarget): Generator<FetchCandidate> {
  const { answeredAt } = input.stateOf(series);
  const urgency = answeredAt === null ? "today" : "tomorrow";
  const priority: Priority = rhythm === "prices" ? urgency : "account";
  const step: FetchRequest = { kind: "request", series, priority };
  if (answeredAt === null) return yield { dueAt: input.now, step };
  switch (rhythm) {
    case "once":
      return;
    case "daily":
      return yield { dueAt: nextSlot(input, answeredAt, slots.placeDaily), step };
    case "prices": {
      const today = input.calendar.day(input.now);
      if (reaches === null || reaches < today.end)
        return yield { dueAt: nextSlot(input, answeredAt, slots.placeToday), step };
      if (reaches >= input.calendar.add("day", today.end, 1)) return;
      return yield { dueAt: nextSlot(input, Math.max(answeredAt, today.start), slots.placeTomorrow), step };
    }
  }
}

/** Whether the chunk that starts at an instant is whole. */
function isComplete(state: SeriesState, start: EpochMs): boolean {
  return state.chunk(start)?.complete === true;
}

function* priceWants(input: FetchScheduleInput, target: CollectTarget): Generator<FetchCandidate> {
  if (!target.operations.has("prices")) return;
  const { calendar, now } = input;
  const series = seriesOf(target, "prices", target.resolution);
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
 * The four hour series of use. They come from one meter, so the first there is asks whether yesterday has come, and
 * the others wait for it until the last time of the day: it may have a gap that never closes.
 */
function* usageWants(input: FetchScheduleInput, target: CollectTarget): Generator<FetchCandidate> {
  const { calendar, now } = input;
  const today = calendar.startOf("day", now);
  const yesterday = calendar.add("day", today, -1);
  const operations = USAGE_OPERATIONS.filter((operation) => target.operations.has(operation));
  const states = operations.map((operation) => input.stateOf(seriesOf(target, operation, "hour")));
  const waitUntil = states[0] && isComplete(states[0], yesterday) ? now : slotOn(input, today, slots.usageLast);
  for (const [i, operation] of operations.entries()) {
    const state = states[i];
    const want = state && usageCandidate(input, state, today);
    if (!want) continue;
    const waits = i > 0 && state.answeredAt !== null;
    yield {
      dueAt: waits ? Math.max(want.dueAt, waitUntil) : want.dueAt,
      step: {
        kind: "request",
        series: seriesOf(target, operation, "hour"),
        range: { start: want.start, end: today },
        priority: "usage",
      },
    };
  }
}

/** The forecast begins where the confirmed prices end: it is asked again when tomorrow's have come. */
function* forecastWants(input: FetchScheduleInput, target: CollectTarget): Generator<FetchCandidate> {
  if (!target.operations.has("forecastPrices")) return;
  const series = seriesOf(target, "forecastPrices", "latest");
  const { answeredAt } = input.stateOf(series);
  const prices = input.stateOf(seriesOf(target, "prices", target.resolution));
  const today = input.calendar.day(input.now);
  const missingToday = target.operations.has("prices") && !isComplete(prices, today.start);
  const cameAt = isComplete(prices, today.end) ? prices.askedAt(today.end) : null;
  const due = answeredAt === null || (cameAt !== null && answeredAt < cameAt);
  yield {
    dueAt: due ? input.now : nextSlot(input, answeredAt, missingToday ? slots.forecastWithoutToday : slots.forecast),
    step: { kind: "request", series, priority: "forecast" },
  };
}

function* backfillWants(input: FetchScheduleInput, target: CollectTarget): Generator<FetchCandidate> {
  const today = input.calendar.startOf("day", input.now);
  const start = input.calendar.startOf("day", input.historyFrom);
  for (const operation of ["prices", ...USAGE_OPERATIONS] as const) {
    if (!target.operations.has(operation)) continue;
    const unit = operation === "prices" ? target.resolution : "hour";
    const series = seriesOf(target, operation, unit);
    const state = input.stateOf(series);
    if (state.answeredAt === null) continue;
    // The last days have times of their own.
    const end = input.calendar.add("day", today, operation === "prices" ? -PRICE_DAYS_BACK : -USAGE_DAYS);
    const gap = start < end ? state.newestGap({ start, end }) : null;
    if (!gap) continue;
    const from = Math.max(gap.start, input.calendar.add("day", gap.end, -BACKFILL_DAYS[unit]));
    const range = { start: from, end: gap.end };
    yield { dueAt: input.now, step: { kind: "request", series, range, priority: "backfill" } };
  }
}

function seriesOf(target: CollectTarget, operation: SeriesOperation, unit: SeriesKey["unit"]): SeriesKey {
  return { account: target.account, place: target.addressId, operation, unit };
}
