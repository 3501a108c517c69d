/**
 * Tests the rate limiter against a strict model of the service. With any faults of process, machine, clocks and
 * requests, no fixed window of the service is exceeded.
 *
 * Runs 300 random sequences in `npm test` and 200,000 with ELBRO_NIGHTLY=1.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { consumerRateLimits, type Share, shares } from "../../../../src/core/fetching/rate-limit.ts";
import { openDatabase } from "../../../../src/storage/database.ts";
import {
  type Action,
  AT_ONCE,
  INSTALLATIONS,
  live,
  quietSchedules,
  type Schedule,
  schedules,
  sharedSchedules,
} from "../../../support/service/quota-schedules.ts";
import { RateLimiterModel, Timeline } from "../../../support/service/rate-limiter-model.ts";
import { type Limits, StrictService } from "../../../support/service/strict-service.ts";

const NIGHTLY = process.env.ELBRO_NIGHTLY === "1";
const LIVES = NIGHTLY ? 200_000 : 300;
/** Time after which all limits and windows have expired. */
const IDLE_DAY_MS = 25 * 3_600_000;

const MIDNIGHT = Date.UTC(2026, 9, 25);
const PRICES = { do: "burst", share: "prices", count: 1, passage: AT_ONCE } as const;
const PRESS = { do: "pressAcross", window: "minute", beforeMs: 0, passage: AT_ONCE } as const;

function alone(startAt: number, minute: number, actions: readonly Action[]): Schedule {
  return { limits: { minute, day: 50 }, startAt, steps: actions.map((action) => ({ who: 0, action })) };
}

/** Attempts of the day before a suspension count longer in the log than at the service, and hide those of others. */
const AFTER_SLEEP = alone(MIDNIGHT + 8_580_000, 5, [
  PRESS,
  PRESS,
  { do: "configure", limits: { minute: 12, day: 24 } },
  { do: "sleep", ms: 77_697_647 },
  { do: "sleep", ms: 598 },
  { do: "others", count: 16 },
  { ...PRESS, beforeMs: 12_756, passage: { ...AT_ONCE, upMs: 12_756 } },
  PRICES,
]);

/** A lowered limit that others have used up reports as many used requests as the report before. */
const LOWERED = alone(MIDNIGHT, 5, [
  PRESS,
  { do: "others", count: 15 },
  { ...PRICES, passage: { ...AT_ONCE, upMs: 1 } },
  { do: "waitUntilAllowed", share: "prices", extraMs: 0 },
  { do: "configure", limits: { minute: 1, day: 24 } },
  { do: "waitUntilAllowed", share: "lan", extraMs: 0 },
  PRICES,
  { do: "nearReset", window: "minute", beforeMs: 0 },
]);

/** The response with the lower limit arrives after a later response. `others`: requests of other programs. */
function overtaken(others: number): Schedule {
  return alone(MIDNIGHT, 12, [
    PRESS,
    { do: "wait", ms: 1 },
    { do: "others", count: others },
    { do: "configure", limits: { minute: 1, day: 24 + others } },
    { ...PRICES, passage: { ...AT_ONCE, downMs: 1_500 } },
    { do: "wait", ms: 1 },
    { do: "configure", limits: { minute: 1, day: 25 + others } },
    { ...PRICES, passage: { ...AT_ONCE, upMs: 1_000 } },
    { do: "wait", ms: 200_000 },
    { ...PRICES, passage: { ...AT_ONCE, fate: "lost" } },
    PRESS,
  ]);
}

/** A crash loses that the newest attempt was given back, so the time since it counts and not since the one before. */
const GIVEN_BACK = alone(MIDNIGHT, 44, [
  { ...PRESS, passage: { ...AT_ONCE, fate: "unsent" } },
  { do: "crash", downMs: 0 },
  { do: "wait", ms: 32_001 },
  { ...PRICES, passage: { ...AT_ONCE, fate: "givenBack" } },
  { do: "wait", ms: 0 },
  { do: "spendAndDie", share: "lan" },
  { do: "waitUntilAllowed", share: "backfill", extraMs: 0 },
  { ...PRICES, share: "backfill" },
]);

/** Installations of a key with 5 requests a minute. Shape: who does what. */
function shared(startAt: number, steps: readonly (readonly [who: number, action: Action])[]): Schedule {
  return { limits: { minute: 5, day: 50 }, startAt, steps: steps.map(([who, action]) => ({ who, action })) };
}

const inSeries = (count: number) => ({ do: "series", share: "prices", count }) as const;

