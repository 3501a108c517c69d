import fc from "fast-check";
import type { DateTime } from "luxon";
import { describe, expect, test } from "vitest";
import { CALENDAR_YEARS, Calendar, type CalendarUnit, SERVICE_ZONE } from "../../../../src/core/time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS, type Interval, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import { serviceCalendar, zoneOffsets } from "../../../../src/service/service-calendar.ts";
import { localOf, oracleBoundaries, oracleNext, oracleStartOf } from "../../../support/home/luxon-oracle.ts";

const copenhagen = serviceCalendar();
const YEARS = { first: 2015, last: 2034 } as const;
const units = ["fifteenMinutes", "hour", "day", "month", "year"] as const satisfies readonly CalendarUnit[];
const longUnits = ["day", "month", "year"] as const satisfies readonly CalendarUnit[];

/** Zones with the service's rules, other rules, no rules, half-hour offsets, and skipped or repeated midnights. */
const zones = [
  SERVICE_ZONE,
  "Europe/Stockholm",
  "Europe/London",
  "America/New_York",
  "Asia/Kolkata",
  "Atlantic/Azores",
  "America/Santiago",
  "Africa/Casablanca",
] as const;
/** Zones in which luxon starts a day with two midnights at the second one. The calendar starts it at the first. */
const TWO_MIDNIGHTS: readonly string[] = ["Atlantic/Azores"];

const twentyYears: Interval = { start: Date.UTC(YEARS.first, 0, 1), end: Date.UTC(YEARS.last + 1, 0, 1) };
const whole = { min: twentyYears.start, max: twentyYears.end - 1 };
const instants = fc.oneof(fc.integer(whole), nearClockChanges());
const zonesArbitrary = fc.constantFrom(...zones);

function utc(text: string): EpochMs {
  return Date.parse(text);
}

/** Returns the last Sunday of a month at 01:00 UTC, when the European Union changes its clocks. */
function europeanChange(year: number, month: 3 | 10): EpochMs {
  const last = new Date(Date.UTC(year, month, 0, 1));
  return last.setUTCDate(last.getUTCDate() - last.getUTCDay());
}

/** Returns the local time without its offset. */
function reading(local: DateTime): string | null {
  return local.toISO({ includeOffset: false });
}

function clockChanges(): { readonly at: EpochMs; readonly hours: 23 | 25 }[] {
  const found: { at: EpochMs; hours: 23 | 25 }[] = [];
  for (let year = YEARS.first; year <= YEARS.last; year++) {
    found.push({ at: europeanChange(year, 3), hours: 23 }, { at: europeanChange(year, 10), hours: 25 });
  }
  return found;
}

function nearClockChanges(): fc.Arbitrary<EpochMs> {
  const at = fc.constantFrom(...clockChanges().map((change) => change.at));
  return fc.tuple(at, fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS })).map(([change, aside]) => change + aside);
}

/** Generates ranges that start at any instant and are at most `mostDays` days long. */
function ranges(mostDays: number): fc.Arbitrary<Interval> {
  return fc
    .tuple(instants, fc.integer({ min: 1, max: mostDays * DAY_MS }))
    .map(([start, length]) => ({ start, end: start + length }));
}

describe("clock changes of twenty years in Copenhagen", () => {
  test.each([
    [23, 92],
    [25, 100],
  ])("clock changes of twenty years in Copenhagen are on days of %i hours and %i quarters", (hours, quarters) => {
    for (const change of clockChanges().filter((each) => each.hours === hours)) {
      const day = copenhagen.day(change.at);
      expect(day.end - day.start).toBe(hours * HOUR_MS);
      expect(copenhagen.intervals("hour", day)).toHaveLength(hours);
      expect(copenhagen.intervals("fifteenMinutes", day)).toHaveLength(quarters);
    }
  });
});

describe("boundaries equal those of luxon", () => {
  const longRuns = zones.filter((zone) => !TWO_MIDNIGHTS.includes(zone));
  test.each(longRuns)("in %s for all days, months and years of twenty years", (zone) => {
    const calendar = new Calendar(zone, zoneOffsets(zone));
    for (const unit of longUnits) {
      expect(calendar.boundaries(unit, twentyYears)).toEqual(oracleBoundaries(zone, unit, twentyYears));
    }
  });

  test.each(longRuns)("in %s for startOf and next of any instant and unit", (zone) => {
    const calendar = new Calendar(zone, zoneOffsets(zone));
    fc.assert(
      fc.property(instants, fc.constantFrom(...units), (at, unit) => {
        expect(calendar.startOf(unit, at)).toBe(oracleStartOf(zone, unit, at));
        expect(calendar.next(unit, at)).toBe(oracleNext(zone, unit, at));
        expect(calendar.offsetAt(at)).toBe(localOf(zone, at).offset * MINUTE_MS);
      }),
      { numRuns: 300 },
    );
  });
});

