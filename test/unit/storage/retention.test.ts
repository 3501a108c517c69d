import { statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Row, WHOLE } from "../../../src/core/series/series.ts";
import { DAY_MS, type EpochMs, formatInstant } from "../../../src/core/time/interval.ts";
import { RequestLog } from "../../../src/storage/request-log.ts";
import { deleteOld, historyStart } from "../../../src/storage/retention.ts";
import { SeriesStore } from "../../../src/storage/series/series-store.ts";
import { spendOf } from "../../support/storage/spend.ts";
import { calendar, dayOf, rowsOf, StoreOnDisk, seriesOf } from "../../support/storage/store-on-disk.ts";

const hours = seriesOf("hour");

type Parts = { readonly store: SeriesStore; readonly requestLog: RequestLog; readonly calendar: typeof calendar };

function partsOf(store: StoreOnDisk): Parts {
  return { store: new SeriesStore(store.database, calendar), requestLog: new RequestLog(store.database), calendar };
}

/** Records an attempt, with a response that contains the service's time. */
function attempt({ requestLog }: Parts, at: EpochMs, serverMs: EpochMs = at): void {
  requestLog.settle(requestLog.spend(spendOf({ at })), 200, null, serverMs);
  requestLog.flush();
}

function run(parts: Parts, years: number): { readonly chunks: number; readonly attempts: number } {
  const deleting = deleteOld(parts, years);
  for (let step = deleting.next(); ; step = deleting.next()) if (step.done) return step.value;
}

describe("data older than the configured retention", () => {
  const now = dayOf("2036-05-05").start;

  test("data older than the configured retention is deleted by whole years; newer data, latest responses and settings stay", () => {
    using disk = new StoreOnDisk();
    const parts = partsOf(disk);
    const { store } = parts;
    const storeDay = (date: string) => store.store(hours, dayOf(date), rowsOf("hour", dayOf(date)), {});
    for (const date of ["2025-12-30", "2025-12-31", "2026-01-01", "2036-05-04"]) storeDay(date);
    store.store(seriesOf("latest"), WHOLE, rowsOf("hour", dayOf("2020-01-01")), {});
    attempt(parts, now);
    expect(run(parts, 10)).toEqual({ chunks: 2, attempts: 0 });
    for (const restarted of [false, true]) {
      const known = restarted ? new SeriesStore(disk.reopen(), calendar) : store;
      expect(known.covers(hours, dayOf("2025-12-31"))).toBe(false);
      expect(known.covers(hours, dayOf("2026-01-01"))).toBe(true);
      expect(known.covers(hours, dayOf("2036-05-04"))).toBe(true);
      expect(known.latest(seriesOf("latest"))).toHaveLength(24);
    }
  });

  test("data older than the configured retention is deleted in small steps", () => {
    using disk = new StoreOnDisk();
    disk.database.exec("pragma synchronous = off");
    const parts = partsOf(disk);
    const range = { start: dayOf("2020-01-01").start, end: dayOf("2021-12-31").end };
    parts.store.store(hours, range, [], {});
    attempt(parts, now);
    expect([...deleteOld(parts, 10)]).toHaveLength(Math.ceil(731 / 200));
    expect(parts.store.covers(hours, dayOf("2021-12-31"))).toBe(false);
  });

  test("data older than the configured retention is determined by the service's time: a local clock in 2069 deletes nothing", () => {
    using disk = new StoreOnDisk();
    const parts = partsOf(disk);
    parts.store.store(hours, dayOf("2026-01-01"), [], {});
    expect(run(parts, 1)).toEqual({ chunks: 0, attempts: 0 });
    attempt(parts, Date.UTC(2069, 0, 1), dayOf("2026-05-05").start);
    expect(run(parts, 1)).toEqual({ chunks: 0, attempts: 0 });
    expect(parts.store.covers(hours, dayOf("2026-01-01"))).toBe(true);
  });

  test("data older than the configured retention is, in the request log, older than 90 days", () => {
    using disk = new StoreOnDisk();
    const parts = partsOf(disk);
    for (const daysAgo of [200, 91, 89, 0]) attempt(parts, now - daysAgo * DAY_MS);
    expect(run(parts, 10)).toEqual({ chunks: 0, attempts: 2 });
    expect(new RequestLog(disk.reopen()).recent("consumer", 10).map(({ at }) => at)).toEqual([now - 89 * DAY_MS, now]);
  });

  test("data older than the configured retention does not include an attempt recorded today with a clock of 1970", () => {
    using disk = new StoreOnDisk();
    const parts = partsOf(disk);
    attempt(parts, now - 91 * DAY_MS);
    attempt(parts, 0, now);
    parts.requestLog.spend(spendOf({ at: 0 }));
    expect(run(parts, 10).attempts).toBe(1);
    expect(parts.requestLog.recent("consumer", 10)).toHaveLength(2);
  });

  test("data older than the configured retention ends before the start of a local year", () => {
    expect(formatInstant(historyStart(now, 10, calendar))).toBe("2025-12-31T23:00:00Z");
    expect(formatInstant(historyStart(dayOf("2026-01-01").start, 1, calendar))).toBe("2024-12-31T23:00:00Z");
  });
});

test("old data is deleted so that the file of twelve years stops growing after the third, with two years kept", () => {
  using disk = new StoreOnDisk();
  disk.database.exec("pragma synchronous = off");
  const parts = partsOf(disk);
  const series = [seriesOf("fifteenMinutes"), hours, { ...hours, operation: "consumption" as const }];
  const sizes: number[] = [];
  let day = dayOf("2026-01-01");
  // Only every tenth day: the file is smaller, but grows in the same way.
  for (let year = 2026; year < 2038; day = calendar.day(day.end + 9 * DAY_MS)) {
    for (const key of series) {
      const rows = rowsOf("hour", day, (start) => Math.round(1e6 * Math.abs(Math.sin(start))) / 1e6);
      parts.store.store(key, day, rows as Row[], {});
      for (let i = 0; i < 24; i++) parts.requestLog.spend(spendOf({ at: day.end }));
    }
    if (calendar.dateOf(day.start) < `${year + 1}`) continue;
    year++;
    attempt(parts, day.end);
    run(parts, 2);
    disk.database.exec("pragma wal_checkpoint(truncate)");
    sizes.push(statSync(disk.path).size);
  }
  const settled = sizes.slice(3);
  expect(sizes).toHaveLength(12);
  expect(sizes[0]).toBeGreaterThan(50_000);
  expect(Math.max(...settled) / Math.min(...settled)).toBeLessThan(1.1);
});
