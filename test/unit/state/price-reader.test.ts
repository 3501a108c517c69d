import { crc32 } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { type Row, rowStart, type SeriesKey } from "../../../src/core/series/series.ts";
import { Problems } from "../../../src/core/status/problem.ts";
import { type EpochMs, formatInstant, HOUR_MS, type Interval } from "../../../src/core/time/interval.ts";
import { DoubtfulPrices } from "../../../src/state/answers/doubtful-prices.ts";
import { HomeReader, type HomeReaderDeps, publishedSnapshot } from "../../../src/state/price-reader.ts";
import { takeBrokenPromises } from "../../support/daemon/broken-promises.ts";
import { at, calendar, dayOf, daysOf, HOME } from "../../support/home/price-days.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

const NOON = at("2026-03-10T11:00:00Z");
const PRICES: SeriesKey = { account: HOME.account, place: HOME.addressId, operation: "prices", unit: "fifteenMinutes" };
const CONSUMPTION: SeriesKey = { ...PRICES, operation: "consumption", unit: "hour" };

/** Store in memory that counts its reads. */
class CountedStore {
  reads = 0;
  /** Start of a chunk that cannot be read, although its digest is known. */
  damaged: EpochMs | null = null;
  readonly #rows = new Map<string, readonly Row[]>();

  put({ operation }: SeriesKey, rows: readonly Row[]): void {
    this.#rows.set(operation, rows);
  }

