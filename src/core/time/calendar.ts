/**
 * Calendar arithmetic of a time zone on instants.
 *
 * A zone is stored as a table of transitions: the instants at which its UTC offset changes. The table is filled year by
 * year on first use. Boundaries are then additions, not zone conversions, so 366 days take microseconds. Days of 23 and
 * 25 hours need no special case. Boundaries of hours assume offset changes of whole hours, which hold everywhere except
 * on Lord Howe Island.
 */
import { contains, DAY_MS, type EpochMs, HOUR_MS, type Interval, MINUTE_MS, QUARTER_MS, utcDate } from "./interval.ts";

/** Units of time in which the service aggregates. */
export type CalendarUnit = "fifteenMinutes" | "hour" | "day" | "month" | "year";

/** Date in the local calendar. Shape: `YYYY-MM-DD`. */
export type LocalDate = string;

/** Time zone of the consumer interface, for all addresses. Source: service interface, part 1, rule 4. */
export const SERVICE_ZONE = "Europe/Copenhagen";

/** Years that a calendar supports; they bound the table of transitions. */
export const CALENDAR_YEARS = { first: 1970, last: 2199 } as const;

/** Extra years, so that the longest range fits. Beyond them the nearest offset holds, for a wrong system clock. */
const MARGIN_YEARS = 10;
const FIRST_KNOWN = CALENDAR_YEARS.first - MARGIN_YEARS;
const LAST_KNOWN = CALENDAR_YEARS.last + MARGIN_YEARS;

/** Offset that holds from `from` until the next segment's `from`. */
type Segment = { readonly from: EpochMs; readonly offsetMs: number };

/** Segments of one year; the first starts at the start of the UTC year. */
type Segments = readonly [Segment, ...Segment[]];

/** Returns the offset from UTC at an instant, read from a time zone database. Unit: ms, positive east of Greenwich. */
export type OffsetAt = (at: EpochMs) => number;

/** Local date and time. */
export interface LocalFields {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
}

/** Cache of a year's transitions as short text, which avoids loading the time zone database. */
export interface TransitionMemory {
  read(year: number): string | null;
  write(year: number, transitions: string): void;
}

const STEP_MS = { fifteenMinutes: QUARTER_MS, hour: HOUR_MS } as const;

export class Calendar {
  readonly zone: string;
  readonly #years = new Map<number, Segments>();
  readonly #memory: TransitionMemory | null;
  readonly #readOffset: OffsetAt;
  #last = { start: 0, end: 0, offsetMs: 0 };

  /** `readOffset` belongs to the zone `zone`. It is called about 40 times for each year that is not in `memory`. */
  constructor(zone: string, readOffset: OffsetAt, memory: TransitionMemory | null = null) {
    this.zone = zone;
    this.#readOffset = readOffset;
    this.#memory = memory;
  }