describe("intervals", () => {
  test("cover the range without gap or overlap, ascending, each from boundary to boundary", () => {
    fc.assert(
      fc.property(zonesArbitrary, fc.constantFrom(...units), ranges(40), (zone, unit, range) => {
        const calendar = new Calendar(zone, zoneOffsets(zone));
        const found = calendar.intervals(unit, range);
        const outer = calendar.expandOutward(unit, range);
        expect([found[0]?.start, found.at(-1)?.end]).toEqual([outer.start, outer.end]);
        found.forEach((interval, i) => {
          expect(interval.start).toBeLessThan(interval.end);
          expect(interval.end).toBe(found[i + 1]?.start ?? outer.end);
          if (i % 24 === 0) expect(calendar.startOf(unit, interval.start)).toBe(interval.start);
        });
      }),
      { numRuns: 150 },
    );
  });

  test("of an empty range are an empty list", () => {
    const midnight = utc("2026-01-01T00:00+01:00");
    expect(copenhagen.intervals("hour", { start: midnight, end: midnight })).toEqual([]);
    expect(copenhagen.boundaries("hour", { start: midnight, end: midnight })).toEqual([midnight]);
  });
});

describe("expandOutward", () => {
  test("only expands, is idempotent, and adds less than one unit on either side", () => {
    fc.assert(
      fc.property(zonesArbitrary, fc.constantFrom(...units), ranges(800), (zone, unit, range) => {
        const calendar = new Calendar(zone, zoneOffsets(zone));
        const outer = calendar.expandOutward(unit, range);
        expect(outer.start).toBeLessThanOrEqual(range.start);
        expect(outer.end).toBeGreaterThanOrEqual(range.end);
        expect(calendar.expandOutward(unit, outer)).toEqual(outer);
        expect(calendar.next(unit, outer.start)).toBeGreaterThan(range.start);
        expect(calendar.add(unit, outer.end, -1)).toBeLessThan(range.end);
      }),
    );
  });
});

describe("add and next", () => {
  test("adding and subtracting the same number of units returns to the boundary", () => {
    fc.assert(
      fc.property(
        zonesArbitrary,
        fc.constantFrom(...units),
        instants,
        fc.integer({ min: -40, max: 40 }),
        (zone, unit, at, count) => {
          const calendar = new Calendar(zone, zoneOffsets(zone));
          const boundary = calendar.startOf(unit, at);
          const moved = calendar.add(unit, boundary, count);
          expect(calendar.startOf(unit, moved)).toBe(moved);
          expect(calendar.add(unit, moved, -count)).toBe(boundary);
          expect(calendar.add(unit, calendar.add(unit, boundary, 1), count)).toBe(calendar.add(unit, moved, 1));
        },
      ),
    );
  });

  test("a day with two midnights starts at the first and has 25 hours", () => {
    const azores = new Calendar("Atlantic/Azores", zoneOffsets("Atlantic/Azores"));
    const day = azores.day(utc("2015-10-25T12:00:00-01:00"));
    expect(day).toEqual({ start: utc("2015-10-25T00:00:00Z"), end: utc("2015-10-26T00:00:00-01:00") });
  });
});

describe("shift", () => {
  test.each([
    ["2026-03-28T12:00:00+01:00", "day", 1, "2026-03-29T12:00:00+02:00"],
    ["2026-10-24T12:00:00+02:00", "day", 1, "2026-10-25T12:00:00+01:00"],
    ["2026-03-28T02:30:00+01:00", "day", 1, "2026-03-29T03:00:00+02:00"],
    ["2026-10-24T02:30:00+02:00", "day", 1, "2026-10-25T02:30:00+02:00"],
    ["2026-01-01T00:00:00+01:00", "day", 366, "2027-01-02T00:00:00+01:00"],
    ["2026-06-01T00:00:00+02:00", "day", -150, "2026-01-02T00:00:00+01:00"],
    ["2024-02-29T00:00:00+01:00", "year", 5, "2029-03-01T00:00:00+01:00"],
    ["2024-02-29T00:00:00+01:00", "year", 4, "2028-02-29T00:00:00+01:00"],
    ["2021-03-28T00:00:00+01:00", "year", 5, "2026-03-28T00:00:00+01:00"],
    ["2021-07-01T00:00:00+02:00", "year", 5, "2026-07-01T00:00:00+02:00"],
  ] as const)("of %s by a %s, %i times, is %s", (from, unit, count, to) => {
    expect(copenhagen.shift(utc(from), unit, count)).toBe(utc(to));
  });

  test("shift keeps the local time if it exists on the new day", () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: -800, max: 800 }), (at, days) => {
        const moved = copenhagen.shift(at, "day", days);
        const wanted = localOf("utc", at + copenhagen.offsetAt(at)).plus({ days });
        const nearest = wanted.setZone(SERVICE_ZONE, { keepLocalTime: true });
        const exists = nearest.hour === wanted.hour;
        if (exists) expect(reading(localOf(SERVICE_ZONE, moved))).toBe(reading(wanted));
        else expect(moved).toBe(europeanChange(wanted.year, 3));
      }),
    );
  });
});