  envelope({ operation }: SeriesKey) {
    if (!this.#rows.has(operation)) return null;
    return { currency: "DKK", vatIncluded: true };
  }

  rows({ operation }: SeriesKey, range: Interval): Row[] {
    this.reads++;
    const inside = (row: Row) => (rowStart(row) ?? 0) >= range.start && (rowStart(row) ?? 0) < range.end;
    return (this.#rows.get(operation) ?? []).filter(inside);
  }

  latest({ operation }: SeriesKey): Row[] | null {
    return [...(this.#rows.get(operation) ?? [])];
  }

  rowsByChunk(series: SeriesKey, range: Interval): Row[][] {
    const readable = calendar.intervals("day", range).filter(({ start }) => start !== this.damaged);
    return readable.map((day) => this.rows(series, day));
  }

  digests(series: SeriesKey, range: Interval): Map<EpochMs, number> {
    const { reads } = this;
    const digestOf = (day: Interval) => crc32(JSON.stringify(this.rows(series, day)));
    const digests = calendar.intervals("day", range).map((day) => [day.start, digestOf(day)] as const);
    this.reads = reads;
    return new Map(digests);
  }
}

function rowsOf(range: Interval, unit: "hour" | "fifteenMinutes", fields: (index: number) => Row): Row[] {
  return calendar
    .intervals(unit, range)
    .map(({ start, end }, i) => ({ start: formatInstant(start), end: formatInstant(end), ...fields(i) }));
}

let store: CountedStore;
let memory: Map<string, string>;
let reader: HomeReader;

function open(more: Partial<HomeReaderDeps> = {}): HomeReader {
  const kept = new TestMemory(memory);
  return new HomeReader({
    store,
    calendar,
    doubtful: new DoubtfulPrices(kept, calendar, () => []),
    memory: kept,
    ...more,
  });
}

beforeEach(() => {
  store = new CountedStore();
  memory = new Map();
  store.put(
    PRICES,
    rowsOf(daysOf("2026-02-01", "2026-03-11"), "fifteenMinutes", (i) => ({ totalPricePerKWh: 1 + (i % 4) / 10 })),
  );
  store.put(
    CONSUMPTION,
    rowsOf(daysOf("2026-01-01", "2026-03-09"), "hour", () => ({ energyKWh: 0.5, isEstimate: false })),
  );
  reader = open();
});

test("a price of another interval is not published: the home has none, and that is a problem", () => {
  const problems = new Problems(() => undefined);
  const state = { homeReader: reader, calendar, problems, isTimeTrusted: () => true };
  expect(publishedSnapshot(state, HOME, NOON).current?.price).toBe(1);
  // A reader whose snapshot is an hour old: its clock stood still.
  const slow = { snapshot: (home: typeof HOME, now: EpochMs) => reader.snapshot(home, now - 3_600_000) };
  const late = publishedSnapshot({ ...state, homeReader: slow }, HOME, NOON);
  expect([late.current, late.level, late.cheap, late.today]).toEqual([null, null, null, []]);
  expect(problems.list()).toMatchObject([{ code: "promise_broken", subject: "promise of home home" }]);
  expect(takeBrokenPromises()).toEqual([
    "invariant: a published price is of its own interval (home home, elbro 1.0.0)",
  ]);
});

describe("stored data of a home", () => {
  test("stored data of a home is read once per day for all snapshots, and again after midnight", () => {
    reader.snapshot(HOME, NOON);
    reader.usage(HOME, NOON);
    const { reads } = store;
    for (let minute = 0; minute < 600; minute += 15) {
      reader.snapshot(HOME, NOON + minute * 60_000);
      reader.usage(HOME, NOON + minute * 60_000);
    }
    expect(store.reads).toBe(reads);
    reader.snapshot(HOME, NOON + 86_400_000);
    expect(store.reads).toBeGreaterThan(reads);
  });

  test("stored data of a home is read again only after its own series changed", () => {
    const before = reader.usage(HOME, NOON).consumption?.yesterday?.value;
    reader.snapshot(HOME, NOON);
    store.put(
      CONSUMPTION,
      rowsOf(daysOf("2026-01-01", "2026-03-09"), "hour", () => ({ energyKWh: 2, isEstimate: false })),
    );
    reader.changed(PRICES);
    reader.changed({ ...CONSUMPTION, unit: "day" });
    expect(reader.usage(HOME, NOON).consumption?.yesterday?.value).toBe(before);
    reader.changed(CONSUMPTION);
    expect(reader.usage(HOME, NOON).consumption?.yesterday?.value).toBe(48);
  });

  test("of the figures of a month, only days with other rows are read again", () => {
    const rows = rowsOf(daysOf("2026-01-01", "2026-03-09"), "hour", () => ({ energyKWh: 0.5 }));
    const readsOf = (operation: string) => {
      const { reads } = store;
      reader.changed({ ...CONSUMPTION, operation });
      reader.month(HOME, NOON);
      return store.reads - reads;
    };
    store.put(CONSUMPTION, rows);
    readsOf("consumption");
    for (const operation of ["consumption", "consumptionCosts", "solarExport"]) expect(readsOf(operation)).toBe(0);
    expect(reader.month(HOME, NOON)?.peaks?.mean).toBe(0.5);
    const { start } = dayOf("2026-03-05");
    const other = rows.map((row) => (rowStart(row) === start ? { ...row, energyKWh: 2 } : row));
    store.put(CONSUMPTION, other);
    expect(readsOf("consumption")).toBe(1);
    expect(reader.month(HOME, NOON)?.peaks?.mean).toBe(1);
    store.damaged = start;
    store.put(CONSUMPTION, rows);
    readsOf("consumption");
    store.damaged = null;
    readsOf("consumption");
    expect(reader.month(HOME, NOON)?.peaks?.mean).toBe(0.5);
    store.put(CONSUMPTION, rows.slice(0, -24));
    readsOf("consumption");
    expect(reader.month(HOME, NOON)?.peaks?.mean).toBe(0.5);
  });

  test("stored data of a home contains a damaged day again after the service returned it unchanged", () => {
    store.damaged = dayOf("2026-02-10").start;
    expect(reader.usage(HOME, NOON).consumption?.year?.days).toBe(67);
    store.damaged = null;
    reader.changed(CONSUMPTION);
    expect(reader.usage(HOME, NOON).consumption?.year?.days).toBe(68);
  });

  test("of a year is read again only in the months with changed days", () => {
    const year = rowsOf(daysOf("2026-01-01", "2026-03-09"), "hour", () => ({ energyKWh: 1, isEstimate: false }));
    store.put(CONSUMPTION, year);
    expect(reader.usage(HOME, NOON).consumption?.year?.value).toBe(year.length);
    const { reads } = store;
    const changed = dayOf("2026-02-10").start;
    store.put(
      CONSUMPTION,
      year.map((row) => (rowStart(row) === changed ? { ...row, energyKWh: 11 } : row)),
    );
    reader.changed(CONSUMPTION);
    expect(reader.usage(HOME, NOON).consumption?.year?.value).toBe(year.length + 10);
    expect(store.reads - reads).toBe(28);
  });
});

test("an estimate that cannot be right is doubtful only where no price is stated", () => {
  const [kept, forecast] = [
    new TestMemory(memory),
    { ...PRICES, operation: "forecastPrices", unit: "latest" } as const,
  ];
  const doubtful = new DoubtfulPrices(kept, calendar, () => []);
  const days = { start: at("2026-01-20T23:00:00Z"), end: at("2026-03-09T23:00:00Z") };
  doubtful.note(
    PRICES,
    rowsOf(days, "fifteenMinutes", () => ({ totalPricePerKWh: 1 })),
    NOON,
  );
  const estimates = rowsOf(daysOf("2026-03-11", "2026-03-12"), "hour", (i) => ({
    totalPricePerKWh: i % 24 === 3 ? 1840 : 1,
  }));
  doubtful.note(forecast, estimates, NOON);
  const third = dayOf("2026-03-12").start + 3 * HOUR_MS;
  expect(
    open({ doubtful })
      .doubtful(HOME, NOON)
      .map(({ start, price }) => [start, price]),
  ).toEqual([[third, 1840]]);
});

test("a home that is configured in another way is read again, and no other", () => {
  const other = { ...HOME, id: "other", addressId: "11111111-2222-4333-8444-000000000002" };
  const readsOf = (home: typeof HOME) => {
    const { reads } = store;
    reader.snapshot(home, NOON);
    reader.usage(home, NOON);
    return store.reads - reads;
  };
  const reads = [readsOf(HOME), readsOf(other)];
  expect(Math.min(...reads)).toBeGreaterThan(1);
  reader.forget(other);
  expect([readsOf(HOME), readsOf(other)]).toEqual([0, reads[1]]);
});

test("more homes than are kept unpacked are not read again either", () => {
  const homes = Array.from({ length: 30 }, (_, i) => ({
    ...{ ...HOME, id: `home-${i}` },
    addressId: `11111111-2222-4333-8444-${String(i).padStart(12, "0")}`,
  }));
  const first = homes.map((home) => reader.timeline(home, NOON));
  const { reads } = store;
  expect(homes.map((home) => reader.timeline(home, NOON + 60_000))).toStrictEqual(first);
  expect(store.reads).toBe(reads);
  expect(reader.timeline(HOME, NOON)).toBe(reader.timeline(HOME, NOON));
});

describe("a home's snapshot", () => {
  test("a home's snapshot compares the price of thirty days with the prices before today", () => {
    expect(reader.snapshot(HOME, NOON).percentile30Days).toBe(0);
    expect(reader.snapshot(HOME, NOON + 45 * 60_000).percentile30Days).toBe(75);
  });

  test("a home's snapshot uses the configured thresholds", () => {
    expect(reader.snapshot(HOME, NOON).level).toBe("cheap");
    const strict = open({ thresholds: { veryCheap: 0.1, cheap: 0.2, normal: 1.15, expensive: 1.4 } });
    expect(strict.snapshot(HOME, NOON).level).toBe("normal");
  });

  test("a home's snapshot contains usage to date, and null for a series without a response", () => {
    const usage = reader.usage(HOME, NOON);
    expect(usage.consumption).toMatchObject({ unit: "kWh", yearToDate: { value: 68 * 12, days: 68 } });
    expect([usage.consumptionCosts, usage.solarExport, usage.solarExportRevenue]).toEqual([null, null, null]);
  });

  test("a home's snapshot contains null without stored prices", () => {
    store = new CountedStore();
    expect(open().snapshot(HOME, NOON)).toMatchObject({ currency: null, current: null });
  });
});

describe("the publication time of tomorrow's prices", () => {
  test("the publication time of tomorrow's prices stays the same during the day and after a restart", () => {
    expect(reader.snapshot(HOME, NOON).tomorrowPublishedAt).toBe(NOON);
    reader.changed(PRICES);
    expect(reader.snapshot(HOME, NOON + 60_000).tomorrowPublishedAt).toBe(NOON);
    expect(open().snapshot(HOME, NOON + 120_000).tomorrowPublishedAt).toBe(NOON);
  });

  test("the publication time of tomorrow's prices is null after midnight, until the next prices arrive", () => {
    reader.snapshot(HOME, NOON);
    const next = dayOf("2026-03-11").start;
    expect(reader.snapshot(HOME, next).tomorrowPublishedAt).toBeNull();
    store.put(
      PRICES,
      rowsOf(daysOf("2026-03-11", "2026-03-12"), "fifteenMinutes", () => ({ totalPricePerKWh: 1 })),
    );
    reader.changed(PRICES);
    expect(reader.snapshot(HOME, next + 50_000_000).tomorrowPublishedAt).toBe(next + 50_000_000);
  });
});
