import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { QuotaCounter } from "../../../src/simulator/quota.ts";

test("a fixed window allows exactly its limit, for any times of attempts", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(gaps, (steps) => {
      const quota = new QuotaCounter({ minute: 3, day: 20 });
      const allowed = new Map<string, number>();
      const attempted = new Map<string, number>();
      let now = Date.UTC(2026, 0, 1, 23, 50);
      for (const step of steps) {
        now += step;
        const keys = [`m${Math.floor(now / MINUTE_MS)}`, `d${Math.floor(now / DAY_MS)}`];
        const { retryAfterSec } = quota.count(now);
        for (const key of keys) {
          attempted.set(key, (attempted.get(key) ?? 0) + 1);
          if (retryAfterSec === null) allowed.set(key, (allowed.get(key) ?? 0) + 1);
        }
        const isOver = (attempted.get(keys[0] ?? "") ?? 0) > 3 || (attempted.get(keys[1] ?? "") ?? 0) > 20;
        expect(retryAfterSec !== null).toBe(isOver);
      }
      for (const [key, count] of allowed) expect(count).toBeLessThanOrEqual(key.startsWith("m") ? 3 : 20);
    }),
  );
});

test("after Retry-After the exhausted window is reset", () => {
  const at = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 0, 3) });
  fc.assert(
    fc.property(at, fc.boolean(), (now, dayToo) => {
      const quota = new QuotaCounter({ minute: 1, day: dayToo ? 1 : 9 });
      quota.count(now);
      const { retryAfterSec } = quota.count(now);
      expect(retryAfterSec).toBeGreaterThanOrEqual(1);
      const again = now + (retryAfterSec ?? 0) * 1_000;
      expect(quota.count(again).retryAfterSec).toBeNull();
      const window = dayToo ? DAY_MS : MINUTE_MS;
      expect(again - (Math.floor(now / window) + 1) * window).toBeLessThan(1_000);
    }),
  );
});
