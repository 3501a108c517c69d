/**
 * `npm run lab -- groups lives COUNT SEED`: random days of a power group, which never exceeds its limit.
 * `npm run lab -- groups optimum COUNT SEED SECONDS`: cost of random tight groups above the best solutions that a
 * mixed-integer solver finds in SECONDS each. Writes those of the groups in `npm test` (200, seed 3) to test/fixtures.
 */
import { writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { anyGroupLife, overloadsOf } from "../support/plans/group-life.ts";
import { solverGroup } from "../support/plans/plan-groups.ts";
import { PlanSolver } from "../support/plans/plan-solver.ts";
import { excessOf, OPTIMA, shareOf, TESTED_GROUPS, tightGroups } from "../support/plans/tight-groups.ts";

function lives(count: number, seed: number): void {
  const failed = fc.sample(anyGroupLife, { numRuns: count, seed }).filter((life, i) => {
    const overloads = overloadsOf(life);
    if (overloads.length > 0) console.error(`life ${i}: ${overloads.join(", ")}\n${JSON.stringify(life)}`);
    return overloads.length > 0;
  });
  console.log(`${count} lives, seed ${seed}: ${failed.length} with more power than the limit`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

async function optimum(count: number, seed: number, limitS: number): Promise<void> {
  const solver = new PlanSolver({ limitS });
  const optima: (number | null)[] = [];
  const excess: number[] = [];
  let proven = 0;
  for (const [i, given] of tightGroups(count, seed).entries()) {
    const found = await solver.solveGroup(solverGroup(given));
    const best = found && Number.isFinite(found.cost) ? Number(found.cost.toFixed(6)) : null;
    proven += found === null || found.proven ? 1 : 0;
    optima.push(best);
    const percent = best === null ? null : excessOf(given, best);
    if (percent !== null) excess.push(percent);
    console.log(
      `group ${i}, ${given.plans.length} plans: ${percent === null ? "not all hours" : `${percent.toFixed(2)} %`}`,
    );
  }
  if (count === TESTED_GROUPS.count && seed === TESTED_GROUPS.seed)
    writeFileSync(OPTIMA, `${JSON.stringify(optima, null, 1)}\n`);
  const [median, high, worst] = [0.5, 0.95, 1].map((share) => shareOf(excess, share).toFixed(2));
  console.log(
    `${excess.length} of ${count} compared, ${proven} proven: median ${median} %, 95 % ${high} %, worst ${worst} %`,
  );
}

const [what, count = "200", seed = "3", seconds = "20"] = process.argv.slice(2);
if (what === "optimum") await optimum(Number(count), Number(seed), Number(seconds));
else lives(Number(count), Number(seed));
