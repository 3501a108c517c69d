import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../../src/core/time/interval.ts";
import type { AnswerNotes } from "../../../../src/service/client/answer-notes.ts";
import { AdaptiveRateLimits, LearnedRateLimits } from "../../../../src/service/client/rate-limits.ts";
import type { WindowStanding } from "../../../../src/service/contract/quota-headers.ts";
import { ManualMachine } from "../../../support/clock/manual-machine.ts";

const NOON = Date.UTC(2026, 9, 25, 12);
const NEXT_DAY_SEC = Date.UTC(2026, 9, 26) / 1_000;

/** Returns a response with a day limit, `afterMs` after noon. */
function said(day: number | null, afterMs = 0, status = 200): AnswerNotes {
  const serverMs = NOON + afterMs;
  const standing = (limit: number, lengthMs: number): WindowStanding => {
    const resetSec = (Math.floor(serverMs / lengthMs) * lengthMs + lengthMs) / 1_000;
    return { limit, remaining: 1, resetSec };
  };
  const quota = day === null ? {} : { minute: standing(60, MINUTE_MS), day: standing(day, DAY_MS) };
  return { status, requestId: "id", quota, serverMs };
}

describe("the learned limits of the consumer interface", () => {
  function learned(machine = new ManualMachine()) {
    return new LearnedRateLimits("consumer", machine.memory, () => 2);
  }

  test("the learned limits of the consumer interface are 5 per minute and 50 per day before the first response", () => {
    expect(learned().limits(0)).toEqual({ minute: 5, day: 50 });
  });

  test("the learned limits of the consumer interface are raised 32 s after the window's reset", () => {
    const budget = learned();
    budget.learn(said(100), 0);
    budget.learn(said(2_000, 2_000), 2_000);
    const from = 12 * HOUR_MS + 32 * SECOND_MS;
    expect(budget.limits(from - 1).day).toBe(100);
    expect(budget.limits(from).day).toBe(2_000);
  });

  test("the learned limits of the consumer interface are accepted from a service whose clock was set back", () => {
    const budget = learned();
    budget.learn(said(2_000, 10 * HOUR_MS), 0);
    budget.learn(said(100), 1_000);
    expect(budget.limits(1_000).day).toBe(100);
  });

  test("survive a restart with a pending raise, which the first response in a later window confirms", () => {
    const machine = new ManualMachine();
    const before = learned(machine);
    before.learn(said(100), 0);
    before.learn(said(300, 2_000), 2_000);
    const after = learned(machine);
    expect(after.limits(30 * HOUR_MS).day).toBe(100);
    after.learn(said(300, 6 * HOUR_MS), 0);
    expect(after.limits(0).day).toBe(100);
    after.learn(said(300, 13 * HOUR_MS), 0);
    expect(after.limits(0).day).toBe(300);
  });

  test("without a Date header are raised after a whole window", () => {
    const budget = learned();
    budget.learn(said(100), 0);
    const day = { limit: 500, remaining: 1, resetSec: NEXT_DAY_SEC };
    budget.learn({ status: 200, requestId: null, quota: { day }, serverMs: null }, 1_000);
    expect(budget.limits(DAY_MS).day).toBe(100);
    expect(budget.limits(DAY_MS + 33 * SECOND_MS).day).toBe(500);
  });

  test.each(["", "{", "[]", "7", '{"day":{"limit":-3,"raise":null}}', '{"day":"x"}'])(
    "the learned limits of the consumer interface are the initial ones if the stored text is invalid: %s",
    (text) => {
      const machine = new ManualMachine();
      machine.keptTexts.set("limits/consumer", text);
      expect(learned(machine).limits(0)).toEqual({ minute: 5, day: 50 });
    },
  );
});

