/**
 * Fetch schedule of one account: decides the next request and its time from stored series and the request log. Pure.
 *
 * Each candidate has a list of local clock times at which it may be requested until it is complete. It is due at the
 * first of these times after its last request. So a restart repeats nothing, and a clock that jumped ahead causes one
 * request.
 */

import type { SeriesKey } from "../series/series.ts";
import type { Calendar } from "../time/calendar.ts";
import { type EpochMs, HOUR_MS } from "../time/interval.ts";
import { nextSlot, type SlotClock, type Slots, slotOn, slots } from "../time/schedule-slots.ts";
import {
  type AccountPoll,
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
import { sundayRecheck, USAGE_DAYS, usageCandidate, usageDaysUntil } from "./usage-schedule.ts";

/** Request that may be sent from `dueAt` on. */
interface FetchCandidate {
  readonly dueAt: EpochMs;
  readonly step: FetchRequest;
  /** Times at which it may be sent in an outage, whatever the pause after the last failure. */
  readonly times?: Slots;
}

/** Days before today that a price request also covers while they are incomplete. The price levels compare with them. */
const PRICE_DAYS_BACK = 3;
/** Maximum days of one back-fill request, for the memory of its response. 13 months take two requests. */
const MAX_BACKFILL_DAYS = 200;
/** Maximum sleep before the next decision; it bounds the effect of a clock that was set back. */
const MAX_SLEEP_MS = HOUR_MS;

/** Returns the most urgent request due now, or the time until which nothing is due. */
export function nextFetch(input: FetchScheduleInput): NextFetch {
  let best: FetchRequest | null = null;
  let until = input.now + MAX_SLEEP_MS;
  let heldUntil: EpochMs | null = null;
  for (const want of wants(input)) {
    const { times } = want;
    const at = Math.max(want.dueAt, input.notBefore(want.step, times && ((since) => nextSlot(input, since, times))));
    // A pause of the back-fill is normal, and is shown with its progress.
    if (at > input.now && want.dueAt <= input.now && want.step.priority !== "backfill")
      heldUntil = Math.max(heldUntil ?? 0, at);
    if (at > input.now) until = Math.min(until, at);
    else if (!best || priorities.indexOf(want.step.priority) < priorities.indexOf(best.priority)) best = want.step;
  }
  return best ?? { kind: "sleep", until, heldUntil };
}

function* wants(input: FetchScheduleInput): Generator<FetchCandidate> {
  for (const target of input.accountTargets) yield* accountWants(input, target);
  for (const target of input.targets) {
    for (const polled of polledAs(target, "prices")) yield* priceWants(input, polled);
    yield* usageWants(input, target);
    for (const { series } of polledAs(target, "forecast")) yield* forecastWants(input, target, series);
    for (const polled of polledAs(target, "prices")) yield* backfillWants(input, polled, PRICE_DAYS_BACK);
    for (const polled of polledAs(target, "usage")) yield* backfillWants(input, polled, USAGE_DAYS);
  }
}

function* accountWants(input: FetchScheduleInput, { series, poll, reaches }: AccountTarget): Generator<FetchCandidate> {
  const { answeredAt, wantedAt } = input.stateOf(series);
  const { first, later } = ACCOUNT_PRIORITIES[poll];
  const step: FetchRequest = { kind: "request", series, priority: answeredAt === null ? first : later };
  if (answeredAt === null) return yield { dueAt: input.now, step };
  switch (poll) {
    case "addressSearch":
    case "once":
      return;
    case "addresses":
      return yield { dueAt: Math.min(wantedAt ?? Infinity, nextSlot(input, answeredAt, slots.addresses)), step };
    case "daily":
      return yield { dueAt: nextSlot(input, answeredAt, slots.placeDaily), step };
    case "placePrices": {
      const today = input.calendar.day(input.now);
      if (reaches === null || reaches < today.end)
        return yield { dueAt: nextSlot(input, answeredAt, slots.placeToday), step, times: slots.placeToday };
      if (reaches >= input.calendar.add("day", today.end, 1)) {
        const recheckAt = slotOn(input, today.start, slots.placeRecheck);
        if (answeredAt < recheckAt) yield { dueAt: recheckAt, step };
        return;
      }
      const dueAt = nextSlot(input, Math.max(answeredAt, today.start), slots.placeTomorrow);
      return yield { dueAt, step, times: slots.placeTomorrow };
    }
  }
}

/** Priorities of the first request and of others. Addresses come first, because requests for prices need them. */
const ACCOUNT_PRIORITIES: Readonly<Record<AccountPoll, { readonly first: Priority; readonly later: Priority }>> = {
  addresses: { first: "today", later: "account" },
  addressSearch: { first: "today", later: "today" },
  placePrices: { first: "today", later: "tomorrow" },
  daily: { first: "account", later: "account" },
  once: { first: "account", later: "account" },
};

function isComplete(state: SeriesState, start: EpochMs): boolean {
  return state.chunk(start)?.complete === true;
}

/**
 * Returns what is stored of a day's prices. A request for a missing day may use any part of the quota, one for a short day,
 * which has some prices, only polling's.
 */
function dayOf(state: SeriesState, start: EpochMs): "complete" | "short" | "missing" {
  if (isComplete(state, start)) return "complete";
  return state.hasRows?.(start) === true ? "short" : "missing";
}

function isMissing(state: SeriesState, start: EpochMs): boolean {
  return dayOf(state, start) === "missing";
}

function* priceWants(input: FetchScheduleInput, { series, maxRangeDays }: AddressSeries): Generator<FetchCandidate> {
  const { calendar, now } = input;
  const state = input.stateOf(series);
  const today = calendar.day(now);
  const tomorrow = calendar.day(today.end);
  const [ofToday, ofTomorrow] = [dayOf(state, today.start), dayOf(state, tomorrow.start)];
  yield* priceRecheck(input, series, maxRangeDays);
  const range = {
    // With tomorrow's prices, today's are requested again, because the service may correct them.
    start: oldestShortDay(state, calendar, today.start) ?? today.start,
    end: ofTomorrow === "complete" ? today.end : tomorrow.end,
  };
  if (ofToday === "short" || (ofToday === "complete" && ofTomorrow === "short")) {
    const [start, times] =
      ofToday === "short" ? [today.start, slots.shortToday] : [tomorrow.start, slots.shortTomorrow];
    const after = Math.max(state.askedAt(start) ?? 0, today.start);
    yield { dueAt: nextSlot(input, after, times), step: { kind: "request", series, range, priority: "account" } };
  }
  const missing = missingPrices(input, state);
  if (missing) yield { ...missing, step: { kind: "request", series, range, priority: missing.priority } };
}

/** Returns which of today's and tomorrow's prices are requested next, at which times, and when they are due. */
function missingPrices(input: Pick<FetchScheduleInput, "now" | keyof SlotClock>, state: SeriesState) {
  const { calendar, now } = input;
  const today = calendar.day(now);
  const priority = isMissing(state, today.start) ? "today" : "tomorrow";
  if (priority === "tomorrow" && !isMissing(state, today.end)) return null;
  const times = slots[priority];
  const askedAt = state.askedAt(priority === "today" ? today.start : today.end);
  // Requests of an earlier day were for today's prices.
  const after = priority === "today" ? askedAt : Math.max(askedAt ?? 0, today.start);
  return { priority, times, dueAt: after === null ? now : nextSlot(input, after, times) } as const;
}

/** Returns how many requests missing prices of today and tomorrow may still need today, and when this may change. */
export function priceNeed(
  input: Pick<FetchScheduleInput, "now" | keyof SlotClock>,
  states: readonly SeriesState[],
): { readonly count: number; readonly until: EpochMs } {
  const { calendar, now } = input;
  const today = calendar.day(now);
  let count = 0;
  for (const state of states) {
    const { dueAt = Infinity, times = [] } = missingPrices(input, state) ?? {};
    count += Number(dueAt <= now) + times.filter((at) => slotOn(input, today.start, at) > now).length;
  }
  return { count, until: nextSlot(input, now, slots.today) };
}

/**
 * Yields the rechecks, because the service may correct prices: in the morning of today, in the evening of the last days,
 * today and tomorrow. From Sundays on, that includes the days that are due then, as far as one request reaches.
 */
function* priceRecheck(input: FetchScheduleInput, series: SeriesKey, maxRangeDays: number): Generator<FetchCandidate> {
  const { calendar, now } = input;
  const state = input.stateOf(series);
  const today = calendar.day(now);
  const [askedToday, askedTomorrow] = [state.askedAt(today.start), state.askedAt(today.end)];
  if (askedToday === null || isMissing(state, today.start)) return;
  const morning = slotOn(input, today.start, slots.todayRecheck);
  const dueAt = slotOn(input, today.start, slots.pricesRecheck);
  if (askedToday < morning)
    yield { dueAt: morning, step: { kind: "request", series, range: today, priority: "usage" } };
  if (askedTomorrow === null || Math.max(askedToday, askedTomorrow) >= dueAt || isMissing(state, today.end)) return;
  const reach = usageDaysUntil(today.start, calendar).slice(2 - maxRangeDays);
  const start = Math.min(
    calendar.add("day", today.start, -PRICE_DAYS_BACK),
    sundayRecheck(input, state, reach)?.start ?? now,
  );
  const range = { start, end: calendar.add("day", today.end, 1) };
  yield { dueAt, step: { kind: "request", series, range, priority: "usage" } };
}

/** Returns the oldest of the last days that was never requested or is incomplete; null if all are complete. */
function oldestShortDay(state: SeriesState, calendar: Calendar, today: EpochMs): EpochMs | null {
  for (let back = PRICE_DAYS_BACK; back > 0; back--) {
    const start = calendar.add("day", today, -back);
    if (!isComplete(state, start)) return start;
  }
  return null;
}

/**
 * Yields the usage series. All come from one meter, so the first series checks whether yesterday is complete. The
 * others wait for it, at most until the last slot of the day, because its gap may never close.
 */
function* usageWants(input: FetchScheduleInput, target: CollectTarget): Generator<FetchCandidate> {
  const { calendar, now } = input;
  const today = calendar.startOf("day", now);
  const yesterday = calendar.add("day", today, -1);
  const polled = polledAs(target, "usage");
  const states = polled.map(({ series }) => input.stateOf(series));
  const waitUntil = states[0] && isComplete(states[0], yesterday) ? now : slotOn(input, today, slots.usageLast);
  const reach = usageDaysUntil(today, calendar);
  for (const [i, { series }] of polled.entries()) {
    const state = states[i];
    const want = state && usageCandidate(input, state, reach);
    if (!want) continue;
    const waits = i > 0 && state.answeredAt !== null;
    yield {
      dueAt: waits ? Math.max(want.dueAt, waitUntil) : want.dueAt,
      step: { kind: "request", series, range: { start: want.start, end: today }, priority: "usage" },
    };
  }
}

/** Yields the forecast, which starts where confirmed prices end, so it is due again when tomorrow's arrive. */
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
  const waiting = cameAt === null ? slots.forecastBeforeTomorrow : slots.forecast;
  const times = missingToday ? slots.forecastWithoutToday : waiting;
  const due = answeredAt === null || (cameAt !== null && answeredAt < cameAt);
  yield {
    dueAt: due ? input.now : nextSlot(input, answeredAt, times),
    step: { kind: "request", series, priority: "forecast" },
  };
}

/** Yields history that was never requested, newest first. The last `pollDays` days are left to the regular schedule. */
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
  const days = Math.min(maxRangeDays, MAX_BACKFILL_DAYS);
  const from = Math.max(gap.start, calendar.add("day", gap.end, -days));
  yield {
    dueAt: now,
    step: { kind: "request", series, range: { start: from, end: gap.end }, priority: "backfill" },
  };
}

function polledAs(target: CollectTarget, poll: AddressPoll): AddressSeries[] {
  return target.series.filter((each) => each.poll === poll);
}
