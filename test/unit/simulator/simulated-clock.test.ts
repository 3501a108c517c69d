import { expect, test } from "vitest";
import { SimulatedClock } from "../../../src/simulator/simulated-clock.ts";

test("without changes the simulated clock equals its source", () => {
  const time = { now: 1_000.5 };
  const clock = new SimulatedClock(() => time.now);
  time.now = 987_654_321;
  expect(Math.abs(clock.now() - time.now)).toBeLessThan(1);
});

test("a change of speed does not change the time, and a change of time keeps the speed", () => {
  const time = { now: 0 };
  const clock = new SimulatedClock(() => time.now, { speed: 10 });
  time.now = 1_000;
  clock.set({ speed: 2 });
  expect(clock.now()).toBe(10_000);
  time.now = 2_000;
  expect(clock.now()).toBe(12_000);
  clock.set({ at: 0 });
  time.now = 3_000;
  expect([clock.now(), clock.speed]).toEqual([2_000, 2]);
});
