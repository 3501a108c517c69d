/**
 * The civil calendar of a time zone, as arithmetic on instants.
 *
 * A zone is kept as a table of transitions (the instants at which its offset changes), filled year by year on first
 * use. Boundaries are then additions, not zone conversions: 366 days cost microseconds, and the 23- and 25-hour days
 * come out of the same two lines as every other day. Hours and quarters take it that offsets change by whole hours, as
 * they do everywhere but on Lord Howe Island.
 */
import { IANAZone } from "luxon";
import { DAY_MS, type EpochMs, HOUR_MS, type Interval, MINUTE_MS, QUARTER_MS } from "./interval.ts";

/** The lengths by which the service cuts time. */
export type CalendarUnit = "fifteenMinutes" | "hour" | "day" | "month" | "year";

/** A day of the civil calendar. Shape: `YYYY-MM-DD`. */
export type LocalDate = string;

/** The calendar of the consumer interface, whatever the address. Source: service interface, part 1, rule 4. */
export const SERVICE_ZONE = "Europe/Copenhagen";

/** The years a calendar answers for; the table of transitions is bounded by them. */
export const CALENDAR_YEARS = { first: 1970, last: 2199 } as const;

/**
 * Years known on either side of those: room for the longest range cap and for the year that a first instant is in. Beyond
 * them a clock that stands wrong has one offset: it decides nothing, and must not end the process.
 */
const MARGIN_YEARS = 10;
const FIRST_KNOWN = CALENDAR_YEARS.first - MARGIN_YEARS;
const LAST_KNOWN = CALENDAR_YEARS.last + MARGIN_YEARS;

/** Offset that holds from `from` until the next segment's `from`. */
interface Segment {
  readonly from: EpochMs;
  readonly offsetMs: number;
}

/** Of one year: the first begins with it. */
type Segments = readonly [Segment, ...Segment[]];

/**
 * Remembers the transitions of a year as a short text. The runtime's time zone database costs 8 MB and 8 ms to load;
 * a start that finds its years here does without.
 */
export interface TransitionMemory {
  read(year: number): string | null;
  write(year: number, transitions: string): void;
}

const STEP_MS = { fifteenMinutes: QUARTER_MS, hour: HOUR_MS } as const;

