import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EpochMs } from "../../../src/core/time/interval.ts";
import { transaction } from "../../../src/storage/database.ts";
import { AnsweredTimes, RequestLog, SIGN_ATTEMPTS } from "../../../src/storage/request-log.ts";
import { SeriesStore } from "../../../src/storage/series/series-store.ts";
import { Child } from "../../support/processes/child.ts";
import { spendOf } from "../../support/storage/spend.ts";
import { calendar, dayOf, StoreOnDisk, seriesOf } from "../../support/storage/store-on-disk.ts";

const today = dayOf("2026-02-01");
const yesterday = dayOf("2026-01-31");

function rowsIn(store: StoreOnDisk): Record<string, unknown>[] {
  return store.database.prepare("select * from attempt order by id").all();
}

describe("a recorded attempt", () => {
  test("a recorded attempt exists after SIGKILL if `spend` returned", async () => {
    using store = new StoreOnDisk();
    store.database.close();
    const child = new Child("spend.ts", store.path);
    await child.said(25);
    await child.kill();
    store.reopen();
    const spent = child.lines.map(Number);
    const stored = rowsIn(store).map((row) => row.id);
    expect(spent.length).toBeGreaterThanOrEqual(25);
    expect(stored.slice(0, spent.length)).toEqual(spent);
    expect(stored.length).toBeLessThanOrEqual(spent.length + 1);
  });

  test("a recorded attempt is found by any start time with its result, for any clock changes", () => {
    const instant = fc.integer({ min: 0, max: 20 });
    const step = fc.record({ at: instant, share: fc.constantFrom("poll" as const, "lan" as const), since: instant });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        using store = new StoreOnDisk();
        const requestLog = new RequestLog(store.database);
        const made: { at: number; share: string; status: number | null }[] = [];
        for (const { at, share, since } of steps) {
          const status = at % 3 === 0 ? null : 200 + at;
          const id = requestLog.spend(spendOf({ at, share }));
          if (status !== null) requestLog.settle(id, status, null, null);
          made.push({ at, share, status });
          const found = made.filter((each) => each.at >= since).map(({ at: _at, ...rest }) => rest);
          expect(requestLog.spentSince("consumer", since).toReversed()).toEqual(found);
          expect(requestLog.countSince("consumer", since)).toBe(found.length);
          expect(requestLog.spentSince("second", since)).toEqual([]);
        }
      }),
      { numRuns: 30 },
    );
  });

  test("a recorded attempt is returned to the rate limiter: the newest of its account, oldest first, with its share", () => {
    using store = new StoreOnDisk();
    const requestLog = new RequestLog(store.database);
    for (const [i, share] of (["poll", "lan", "backfill", "poll"] as const).entries())
      requestLog.spend(spendOf({ share, at: 100 + i, serverMs: i === 1 ? 5 : null }));
    requestLog.spend(spendOf({ account: "second" }));
    const recent = new RequestLog(store.reopen()).recent("consumer", 3);
    expect(recent.map(({ share, at, serverMs }) => [share, at, serverMs])).toEqual([
      ["lan", 101, 5],
      ["backfill", 102, null],
      ["poll", 103, null],
    ]);
  });
});

describe("the result of an attempt", () => {
  test("the result of an attempt is written to disk with the next attempt", () => {
    using store = new StoreOnDisk();
    const requestLog = new RequestLog(store.database);
    const id = requestLog.spend(spendOf({ serverMs: 3 }));
    requestLog.settle(id, 429, "request", null);
    expect(rowsIn(store)[0]).toMatchObject({ status: null });
    requestLog.spend(spendOf({}));
    store.reopen();
    expect(rowsIn(store)[0]).toMatchObject({ id, status: 429, request_id: "request", server_ms: 3 });
  });

  test("an attempt at the start of a counted day belongs to it, one before does not", () => {
    using store = new StoreOnDisk();
    const requestLog = new RequestLog(store.database);
    expect(requestLog.countSince("consumer", 1_000)).toBe(0);
    for (const at of [999, 1_000, 1_001]) requestLog.spend(spendOf({ at }));
    expect(requestLog.countSince("consumer", 1_000)).toBe(2);
  });

  test("the result of an attempt contains the service's time; the latest one is known after a restart", () => {
    using store = new StoreOnDisk();
    const requestLog = new RequestLog(store.database);
    expect(requestLog.serverTime()).toBeNull();
    requestLog.settle(requestLog.spend(spendOf({ serverMs: 900 })), 200, null, 1_000.5);
    requestLog.settle(requestLog.spend(spendOf({ serverMs: 5_000 })), 0, null, null);
    requestLog.flush();
    expect(new RequestLog(store.reopen()).serverTime()).toBe(1_001);
  });

  test("the result of an attempt is lost with its attempt in a rolled-back transaction", () => {
    using store = new StoreOnDisk();
    const requestLog = new RequestLog(store.database);
    const id = requestLog.spend(spendOf({}));
    requestLog.settle(id, 200, null, null);
    expect(() =>
      transaction(store.database, () => {
        requestLog.flush();
        throw new Error("the disk is full");
      }),
    ).toThrow("the disk is full");
    expect(rowsIn(store)[0]).toMatchObject({ id, status: null });
  });
});

