/**
 * What to ask next, and when: the timetable of one account, as a pure function of what the shelf and the ledger know.
 *
 * Every want is a list of local clock times at which it may be asked until it is satisfied. The next time after the
 * last asking is when it is due, so a restart asks nothing again, and a clock that jumped catches up with one request.
 */
import type { Calendar } from "./calendar.ts";
import { DAY_MS, type EpochMs, type Interval, MINUTE_MS } from "./interval.ts";
import type { SeriesKey, SeriesOperation } from "./series.ts";

/** What is known of one chunk: present means it was asked as a whole, however little came. */
export interface ChunkState {
  readonly complete: boolean;
  /** Whether a row is marked as an estimate. */
  readonly estimated: boolean;
}

/** What is known of one series. */
export interface SeriesState {
  /** When it was last asked and answered, by the ledger; null if never. A failure is the error policy's to time. */
  readonly answeredAt: EpochMs | null;
  /** The chunk that starts at an instant; null if it was never asked. */
  readonly chunk: (start: EpochMs) => ChunkState | null;
  /** The newest stretch inside `within` that was never asked; null if there is none. */
  readonly newestGap: (within: Interval) => Interval | null;
}

/** An address to collect for. */
export interface CollectTarget {
  readonly account: string;
  readonly addressId: string;
  readonly resolution: "hour" | "fifteenMinutes";
  /** Names of the operations the address has data for and that are not switched off. */
  readonly operations: ReadonlySet<SeriesOperation>;
}

/** A series of a place of the third-party interface, and when it is to be asked again. */
export interface PlaceTarget {
  readonly series: SeriesKey;
  /** `prices`: until they reach the end of tomorrow. */
  readonly rhythm: "prices" | "daily" | "once";
  /** The end of the last price that is known; null where none is, and for what is no price. */
  readonly reaches: EpochMs | null;
}

/** One request the timetable wants. `range` is absent where the operation takes none. */
export interface Step {
  readonly kind: "request";
  readonly series: SeriesKey;
  readonly range?: Interval;
  readonly priority: Priority;
}

/** Most urgent first. Source: design, quota. */
export const priorities = ["today", "tomorrow", "account", "usage", "forecast", "backfill"] as const;
export type Priority = (typeof priorities)[number];

export type NextStep = Step | { readonly kind: "sleep"; readonly until: EpochMs };

export interface TimetableInput {
  readonly now: EpochMs;
  readonly calendar: Calendar;
  readonly account: string;
  readonly targets: readonly CollectTarget[];
  /** Places of the account; an account that has any has no addresses of its own to list. */
  readonly places: readonly PlaceTarget[];
  readonly stateOf: (series: SeriesKey) => SeriesState;
  /** The earliest moment at which the governor and the error policy let this series be asked at this priority. */
  readonly notBefore: (series: SeriesKey, priority: Priority) => EpochMs;
  /** Fixed for an installation, so that a thousand houses do not ask in the same second. Unit: ms, 0 to 8 minutes. */
  readonly offsetMs: number;
  /** How far back history is wanted. */
  readonly historyFrom: EpochMs;
}

/** A want that may be asked from `dueAt` on. */
interface Want {
  readonly dueAt: EpochMs;
  readonly step: Step;
}

/** Minutes of the local day, with no offset, at which today's missing prices are asked for. */
const TODAY_MINUTES = [5, 15, 30, ...everyMinutes(60, 60, 24 * 60 - 1)];
/** The same for tomorrow's prices: often around the usual publication, then patiently. */
const TOMORROW_MINUTES = [
  ...([782, 787, 792, 797, 812] as const),
  ...everyMinutes(30, 842, 20 * 60),
  ...everyMinutes(60, 1230, 1410),
] as const;
const USAGE_MINUTES = [7 * 60, 12 * 60, 18 * 60];
const FORECAST_MINUTES = everyMinutes(180, 20, 24 * 60 - 1);
const ADDRESSES_MINUTES = [4 * 60 + 10];
/** A place's prices are spot prices and charges of the day: fewer times than a home's, for a smaller quota. */
const PLACE_PRICE_MINUTES = [20, 782, 787, 797, 842, 902, 1022, 1202];
const PLACE_DAILY_MINUTES = [5 * 60 + 10];

/** Days before today whose prices the first request brings along: the reference of the price levels. */
const PRICE_DAYS_BACK = 3;
/** Estimates are asked again for this many days; later corrections come with the weekly recheck. */
const ESTIMATE_DAYS = 7;
const RECHECK_DAYS = 14;
/** The local time of the recheck on Sundays. */
const RECHECK_MINUTE = 12 * 60;
/** The longest ranges one request of history may have. Source: service interface, part 8.1. */
const BACKFILL_DAYS = { hour: 366, fifteenMinutes: 90 } as const;
/** The longest sleep without looking again; a bound against a clock that was set back. */
const LONGEST_SLEEP_MS = 60 * MINUTE_MS;