  /** Returns the offset from UTC at an instant. Unit: ms, positive east of Greenwich. */
  offsetAt(at: EpochMs): number {
    const last = this.#last;
    if (last.start <= at && at < last.end) return last.offsetMs;
    const year = new Date(at).getUTCFullYear();
    if (year < FIRST_KNOWN) return this.#segmentsOf(FIRST_KNOWN)[0].offsetMs;
    if (!(year <= LAST_KNOWN)) return this.#segmentsOf(LAST_KNOWN)[0].offsetMs;
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

  /** Returns the last boundary of `unit` at or before `at`. */
  startOf(unit: CalendarUnit, at: EpochMs): EpochMs {
    const local = at + this.offsetAt(at);
    if (unit === "fifteenMinutes" || unit === "hour") return at - modulo(local, STEP_MS[unit]);
    return this.#instantOf(civilStart(unit, local, 0));
  }

  /** Returns the first boundary of `unit` after `at`. */
  next(unit: CalendarUnit, at: EpochMs): EpochMs {
    return this.add(unit, this.startOf(unit, at), 1);
  }

  /** Moves a boundary by `count` units. From inside a day, month or year, it starts at the beginning of it. */
  add(unit: CalendarUnit, boundary: EpochMs, count: number): EpochMs {
    if (unit === "fifteenMinutes" || unit === "hour") return boundary + count * STEP_MS[unit];
    return this.#instantOf(civilStart(unit, boundary + this.offsetAt(boundary), count));
  }

  /** Moves an instant by calendar days or years at the same local time. 29 February may become 1 March. */
  shift(at: EpochMs, unit: "day" | "year", count: number): EpochMs {
    const local = at + this.offsetAt(at);
    if (unit === "day") return this.#instantOf(local + count * DAY_MS);
    const date = new Date(local);
    return this.#instantOf(date.setUTCFullYear(date.getUTCFullYear() + count));
  }

  /** Returns the smallest interval of whole units that contains `range`. Idempotent. */
  expandOutward(unit: CalendarUnit, range: Interval): Interval {
    const start = this.startOf(unit, range.start);
    const floor = this.startOf(unit, range.end);
    return { start, end: floor === range.end ? floor : this.next(unit, range.end) };
  }

  /** Returns the boundaries of `unit` in `range`, expanded outward. Shape: ascending, both ends included. */
  boundaries(unit: CalendarUnit, range: Interval): EpochMs[] {
    const { start, end } = this.expandOutward(unit, range);
    if (unit === "fifteenMinutes" || unit === "hour") {
      const count = Math.max(0, Math.ceil((end - start) / STEP_MS[unit]));
      return Array.from({ length: count + 1 }, (_, i) => start + i * STEP_MS[unit]);
    }
    const found: EpochMs[] = [start];
    let local = civilStart(unit, start + this.offsetAt(start), 0);
    for (let at = start; at < end; found.push(at)) {
      local = unit === "day" ? local + DAY_MS : civilStart(unit, local, 1);
      at = this.#instantOf(local);
    }
    return found;
  }

  /** Returns the boundaries of `unit` in the half-open `range`. Shape: ascending. */
  startsIn(unit: CalendarUnit, range: Interval): EpochMs[] {
    return this.boundaries(unit, range).filter((at) => contains(range, at));
  }

  /** Returns the intervals of `unit` that cover `range`, expanded outward. Shape: ascending, without gaps. */
  intervals(unit: CalendarUnit, range: Interval): Interval[] {
    const bounds = this.boundaries(unit, range);
    const found: Interval[] = [];
    for (let i = 1; i < bounds.length; i++) found.push({ start: bounds[i - 1] as EpochMs, end: bounds[i] as EpochMs });
    return found;
  }

  /** Returns the local day that contains `at`: 23, 24 or 25 hours. */
  day(at: EpochMs): Interval {
    const start = this.startOf("day", at);
    return { start, end: this.add("day", start, 1) };
  }

  dateOf(at: EpochMs): LocalDate {
    return utcDate(at + this.offsetAt(at));
  }

  /** Returns the minute of the local day, 0 to 1439. For settings such as `ready_by: 07:00`, not for indexing data. */
  minuteOfDay(at: EpochMs): number {
    return Math.floor(modulo(at + this.offsetAt(at), DAY_MS) / MINUTE_MS);
  }

  /** Returns the first instant of that local day at which the clock shows `minuteOfDay` or later. */
  timeOnDay(at: EpochMs, minuteOfDay: number): EpochMs {
    const local = at + this.offsetAt(at);
    return this.#instantOf(local - modulo(local, DAY_MS) + minuteOfDay * MINUTE_MS);
  }

  fieldsOf(at: EpochMs): LocalFields {
    const local = new Date(at + this.offsetAt(at));
    return {
      year: local.getUTCFullYear(),
      month: local.getUTCMonth() + 1,
      day: local.getUTCDate(),
      hour: local.getUTCHours(),
    };
  }

  /** Returns the first instant of the local date; null if the text is not a date. */
  dateStart(date: LocalDate): EpochMs | null {
    const local = Date.parse(`${date}T00:00:00Z`);
    return Number.isNaN(local) ? null : this.#instantOf(local);
  }

  /** Returns 1 or 2 for an instant whose local time occurs twice that day; 0 for any other. */
  fold(at: EpochMs): 0 | 1 | 2 {
    const own = this.offsetAt(at);
    if (this.offsetAt(at + HOUR_MS) < own) return 1;
    return this.offsetAt(at - HOUR_MS) > own ? 2 : 0;
  }

  /** Returns the first instant whose local time is `local` or later. */
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
      { from: Date.UTC(year, 0, 1), offsetMs: this.#readOffset(Date.UTC(year, 0, 1)) },
    ];
    for (let month = 0; month < 12; month++) {
      const start = Date.UTC(year, month, 1);
      const end = Date.UTC(year, month + 1, 1);
      if (this.#readOffset(start) !== this.#readOffset(end)) {
        const from = this.#changeBetween(start, end);
        segments.push({ from, offsetMs: this.#readOffset(from) });
      }
    }
    this.#memory?.write(year, segments.map(({ from, offsetMs }) => `${from}:${offsetMs}`).join(","));
    return segments;
  }

  /** Finds, by bisection, the minute at which the offset of `end` starts. A month takes 16 steps. */
  #changeBetween(start: EpochMs, end: EpochMs): EpochMs {
    const target = this.#readOffset(end);
    let low = Math.floor(start / MINUTE_MS);
    let high = Math.ceil(end / MINUTE_MS);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#readOffset(middle * MINUTE_MS) === target) high = middle;
      else low = middle;
    }
    return high * MINUTE_MS;
  }
}

/** Returns the local start of the day, month or year that is `count` units after the one containing `local`. */
function civilStart(unit: "day" | "month" | "year", local: number, count: number): number {
  if (unit === "day") return local - modulo(local, DAY_MS) + count * DAY_MS;
  const date = new Date(local);
  return unit === "year"
    ? Date.UTC(date.getUTCFullYear() + count, 0, 1)
    : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1);
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
