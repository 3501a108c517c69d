import { expect, test } from "vitest";
import { learnedCourse, withLearned } from "../../../../src/core/planning/learned-course.ts";
import { HOUR_MS } from "../../../../src/core/time/interval.ts";
import { WASHER } from "../../../support/plans/shown-plans.ts";

const HEATS = [0.8, 0.2, 0.1, 0.1];

test("the course is the mean of three runs; fewer teach nothing", () => {
  expect(learnedCourse([HEATS, HEATS], HOUR_MS)).toBeNull();
  const learned = learnedCourse([HEATS, HEATS, [0.4, 0.2, 0.1, 0.1]], HOUR_MS);
  expect(learned?.runs).toBe(3);
  expect(learned?.kwh).toBeCloseTo(3.2 / 3, 9);
  expect(learned?.profile.map((part) => Number(part.toFixed(2)))).toEqual([1, 0.3, 0.15, 0.15]);
});

test("a run that was interrupted or had no machine does not count", () => {
  const short = [0.8, 0, 0, 0];
  expect(learnedCourse([[0, 0, 0, 0], HEATS, HEATS, HEATS], HOUR_MS)).toMatchObject({ runs: 3 });
  expect(learnedCourse([[0.3], HEATS, HEATS, HEATS], HOUR_MS)).toMatchObject({ runs: 3 });
  expect(learnedCourse([short, HEATS, HEATS, HEATS], HOUR_MS)).toMatchObject({ runs: 4 });
  expect(learnedCourse([[0], [0], [0]], HOUR_MS)).toBeNull();
});

test("the last ten runs count, and the course is as long as the plan", () => {
  const runs = [...Array.from({ length: 10 }, () => HEATS), ...Array.from({ length: 10 }, () => [1])];
  expect(learnedCourse(runs, 2 * HOUR_MS)).toMatchObject({
    runs: 10,
    kwh: expect.closeTo(1.2, 9),
    profile: [1, 0.25, 0.125, 0.125, 0, 0, 0, 0],
  });
  expect(learnedCourse(runs, HOUR_MS / 2)?.profile).toHaveLength(2);
});

test("a window gets energy and course, slots get the energy, other kinds nothing", () => {
  const learned = { runs: 3, kwh: 1.2, profile: [1, 0.5] };
  expect(withLearned(WASHER, learned)).toEqual({ ...WASHER, kwh: 1.2, profile: [1, 0.5] });
  expect(withLearned(WASHER, null)).toBe(WASHER);
  const slots = { kind: "slots", hoursMs: HOUR_MS, enabled: true } as const;
  expect(withLearned(slots, learned)).toEqual({ ...slots, kwh: 1.2 });
  const below = { kind: "below", maxPrice: 1, enabled: true } as const;
  expect(withLearned(below, learned)).toBe(below);
});
