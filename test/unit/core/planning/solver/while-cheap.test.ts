import { expect, test } from "vitest";
import type { SlotsPlan } from "../../../../../src/core/planning/model/plan-spec.ts";
import { QUARTER_MS } from "../../../../../src/core/time/interval.ts";
import { pictureOf, type SmallCase, solveSmall } from "../../../../support/plans/plan-small.ts";

const STEPS = 10;
const none = Array.from({ length: STEPS }, () => false);
const base = { kind: "slots", enabled: true } as const;

const caseOf = (spec: SlotsPlan, prices: readonly number[]): SmallCase => ({
  ...{ spec, prices, estimates: none, usesEstimates: false, blocked: none, ahead: 0, now: 0, fixed: [] },
});

test("a plan with up_to runs three quarter hours, and more at prices of at most 2: ##..#####.", () => {
  const spec: SlotsPlan = { ...base, hoursMs: 3 * QUARTER_MS, upToMs: 8 * QUARTER_MS, cheapBelow: { maxPrice: 2 } };
  const given = caseOf(spec, [1.9, 1.8, 3, 3, 1, 1, 1.5, 1.9, 2, 5]);
  expect(pictureOf(solveSmall(given), given)).toBe("##..#####.");
});

test("a plan with up_to does not exceed max_gap after more hours than required at cheap prices: ####...#..", () => {
  const spec: SlotsPlan = {
    ...{ ...base, hoursMs: 3 * QUARTER_MS, upToMs: 6 * QUARTER_MS, cheapBelow: { maxPrice: 2 } },
    maxGapMs: 3 * QUARTER_MS,
  };
  const given = { ...caseOf(spec, [1, 1, 1, 1, 9, 9, 9, 5, 9, 9]), now: 4, fixed: [[0, 4]] as const };
  expect(pictureOf(solveSmall(given), given)).toBe("####...#..");
});

test("with a level adds exactly the quarter hours of that level", () => {
  const spec: SlotsPlan = { ...base, hoursMs: QUARTER_MS, upToMs: 6 * QUARTER_MS, cheapBelow: { level: "cheap" } };
  const given = caseOf(spec, [1, 1, 9, 9, 9, 6, 9, 9, 1, 9]);
  expect(pictureOf(solveSmall(given), given)).toBe("##......#.");
});