describe("the time of a response", () => {
  test("the time of a response counts from when its rows are stored, not from its status", () => {
    using store = new StoreOnDisk();
    const seriesId = new SeriesStore(store.database, calendar).idOf(seriesOf("hour"));
    const requestLog = new RequestLog(store.database);
    requestLog.settle(requestLog.spend(spendOf({ seriesId, range: today })), 200, null, null);
    requestLog.spend(spendOf({}));
    expect(requestLog.answeredAt(seriesId)).toBeNull();
    expect(new RequestLog(store.reopen()).answeredAt(seriesId)).toBeNull();
  });

  test("the time of a response is known per chunk, also after a restart", () => {
    using store = new StoreOnDisk();
    const seriesId = new SeriesStore(store.database, calendar).idOf(seriesOf("hour"));
    const requestLog = new RequestLog(store.database);
    const answer = (range: typeof today, at: EpochMs) => {
      requestLog.spend(spendOf({ seriesId, range }));
      requestLog.writeAnswered(seriesId, range, at);
      requestLog.noteAnswered(seriesId, range, at);
    };
    answer({ start: yesterday.start, end: today.end }, 10);
    answer(today, 20);
    for (const known of [requestLog, new RequestLog(store.reopen())]) {
      expect(known.answeredAt(seriesId)).toBe(20);
      expect(known.chunkAnsweredAt(seriesId, today.start)).toBe(20);
      expect(known.chunkAnsweredAt(seriesId, yesterday.start)).toBe(10);
      expect(known.chunkAnsweredAt(seriesId, today.end)).toBeNull();
      expect(known.chunkAnsweredAt(seriesId + 1, today.start)).toBeNull();
    }
  });

  test("the time of a response is read in steps after a start; a request before the last step gets the same time", () => {
    using store = new StoreOnDisk();
    const seriesId = new SeriesStore(store.database, calendar).idOf(seriesOf("hour"));
    const requestLog = new RequestLog(store.database);
    const first = requestLog.spend(spendOf({ seriesId, range: yesterday }));
    requestLog.writeAnswered(seriesId, yesterday, 10);
    // As if others had used the ids in between.
    store.database.exec(`update attempt set id = ${first + 10_000} where id = ${first}; ${SIGN_ATTEMPTS}`);
    for (const at of [20, 30]) {
      requestLog.spend(spendOf({ seriesId, range: today }));
      requestLog.writeAnswered(seriesId, today, at);
    }
    store.database.exec(`update attempt set id = 1 where answered_ms = 20; ${SIGN_ATTEMPTS}`);
    const timesOf = (known: RequestLog) => [
      known.answeredAt(seriesId),
      known.chunkAnsweredAt(seriesId, today.start),
      known.chunkAnsweredAt(seriesId, yesterday.start),
    ];
    const inSteps = new RequestLog(store.reopen());
    const steps = [...inSteps.reading()].length;
    expect(steps).toBeGreaterThan(3);
    expect([...inSteps.reading()]).toEqual([]);
    expect(timesOf(inSteps)).toEqual([30, 30, 10]);
    const early = new RequestLog(store.database);
    early.reading().next();
    expect(timesOf(early)).toEqual([30, 30, 10]);
    expect([...early.reading()]).toEqual([]);
  });

  test("the time of a response counts for the schedule but for no chunk if it contained no data", () => {
    using store = new StoreOnDisk();
    const requestLog = new RequestLog(store.database);
    requestLog.noteSettled(1, 30);
    expect(requestLog.answeredAt(1)).toBe(30);
    expect(requestLog.chunkAnsweredAt(1, 0)).toBeNull();
  });

  test("the time of a response is that of the latest of overlapping responses, as in a linear search", () => {
    const interval = fc
      .tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 1, max: 6 }))
      .map(([start, length]) => ({ start, end: start + length }));
    const answers = fc.array(fc.tuple(fc.option(interval, { freq: 6 }), fc.integer({ min: 0, max: 100 })));
    fc.assert(
      fc.property(answers, (notes) => {
        const times = new AnsweredTimes();
        for (const [range, at] of notes) times.note(range, at);
        for (let instant = -1; instant < 20; instant++) {
          const last = notes.findLast(([range]) => !range || (range.start <= instant && instant < range.end));
          expect(times.at(instant)).toBe(last?.[1] ?? null);
        }
        expect(times.newest).toBe(notes.at(-1)?.[1] ?? null);
      }),
      { numRuns: 1_000 },
    );
  });
});
