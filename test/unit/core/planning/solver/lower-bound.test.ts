import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RunsSweep } from "../../../../../src/core/planning/solver/lagrangian-sweep.ts";
import { boundOf } from "../../../../../src/core/planning/solver/lower-bound.ts";
import { favouredProblem } from "../../../../../src/core/planning/solver/run-problem.ts";
import { cheapestRuns } from "../../../../../src/core/planning/solver/run-selection.ts";
import { bestOfAll, lineProblems } from "../../../../support/plans/plan-lines.ts";

const night = process.env.ELBRO_NIGHTLY === "1";
const CASES = night ? 20_000 : 1_200;
const LIMIT_MS = night ? 1_200_000 : 60_000;

/** Long enough for most states to be left out. */
const lines = lineProblems({ min: 150, max: 320 });

test(`leaving states out by a bound changes no choice: ${CASES} lines`, { timeout: LIMIT_MS }, () => {
  let found = 0;
  fc.assert(
    fc.property(lines, (given) => {
      const best = bestOfAll(given);
      if (best) found++;
      const { trail, ...choice } = cheapestRuns(given) ?? { trail: null };
      expect(trail ? choice : null).toEqual(best);
    }),
    { numRuns: CASES, seed: 5 },
  );
  expect(found).toBeGreaterThan(CASES / 5);
});

test(`a trail of another problem changes no choice: ${CASES} lines`, { timeout: LIMIT_MS }, () => {
  const slack = fc.integer({ min: 0, max: 2_000 });
  fc.assert(
    fc.property(lines, fc.integer({ min: -5_000, max: 5_000 }), slack, (given, pay, slack) => {
      const best = bestOfAll(given);
      const counted = best !== null && cheapestRuns(given)?.trail.counted === true;
      const { trail, ...choice } = cheapestRuns(given, { trail: { counted, pay, slack } }) ?? { trail: null };
      expect(trail ? choice : null).toEqual(best);
    }),
    { numRuns: CASES, seed: 6 },
  );
});

test(`what costs too much is no choice, the best that costs just enough is: ${CASES} lines`, {
  timeout: LIMIT_MS,
}, () => {
  fc.assert(
    fc.property(lines, (given) => {
      const best = bestOfAll(given);
      if (!best) return;
      expect(cheapestRuns(given, { most: best.cost - 1 })).toBeNull();
      expect(cheapestRuns(given, { most: best.cost })?.runs).toEqual(best.runs);
    }),
    { numRuns: CASES, seed: 7 },
  );
});

test(`no choice costs less than a bound, whatever a step is paid: ${CASES} lines`, { timeout: LIMIT_MS }, () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: -5_000, max: 5_000 }), (given, pay) => {
      const best = bestOfAll(given);
      const favoured = favouredProblem(given);
      const bounds = [boundOf(favoured, new RunsSweep(favoured)), boundOf(favoured, new RunsSweep(favoured), pay)];
      for (const bound of bounds) if (best) expect(bound?.least).toBeLessThanOrEqual(best.cost - favoured.bonus);
    }),
    { numRuns: CASES, seed: 8 },
  );
});