/** Only a late response on the minute that has ended shows the other installation. */
const LATE_SIGN = shared(MIDNIGHT - 1, [
  [1, inSeries(1)],
  [0, inSeries(1)],
  [1, { ...PRICES, passage: { ...AT_ONCE, downMs: 2 } }],
  [0, { do: "wait", ms: 1 }],
  [1, inSeries(1)],
  [0, { do: "wait", ms: 2 }],
  [1, { ...PRICES, count: 2, passage: { ...AT_ONCE, upMs: 1 } }],
  [0, inSeries(4)],
]);

/** The crash loses when the service counted the fifth request, which may after the suspension be one of the new day. */
const FORGOTTEN_ANSWER = shared(MIDNIGHT - 33_000, [
  [0, inSeries(5)],
  [0, { do: "crash", downMs: 0 }],
  [0, { do: "sleep", ms: 2_999 }],
  [1, PRICES],
  [0, { do: "waitUntilAllowed", share: "prices", extraMs: 0 }],
  [0, inSeries(1)],
  [0, { do: "wait", ms: 1 }],
  [0, { ...PRICES, count: 2, passage: { ...AT_ONCE, upMs: 1 } }],
  [1, inSeries(4)],
]);

/** Part of a day's quota that each installation with a shared key keeps for prices. */
const RESERVE = 3;

/** Databases of the installations, for all sequences. Each sequence starts with empty request logs. */
const databases = Array.from({ length: INSTALLATIONS }, () => openDatabase(":memory:"));

function lived({ limits, startAt, steps }: Schedule, installations = 1, reserve = 0): RateLimiterModel[] {
  const service = new StrictService(limits, reserve);
  const time = new Timeline(startAt);
  const worlds = databases.slice(0, installations).map((database, i) => {
    database.exec("delete from attempt");
    return new RateLimiterModel({ database, account: `installation ${i}`, service, time, reserve });
  });
  live(worlds, steps);
  return worlds;
}

/** Expects that every share of every installation may send a request after an idle day. */
function expectFree(worlds: readonly RateLimiterModel[]): void {
  worlds[0]?.advance(IDLE_DAY_MS);
  for (const world of worlds) for (const share of shares) expect(world.earliest(share), share).toBe(world.monotonicMs);
}

/** Returns true if a share is used up in the last minute or day, each plus the maximum duration of a request. */
function usedUp(world: RateLimiterModel, share: Share, limits: Limits): boolean {
  return consumerRateLimits(limits, 1).some((window) => {
    const used = (...counted: Share[]) =>
      world.spends.filter(({ share: by, at }) => counted.includes(by) && at > world.now - window.lengthMs).length;
    if (used(...shares) >= window.limit) return true;
    if (share === "prices") return false;
    if (share === "lan") return used("lan") >= window.shares.lan;
    const polled = used("poll", "backfill") >= window.shares.poll;
    return polled || (share === "backfill" && used("backfill") >= window.shares.backfill);
  });
}

describe("the rate limiter in a model with faults", () => {
  test(`exceeds no window of the service in ${LIVES} sequences, and grants every share a permit after an idle day`, () => {
    let granted = 0;
    fc.assert(
      fc.property(schedules, (schedule) => {
        const worlds = lived(schedule);
        granted += worlds.flatMap(({ spends }) => spends).length;
        expect(worlds[0]?.service.violations).toEqual([]);
        expectFree(worlds);
      }),
      { numRuns: LIVES, examples: [[AFTER_SLEEP], [LOWERED], [overtaken(0)], [overtaken(10)], [GIVEN_BACK]] },
    );
    expect(granted / LIVES, "a life without requests proves nothing").toBeGreaterThan(20);
  });

  test(`two installations with one key have at most one denial in a window each, and leave ${RESERVE} to prices`, () => {
    let denials = 0;
    fc.assert(
      fc.property(sharedSchedules, (schedule) => {
        const worlds = lived(schedule, INSTALLATIONS, RESERVE);
        denials += worlds[0]?.service.denials ?? 0;
        expect(worlds[0]?.service.violations).toEqual([]);
        expectFree(worlds);
      }),
      { numRuns: LIVES, examples: [[LATE_SIGN], [FORGOTTEN_ANSWER]] },
    );
    expect(denials, "a key of which enough is left proves nothing").toBeGreaterThan(0);
  });

  test("the rate limiter in a model with faults defers a share only if its own part is used up", () => {
    fc.assert(
      fc.property(quietSchedules, fc.constantFrom(...shares), (schedule, share) => {
        const [world] = lived(schedule);
        if (!world?.heardFrom || world.earliest(share) <= world.monotonicMs) return;
        expect(usedUp(world, share, schedule.limits), share).toBe(true);
      }),
      { numRuns: LIVES },
    );
  });
});
