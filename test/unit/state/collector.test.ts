import { describe, expect, test } from "vitest";
import { type SeriesKey, WHOLE } from "../../../src/core/series/series.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/core/time/interval.ts";
import type { AccountReply } from "../../../src/service/client/account.ts";
import { Flights } from "../../../src/service/client/flights.ts";
import type { OperationId } from "../../../src/service/contract/operations.ts";
import { consumerTargets } from "../../../src/service/contract/polled-series.ts";
import { Collector, type CollectorDeps } from "../../../src/state/collector.ts";
import { SingleLoopClock } from "../../support/clock/single-loop-clock.ts";
import { refused, unreachable } from "../../support/service/fetch-failures.ts";
import { calendar, local } from "../../support/service/fetch-schedule-model.ts";

type Reply = AccountReply<OperationId>;

const START = local("2026-03-10 09:00");
const COUNTS: SeriesKey = { account: "third_party", place: "{}", operation: "requestCounts", unit: "latest" };
const answered: Reply = { kind: "ok", body: [{ date: "2026-03-10", requestCount: 1 }], requestId: "id" };

/**
 * Returns a collector of one series with a daily request at 05:10. `replies` are used in order; the last one repeats.
 */
function collecting(
  replies: readonly (Reply | (() => Reply))[],
  strays: readonly number[] = [0],
  flights = new Flights(),
) {
  const clock = new SingleLoopClock(START);
  const asked: string[] = [];
  const kept: unknown[] = [];
  const log: string[] = [];
  const changes: SeriesKey[] = [];
  const world = { answeredAt: null as number | null, notBefore: 0, changed: true };
  const note = (level: string) => (facts: object, text: string) =>
    void log.push(`${level}: ${text} ${JSON.stringify(facts)}`);
  const account: CollectorDeps["account"] = {
    flights,
    notBefore: () => world.notBefore,
    rest: () => Number.POSITIVE_INFINITY,
    async ask<Id extends OperationId>() {
      asked.push(new Date(clock.now()).toISOString().slice(11, 19));
      await Promise.resolve();
      const reply = replies[Math.min(asked.length, replies.length) - 1] ?? answered;
      return (typeof reply === "function" ? reply() : reply) as AccountReply<Id>;
    },
  };
  const repository: CollectorDeps["repository"] = {
    stateOf: () => ({ answeredAt: world.answeredAt, askedAt: () => null, chunk: () => null, newestGap: () => null }),
    idOf: () => 1,
    withStored: (_series, rows) => rows,
    doubtAddresses: () => undefined,
    keep: async (series, range, { rows, envelope, at, isWhole }) => {
      kept.push({ series, range, rows, envelope, isWhole });
      world.answeredAt = at;
      return { changed: world.changed, strayRows: strays[Math.min(kept.length, strays.length) - 1] ?? 0 };
    },
    noteAnswered: (_series, at) => {
      world.answeredAt = at;
    },
  };
  const collector = new Collector({
    ...{ account, repository, targets: () => [], calendar, clock, offsetMs: 0 },
    accountTargets: () => [{ series: COUNTS, poll: "daily", reaches: null }],
    historyFrom: (now) => now,
    onChange: (series) => void changes.push(series),
    log: { debug: () => undefined, info: note("info"), warn: note("warn") },
  });
  const stop = new AbortController();
  return {
    clock,
    collector,
    account,
    repository,
    asked,
    kept,
    log,
    changes,
    world,
    stop,
    ended: collector.run(stop.signal),
  };
}

describe("a response", () => {
  test("a response is stored with its whole range, announced, and not requested again before its time", async () => {
    const it = collecting([answered]);
    await it.clock.runUntil(START + 24 * HOUR_MS);
    expect(it.asked).toEqual(["08:00:00", "04:10:00"]);
    expect(it.kept[0]).toEqual({
      series: COUNTS,
      range: WHOLE,
      rows: [{ date: "2026-03-10", requestCount: 1 }],
      envelope: {},
      isWhole: true,
    });
    expect(it.changes).toEqual([COUNTS, COUNTS]);
  });

  test("of which a part cannot be read is stored as one that is not whole", async () => {
    const it = collecting([{ ...answered, dropped: { count: 1, ids: [], why: "row 1: expected object" } }]);
    await it.clock.runUntil(START + HOUR_MS);
    expect(it.kept).toMatchObject([{ isWhole: false }]);
  });

  test("without changes is not announced", async () => {
    const it = collecting([answered]);
    it.world.changed = false;
    await it.clock.runUntil(START + HOUR_MS);
    expect([it.kept.length, it.changes]).toEqual([1, []]);
  });

  test("with rows outside the range is logged when that starts and when it ends", async () => {
    const it = collecting([answered], [2, 2, 5, 0, 0, 1]);
    await it.clock.runUntil(START + 5 * 24 * HOUR_MS);
    expect(it.asked).toHaveLength(6);
    expect(it.log).toEqual([
      expect.stringMatching(/^warn: the service returned rows outside the requested range.*"rows":2/),
      expect.stringMatching(/^info: the service no longer returns rows outside/),
      expect.stringMatching(/^warn: the service returned rows outside the requested range.*"rows":1/),
    ]);
    expect(it.log[0]).toContain("requestCounts");
  });
});

