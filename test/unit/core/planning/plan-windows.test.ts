import { expect, test } from "vitest";
import { roundAt } from "../../../../src/core/planning/model/plan-windows.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import { calendar } from "../../../support/home/price-days.ts";
import { OPENS, washer } from "../../../support/plans/plan-life.ts";

const CLOSES = OPENS + 9 * HOUR_MS;
const DAY_MS = 24 * HOUR_MS;
const known = { start: OPENS, end: CLOSES };
const spec = { ...washer, hoursMs: 2 * HOUR_MS };
const startOf = (...given: Parameters<typeof roundAt>) => roundAt(...given)?.start;

test("a new plan takes the next window if its hours do not fit into the rest of this one", () => {
  for (const now of [OPENS - HOUR_MS, OPENS, CLOSES - 2 * HOUR_MS])
    expect(startOf(spec, null, now, calendar)).toBe(OPENS);
  expect(startOf(spec, null, CLOSES - 2 * HOUR_MS + MINUTE_MS, calendar)).toBe(OPENS + DAY_MS);
});

test("a plan keeps the window of its record, also without enough time", () => {
  const late = CLOSES - HOUR_MS;
  expect(startOf(spec, known, late, calendar)).toBe(OPENS);
  expect(startOf(spec, { start: OPENS - DAY_MS, end: CLOSES - DAY_MS }, late, calendar)).toBe(OPENS);
  const after = { start: CLOSES, end: CLOSES + HOUR_MS };
  expect(startOf(spec, after, late, calendar)).toBe(OPENS + DAY_MS);
});

test("a plan without hours takes the present window, and one that is longer than its window stays in it before its start", () => {
  const below = { kind: "below", maxPrice: 1, from: spec.from, readyBy: spec.readyBy, enabled: true };
  expect(startOf(below as Parameters<typeof roundAt>[0], null, CLOSES - MINUTE_MS, calendar)).toBe(OPENS);
  const long = { ...spec, hoursMs: 10 * HOUR_MS };
  expect([OPENS - 1, OPENS].map((now) => startOf(long, null, now, calendar))).toEqual([OPENS, OPENS]);
  expect(startOf(long, null, OPENS + 1, calendar)).toBe(OPENS + DAY_MS);
});