const USAGE_OPERATIONS = ["consumption", "consumptionCosts", "solarExport", "solarExportRevenue"] as const;

/** The most urgent request that is due now, or the time until which nothing is. */
export function nextStep(input: TimetableInput): NextStep {
  let best: Step | null = null;
  let until = input.now + LONGEST_SLEEP_MS;
  for (const want of wants(input)) {
    const at = Math.max(want.dueAt, input.notBefore(want.step.series, want.step.priority));
    if (at > input.now) until = Math.min(until, at);
    else if (!best || rank(want.step) < rank(best)) best = want.step;
  }
  return best ?? { kind: "sleep", until };
}

function rank(step: Step): number {
  return priorities.indexOf(step.priority);
}

function* wants(input: TimetableInput): Generator<Want> {
  if (input.places.length === 0) yield addressesWant(input);
  for (const place of input.places) yield* placeWants(input, place);
  for (const target of input.targets) {
    yield* priceWants(input, target);
    yield* usageWants(input, target);
    yield* forecastWants(input, target);
    yield* backfillWants(input, target);
  }
}

function addressesWant(input: TimetableInput): Want {
  const series: SeriesKey = { account: input.account, place: "", operation: "addresses", unit: "latest" };
  const { answeredAt } = input.stateOf(series);
  const dueAt = answeredAt === null ? input.now : nextSlot(input, answeredAt, ADDRESSES_MINUTES);
  return { dueAt, step: { kind: "request", series, priority: answeredAt === null ? "today" : "account" } };
}

function* placeWants(input: TimetableInput, { series, rhythm, reaches }: PlaceTarget): Generator<Want> {
  const { answeredAt } = input.stateOf(series);
  const first = answeredAt === null;
  if (!first && rhythm === "once") return;
  const tomorrow = input.calendar.day(input.calendar.day(input.now).end);
  if (!first && rhythm === "prices" && reaches !== null && reaches >= tomorrow.end) return;
  const minutes = rhythm === "prices" ? PLACE_PRICE_MINUTES : PLACE_DAILY_MINUTES;
  const urgent: Priority = first ? "today" : "tomorrow";
  yield {
    dueAt: first ? input.now : nextSlot(input, answeredAt, minutes),
    step: { kind: "request", series, priority: rhythm === "prices" ? urgent : "account" },
  };
}

function* priceWants(input: TimetableInput, target: CollectTarget): Generator<Want> {
  if (!target.operations.has("prices")) return;
  const { calendar, now } = input;
  const series = seriesOf(target, "prices", target.resolution);
  const state = input.stateOf(series);
  const today = calendar.day(now);
  const tomorrow = calendar.day(today.end);
  const missingToday = !state.chunk(today.start)?.complete;
  const missingTomorrow = !state.chunk(tomorrow.start)?.complete;
  if (!missingToday && !missingTomorrow) return;
  const first = missingToday ? today.start : tomorrow.start;
  const range = { start: firstUnasked(state, calendar, today.start, first), end: tomorrow.end };
  const minutes = missingToday ? TODAY_MINUTES : TOMORROW_MINUTES;
  // Yesterday's times were for today's prices: tomorrow's are asked at the times of this day only.
  const after = missingToday ? state.answeredAt : Math.max(state.answeredAt ?? 0, today.start);
  const dueAt = state.answeredAt === null || after === null ? now : nextSlot(input, after, minutes);
  yield { dueAt, step: { kind: "request", series, range, priority: missingToday ? "today" : "tomorrow" } };
}

/** The start of the days before today that were never asked, or `otherwise`. */
function firstUnasked(state: SeriesState, calendar: Calendar, today: EpochMs, otherwise: EpochMs): EpochMs {
  for (let back = PRICE_DAYS_BACK; back > 0; back--) {
    const start = calendar.add("day", today, -back);
    if (!state.chunk(start)) return start;
  }
  return otherwise;
}

/**
 * The four hour series of use. They come from one meter, so consumption is asked first and the others wait until it
 * has brought yesterday, or until it is not available at all.
 */
