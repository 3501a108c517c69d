import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/core/time/interval.ts";
import { demoHomes } from "../../../src/simulator/homes.ts";
import { forecastRows } from "../../../src/simulator/market/forecast.ts";
import { World } from "../../../src/simulator/world.ts";

const MORNING = Date.UTC(2026, 5, 10, 6);

function worldWith(delayMinutes: number): World {
  return new World({ seed: 3, homes: [demoHomes.danish], market: undefined, publicationDelay: () => delayMinutes });
}

function forecast(world: World, now: number) {
  return forecastRows(world.prices, "DK1", world.seed, now);
}

test("the forecast does not start before the current hour, even if confirmed prices ended earlier", () => {
  const world = worldWith(3 * 24 * 60);
  const now = Date.UTC(2026, 5, 10, 9, 40);
  expect(world.prices.confirmedUntil("DK1", now)).toBeLessThan(now - DAY_MS);
  expect(forecast(world, now)[0]?.start).toBe("2026-06-10T09:00:00Z");
});

test("the forecast's length varies between two and seven days", () => {
  const world = worldWith(0);
  const lengths = Array.from({ length: 60 }, (_, i) => forecast(world, MORNING + i * 3 * HOUR_MS).length);
  expect(Math.min(...lengths)).toBeGreaterThanOrEqual(48);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(168);
  expect(new Set(lengths).size).toBeGreaterThan(10);
});

test("the forecast's error is smaller one hour ahead than one week ahead", () => {
  const world = worldWith(0);
  let [near, far, farCount] = [0, 0, 0];
  for (let i = 0; i < 200; i++) {
    const rows = forecast(world, MORNING + i * 3 * HOUR_MS);
    const real = world.prices.hoursWithin("DK1", {
      start: Date.parse(rows[0]?.start ?? ""),
      end: Date.parse(rows.at(-1)?.end ?? ""),
    });
    const miss = (n: number) => Math.abs((rows[n]?.totalPricePerKWh ?? 0) - (real[n]?.totalPerKwh ?? 0));
    near += miss(0);
    if (rows.length > 120) {
      far += miss(rows.length - 1);
      farCount++;
    }
  }
  expect(near / 200).toBeGreaterThan(0);
  expect(far / farCount).toBeGreaterThan((2 * near) / 200);
});
