import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WHOLE } from "../../../src/core/series/series.ts";
import { DAY_MS, formatInstant, HOUR_MS, type Interval, SECOND_MS } from "../../../src/core/time/interval.ts";
import { SeriesStore } from "../../../src/storage/series/series-store.ts";
import { calendar, dayOf, rowsOf, StoreOnDisk, seriesOf } from "../../support/storage/store-on-disk.ts";

const quarters = seriesOf("fifteenMinutes");
const hours = seriesOf("hour");
const forecast = seriesOf("latest");
const envelope = { currency: "DKK", vatIncluded: true };

class StoredSeries extends StoreOnDisk {
  readonly series = new SeriesStore(this.database, calendar);
}

function countOf(store: StoreOnDisk, table: string): number {
  return Number(store.database.prepare(`select count(*) as count from ${table}`).get()?.count);
}

/** Returns the stored content of the file, without caches. */
function reread(store: StoreOnDisk): SeriesStore {
  return new SeriesStore(store.reopen(), calendar);
}

describe("chunks", () => {
  test.each([
    ["2026-03-29", 23, 92],
    ["2026-10-24", 24, 96],
    ["2026-10-25", 25, 100],
  ])("of the day %s are one with %i hours or %i quarters, complete with all rows", (date, hourCount, quarterCount) => {
    using store = new StoredSeries();
    const day = dayOf(date);
    for (const [key, unit, count] of [
      [hours, "hour", hourCount],
      [quarters, "fifteenMinutes", quarterCount],
    ] as const) {
      const rows = rowsOf(unit, day);
      expect(rows).toHaveLength(count);
      store.series.store(key, day, rows.slice(0, -1), envelope);
      expect(store.series.stateOf(key).chunk(day.start)).toEqual({ complete: false, estimated: false });
      store.series.store(key, day, rows, envelope);
      expect(store.series.stateOf(key).chunk(day.start)).toEqual({ complete: true, estimated: false });
    }
    const again = reread(store);
    expect(again.rows(hours, day)).toEqual(rowsOf("hour", day));
    expect(again.rows(quarters, day)).toEqual(rowsOf("fifteenMinutes", day));
  });

  test("return as JSON the rows that start in a range, from completely and partly requested chunks", () => {
    using store = new StoredSeries();
    const range = { start: dayOf("2026-10-23").start, end: dayOf("2026-10-27").end };
    const gap = dayOf("2026-10-25");
    const rows = rowsOf("hour", range).filter(({ start }) => start !== formatInstant(range.start + 3 * HOUR_MS));
    expect(store.series.json(hours, range, ["[", "]"]).toString()).toBe("[]");
    store.series.store(hours, { start: range.start, end: gap.start }, rows, envelope);
    store.series.store(hours, gap, [], envelope);
    store.series.store(hours, { start: gap.end, end: range.end }, rows, envelope);
    for (const [from, to] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [5, 30],
      [30, 5],
      [49, 40],
      [100, 20],
    ] as const) {
      const part = { start: range.start + from * HOUR_MS, end: range.end - to * HOUR_MS };
      const expected = JSON.stringify(store.series.rows(hours, part));
      expect(store.series.json(hours, part, ["[", "]"]).toString()).toBe(expected);
    }
    expect(store.series.rows(hours, range)).toHaveLength(23 + 24 + 24 + 24);
  });

  test("of days are months, of months years, of years one year", () => {
    using store = new StoredSeries();
    const year = {
      start: calendar.startOf("year", Date.UTC(2026, 5)),
      end: calendar.startOf("year", Date.UTC(2027, 5)),
    };
    for (const [unit, chunks] of [
      ["day", 12],
      ["month", 1],
      ["year", 1],
    ] as const) {
      const key = seriesOf(unit);
      store.series.store(key, year, rowsOf(unit, year), envelope);
      expect(store.series.rowsByChunk(key, year)).toHaveLength(chunks);
      expect(store.series.stateOf(key).chunk(year.start)?.complete).toBe(true);
      expect(store.series.covers(key, year)).toBe(true);
      expect(store.series.covers(key, { start: year.start - 1, end: year.end })).toBe(false);
    }
  });

  test("chunks are marked as estimates if a row is one", () => {
    using store = new StoredSeries();
    const range = { start: dayOf("2026-01-01").start, end: dayOf("2026-01-02").end };
    const [first, ...rest] = rowsOf("hour", range);
    store.series.store(hours, range, [{ ...first, isEstimate: true }, ...rest], envelope);
    const state = reread(store).stateOf(hours);
    expect(state.chunk(range.start)).toEqual({ complete: true, estimated: true });
    expect(state.chunk(dayOf("2026-01-02").start)).toEqual({ complete: true, estimated: false });
  });
});

