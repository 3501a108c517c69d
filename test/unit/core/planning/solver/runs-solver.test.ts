import * as fc from "fast-check";
import { expect, test } from "vitest";
import { lineOf } from "../../../../../src/core/planning/solver/run-problem.ts";
import { boundOf } from "../../../../../src/core/planning/solver/runs-bound.ts";
import { fewestSteps, mostSteps, RunsSolver } from "../../../../../src/core/planning/solver/runs-solver.ts";
import { bestOfAll, type LineProblem, lineProblems } from "../../../../support/plans/plan-lines.ts";

const night = process.env.ELBRO_NIGHTLY === "1";
const CASES = night ? 20_000 : 300;
const SHORT_CASES = night ? 20_000 : 150;

/** Problems that are long enough for the solver to skip most states. */
const lines = lineProblems({ min: 150, max: 320 });
const shortLines = lineProblems({ min: 1, max: 40 });

test(`skipping states by a bound does not change the solution: ${CASES} lines`, () => {
  let found = 0;
  fc.assert(
    fc.property(lines, (given) => {
      const best = bestOfAll(given);
      if (best) found++;
      expect(new RunsSolver(given).cheapest()).toEqual(best);
    }),
    { numRuns: CASES, seed: 5 },
  );
  expect(found).toBeGreaterThan(CASES / 5);
});

test(`the best solution with another start is found after the best solution: ${CASES} lines`, () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 30 }), (given, apart) => {
      const solver = new RunsSolver(given);
      const chosen = solver.cheapest()?.runs[0]?.[0] ?? 0;
      const may = (first: number) => Math.abs(first - chosen) >= apart;
      expect(solver.cheapest({ may })).toEqual(bestOfAll(given, { may }));
    }),
    { numRuns: CASES, seed: 6 },
  );
});

test(`only solutions that cost at most \`most\` are found: ${CASES} lines`, () => {
  fc.assert(
    fc.property(lines, (given) => {
      const best = bestOfAll(given);
      if (!best) return;
      expect(new RunsSolver(given).cheapest({ most: best.cost - 1 })).toBeNull();
      expect(new RunsSolver(given).cheapest({ most: best.cost })?.runs).toEqual(best.runs);
    }),
    { numRuns: CASES, seed: 7 },
  );
});

test(`no solution costs less than the bound, for any estimate near it: ${CASES} lines`, () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: -5_000, max: 5_000 }), (given, pay) => {
      const best = bestOfAll(given);
      const line = lineOf(given);
      if (!best || line.top < 0) return;
      for (const near of [undefined, pay]) {
        expect(boundOf(line, given.on, near)?.least).toBeLessThanOrEqual(best.cost);
      }
    }),
    { numRuns: CASES, seed: 8 },
  );
});

/** Returns the numbers of steps that can be placed, found by trying each. Shape: ascending. */
function numbersOf(given: LineProblem): number[] {
  return Array.from(given.costs, (_, i) => i + 1).filter((on) => bestOfAll({ ...given, on }) !== null);
}

test(`mostSteps returns the largest possible number of steps: ${SHORT_CASES} lines`, () => {
  fc.assert(
    fc.property(shortLines, (given) => {
      expect(mostSteps(given)).toBe(numbersOf(given).findLast((on) => on <= given.on) ?? 0);
    }),
    { numRuns: SHORT_CASES, seed: 5 },
  );
});

test(`fewestSteps returns the smallest possible number that is at least the given one: ${SHORT_CASES} lines`, () => {
  fc.assert(
    fc.property(shortLines, (given) => {
      expect(fewestSteps(given)).toBe(numbersOf(given).find((on) => on >= given.on) ?? null);
    }),
    { numRuns: SHORT_CASES, seed: 6 },
  );
});
