/**
 * Calendar of the home's time zone, with days of 23, 24 and 25 hours. Browsers can format instants in a time zone, but
 * have no calendar for it. So the offset at an instant is computed from its formatted parts.
 */

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Maximum number of cached offsets: about two years of hours. */
const MAX_OFFSETS = 20_000;

export type Unit = "hour" | "day" | "month" | "year";

interface LocalFields {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  /** Offsets by hour. Zones of the service do not change their offset within an hour. */
  readonly #offsets = new Map<number, number>();

  constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat("en-GB", {
      ...({ timeZone: name, hourCycle: "h23", era: "short" } as const),
      ...({ year: "numeric", month: "numeric", day: "numeric" } as const),
      ...({ hour: "numeric", minute: "numeric", second: "numeric" } as const),
    });
  }

  /** Returns the offset from UTC at an instant. Unit: ms. */
  offset(at: number): number {
    const hour = Math.floor(at / HOUR_MS);
    const known = this.#offsets.get(hour);
    if (known !== undefined) return known;
    if (this.#offsets.size > MAX_OFFSETS) this.#offsets.clear();
    const start = hour * HOUR_MS;
    const parts = new Map(this.#format.formatToParts(start).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const date = [part("year"), part("month") - 1, part("day")] as const;
    const offset = Date.UTC(...date, part("hour"), part("minute"), part("second")) - start;
    this.#offsets.set(hour, offset);
    return offset;
  }

  /** Returns the local date and time of an instant. */
  fields(at: number): LocalFields {
    const local = new Date(at + this.offset(at));
    return {
      year: local.getUTCFullYear(),
      month: local.getUTCMonth() + 1,
      day: local.getUTCDate(),
      hour: local.getUTCHours(),
      minute: local.getUTCMinutes(),
    };
  }

  /**
   * Returns the instant of a local date and time: the first one if it occurs twice. A skipped time is shifted forward.
   */
  instant(year: number, month: number, day = 1, hour = 0): number {
    const local = Date.UTC(year, month - 1, day, hour);
    const early = local - this.offset(local - DAY_MS);
    const late = local - this.offset(local + DAY_MS);
    return early + this.offset(early) !== local && late + this.offset(late) === local ? late : early;
  }

  /** Returns the start of the local hour, day, month or year that contains an instant. */
  startOf(unit: Unit, at: number): number {
    const { year, month, day } = this.fields(at);
    if (unit === "hour") return Math.floor(at / HOUR_MS) * HOUR_MS;
    if (unit === "year") return this.instant(year, 1);
    return this.instant(year, month, unit === "day" ? day : 1);
  }

  /** Returns the start of the local unit that is `count` units after the one that contains an instant. */
  shift(unit: Unit, at: number, count: number): number {
    const { year, month, day } = this.fields(at);
    switch (unit) {
      case "hour":
        return this.startOf("hour", at) + count * HOUR_MS;
      case "day":
        return this.instant(year, month, day + count);
      case "month":
        return this.instant(year, month + count);
      case "year":
        return this.instant(year + count, 1);
    }
  }

  /** Returns the starts of local units in `[start, end)`, ascending. */
  starts(unit: Unit, start: number, end: number): number[] {
    const found: number[] = [];
    let at = this.startOf(unit, start);
    while (at < end) {
      if (at >= start) found.push(at);
      at = this.shift(unit, at, 1);
    }
    return found;
  }

  /** Returns 1 or 2 for an instant whose local time occurs twice that day; 0 for any other. */
  fold(at: number): 0 | 1 | 2 {
    const own = this.offset(at);
    if (this.offset(at + HOUR_MS) < own) return 1;
    return this.offset(at - HOUR_MS) > own ? 2 : 0;
  }
}