function* usageWants(input: TimetableInput, target: CollectTarget): Generator<Want> {
  const { calendar, now } = input;
  const today = calendar.startOf("day", now);
  const yesterday = calendar.add("day", today, -1);
  const leader = USAGE_OPERATIONS.find((operation) => target.operations.has(operation));
  for (const operation of USAGE_OPERATIONS) {
    if (!target.operations.has(operation)) continue;
    const series = seriesOf(target, operation, "hour");
    const state = input.stateOf(series);
    const leads = operation === leader;
    const arrived = leader !== undefined && input.stateOf(seriesOf(target, leader, "hour")).chunk(yesterday)?.complete;
    if (!leads && state.answeredAt !== null && !arrived) continue;
    const want = usageWant(input, state, yesterday);
    if (want)
      yield {
        dueAt: want.dueAt,
        step: { kind: "request", series, range: { start: want.start, end: today }, priority: "usage" },
      };
  }
}

/** From which day on a series of use is to be asked again, and when; null while all of it is final. */
function usageWant(
  input: TimetableInput,
  state: SeriesState,
  yesterday: EpochMs,
): { start: EpochMs; dueAt: EpochMs } | null {
  const { calendar, now } = input;
  const today = calendar.startOf("day", now);
  const open = oldestOpenDay(state, calendar, today);
  if (state.answeredAt === null) return { start: open ?? yesterday, dueAt: now };
  const weekday = new Date(now + calendar.offsetAt(now)).getUTCDay();
  const recheckAt = calendar.timeOnDay(calendar.add("day", today, -weekday), RECHECK_MINUTE) + input.offsetMs;
  if (state.answeredAt < recheckAt && recheckAt <= now) {
    return { start: calendar.add("day", today, -RECHECK_DAYS), dueAt: recheckAt };
  }
  if (open === null) return null;
  const arrived = state.chunk(yesterday)?.complete === true;
  // The times of yesterday were for the day before it.
  const after = Math.max(state.answeredAt, today);
  return { start: open, dueAt: nextSlot(input, after, arrived ? USAGE_MINUTES.slice(0, 1) : USAGE_MINUTES) };
}

/** The oldest of the last days that is missing, incomplete or estimated; null if all are final. */
function oldestOpenDay(state: SeriesState, calendar: Calendar, today: EpochMs): EpochMs | null {
  for (let back = ESTIMATE_DAYS; back > 0; back--) {
    const start = calendar.add("day", today, -back);
    const chunk = state.chunk(start);
    if (!chunk || chunk.estimated || (!chunk.complete && back === 1)) return start;
  }
  return null;
}

/** The forecast begins where the confirmed prices end: it is asked again when these have moved on. */
function* forecastWants(input: TimetableInput, target: CollectTarget): Generator<Want> {
  if (!target.operations.has("forecastPrices")) return;
  const series = seriesOf(target, "forecastPrices", "latest");
  const { answeredAt } = input.stateOf(series);
  const prices = input.stateOf(seriesOf(target, "prices", target.resolution));
  const today = input.calendar.day(input.now);
  const published = input.calendar.timeOnDay(today.start, TOMORROW_MINUTES[0]);
  const moved = prices.chunk(today.end)?.complete === true && (answeredAt ?? 0) < published;
  const dueAt = answeredAt === null || moved ? input.now : nextSlot(input, answeredAt, FORECAST_MINUTES);
  yield { dueAt, step: { kind: "request", series, priority: "forecast" } };
}

function* backfillWants(input: TimetableInput, target: CollectTarget): Generator<Want> {
  const today = input.calendar.startOf("day", input.now);
  const start = input.calendar.startOf("day", input.historyFrom);
  for (const operation of ["prices", ...USAGE_OPERATIONS] as const) {
    if (!target.operations.has(operation)) continue;
    const unit = operation === "prices" ? target.resolution : "hour";
    const series = seriesOf(target, operation, unit);
    const state = input.stateOf(series);
    if (state.answeredAt === null) continue;
    // The last days have times of their own.
    const end = input.calendar.add("day", today, operation === "prices" ? -PRICE_DAYS_BACK : -ESTIMATE_DAYS);
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

/** The first of the daily local times after `after`, moved by the installation's offset. */
export function nextSlot(
  input: Pick<TimetableInput, "calendar" | "offsetMs">,
  after: EpochMs,
  minutesOfDay: readonly number[],
): EpochMs {
  const { calendar, offsetMs } = input;
  for (let day = calendar.startOf("day", after - offsetMs); ; day = calendar.add("day", day, 1)) {
    for (const minute of minutesOfDay) {
      const at = calendar.timeOnDay(day, minute) + offsetMs;
      if (at > after) return at;
    }
    if (day > after + 2 * DAY_MS) throw new RangeError("a timetable without times");
  }
}

function everyMinutes(step: number, first: number, last: number): number[] {
  const minutes: number[] = [];
  for (let minute = first; minute <= last; minute += step) minutes.push(minute);
  return minutes;
}