export class Calendar {
  readonly zone: string;
  readonly #years = new Map<number, Segments>();
  readonly #memory: TransitionMemory | null;
  #source: IANAZone | null = null;
  #last: { readonly start: EpochMs; readonly end: EpochMs; readonly offsetMs: number } = {
    start: 0,
    end: 0,
    offsetMs: 0,
  };

  /** Errors: throws a RangeError for a zone that the runtime's time zone database does not have, with a memory later. */
  constructor(zone: string, memory: TransitionMemory | null = null) {
    this.zone = zone;
    this.#memory = memory;
    if (!memory) this.#database();
  }

  /** Offset from UTC at an instant. Unit: milliseconds, positive east of Greenwich. */
  offsetAt(at: EpochMs): number {
    const last = this.#last;
    if (last.start <= at && at < last.end) return last.offsetMs;
    const year = new Date(at).getUTCFullYear();
    if (!isKnown(year)) return this.#segmentsOf(year < FIRST_KNOWN ? FIRST_KNOWN : LAST_KNOWN)[0].offsetMs;
    const segments = this.#segmentsOf(year);
    let i = segments.length - 1;
    while (i > 0 && (segments[i] as Segment).from > at) i--;
    const segment = segments[i] as Segment;
    this.#last = {
      start: segment.from,
      end: segments[i + 1]?.from ?? Date.UTC(year + 1, 0, 1),
      offsetMs: segment.offsetMs,
    };
    return segment.offsetMs;
  }

  /** The last boundary of `unit` at or before `at`. */
  startOf(unit: CalendarUnit, at: EpochMs): EpochMs {
    const local = at + this.offsetAt(at);
    switch (unit) {
      case "fifteenMinutes":
      case "hour":
        return at - modulo(local, STEP_MS[unit]);
      case "day":
      case "month":
      case "year":
        return this.#instantOf(civilStart(unit, local, 0));
    }
  }

  /** The first boundary of `unit` after `at`. */
  next(unit: CalendarUnit, at: EpochMs): EpochMs {
    return this.add(unit, this.startOf(unit, at), 1);
  }

  /** Moves a boundary of `unit` by whole units, forwards or backwards. A day is a calendar day, whatever its length. */
  add(unit: CalendarUnit, boundary: EpochMs, count: number): EpochMs {
    if (unit === "fifteenMinutes" || unit === "hour") return boundary + count * STEP_MS[unit];
    return this.#instantOf(civilStart(unit, boundary + this.offsetAt(boundary), count));
  }

  /**
   * Moves any instant by whole calendar days or years, keeping its reading on the local clock where that exists.
   * 29 February moves to 1 March of a year that has none.
   */
  shift(at: EpochMs, unit: "day" | "year", count: number): EpochMs {
    const local = at + this.offsetAt(at);
    if (unit === "day") return this.#instantOf(local + count * DAY_MS);
    const date = new Date(local);
    return this.#instantOf(date.setUTCFullYear(date.getUTCFullYear() + count));
  }

  /** The smallest interval of whole units that holds `range`. Idempotent. */
  expandOutward(unit: CalendarUnit, range: Interval): Interval {
    const start = this.startOf(unit, range.start);
    const floor = this.startOf(unit, range.end);
    return { start, end: floor === range.end ? floor : this.next(unit, range.end) };
  }

  /**
   * Every boundary of `unit` that `range`, expanded outward, touches.
   * Shape: ascending, both ends included, so n intervals give n + 1 boundaries.
   */
  boundaries(unit: CalendarUnit, range: Interval): EpochMs[] {
    const { start, end } = this.expandOutward(unit, range);
    if (unit === "fifteenMinutes" || unit === "hour") return steps(start, end, STEP_MS[unit]);
    const found: EpochMs[] = [start];
    let local = civilStart(unit, start + this.offsetAt(start), 0);
    for (let at = start; at < end; found.push(at)) {
      local = unit === "day" ? local + DAY_MS : civilStart(unit, local, 1);
      at = this.#instantOf(local);
    }
    return found;
  }

  /** The intervals of `unit` that tile `range`, expanded outward. Shape: ascending, no gap, no overlap. */
  intervals(unit: CalendarUnit, range: Interval): Interval[] {
    const bounds = this.boundaries(unit, range);
    const found: Interval[] = [];
    for (let i = 1; i < bounds.length; i++) found.push({ start: bounds[i - 1] as EpochMs, end: bounds[i] as EpochMs });
    return found;
  }

  /** The local day that holds `at`, as an interval of 23, 24 or 25 hours. */
  day(at: EpochMs): Interval {
    const start = this.startOf("day", at);
    return { start, end: this.add("day", start, 1) };
  }

  /** The local day that holds `at`, by name. */
  dateOf(at: EpochMs): LocalDate {
    return new Date(at + this.offsetAt(at)).toISOString().slice(0, 10);
  }

  /** Minutes on the local clock, 0 to 1439. For people's settings (`ready_by: 07:00`), never for indexing data. */
  minuteOfDay(at: EpochMs): number {
    return Math.floor(modulo(at + this.offsetAt(at), DAY_MS) / MINUTE_MS);
  }

  /**
   * The instant at which the local clock first shows `minuteOfDay` or later on the local day that holds `at`.
   * A time skipped in spring gives the moment of the change; one that comes twice in autumn gives the first.
   */
  timeOnDay(at: EpochMs, minuteOfDay: number): EpochMs {
    const local = at + this.offsetAt(at);
    return this.#instantOf(local - modulo(local, DAY_MS) + minuteOfDay * MINUTE_MS);
  }

  /** The first instant whose local reading is `local` or later. */
  #instantOf(local: number): EpochMs {
    const before = this.offsetAt(local - DAY_MS);
    const after = this.offsetAt(local + DAY_MS);
    if (before === after) return local - before;
    const early = local - before;
    if (this.offsetAt(early) === before) return early;
    const late = local - after;
    return this.offsetAt(late) === after ? late : this.#changeBetween(early - HOUR_MS * 24, early);
  }

  #segmentsOf(year: number): Segments {
    const known = this.#years.get(year);
    if (known) return known;
    const segments = this.#recall(year) ?? this.#findSegments(year);
    this.#years.set(year, segments);
    return segments;
  }

  #recall(year: number): Segments | null {
    const text = this.#memory?.read(year) ?? "";
    if (!/^-?\d+:-?\d+(,-?\d+:-?\d+)*$/.test(text)) return null;
    return text.split(",").map((pair) => {
      const [from, offsetMs] = pair.split(":");
      return { from: Number(from), offsetMs: Number(offsetMs) };
    }) as [Segment, ...Segment[]];
  }

  #findSegments(year: number): Segments {
    const segments: [Segment, ...Segment[]] = [
      { from: Date.UTC(year, 0, 1), offsetMs: this.#askOffset(Date.UTC(year, 0, 1)) },
    ];
    for (let month = 0; month < 12; month++) {
      const start = Date.UTC(year, month, 1);
      const end = Date.UTC(year, month + 1, 1);
      if (this.#askOffset(start) !== this.#askOffset(end)) {
        const from = this.#changeBetween(start, end);
        segments.push({ from, offsetMs: this.#askOffset(from) });
      }
    }
    this.#memory?.write(year, segments.map(({ from, offsetMs }) => `${from}:${offsetMs}`).join(","));
    return segments;
  }

  /** Bisects to the minute at which the offset of `end` begins. Bounded: an interval of a month takes 16 steps. */
  #changeBetween(start: EpochMs, end: EpochMs): EpochMs {
    const target = this.#askOffset(end);
    let low = Math.floor(start / MINUTE_MS);
    let high = Math.ceil(end / MINUTE_MS);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#askOffset(middle * MINUTE_MS) === target) high = middle;
      else low = middle;
    }
    return high * MINUTE_MS;
  }

  #askOffset(at: EpochMs): number {
    return this.#database().offset(at) * MINUTE_MS;
  }

  #database(): IANAZone {
    if (this.#source) return this.#source;
    const source = IANAZone.create(this.zone);
    if (!source.isValid) {
      throw new RangeError(`unknown time zone "${this.zone}"; expected a name such as ${SERVICE_ZONE}`);
    }
    this.#source = source;
    return source;
  }
}

function isKnown(year: number): boolean {
  return year >= FIRST_KNOWN && year <= LAST_KNOWN;
}

/** Local midnight that starts the day, month or year `count` units away from the one that holds `local`. */
function civilStart(unit: "day" | "month" | "year", local: number, count: number): number {
  if (unit === "day") return local - modulo(local, DAY_MS) + count * DAY_MS;
  const date = new Date(local);
  return unit === "year"
    ? Date.UTC(date.getUTCFullYear() + count, 0, 1)
    : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1);
}

/** Both ends and every step between. */
function steps(start: EpochMs, end: EpochMs, stepMs: number): EpochMs[] {
  const count = Math.max(0, Math.ceil((end - start) / stepMs));
  return Array.from({ length: count + 1 }, (_, i) => start + i * stepMs);
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
