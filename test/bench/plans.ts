/**
 * Time to plan 672 intervals of real prices with every constraint, and a comparison with a mixed-integer solver. The
 * prices are a week of quarters, or four weeks of hours, with clock changes, gaps and negative prices.
 *
 * - `cases`: plans that both solved. `worse_than_solver`: those for which elbro's solution costs more than the best one
 *   that the solver has found, proven to be optimal or not. The number of proven ones is printed too.
 * - `median_ms`, `max_ms`: one call of `solvePlan`, over all weeks and plans, each the fastest of a few calls, to
 *   exclude other load of the machine.
 * - `first_ms`: first call of a process, with nothing compiled; median of a few processes.
 * - `group_median_ms`, `group_max_ms`: four plans of a power group, each the fastest of a few; `group_excess_percent`:
 *   additional cost of groups of two to four plans together over the best solutions that the solver has found in its time.
 * - `eight_median_ms`, `eight_max_ms`, `eight_excess_percent`: the same for eight plans of a group.
 * - `eight_tight_max_ms`, `eight_tight_excess_percent`: the same with a limit next to which the largest appliance runs alone.
 * - `solver_ratio`: time of the solver relative to elbro's for the same cases.
 */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { type EpochMs, formatInstant, HOUR_MS } from "../../src/core/time/interval.ts";
import { type GroupCase, groupCases, solveCase, solverGroup, stepsOfCase } from "../support/plans/plan-groups.ts";
import { groupCost, PlanSolver, pricedSteps, stepPrices, stepsOn } from "../support/plans/plan-solver.ts";
import { solveWeek, type WeekCase, weekCases, weekPlans } from "../support/plans/plan-weeks.ts";
import { haveRealPrices } from "../support/plans/real-prices.ts";

const REPETITIONS = 15;
const PROCESSES = 5;
const FIRST = path.join(import.meta.dirname, "../support/bench/first-plan-process.ts");

/**
 * Periods for the comparison with the solver, which takes seconds for each. In quarters: the weeks of the clock changes
 * and one with gaps. In hours: the month of the change in spring and one with negative prices.
 */
const SOLVED = new Set(["2025-10-22", "2025-12-17", "2026-03-25", "2025-03-30", "2025-07-20"]);

/** Time limit of the solver, so that the bench ends within minutes. */
const SOLVER_LIMIT_S = 4;

const SAME = 1e-9;

/** Number of days of groups that are timed, and number of those that the solver also solves. */
const GROUP_DAYS = 19;
const SOLVED_GROUPS = 6;
const GROUP_LIMIT_S = 20;
/** Power limit of groups of eight plans, in W. The largest appliance leaves 3,600 W for the others. */
const EIGHT_LIMIT_W = 11_000;
/** Limit that excludes any other appliance while the largest one (7.4 kW) runs. */
const TIGHT_LIMIT_W = 8_000;

export async function run(): Promise<Record<string, number>> {
  if (!haveRealPrices) {
    console.log("  skipped: there are no real prices in ../shared/data");
    return { cases: 0 };
  }
  const firstMs = middleOf(Array.from({ length: PROCESSES }, firstCall));
  const measured = weekCases().map((given) => ({ given, ms: fastestMs(() => solveWeek(given)) }));
  for (const plan of Object.keys(weekPlans)) {
    const own = measured.filter(({ given }) => given.plan === plan).map(({ ms }) => ms);
    console.log(`  ${plan}: ${middleOf(own).toFixed(3)} ms, at most ${Math.max(...own).toFixed(3)}`);
  }
  const asked = measured.filter(({ given }) => SOLVED.has(dateOf(given.window.start)));
  const compared = await compareWithSolver(asked);
  const times = measured.map(({ ms }) => ms);
  return {
    cases: asked.length,
    worse_than_solver: compared.worse,
    median_ms: middleOf(times),
    max_ms: Math.max(...times),
    first_ms: firstMs,
    solver_ratio: compared.ratio,
    ...(await measureGroups()),
  };
}

