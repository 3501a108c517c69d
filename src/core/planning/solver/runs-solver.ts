/**
 * Cheapest runs on a line of equal steps, exact: dynamic programming from the last step to the first.
 *
 * A state is (runs that may still begin, missing steps, step), in a run of at least the minimum length. Continuing the run
 * leads to the next step with one missing step less. A pause and the minimum length of the next run lead to a row with
 * fewer missing steps and one run less. The best start after a pause is the minimum of a sliding window over that row,
 * so every state takes constant time for any lengths. If runs or steps are not counted, one row stands for all numbers.
 */
import { lineOf, type RunsLine, type RunsProblem } from "./run-problem.ts";

/** Steps [from, to). */
export type StepRun = readonly [from: number, to: number];

/** Runs and their cost. Shape: `runs` ascending, apart. */
export interface RunsChoice {
  readonly cost: number;
  readonly runs: readonly StepRun[];
  /** Price of a run with which no other solution is cheaper; 0 if the number of runs is no limit. */
  readonly fee?: number;
}

/** Limits of a solution besides the rules of its problem. */
export interface RunsLimits {
  /** Earliest step in which the first run may begin. */
  readonly first?: number | undefined;
  readonly most?: number;
  /** True if any solution that costs at most `most` will do. */
  readonly any?: boolean;
}

const NONE = Number.POSITIVE_INFINITY;

class RunsTable {
  readonly #line: RunsLine;
  readonly #on: number;
  readonly #fewest: number;
  /** 1 if steps are counted, otherwise 0. */
  readonly #one: number;
  /** Missing steps when the first run has its minimum length. */
  readonly #entered: number;
  /** Number of steps in a row: it begins where `fewest` steps without the missing ones fit before. */
  readonly #width: number;
  /** Cost from a state to the end, by run, missing steps and step; Infinity if none is feasible. */
  readonly #states: Float64Array;
  readonly #near: Int32Array;
  readonly #nearCosts: Float64Array;

  /** Creates the table for `on` steps and for all numbers from `fewest`. Each run that begins costs `fee` more. */
  constructor(problem: RunsProblem, { fewest = problem.on ?? 0, fee = 0 } = {}) {
    const { on, minRun, begin } = problem;
    const line = lineOf(problem, fee);
    this.#line = line;
    this.#on = on ?? 0;
    this.#fewest = fewest;
    this.#one = on === null ? 0 : 1;
    this.#entered = this.#one * (this.#on - (begin.kind === "off" ? minRun : begin.need));
    this.#width = line.open - fewest + 1;
    const isPossible = this.#entered >= 0 && line.top >= 0 && this.#width > 0;
    this.#states = new Float64Array(isPossible ? (line.top + 1) * (this.#entered + 1) * this.#width : 0);
    this.#near = new Int32Array(line.open + 1);
    this.#nearCosts = new Float64Array(line.open + 1);
    if (!isPossible) return;
    for (let runs = 0; runs <= line.top; runs++) {
      // Runs that have begun have at least the minimum length.
      const longest = this.#entered - this.#one * (line.top - runs) * minRun;
      for (let left = 0; left <= longest; left++) this.#fillRow(runs, left);
    }
  }

