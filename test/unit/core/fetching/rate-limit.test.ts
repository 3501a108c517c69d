import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Attempt,
  consumerRateLimits,
  DAY_WINDOW_MS,
  MAX_ATTEMPTS,
  partRemainder,
  rateLimit,
  type Share,
  shares,
  thirdPartyRateLimits,
} from "../../../../src/core/fetching/rate-limit.ts";
import { RateWindow } from "../../../../src/core/fetching/rate-window.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

function windowNamed(name: string, limits: { minute: number; day: number }, addresses = 1) {
  const found = consumerRateLimits(limits, addresses).find((window) => window.name === name);
  if (!found) throw new RangeError(`no window ${name}`);
  return found;
}

describe("the shares of a limit", () => {
  test.each([
    [60, { poll: 15, lan: 30, backfill: 10 }],
    [5, { poll: 1, lan: 2, backfill: 1 }],
    [8, { poll: 2, lan: 4, backfill: 1 }],
    [12, { poll: 3, lan: 6, backfill: 2 }],
    [1, { poll: 1, lan: 1, backfill: 1 }],
  ])(
    "of %i per minute: a quarter for polling, half for the LAN, two thirds of polling for back-fill",
    (minute, expected) => {
      expect(windowNamed("minute", { minute, day: 2_000 }).shares).toEqual(expected);
    },
  );

  test.each([
    [2_000, 1, { poll: 500, lan: 1_000, backfill: 455 }],
    [2_000, 3, { poll: 500, lan: 1_000, backfill: 365 }],
    [2_000, 20, { poll: 500, lan: 1_000, backfill: 250 }],
    [200, 1, { poll: 50, lan: 100, backfill: 25 }],
    [50, 1, { poll: 15, lan: 22, backfill: 8 }],
    [50, 2, { poll: 25, lan: 12, backfill: 13 }],
    [1, 1, { poll: 1, lan: 1, backfill: 1 }],
  ])(
    "of %i per day with %i addresses: back-fill leaves 45 per address, or half of polling",
    (day, addresses, expected) => {
      expect(windowNamed("day", { minute: 60, day }, addresses).shares).toEqual(expected);
    },
  );

  test("reserve for one address if none is known", () => {
    expect(windowNamed("day", { minute: 60, day: 2_000 }, 0).shares.backfill).toBe(455);
  });

  test("leave a quarter to prices and other programs if the limit is at least four", () => {
    for (let limit = 4; limit < 500; limit++) {
      const { poll, lan } = windowNamed("day", { minute: 60, day: limit }).shares;
      expect(poll + lan).toBeLessThanOrEqual(limit * 0.75);
    }
  });

  test("never exceed the number of attempts that are remembered", () => {
    expect(windowNamed("day", { minute: 60, day: 10 ** 9 }).limit).toBe(MAX_ATTEMPTS);
  });

  test("the shares of a limit have windows 32 s longer than the service's, for requests in flight", () => {
    expect(consumerRateLimits({ minute: 60, day: 2_000 }, 1).map(({ lengthMs }) => lengthMs)).toEqual([
      92 * SECOND,
      24 * HOUR + 32 * SECOND,
    ]);
  });

  test("of the third-party interface are one request in 10 s for all shares, and a hundred per day", () => {
    const [pace, day] = thirdPartyRateLimits(100);
    expect(pace).toMatchObject({ lengthMs: 10 * SECOND, limit: 1 });
    expect(day?.shares).toMatchObject({ poll: 25, lan: 50 });
    const spending = new RateWindow([{ at: 0, share: "lan" }]);
    expect(spending.earliest("poll", thirdPartyRateLimits(100), 4_000)).toBe(10_000);
  });
});

