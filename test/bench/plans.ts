/**
 * Time to plan 672 intervals of real prices with every constraint. The prices are a week of quarters, or four weeks of
 * hours, with clock changes, gaps and negative prices.
 *
 * - `median_ms`, `max_ms`: one call of `solvePlan`, over all weeks and plans, each the fastest of a few calls, to
 *   exclude other load of the machine.
 * - `first_ms`: first call of a process, with nothing compiled; median of a few processes.
 * - `group_median_ms`, `group_max_ms`: four plans of a power group, each the fastest of a few.
 * - `eight_median_ms`, `eight_max_ms`: the same for eight plans of a group.
 * - `eight_tight_max_ms`: the same with a limit next to which the largest appliance runs alone.
 */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { groupCases, solveCase } from "../support/plans/plan-groups.ts";
import { solveWeek, weekCases, weekPlans } from "../support/plans/plan-weeks.ts";
import { haveRealPrices } from "../support/plans/real-prices.ts";

const REPETITIONS = 15;
const PROCESSES = 5;
const FIRST = path.join(import.meta.dirname, "../support/bench/first-plan-process.ts");

/** Number of days of groups. */
const GROUP_DAYS = 19;
/** Power limit of groups of eight plans, in W. The largest appliance leaves 3,600 W for the others. */
const EIGHT_LIMIT_W = 11_000;
/** Limit that excludes any other appliance while the largest one (7.4 kW) runs. */
const TIGHT_LIMIT_W = 8_000;

export function run(): Record<string, number> {
  if (!haveRealPrices) {
    console.log("  skipped: there are no real prices in ../shared/data");
    return {};
  }
  const firstMs = middleOf(Array.from({ length: PROCESSES }, firstCall));
  const measured = weekCases().map((given) => ({ given, ms: fastestMs(() => solveWeek(given)) }));
  for (const plan of Object.keys(weekPlans)) {
    const own = measured.filter(({ given }) => given.plan === plan).map(({ ms }) => ms);
    console.log(`  ${plan}: ${middleOf(own).toFixed(3)} ms, at most ${Math.max(...own).toFixed(3)}`);
  }
  const times = measured.map(({ ms }) => ms);
  return {
    median_ms: middleOf(times),
    max_ms: Math.max(...times),
    first_ms: firstMs,
    ...measureGroups(),
  };
}

function measureGroups(): Record<string, number> {
  const timesOf = (plans: number, limitW?: number) =>
    groupCases(plans, GROUP_DAYS, limitW).map((given) => fastestMs(() => solveCase(given)));
  const [four, eight, tight] = [timesOf(4), timesOf(8, EIGHT_LIMIT_W), timesOf(8, TIGHT_LIMIT_W)];
  return {
    group_median_ms: middleOf(four),
    group_max_ms: Math.max(...four),
    eight_median_ms: middleOf(eight),
    eight_max_ms: Math.max(...eight),
    eight_tight_max_ms: Math.max(...tight),
  };
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

function firstCall(): number {
  const { stdout } = spawnSync(process.execPath, [FIRST], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  return Number(stdout);
}

function middleOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