describe("stored rows", () => {
  const range = { start: dayOf("2026-03-27").start, end: dayOf("2026-03-31").end };
  const all = rowsOf("hour", range, (start) => start / HOUR_MS);

  test("stored rows are equal for any order and repetition of responses", () => {
    const parts = fc
      .array(fc.subarray(all, { minLength: 1 }), { minLength: 1, maxLength: 4 })
      .chain((answers) => fc.tuple(...answers.map((rows) => fc.shuffledSubarray(rows, { minLength: rows.length }))));
    fc.assert(
      fc.property(parts, (answers) => {
        using store = new StoredSeries();
        for (const rows of [...answers, ...answers]) store.series.store(hours, range, rows, envelope);
        const sent = new Set(answers.flat());
        expect(store.series.rows(hours, range)).toEqual(all.filter((row) => sent.has(row)));
        for (const rows of answers) expect(store.series.store(hours, range, rows, envelope).changed).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  test("stored rows are not written again for an equal response", () => {
    using store = new StoredSeries();
    expect(store.series.store(hours, range, all, envelope).changed).toBe(true);
    const changes = () => Number(store.database.prepare("select total_changes() as count").get()?.count);
    const before = changes();
    expect(store.series.store(hours, range, all, envelope)).toEqual({ changed: false, strayRows: 0 });
    expect(store.series.store(hours, range, all.slice(10, 30), envelope)).toEqual({ changed: false, strayRows: 0 });
    expect(changes()).toBe(before);
  });

  test("stored rows are kept after a shorter response; a revised row replaces the earlier one", () => {
    using store = new StoredSeries();
    store.series.store(hours, range, all, envelope);
    expect(store.series.store(hours, range, [], envelope).changed).toBe(false);
    const revised = { ...all[5], totalPricePerKWh: -1 };
    expect(store.series.store(hours, range, [revised], envelope).changed).toBe(true);
    expect(reread(store).rows(hours, range)).toEqual(all.with(5, revised));
  });

  test("stored rows may be empty: the range counts as requested", () => {
    using store = new StoredSeries();
    expect(store.series.store(hours, range, [], envelope)).toEqual({ changed: true, strayRows: 0 });
    const again = reread(store);
    expect(again.covers(hours, range)).toBe(true);
    expect(again.rows(hours, range)).toEqual([]);
    expect(again.stateOf(hours).chunk(range.start)).toEqual({ complete: false, estimated: false });
  });

  test("of a forecast are replaced completely by the latest response, in its order", () => {
    using store = new StoredSeries();
    expect(store.series.latest(forecast)).toBeNull();
    store.series.store(forecast, WHOLE, all, envelope);
    store.series.store(forecast, WHOLE, all.slice(3, 9).reverse(), envelope);
    expect(reread(store).latest(forecast)).toEqual(all.slice(3, 9).reverse());
  });

  test("stored rows have an envelope that is null before the first response, then the latest one", () => {
    using store = new StoredSeries();
    store.series.idOf(hours);
    expect(store.series.envelope(hours)).toBeNull();
    store.series.store(hours, range, [], envelope);
    store.series.store(hours, range, [], { ...envelope, currency: "SEK", unknown: [1] });
    expect(reread(store).envelope(hours)).toEqual({ currency: "SEK", vatIncluded: true, unknown: [1] });
  });

  test("of different places, accounts, operations and units are separate", () => {
    using store = new StoredSeries();
    const keys = [
      hours,
      quarters,
      seriesOf("hour", "another/place"),
      seriesOf("hour", "another%2Fplace"),
      { ...hours, account: "second" },
      { ...hours, operation: "consumption" as const },
    ];
    keys.forEach((key, i) => {
      store.series.store(
        key,
        range,
        rowsOf("hour", range, () => i),
        envelope,
      );
    });
    const again = reread(store);
    keys.forEach((key, i) => {
      expect(again.rows(key, range).every((row) => row.totalPricePerKWh === i)).toBe(true);
    });
    expect(new Set(keys.map((key) => again.idOf(key))).size).toBe(keys.length);
  });
});

describe("requested ranges", () => {
  const days = Array.from({ length: 10 }, (_, i) => calendar.day(dayOf("2026-03-25").start + i * DAY_MS + HOUR_MS));
  const within: Interval = { start: days[0]?.start ?? 0, end: days[9]?.end ?? 0 };

  /** Text with `#` for requested and `.` for missing days. The returned gap is written as `-`. */
  function gapIn(picture: string): string {
    using store = new StoredSeries();
    store.database.exec("pragma synchronous = off");
    store.series.idOf(hours);
    days.forEach((day, i) => {
      if (picture[i] === "#") store.series.store(hours, day, [], envelope);
    });
    const gap = reread(store).newestGap(hours, within);
    return days.map((day, i) => (gap && day.start >= gap.start && day.end <= gap.end ? "-" : picture[i])).join("");
  }

  test.each([
    ["..........", "----------"],
    ["##########", "##########"],
    ["#########.", "#########-"],
    [".#########", "-#########"],
    ["##..##..##", "##..##--##"],
    ["##..####..", "##..####--"],
    ["..#....###", "..#----###"],
  ])("the newest gap of %s is %s", (picture, found) => {
    expect(gapIn(picture)).toBe(found);
  });
});

describe("a large response", () => {
  const range = { start: dayOf("2026-01-01").start, end: dayOf("2026-03-31").end };
  const rows = rowsOf("fifteenMinutes", range);

  test("a large response is stored in slices; after a crash between two, the stored part is a valid smaller response", () => {
    using store = new StoredSeries();
    let finished = false;
    const storing = store.series.storing(quarters, range, { rows, envelope }, () => {
      finished = true;
    });
    for (let i = 0; i < 5; i++) expect(storing.next().done).toBe(false);
    expect(finished).toBe(false);
    const again = reread(store);
    const chunks = again.rowsByChunk(quarters, range).length;
    expect(chunks).toBeGreaterThan(0);
    const asked = { start: range.start, end: calendar.add("day", range.start, chunks) };
    expect(again.covers(quarters, asked)).toBe(true);
    expect(again.rows(quarters, range)).toEqual(rowsOf("fifteenMinutes", asked));
    expect(again.newestGap(quarters, range)).toEqual({ start: asked.end, end: range.end });
    expect(again.store(quarters, range, rows, envelope)).toEqual({ changed: true, strayRows: 0 });
    expect(again.rows(quarters, range)).toEqual(rows);
  });

  test("with a row for each second of a day takes time proportional to its rows", () => {
    using store = new StoredSeries();
    const day = dayOf("2026-01-01");
    const seconds = Array.from({ length: 86_400 }, (_, i) => ({ start: formatInstant(day.start + i * SECOND_MS) }));
    expect(store.series.store(quarters, day, seconds, envelope)).toEqual({ changed: true, strayRows: 0 });
    expect(store.series.rows(quarters, day)).toEqual(seconds);
  });

  test("that fails leaves memory and file consistent", () => {
    using store = new StoredSeries();
    const day = dayOf("2026-01-01");
    const failing = store.series.storing(quarters, day, { rows: rowsOf("fifteenMinutes", day), envelope }, () => {
      throw new Error("the disk is full");
    });
    expect(() => failing.next()).toThrow("the disk is full");
    expect(store.series.covers(quarters, day)).toBe(false);
    expect(store.series.envelope(quarters)).toBeNull();
    expect(countOf(store, "chunk")).toBe(0);
    store.series.store(quarters, day, rowsOf("fifteenMinutes", day), envelope);
    expect(reread(store).rows(quarters, day)).toEqual(rowsOf("fifteenMinutes", day));
  });
});

test("an empty response does not remove prices whose interval has not ended", () => {
  using kept = new StoreOnDisk();
  const store = new SeriesStore(kept.database, calendar);
  const key = seriesOf("latest");
  const point = (hour: string) => ({ date: `2026-03-10T${hour}:00:00Z`, price: 1 });
  store.store(key, WHOLE, ["10", "11", "12"].map(point), {});
  const at = Date.parse("2026-03-10T11:20:00Z");
  for (const step of store.storing(key, WHOLE, { rows: [], envelope: {}, now: at }, () => undefined))
    expect(step).toBeUndefined();
  expect(store.latest(key)).toEqual(["11", "12"].map(point));
  const hour = (start: number) => ({ start: `2026-03-10T${start}:00:00Z`, end: `2026-03-10T${start + 1}:00:00Z` });
  const forecast = { ...key, operation: "forecastPrices" };
  store.store(forecast, WHOLE, [10, 11, 12].map(hour), {});
  for (const step of store.storing(forecast, WHOLE, { rows: [], envelope: {}, now: at }, () => undefined))
    expect(step).toBeUndefined();
  expect(store.latest(forecast)).toEqual([11, 12].map(hour));
});

test("a third-party list that starts later does not remove the price of the current hour", () => {
  using kept = new StoreOnDisk();
  const store = new SeriesStore(kept.database, calendar);
  const key = { ...seriesOf("latest"), operation: "regionPrices" };
  const point = (hour: string, price = 1) => ({ date: `2026-03-10T${hour}:00:00Z`, price });
  store.store(key, WHOLE, [point("10"), point("11"), point("12")], {});
  const at = Date.parse("2026-03-10T11:20:00Z");
  for (const step of store.storing(
    key,
    WHOLE,
    { rows: [point("12", 2), point("13")], envelope: {}, now: at },
    () => undefined,
  ))
    expect(step).toBeUndefined();
  expect(store.latest(key)).toEqual([point("11"), point("12", 2), point("13")]);
});