/** Reference implementation that counts every window. */
function earliestByCounting(
  attempts: readonly Attempt[],
  share: Share,
  limits: { minute: number; day: number },
  now: number,
) {
  const counted = (by: Share) =>
    attempts.filter((attempt) => attempt.share === by || (by === "poll" && attempt.share === "backfill"));
  const bounds = consumerRateLimits(limits, 1).flatMap(({ lengthMs, limit, shares: caps }) => [
    { times: attempts, most: limit, lengthMs },
    ...(share === "lan" || share === "prices" ? [] : [{ times: counted("poll"), most: caps.poll, lengthMs }]),
    ...(share === "poll" || share === "prices" ? [] : [{ times: counted(share), most: caps[share], lengthMs }]),
  ]);
  const fits = (at: number) =>
    bounds.every(({ times, most, lengthMs }) => times.filter((each) => each.at > at - lengthMs).length < most);
  const moments = [now, ...bounds.flatMap(({ times, lengthMs }) => times.map(({ at }) => at + lengthMs))];
  return Math.min(...moments.filter((at) => at >= now && fits(at)));
}

describe("the earliest next attempt", () => {
  test("the earliest next attempt equals the result of counting every window", () => {
    const attempt = fc.record({ at: fc.integer({ min: 0, max: 3 * HOUR }), share: fc.constantFrom(...shares) });
    fc.assert(
      fc.property(
        fc.array(attempt, { maxLength: 60, size: "max" }),
        fc.constantFrom(...shares),
        fc.record({ minute: fc.integer({ min: 1, max: 40 }), day: fc.integer({ min: 1, max: 60 }) }),
        fc.integer({ min: 3 * HOUR, max: 27 * HOUR }),
        (attempts, share, limits, now) => {
          expect(new RateWindow(attempts).earliest(share, consumerRateLimits(limits, 1), now)).toBe(
            earliestByCounting(attempts, share, limits, now),
          );
        },
      ),
    );
  });

  test("the earliest next attempt does not count an attempt that is exactly one window old", () => {
    const spending = new RateWindow([{ at: 0, share: "poll" }]);
    const budget = [rateLimit({ name: "minute", lengthMs: 92 * SECOND, limit: 4 }, () => 0)];
    expect(spending.earliest("poll", budget, 92 * SECOND - 1)).toBe(92 * SECOND);
    expect(spending.earliest("poll", budget, 92 * SECOND)).toBe(92 * SECOND);
  });

  test("the earliest next attempt stops back-fill at its own share and leaves the rest for polling", () => {
    const budget = consumerRateLimits({ minute: 10_000, day: 2_000 }, 1);
    const spending = new RateWindow();
    let at = 0;
    while (spending.earliest("backfill", budget, at) === at) spending.add({ at: at++, share: "backfill" });
    expect(spending.count("backfill", -1)).toBe(455);
    while (spending.earliest("poll", budget, at) === at) spending.add({ at: at++, share: "poll" });
    expect(spending.count("poll", -1)).toBe(500);
    expect(spending.earliest("lan", budget, at)).toBe(at);
  });

  test("the earliest next attempt discards attempts older than a day", () => {
    const spending = new RateWindow(Array.from({ length: 100 }, (_, at): Attempt => ({ at, share: "lan" })));
    spending.earliest("lan", [], DAY_WINDOW_MS + 49);
    expect(spending.attempts).toHaveLength(50);
  });
});

describe("partRemainder divides the service's remaining requests", () => {
  const day = windowNamed("day", { minute: 60, day: 2_000 });

  test.each([
    [30, { poll: 0, lan: 0 }, { poll: 10, lan: 20 }],
    [1, { poll: 0, lan: 0 }, { poll: 1, lan: 0 }],
    [2, { poll: 0, lan: 0 }, { poll: 1, lan: 1 }],
    [0, { poll: 5, lan: 5 }, { poll: 0, lan: 0 }],
    [10, { poll: 0, lan: 20 }, { poll: 10, lan: 0 }],
    [10, { poll: 20, lan: 0 }, { poll: 0, lan: 10 }],
    [1_900, { poll: 0, lan: 0 }, { poll: 500, lan: 1_000 }],
  ])("%i left after %o spent: %o", (left, spent, expected) => {
    expect(partRemainder(left, spent, day)).toEqual(expected);
  });

  test("never assigns more than the remaining requests", () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.nat(500), fc.nat(1_000), (left, poll, lan) => {
        const parts = partRemainder(left, { poll, lan }, day);
        expect(parts.poll + parts.lan).toBeLessThanOrEqual(left);
        expect(Math.min(parts.poll, parts.lan)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