describe("the limits of the third-party interface, which are not published,", () => {
  function perDay(budget: AdaptiveRateLimits): number | undefined {
    return budget.budget().find(({ name }) => name === "day")?.limit;
  }

  /** Simulates hourly responses without a 429. Returns the time of the last. */
  function cleanHours(budget: AdaptiveRateLimits, hours: number, from = 0): number {
    for (let hour = 0; hour <= hours; hour++) budget.learn(said(null), from + hour * HOUR_MS);
    return from + hours * HOUR_MS;
  }

  test("the limits of the third-party interface, which are not published, are halved by a 429, to a minimum of four", () => {
    const budget = new AdaptiveRateLimits("third_party", new ManualMachine().memory);
    const halves = [1, 2, 3, 4, 5, 6, 7].map((i) => {
      budget.learn(said(null, 0, 429), i * HOUR_MS);
      return perDay(budget);
    });
    expect(halves).toEqual([50, 25, 12, 6, 4, 4, 4]);
  });

  test("the limits of the third-party interface, which are not published, are halved once by simultaneous requests", () => {
    const budget = new AdaptiveRateLimits("third_party", new ManualMachine().memory);
    for (const at of [0, 100, 20_000]) budget.learn(said(null, 0, 429), at);
    expect(perDay(budget)).toBe(50);
  });

  test("grow by 10 % after each day without a 429, up to 1,000", () => {
    const budget = new AdaptiveRateLimits("third_party", new ManualMachine().memory);
    cleanHours(budget, 24);
    expect(perDay(budget)).toBe(110);
    cleanHours(budget, 48, 24 * HOUR_MS);
    expect(perDay(budget)).toBe(133);
    cleanHours(budget, 24 * 60, 72 * HOUR_MS);
    expect(perDay(budget)).toBe(1_000);
  });

  test("recover a day after three 429s, even with few responses", () => {
    const budget = new AdaptiveRateLimits("third_party", new ManualMachine().memory);
    const limited = 14 * HOUR_MS;
    for (const at of [10, 12, 14]) budget.learn(said(null, 0, 429), at * HOUR_MS);
    expect(perDay(budget)).toBe(12);
    // Daily request at 05:10, and the request for tomorrow's prices.
    for (const at of [29.2, 37]) budget.learn(said(null), at * HOUR_MS);
    const dayAt = (now: number) => budget.budget(now).find(({ name }) => name === "day")?.limit;
    expect([dayAt(limited + DAY_MS - 1), dayAt(limited + DAY_MS)]).toEqual([12, 100]);
    expect(budget.shortage()).toBe(null);
  });

  test("are too low for a hundred places, also without a 429", () => {
    expect(new AdaptiveRateLimits("third_party", new ManualMachine().memory, 100).shortage()).not.toBe(null);
    expect(new AdaptiveRateLimits("third_party", new ManualMachine().memory, 1).shortage()).toBe(null);
  });

  test("the limits of the third-party interface, which are not published, do not grow without responses", () => {
    const budget = new AdaptiveRateLimits("third_party", new ManualMachine().memory);
    budget.learn(said(null, 0, 429), 0);
    expect(budget.budget(3 * DAY_MS).find(({ name }) => name === "day")?.limit).toBe(50);
    budget.learn(said(null), 7 * DAY_MS);
    expect(perDay(budget)).toBe(50);
  });

  test("restart the day without a 429 after a 429", () => {
    const budget = new AdaptiveRateLimits("third_party", new ManualMachine().memory);
    const at = cleanHours(budget, 23);
    budget.learn(said(null, 0, 429), at + 1);
    cleanHours(budget, 23, at + 2);
    expect(perDay(budget)).toBe(50);
  });

  test("survive a restart together with the hours without a 429", () => {
    const machine = new ManualMachine();
    const first = new AdaptiveRateLimits("third_party", machine.memory);
    first.learn(said(null, 0, 429), 0);
    cleanHours(first, 20, HOUR_MS);
    const second = new AdaptiveRateLimits("third_party", machine.memory);
    expect(perDay(second)).toBe(50);
    cleanHours(second, 4);
    expect(perDay(second)).toBe(100);
  });

  test.each(["", "x", "{}", "[1e9]", "[-4,0]"])("stored with an invalid value (%s) stay within bounds", (text) => {
    const machine = new ManualMachine();
    machine.keptTexts.set("per-day/third_party", text);
    const found = perDay(new AdaptiveRateLimits("third_party", machine.memory)) ?? 0;
    expect(found).toBeGreaterThanOrEqual(4);
    expect(found).toBeLessThanOrEqual(1_000);
  });
});
