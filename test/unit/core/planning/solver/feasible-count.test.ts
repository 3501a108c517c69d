import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fewestSteps, mostSteps } from "../../../../../src/core/planning/solver/feasible-count.ts";
import type { RunsProblem } from "../../../../../src/core/planning/solver/run-problem.ts";
import { bestOfAll, lineProblems } from "../../../../support/plans/plan-lines.ts";

const night = process.env.ELBRO_NIGHTLY === "1";
const CASES = night ? 20_000 : 400;
const LIMIT_MS = night ? 1_200_000 : 60_000;

const lines = lineProblems({ min: 1, max: 40 });

/** The numbers of steps that can be placed, each tried. Shape: ascending. */
function numbersOf(given: RunsProblem): number[] {
  return Array.from(given.costs, (_, i) => i + 1).filter((on) => bestOfAll({ ...given, on }) !== null);
}

test(`the most steps that can be placed: ${CASES} lines`, { timeout: LIMIT_MS }, () => {
  fc.assert(
    fc.property(lines, (given) => {
      expect(mostSteps(given)).toBe(numbersOf(given).findLast((on) => on <= given.on) ?? 0);
    }),
    { numRuns: CASES, seed: 5 },
  );
});

test(`the fewest steps, of so many and more, that can be placed: ${CASES} lines`, { timeout: LIMIT_MS }, () => {
  fc.assert(
    fc.property(lines, (given) => {
      expect(fewestSteps(given, given.on)).toBe(numbersOf(given).find((on) => on >= given.on) ?? null);
    }),
    { numRuns: CASES, seed: 6 },
  );
});
