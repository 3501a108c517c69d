import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QUARTER_MS } from "../../../../../src/core/time/interval.ts";
import { oracleOf } from "../../../../support/plans/plan-oracle.ts";
import { pictureOf, type SmallCase, smallCases, smallPlans, solveSmall } from "../../../../support/plans/plan-small.ts";

/** Maximum number of steps, of which every subset is tried: 512 of 9 steps, 4,096 of 12. */
const night = process.env.ELBRO_NIGHTLY === "1";
const MAX_STEPS = night ? 13 : 10;
const CASES = night ? 40_000 : 1_200;

describe("a plan's steps are the best of all subsets", () => {
  test.each(Object.keys(smallPlans) as (keyof typeof smallPlans)[])(`%s: ${CASES} cases`, (kind) => {
    fc.assert(
      fc.property(smallCases(kind, MAX_STEPS), (given) => {
        const solution = solveSmall(given);
        const found = oracleOf(given);
        const missingMs = solution.kind === "solved" ? (solution.shortfall?.missingMs ?? 0) : 0;
        if (solution.kind === "solved" && missingMs > 0) {
          // Neither all hours nor one step more is possible. These steps are the best of this number.
          expect([found, oracleOf(shorter(given, missingMs - QUARTER_MS))]).toEqual([null, null]);
          expect(pictureOf(solution, given)).toBe(oracleOf(shorter(given, missingMs)));
        } else if (solution.kind === "solved")
          expect(pictureOf(solution, given)).toBe(found?.slice(0, given.prices.length - given.ahead));
        else if (kind === "window" || kind === "slots" || solution.kind === "impossible") expect(found).toBeNull();
      }),
      { numRuns: CASES, seed: 5 },
    );
  });
});

/** Returns the plan with fewer hours, and without cheap steps besides them. */
function shorter(given: SmallCase, byMs: number): SmallCase {
  const { spec } = given;
  if (spec.kind !== "slots") return given;
  const { cheapBelow: _, upToMs: __, ...own } = spec;
  return { ...given, spec: { ...own, hoursMs: spec.hoursMs - byMs } };
}
