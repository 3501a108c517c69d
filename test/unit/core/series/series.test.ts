import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  chunksOf,
  chunkUnitOf,
  rowEnd,
  rowStart,
  type SeriesKey,
  seriesName,
  tiles,
  WHOLE,
} from "../../../../src/core/series/series.ts";
import { formatInstant } from "../../../../src/core/time/interval.ts";
import { serviceCalendar } from "../../../../src/service/service-calendar.ts";

const calendar = serviceCalendar();
const dayOf = (date: string) => calendar.day(Date.parse(`${date}T12:00:00Z`));

test("different series have different names", () => {
  const part = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom("/", "a/b", "%2F", ""));
  const key = fc.record({
    account: part,
    place: part,
    operation: fc.constantFrom("prices", "consumption"),
    unit: fc.constantFrom("hour", "latest"),
  }) as fc.Arbitrary<SeriesKey>;
  fc.assert(
    fc.property(key, key, (a, b) => {
      expect(seriesName(a) === seriesName(b)).toBe(
        JSON.stringify(Object.values(a)) === JSON.stringify(Object.values(b)),
      );
    }),
  );
});

describe("chunks", () => {
  test.each([
    ["fifteenMinutes", "day"],
    ["hour", "day"],
    ["day", "month"],
    ["month", "year"],
    ["year", "year"],
    ["latest", null],
  ] as const)("of %s are stored per %s", (unit, chunk) => {
    expect(chunkUnitOf(unit)).toBe(chunk);
  });

  test("cover the requested range, expanded to whole units", () => {
    const [day] = [dayOf("2026-10-25")];
    const inside = { start: day.start + 1, end: day.end - 1 };
    expect(chunksOf("hour", inside, calendar)).toEqual([day]);
    expect(chunksOf("hour", { start: day.start, end: day.end + 1 }, calendar)).toEqual([day, dayOf("2026-10-26")]);
    expect(chunksOf("latest", inside, calendar)).toEqual([WHOLE]);
    expect(chunksOf("year", inside, calendar).map(({ start }) => formatInstant(start))).toEqual([
      "2025-12-31T23:00:00Z",
    ]);
  });
});

describe("instants of a row", () => {
  test.each([
    [{ start: "2026-01-01T00:00:00Z" }, Date.UTC(2026, 0, 1)],
    [{ start: "2026-01-01T01:00:00+01:00" }, Date.UTC(2026, 0, 1)],
    [{ start: "2026-01-01T00:00:00.250Z" }, Date.UTC(2026, 0, 1) + 250],
    [{ date: "2026-01-01" }, Date.UTC(2026, 0, 1)],
    [{ start: "soon" }, null],
    [{ start: 1_767_225_600_000 }, null],
    [{ start: null, date: "2026-01-01" }, Date.UTC(2026, 0, 1)],
    [{}, null],
  ])("%j starts at %s", (row, start) => {
    expect(rowStart(row)).toBe(start);
  });

  test("rowEnd returns the row's own end, or null if it cannot be parsed", () => {
    expect(rowEnd({ end: "2026-01-01T00:15:00Z" })).toBe(Date.UTC(2026, 0, 1, 0, 15));
    expect(rowEnd({ start: "2026-01-01T00:00:00Z" })).toBeNull();
  });
});

describe("tiles", () => {
  const day = dayOf("2026-10-25");
  const rows = calendar
    .intervals("hour", day)
    .map(({ start, end }) => ({ start: formatInstant(start), end: formatInstant(end) }));

  test("tiles accepts 25 rows for a day of 25 hours", () => {
    expect(rows).toHaveLength(25);
    expect(tiles(rows, "hour", day, calendar)).toBe(true);
  });

  test.each([
    ["one is missing", rows.toSpliced(2, 1)],
    ["one is doubled", rows.toSpliced(2, 0, ...rows.slice(2, 3))],
    ["one is doubled in the place of another", rows.with(3, { start: "", end: "", ...rows[2] })],
    ["two are exchanged", [...rows.slice(1, 2), ...rows.slice(0, 1), ...rows.slice(2)]],
    ["one is too short", rows.with(0, { start: rows[0]?.start ?? "", end: "2026-10-24T22:15:00Z" })],
    ["all are missing", []],
    ["the extra hour is appended at the end", [...rows.toSpliced(3, 1), ...rows.slice(3, 4)]],
  ])("tiles rejects rows if %s", (_, broken) => {
    expect(tiles(broken, "hour", day, calendar)).toBe(false);
  });
});
