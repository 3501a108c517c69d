import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FetchFailure } from "../../../../src/core/fetching/fetch-outcome.ts";
import { breakerWaitMs, judge } from "../../../../src/core/fetching/retry-policy.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../../src/core/time/interval.ts";
import { malformed, refused, unreachable, unsent } from "../../../support/service/fetch-failures.ts";
import { allTexts } from "../../../support/sources/all-texts.ts";

const least = () => 0;
const most = () => 1;

/** Returns the waits of a failure for each streak, with the lowest and highest random number. */
function waits(failure: FetchFailure, streaks: readonly number[]): readonly (readonly [number, number])[] {
  return streaks.map((streak) => [judge(failure, streak, least).waitMs, judge(failure, streak, most).waitMs]);
}

describe("judge", () => {
  test.each([
    ["400", refused(400, "invalid_range"), 0, "request", "bad_request", DAY_MS],
    ["401 invalid_token", refused(401, "invalid_token"), 0, "account", "invalid_token", 2 * MINUTE_MS],
    ["401 confirmed", refused(401, "invalid_token"), 1, "account", "invalid_token", 6 * HOUR_MS],
    ["401 ever after", refused(401, "invalid_token"), 40, "account", "invalid_token", 6 * HOUR_MS],
    ["401 without a code", refused(401, null), 0, "account", "invalid_token", 2 * MINUTE_MS],
    ["401 credential_expired", refused(401, "credential_expired"), 0, "account", "credential_expired", DAY_MS],
    ["403 plus_required", refused(403, "plus_required"), 0, "account", "plus_required", HOUR_MS],
    ["403 forbidden", refused(403, "forbidden"), 0, "series", "forbidden", DAY_MS],
    ["403 without a code", refused(403, null), 0, "series", "forbidden", DAY_MS],
    ["404 first", refused(404, "resource_not_found"), 0, "series", "address_gone", 2 * HOUR_MS],
    ["404 second", refused(404, "resource_not_found"), 1, "series", "address_gone", 2 * HOUR_MS],
    ["404 third in a day", refused(404, "resource_not_found"), 2, "place", "address_gone", DAY_MS],
    ["422", refused(422, "feature_unavailable"), 0, "series", null, DAY_MS],
  ] as const)("judge decides on scope, problem and wait for %s", (_, failure, streak, scope, problem, waitMs) => {
    const verdict = { scope, waitMs, problem, trouble: false, settled: false };
    expect(judge(failure, streak, least)).toEqual(verdict);
    expect(judge(failure, streak, most)).toEqual(verdict);
  });

  test.each([
    ["502", refused(502, "upstream_unavailable"), "series", "service_trouble", 2 * MINUTE_MS, 30 * MINUTE_MS],
    ["503", refused(503, "entitlement_unavailable"), "account", "service_trouble", 5 * MINUTE_MS, 30 * MINUTE_MS],
    ["302", refused(302, null), "series", "service_trouble", 2 * MINUTE_MS, 30 * MINUTE_MS],
    ["418", refused(418, null), "series", "service_trouble", 2 * MINUTE_MS, 30 * MINUTE_MS],
    ["an answer that does not fit", malformed(), "series", "malformed", 2 * MINUTE_MS, 30 * MINUTE_MS],
    ["no answer", unreachable(), "account", "unreachable", 15 * SECOND_MS, 5 * MINUTE_MS],
  ] as const)(
    "judge waits after %s with exponential back-off and full jitter",
    (_, failure, scope, problem, firstMs, longestMs) => {
      for (const streak of [0, 1, 2, 3, 4, 5, 50, 1_000]) {
        const longest = Math.min(longestMs, firstMs * 2 ** streak);
        expect(judge(failure, streak, most)).toMatchObject({ scope, problem, waitMs: longest, trouble: true });
        expect(judge(failure, streak, least).waitMs).toBe(SECOND_MS);
        expect(judge(failure, streak, () => 0.5).waitMs).toBe(longest / 2);
      }
    },
  );

  test("judge retries a 500 twice after 30 to 120 s, then waits for the next regular time, and repeats", () => {
    const verdicts = [0, 1, 2, 3, 4, 5].map((streak) => judge(refused(500, "internal_error"), streak, least));
    expect(verdicts.map(({ settled }) => settled)).toEqual([false, false, true, false, false, true]);
    expect(waits(refused(500, "internal_error"), [0, 1, 7])).toEqual(Array(3).fill([30 * SECOND_MS, 120 * SECOND_MS]));
    expect(verdicts[0]).toMatchObject({ scope: "series", trouble: true, problem: "service_trouble" });
  });

  test.each([
    ["a minute", 60_000, 60_000],
    ["a day's reset", 20 * HOUR_MS, 20 * HOUR_MS],
    ["nothing at all", 0, SECOND_MS],
    ["less than nothing", -5_000, SECOND_MS],
    ["thirty years", 1e12, 25 * HOUR_MS],
  ])("judge pauses the whole account after a 429 that names %s, for that time plus up to 5 s", (_, named, expected) => {
    const limited = refused(429, "rate_limited", named);
    expect(judge(limited, 0, least)).toMatchObject({ scope: "account", problem: "rate_limited", waitMs: expected });
    expect(judge(limited, 9, most).waitMs).toBe(expected + 5 * SECOND_MS);
  });

  test("judge waits for the next regular time after five failures of a data provider", () => {
    const tries = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(
      (streak) => judge(refused(502, "upstream_unavailable"), streak, most).settled,
    );
    expect(tries.flatMap((settled, streak) => (settled ? [streak] : []))).toEqual([4, 9]);
  });

  test("judge waits one minute after a 429 without a time, doubling up to an hour", () => {
    const shortest = waits(refused(429, "rate_limited"), [0, 1, 2, 5, 6, 99]).map(([first]) => first);
    expect(shortest).toEqual([1, 2, 4, 32, 60, 60].map((minutes) => minutes * MINUTE_MS));
  });

  test("judge waits up to 1, 2 and 5 minutes after requests that were not sent, a fifth less for some", () => {
    expect(waits(unsent(), [0, 1, 2, 3, 99])).toEqual(
      [60, 120, 300, 300, 300].map((seconds) => [seconds * SECOND_MS, seconds * 800]),
    );
    expect(judge(unsent(), 0, least)).toMatchObject({ scope: "account", problem: "unreachable" });
  });

  test("judge does not count a 429 towards the circuit breaker", () => {
    expect(judge(refused(429, "rate_limited"), 0, most).trouble).toBe(false);
  });

  test("judge waits for the time named by a 502 or 503, up to an hour", () => {
    expect(judge(refused(503, null, 20 * MINUTE_MS), 0, least).waitMs).toBe(20 * MINUTE_MS);
    expect(judge(refused(502, null, 50 * MINUTE_MS), 0, least).waitMs).toBe(50 * MINUTE_MS);
    expect(judge(refused(503, null, DAY_MS), 0, least).waitMs).toBe(HOUR_MS);
  });

  test("judge waits between 1 s and 25 h after any failure, and gives advice for every problem", () => {
    const failure = fc.oneof(
      fc.constant(malformed()),
      fc.constant(unreachable()),
      fc
        .tuple(fc.integer({ min: 100, max: 999 }), fc.option(fc.integer({ min: -1e15, max: 1e15 })))
        .map(([status, named]) => refused(status, null, named)),
    );
    fc.assert(
      fc.property(failure, fc.nat(10_000), fc.double({ min: 0, max: 1, noNaN: true }), (each, streak, dice) => {
        const { waitMs, problem } = judge(each, streak, () => dice);
        expect(waitMs).toBeGreaterThanOrEqual(SECOND_MS);
        expect(waitMs).toBeLessThanOrEqual(25 * HOUR_MS + 5 * SECOND_MS);
        if (problem) expect(allTexts.en.advice[problem]).toMatch(/\w/);
      }),
    );
  });

  test("breakerWaitMs is 5, 10, 20, 40, 60, 60 minutes", () => {
    expect([0, 1, 2, 3, 4, 90].map((openings) => breakerWaitMs(openings) / MINUTE_MS)).toEqual([5, 10, 20, 40, 60, 60]);
  });
});