async function measureGroups(): Promise<Record<string, number>> {
  const solver = new PlanSolver({ limitS: GROUP_LIMIT_S });
  const excessOf = async (groups: readonly GroupCase[]) => {
    let [ours, theirs] = [0, 0];
    for (const given of groups) {
      const runs = solveCase(given);
      const group = solverGroup(given);
      const best = await solver.solveGroup(group);
      if (best === null && runs.includes(null)) continue;
      if (best === null || runs.includes(null)) return Number.POSITIVE_INFINITY;
      const cost = groupCost(group, stepsOfCase(given, runs));
      if (best.proven && cost < best.cost - SAME) throw new Error("a group costs less than the least there is");
      ours += cost;
      theirs += best.cost;
    }
    return (100 * (ours - theirs)) / Math.abs(theirs);
  };
  const few = [2, 3, 4].flatMap((count) => groupCases(count, SOLVED_GROUPS));
  const excess = {
    few: await excessOf(few),
    eight: await excessOf(groupCases(8, SOLVED_GROUPS, EIGHT_LIMIT_W)),
    tight: await excessOf(groupCases(8, SOLVED_GROUPS, TIGHT_LIMIT_W)),
  };
  const timesOf = (plans: number, limitW?: number) =>
    groupCases(plans, GROUP_DAYS, limitW).map((given) => fastestMs(() => solveCase(given)));
  const [four, eight, tight] = [timesOf(4), timesOf(8, EIGHT_LIMIT_W), timesOf(8, TIGHT_LIMIT_W)];
  return {
    group_median_ms: middleOf(four),
    group_max_ms: Math.max(...four),
    group_excess_percent: excess.few,
    eight_median_ms: middleOf(eight),
    eight_max_ms: Math.max(...eight),
    eight_excess_percent: excess.eight,
    eight_tight_max_ms: Math.max(...tight),
    eight_tight_excess_percent: excess.tight,
  };
}

async function compareWithSolver(asked: readonly { readonly given: WeekCase; readonly ms: number }[]) {
  const solver = new PlanSolver({ limitS: SOLVER_LIMIT_S });
  const tally = { proven: 0, worse: 0, better: 0, impossible: 0 };
  for (const { given } of asked) {
    const { spec, stepMs, window, timeline } = given;
    const solution = solveWeek(given);
    const problem = { spec, stepMs, prices: stepPrices(timeline.points, window, stepMs) };
    const theirs = await solver.solve(problem);
    if (theirs === null || theirs.proven) tally.proven++;
    if (solution.kind !== "solved") {
      if (theirs === null) tally.impossible++;
      else if (Number.isFinite(theirs.sum)) tally.worse++;
      continue;
    }
    const ours = pricedSteps(problem, stepsOn(problem, window.start, solution.runs));
    if (theirs === null || (theirs.proven && (ours.sum < theirs.sum - SAME || ours.on !== theirs.on))) tally.better++;
    else if (ours.sum > theirs.sum + SAME) tally.worse++;
  }
  const { proven, better, impossible } = tally;
  console.log(`  solver: ${proven} of ${asked.length} proven, ${impossible} impossible for both`);
  if (better > 0) throw new Error(`${better} plans are better than the best there is: they break their rules`);
  return { worse: tally.worse, ratio: solver.spentMs / asked.reduce((sum, { ms }) => sum + ms, 0) };
}

function fastestMs(call: () => unknown): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < REPETITIONS; i++) {
    const before = performance.now();
    call();
    fastest = Math.min(fastest, performance.now() - before);
  }
  return fastest;
}

/** Returns the local date of a local midnight. */
function dateOf(midnight: EpochMs): string {
  return formatInstant(midnight + 12 * HOUR_MS).slice(0, 10);
}

function firstCall(): number {
  const { stdout } = spawnSync(process.execPath, [FIRST], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  return Number(stdout);
}

function middleOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