describe("a LAN request in flight", () => {
  const range = { start: START - HOUR_MS, end: START + HOUR_MS };
  const prices: SeriesKey = { ...COUNTS, operation: "prices", unit: "hour" };

  test("for the same data is awaited, and its data is not requested again", async () => {
    const flights = new Flights();
    const lan = Promise.withResolvers<void>();
    void flights.run(COUNTS, null, () => lan.promise);
    const it = collecting([answered], [0], flights);
    await it.clock.runUntil(START + MINUTE_MS);
    expect(it.asked).toEqual([]);
    it.world.answeredAt = it.clock.now();
    lan.resolve();
    await it.clock.runUntil(START + HOUR_MS);
    expect(it.asked).toEqual([]);
  });

  test("that fails is followed by the scheduled request", async () => {
    const flights = new Flights();
    const lan = Promise.withResolvers<void>();
    flights.run(COUNTS, null, () => lan.promise).catch(() => undefined);
    const it = collecting([answered], [0], flights);
    lan.reject(new Error("lost"));
    await it.clock.runUntil(START + MINUTE_MS);
    expect(it.asked).toHaveLength(1);
  });

  test("a LAN request in flight overlaps if the series is the same and the ranges intersect", async () => {
    const flights = new Flights();
    const flight = Promise.withResolvers<void>();
    const ended = flights.run(prices, range, () => flight.promise);
    const shares = (series: SeriesKey, from: number, to: number) =>
      flights.overlapping(series, { start: START + from * HOUR_MS, end: START + to * HOUR_MS }) !== null;
    expect([shares(prices, 0, 5), shares(prices, -5, 0), shares(prices, 1, 2), shares(prices, -2, -1)]).toEqual([
      ...[true, true, false, false],
    ]);
    expect(shares({ ...prices, unit: "fifteenMinutes" }, 0, 1)).toBe(false);
    flight.resolve();
    await ended;
    expect(shares(prices, 0, 1)).toBe(false);
  });
});

describe("a request without a response", () => {
  test("that is deferred is repeated at the given time", async () => {
    const until = START + 7 * MINUTE_MS;
    const it = collecting([{ kind: "deferred", until, why: "quota", after: null }, answered]);
    await it.clock.runUntil(START + HOUR_MS);
    expect(it.asked).toEqual(["08:00:00", "08:07:00"]);
  });

  test("that is deferred to a past time is repeated after one second", async () => {
    const it = collecting([{ kind: "deferred", until: START - HOUR_MS, why: "quota", after: null }]);
    await it.clock.runUntil(START + 3 * SECOND_MS);
    expect(it.asked).toEqual(["08:00:00", "08:00:01", "08:00:02", "08:00:03"]);
  });

  test.each([unreachable(), refused(503, null), refused(500, "internal_error")])(
    "that failed is repeated at the time of the error policy: %o",
    async (failure) => {
      const it = collecting([
        () => {
          it.world.notBefore = START + 2 * MINUTE_MS;
          return { ...failure, settled: false };
        },
        answered,
      ]);
      await it.clock.runUntil(START + HOUR_MS);
      expect(it.asked).toEqual(["08:00:00", "08:02:00"]);
    },
  );

  test("that is settled waits for its next regular time", async () => {
    const it = collecting([{ ...refused(500, "internal_error"), settled: true }, answered]);
    await it.clock.runUntil(START + 24 * HOUR_MS);
    expect(it.asked).toEqual(["08:00:00", "04:10:00"]);
    expect(it.kept).toHaveLength(1);
  });

  test("a request without a response is repeated at most once per second, also with a permanent failure and no back-off", async () => {
    const it = collecting([{ ...unreachable(), settled: false }]);
    await it.clock.runUntil(START + MINUTE_MS);
    expect(it.asked.length).toBeLessThanOrEqual(61);
  });
});

describe("the collector", () => {
  test("when woken checks the schedule, and sends only requests that are due", async () => {
    const it = collecting([answered]);
    await it.clock.runUntil(START + HOUR_MS);
    it.collector.wake();
    await it.clock.runUntil(START + 2 * HOUR_MS);
    expect(it.asked).toHaveLength(1);
    it.world.answeredAt = null;
    it.collector.wake();
    await it.clock.runUntil(START + 2 * HOUR_MS + 1);
    expect(it.asked).toHaveLength(2);
  });

  test("the collector checks the schedule at least every hour", async () => {
    const it = collecting([answered]);
    await it.clock.runUntil(START + 90 * MINUTE_MS);
    it.world.answeredAt = null;
    await it.clock.runUntil(START + 150 * MINUTE_MS);
    expect(it.asked).toHaveLength(2);
  });

  test("the collector ends when stopped, while it sleeps and while it sends", async () => {
    const sleeping = collecting([answered]);
    await sleeping.clock.runUntil(START + HOUR_MS);
    sleeping.stop.abort();
    await sleeping.ended;

    const busy = collecting([
      () => {
        busy.stop.abort();
        return { ...unreachable(), settled: false };
      },
    ]);
    await busy.ended;
    expect(busy.asked).toHaveLength(1);
  });

  test("the collector passes the request of the schedule on unchanged", async () => {
    const requests: unknown[] = [];
    const it = collecting([answered]);
    const stop = new AbortController();
    const other = new Collector({
      ...{ calendar, clock: it.clock, offsetMs: 0, targets: () => [], repository: it.repository },
      accountTargets: () => consumerTargets("consumer"),
      account: {
        ...it.account,
        ask: (request) => {
          requests.push(request);
          stop.abort();
          return Promise.resolve({ ...unreachable(), settled: false });
        },
      },
      historyFrom: (now) => now,
      onChange: () => undefined,
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
    });
    await other.run(stop.signal);
    expect(requests).toEqual([{ operation: "addresses", params: {}, share: "prices", seriesId: 1, range: null }]);
    it.stop.abort();
  });
});