describe("local time", () => {
  test("dateOf and minuteOfDay equal luxon's", () => {
    fc.assert(
      fc.property(zonesArbitrary, instants, (zone, at) => {
        const calendar = new Calendar(zone, zoneOffsets(zone));
        const local = localOf(zone, at);
        expect(calendar.dateOf(at)).toBe(local.toISODate());
        expect(calendar.minuteOfDay(at)).toBe(local.hour * 60 + local.minute);
      }),
    );
  });

  test("timeOnDay returns the first instant of the day at or after the local time", () => {
    fc.assert(
      fc.property(zonesArbitrary, instants, fc.integer({ min: 0, max: 1439 }), (zone, at, minute) => {
        const calendar = new Calendar(zone, zoneOffsets(zone));
        const found = calendar.timeOnDay(at, minute);
        const day = calendar.day(at);
        expect(found).toBeGreaterThanOrEqual(day.start);
        expect(calendar.dateOf(found)).toBe(calendar.dateOf(at));
        expect(calendar.minuteOfDay(found)).toBeGreaterThanOrEqual(minute);
        if (found > day.start) expect(calendar.minuteOfDay(found - MINUTE_MS)).toBeLessThan(minute);
      }),
    );
  });
});

describe("limits of the calendar", () => {
  test.each(["Europe/Kopenhagen", "", "+25:00"])("zone %o is rejected with its name in the error", (zone) => {
    expect(() => zoneOffsets(zone)(0)).toThrow(
      new RangeError(`unknown time zone "${zone}"; expected a name such as Europe/Copenhagen`),
    );
  });

  test("ranges of the maximum length at the first and last year have a result", () => {
    const { first, last } = CALENDAR_YEARS;
    expect(copenhagen.shift(Date.UTC(last, 11, 31), "year", 5)).toBe(Date.UTC(last + 5, 11, 31));
    expect(copenhagen.startOf("year", Date.UTC(first, 0, 1) - DAY_MS)).toBe(Date.UTC(first - 1, 0, 1) - HOUR_MS);
    expect(
      new Calendar("America/New_York", zoneOffsets("America/New_York")).startOf("year", Date.UTC(first, 0, 1)),
    ).toBe(utc("1969-01-01T05:00Z"));
  });

  test.each([Date.UTC(1900, 5, 1), Date.UTC(2300, 5, 1), Date.UTC(9999, 11, 31)])(
    "instant %d is out of range: the zone has its standard offset all year, and units have normal length",
    (at) => {
      expect(copenhagen.offsetAt(at)).toBe(HOUR_MS);
      expect(copenhagen.day(at).end - copenhagen.day(at).start).toBe(DAY_MS);
      expect(copenhagen.shift(at, "year", 5)).toBeGreaterThan(at);
    },
  );
});

describe("local dates and times", () => {
  test("fold distinguishes only the two hours with the same name", () => {
    const names = ["2026-10-24T23:30Z", "2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-25T02:30Z"];
    expect(names.map((name) => copenhagen.fold(utc(name)))).toEqual([0, 1, 2, 0]);
    expect(["2026-03-29T00:30Z", "2026-03-29T01:30Z"].map((name) => copenhagen.fold(utc(name)))).toEqual([0, 0]);
  });

  test("the fields of an instant are those of the local clock, and its date starts at local midnight", () => {
    expect(copenhagen.fieldsOf(utc("2026-10-25T22:30Z"))).toEqual({ year: 2026, month: 10, day: 25, hour: 23 });
    expect(copenhagen.dateStart("2026-10-26")).toBe(utc("2026-10-25T23:00Z"));
    expect(["", "yesterday", "2026-13-01"].map((text) => copenhagen.dateStart(text))).toEqual([null, null, null]);
  });

  test("the starts in a range are those of the boundaries inside, the end excluded", () => {
    const range = { start: utc("2026-06-01T10:00Z"), end: utc("2026-06-03T22:00Z") };
    expect(copenhagen.startsIn("day", range)).toEqual([utc("2026-06-01T22:00Z"), utc("2026-06-02T22:00Z")]);
  });
});

describe("cached transitions", () => {
  test("serve a later calendar without the time zone database, with the same boundaries", () => {
    const kept = new Map<number, string>();
    const memory = {
      read: (year: number) => kept.get(year) ?? null,
      write: (year: number, text: string) => void kept.set(year, text),
    };
    const year = { start: Date.UTC(2025, 0, 1), end: Date.UTC(2026, 0, 1) };
    const first = serviceCalendar(memory).boundaries("day", year);
    expect([...kept.keys()]).toContain(2025);
    // An unknown zone: the result can only come from the cache.
    expect(new Calendar("Nowhere/Nothing", zoneOffsets("Nowhere/Nothing"), memory).boundaries("day", year)).toEqual(
      first,
    );
    expect(first).toEqual(serviceCalendar().boundaries("day", year));
  });

  test("that are invalid are computed again", () => {
    const memory = { read: () => "yesterday", write: () => undefined };
    const at = Date.UTC(2025, 6, 1);
    expect(serviceCalendar(memory).startOf("day", at)).toBe(serviceCalendar().startOf("day", at));
  });
});