  /** Returns the cheapest solution; null without one. Of equal ones, that which is ON in the first step in which they differ. */
  cheapest({ first = 0, on = this.#on }: { first?: number | undefined; on?: number } = {}): RunsChoice | null {
    if (this.#states.length === 0) return null;
    const left = this.#entered - this.#on + on;
    const { cost, begun, step } = this.#entry(left, first);
    if (cost === NONE) return null;
    return { cost, runs: begun < 0 ? [] : this.#walk(begun, step, left) };
  }

  #entry(left: number, earliest: number): { cost: number; begun: number; step: number } {
    const { begin, costs, starts, minRun, top, firstForced } = this.#line;
    if (begin.kind === "running") {
      let cost = this.#costOf(top, left, begin.need);
      for (let step = 0; step < begin.need; step++) cost += costs[step] as number;
      return { cost, begun: 0, step: begin.need };
    }
    let best = { cost: NONE, begun: -1, step: 0 };
    for (let first = Math.max(begin.first, earliest); first <= Math.min(begin.last, firstForced); first++) {
      const cost = (starts[first] as number) + this.#costOf(top, left, first + minRun);
      if (cost < best.cost) best = { cost, begun: first, step: first + minRun };
    }
    const mayBeNone = this.#one === 0 && firstForced === costs.length && begin.last === costs.length - 1;
    return mayBeNone && best.cost > 0 ? { cost: 0, begun: -1, step: 0 } : best;
  }

  #fillRow(runs: number, left: number): void {
    const { costs, starts, latest, open, minRun, minPause } = this.#line;
    const states = this.#states;
    const own = this.#rowOf(runs, left);
    const goOn = left >= this.#one ? this.#rowOf(runs, left - this.#one) : null;
    const begin = this.#rowOf(this.#behind(runs), left - this.#one * minRun);
    const mayBegin = left >= this.#one * minRun && this.#behind(runs) >= 0;
    let next = mayBegin ? open - Math.max(minRun, left) : -1;
    // Starts after a pause as a monotonic queue, from the cheapest to the nearest. Without a limit only the cheapest counts.
    const near = this.#near;
    const nearCosts = this.#nearCosts;
    const isLimited = (latest[0] as number) < costs.length;
    let head = 0;
    let tail = 0;
    let least = NONE;
    const lowest = Math.max(0, this.#fewest - left);
    for (let step = open - left; step >= lowest; step--) {
      const last = latest[step] as number;
      for (; next >= step + minPause; next--) {
        const cost = (starts[next] as number) + (states[begin + next + minRun] as number);
        if (isLimited) {
          while (tail > head && (nearCosts[tail - 1] as number) >= cost) tail--;
          nearCosts[tail] = cost;
          near[tail++] = next;
        } else if (cost < least) least = cost;
      }
      if (isLimited) {
        while (head < tail && (near[head] as number) > last) head++;
        least = head < tail ? (nearCosts[head] as number) : NONE;
      }
      let cost = left === 0 && last === costs.length ? Math.min(0, least) : least;
      if (goOn !== null && step < open) {
        cost = Math.min(cost, (costs[step] as number) + (states[goOn + step + 1] as number));
      }
      states[own + step] = cost;
    }
  }

  /** Follows the minimum cost from a step of a run that began in `begun`, and prefers earlier steps. */
  #walk(begun: number, step: number, left: number): StepRun[] {
    const { costs, starts, minRun, minPause, top } = this.#line;
    const found: StepRun[] = [];
    let at = { runs: top, left, step, begun };
    for (;;) {
      const { runs, left, step, begun } = at;
      const cost = this.#costOf(runs, left, step);
      if ((costs[step] as number) + this.#costOf(runs, left - this.#one, step + 1) === cost) {
        at = { ...at, left: left - this.#one, step: step + 1 };
        continue;
      }
      if (step > begun) found.push([begun, step]);
      const behind = { runs: this.#behind(runs), left: left - this.#one * minRun };
      let next = step + minPause;
      const costFrom = (first: number) =>
        (starts[first] as number) + this.#costOf(behind.runs, behind.left, first + minRun);
      while (next < costs.length && costFrom(next) !== cost) next++;
      if (next >= costs.length) return found;
      at = { ...behind, step: next + minRun, begun: next };
    }
  }

  /** Returns the cost from a state to the end; Infinity if it is infeasible. */
  #costOf(runs: number, left: number, step: number): number {
    const isInside = runs >= 0 && left >= 0 && left <= this.#entered && step + left <= this.#line.open;
    if (!isInside || step + left < this.#fewest) return NONE;
    return this.#states[this.#rowOf(runs, left) + step] as number;
  }

  /** Returns the index of step 0 in a row; steps before `fewest - left` are not stored, as the placed ones do not fit. */
  #rowOf(runs: number, left: number): number {
    return (runs * (this.#entered + 1) + left) * this.#width + left - this.#fewest;
  }

  /** Returns the number of runs that may begin after one more has begun. */
  #behind(runs: number): number {
    return this.#line.countsRuns ? runs - 1 : runs;
  }
}

/**
 * Solves a problem. If its best solution has too many runs, each run that begins gets a price (`fee`). With the price at which
 * the cheapest solution has exactly the allowed runs, no other one with as many or fewer is cheaper. Only where no price has
 * it, runs are counted, which takes as many tables as there are runs.
 */
export class RunsSolver {
  readonly #problem: RunsProblem;
  /** The last table. */
  #table: RunsTable | null = null;
  #fee: number;
  #counted: RunsTable | null = null;

  /** `fee`: a price of runs that fits to a similar problem. */
  constructor(problem: RunsProblem, fee = 0) {
    this.#problem = problem;
    this.#fee = fee;
  }

  /** Returns the cheapest solution within `limits`; null if none exists. Ties go to the earliest. */
  cheapest(limits: RunsLimits = {}): RunsChoice | null {
    const { most = Number.MAX_VALUE, first } = limits;
    // A table that counts serves all first steps.
    const priced = this.#counted || (first && this.#fee > 0) ? "unknown" : this.#priced(most, limits);
    if (priced !== "unknown") return priced;
    this.#counted ??= new RunsTable(this.#problem);
    const counted = this.#counted.cheapest({ first });
    return counted && counted.cost <= most ? counted : null;
  }

  /** Searches the price of runs. */
  #priced(most: number, { first, any }: RunsLimits): RunsChoice | null | "unknown" {
    const { costs } = this.#problem;
    const maxRuns = Math.min(this.#problem.maxRuns, costs.length);
    const highest = costs.reduce((sum, cost) => sum + (cost < NONE ? Math.abs(cost) : 0), 1) * 2;
    let [high, low]: (RunsChoice | null)[] = [null, null];
    for (let fee = this.#fee; ; ) {
      const found = this.#with(fee).cheapest({ first });
      if (!found || found.cost - fee * maxRuns > most) return null;
      const runs = this.#begun(found);
      const own = { ...found, cost: found.cost - fee * runs, fee };
      if (runs === maxRuns || (runs < maxRuns && (fee === 0 || (any && own.cost <= most)))) return own;
      if (runs > maxRuns && fee === highest) return null;
      if (first || [high, low].some((known) => known && this.#begun(known) === runs)) return "unknown";
      if (runs > maxRuns) high = own;
      else low = own;
      // The price at which both would cost the same: the next solution lies between them.
      if (high && low) fee = Math.floor((low.cost - high.cost) / (this.#begun(high) - this.#begun(low)));
      else fee = high ? highest : 0;
    }
  }

  #with(fee: number): RunsTable {
    if (this.#table && this.#fee === fee) return this.#table;
    this.#fee = fee;
    this.#table = new RunsTable({ ...this.#problem, maxRuns: NONE }, { fee });
    return this.#table;
  }

  /** Returns the number of runs that begin; the one in progress has begun. */
  #begun({ runs }: RunsChoice): number {
    return runs.length - (this.#problem.begin.kind === "running" && runs[0]?.[0] === 0 ? 1 : 0);
  }
}

/** Returns the maximum feasible number of steps, at most `problem.on`; 0 if none is feasible. */
export function mostSteps(problem: RunsProblem): number {
  const most = Math.min(problem.on ?? NONE, problem.costs.length);
  const table = new RunsTable({ ...problem, on: most }, { fewest: 1 });
  for (let on = most; on > 0; on--) if (table.cheapest({ on })) return on;
  return 0;
}

/** Returns the minimum feasible number of steps, at least `problem.on`; null if none is feasible. */
export function fewestSteps(problem: RunsProblem): number | null {
  const most = problem.costs.length;
  const fewest = problem.on ?? 1;
  const table = new RunsTable({ ...problem, on: most }, { fewest });
  for (let on = fewest; on <= most; on++) if (table.cheapest({ on })) return on;
  return null;
}
