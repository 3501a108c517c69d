/**
 * Cheapest runs on a line of equal steps, exact: dynamic programming from the last step to the first.
 *
 * A state is (runs that may still begin, missing steps, step), in a run of at least the minimum length. Continuing the run
 * leads to the next step with one missing step less. A pause and the minimum length of the next run lead to a row with
 * fewer missing steps and one run less. The best start after a pause is the minimum of a sliding window over that row,
 * so every state takes constant time for any lengths. If runs or steps are not counted, one row stands for all numbers.
 *
 * A state is dropped if the bound's cost of reaching it plus its own cost exceeds a guess. Solutions that cost at most the
 * guess contain no dropped state, so they are exact. For a week, only a narrow band of states remains, and each row
 * stores its part of the band. If nothing is found, the guess is raised.
 */
import { lineOf, type RunsLine, type RunsProblem } from "./run-problem.ts";
import { boundOf, type RunsBound } from "./runs-bound.ts";

/** Steps [from, to). */
export type StepRun = readonly [from: number, to: number];

/** Runs and their cost. Shape: `runs` ascending, apart. */
export interface RunsChoice {
  readonly cost: number;
  readonly runs: readonly StepRun[];
}

/** Steps [low, high) whose states are stored in descending order from index `place`. */
interface Row {
  readonly low: number;
  readonly high: number;
  readonly place: number;
}

const NONE = Number.POSITIVE_INFINITY;
const EMPTY: Row = { low: 2 ** 30 - 1, high: -1, place: 0 };
const anywhere = (_first: number): boolean => true;

/** First guess above the bound, as a share of the spread of costs. It grows from guess to guess. */
const FIRST_SLACK = 1 / 64;
const SLACK_GROWTH = 4;
/** The last guess has no limit. */
const MAX_GUESSES = 5;
/** Initial number of states of a table, doubled when full. */
const FIRST_ROOM = 1_024;

export class RunsTable {
  readonly #line: RunsLine;
  readonly #on: number;
  readonly #fewest: number;
  /** 1 if steps are counted, otherwise 0. */
  readonly #one: number;
  /** Missing steps when the first run has its minimum length. */
  readonly #entered: number;
  /** Null if there is no solution. */
  readonly #bound: RunsBound | null;
  /** Minimum cost of the ways to a step and to earlier steps, indexed by the number of runs that may still begin. */
  readonly #leastWays: readonly Float64Array[];
  #guesses = 0;
  /** All solutions up to this cost are in the table. */
  #most = Number.NEGATIVE_INFINITY;
  #rows: Row[] = [];
  #states = new Float64Array(FIRST_ROOM);
  #used = 0;
  readonly #near: Int32Array;
  readonly #nearCosts: Float64Array;

  /** Creates the table for `on` steps and for all numbers from `fewest`. `near`: the pay of a similar problem. */
  constructor(problem: RunsProblem, fewest: number = problem.on ?? 0, near?: number) {
    const { costs, on, minRun, begin } = problem;
    const line = lineOf(problem);
    this.#line = line;
    this.#on = on ?? 0;
    this.#fewest = fewest;
    this.#one = on === null ? 0 : 1;
    this.#entered = this.#one * (this.#on - (begin.kind === "off" ? minRun : begin.need));
    const isPossible = this.#entered >= 0 && line.top >= 0 && fewest <= costs.length;
    const isBounded = on !== null && fewest === on;
    this.#bound = !isPossible ? null : isBounded ? boundOf(line, on, near) : unbounded(line);
    this.#leastWays = this.#bound?.ways.map(leastSoFar) ?? [];
    this.#near = new Int32Array(costs.length + 1);
    this.#nearCosts = new Float64Array(costs.length + 1);
  }

  get pay(): number | undefined {
    return this.#bound?.pay;
  }

  /**
   * Returns the cheapest solution whose first run begins where it `may` and that costs at most `most`; null without
   * one. Of equal solutions, the one that is ON in the first step in which they differ.
   */
  cheapest({ may = anywhere, most = Number.MAX_VALUE, on = this.#on } = {}): RunsChoice | null {
    const left = this.#entered - this.#on + on;
    for (;;) {
      const { cost, begun, step } = this.#entry(may, left);
      if (cost <= Math.min(this.#most, most)) return { cost, runs: begun < 0 ? [] : this.#walk(begun, step, left) };
      if (!this.#bound || this.#most >= most) return null;
      // A solution above the guess may not be the best one, but is an upper bound of it.
      this.#guess(this.#bound, cost);
    }
  }

  #entry(may: (first: number) => boolean, left: number): { cost: number; begun: number; step: number } {
    const { begin, costs, starts, minRun, top, firstForced } = this.#line;
    if (begin.kind === "running") {
      let cost = this.#costOf(top, left, begin.need);
      for (let step = 0; step < begin.need; step++) cost += costs[step] as number;
      return { cost, begun: 0, step: begin.need };
    }
    let best = { cost: NONE, begun: -1, step: 0 };
    for (let first = begin.first; first <= Math.min(begin.last, firstForced); first++) {
      const cost = (starts[first] as number) + this.#costOf(top, left, first + minRun);
      if (cost < best.cost && may(first)) best = { cost, begun: first, step: first + minRun };
    }
    const mayBeNone = this.#one === 0 && firstForced === costs.length && begin.last === costs.length - 1;
    return mayBeNone && best.cost > 0 ? { cost: 0, begun: -1, step: 0 } : best;
  }

  #guess({ least, spread }: RunsBound, found: number): void {
    const slack = (1 + Math.round(spread * FIRST_SLACK)) * SLACK_GROWTH ** this.#guesses++;
    this.#most = this.#guesses < MAX_GUESSES ? Math.min(least + slack, found) : Math.min(Number.MAX_VALUE, found);
    this.#rows = [];
    this.#used = 0;
    const { top, minRun } = this.#line;
    for (let runs = 0; runs <= top; runs++) {
      // Runs that have begun have at least the minimum length.
      const longest = this.#entered - (top - runs) * minRun;
      for (let left = 0; left <= longest; left++) this.#fillRow(runs, left);
    }
  }

  #fillRow(runs: number, left: number): void {
    const { costs, starts, latest, minRun, minPause, countsRuns } = this.#line;
    const end = costs.length;
    this.#makeRoom(end + 1);
    const states = this.#states;
    const used = this.#used;
    const own = runs * (this.#entered + 1) + left;
    if (this.#one === 0) this.#rows[own] = { low: 0, high: end + 1, place: used + end };
    const goOn = this.#row(runs, left - this.#one);
    const begin = countsRuns && runs === 0 ? EMPTY : this.#row(this.#behind(runs), left - this.#one * minRun);
    const goOnLow = goOn.low - 1;
    const goOnHigh = goOn.high - 1;
    const goOnPlace = goOn.place - 1;
    const lowestBegin = begin.low - minRun;
    const beginPlace = begin.place - minRun;
    let next = begin.high - 1 - minRun;
    // Starts after a pause as a monotonic queue, from the cheapest to the nearest.
    const near = this.#near;
    const nearCosts = this.#nearCosts;
    let head = 0;
    let tail = 0;
    const ways = this.#bound?.ways[runs] as Float64Array;
    const leastWays = this.#leastWays[runs] as Float64Array;
    const most = this.#most - (this.#bound?.pay ?? 0) * (this.#on - left);
    const high = left === 0 ? end : Math.max(goOnHigh - 1, next - minPause);
    let first = end + 1;
    let last = -1;
    // Steps before `fewest - left` cannot contain the steps that are placed already.
    for (let step = high; step >= Math.max(0, this.#fewest - left); step--) {
      for (; next >= lowestBegin && next >= step + minPause; next--) {
        const cost = (starts[next] as number) + (states[beginPlace - next] as number);
        while (tail > head && (nearCosts[tail - 1] as number) >= cost) tail--;
        nearCosts[tail] = cost;
        near[tail++] = next;
      }
      while (head < tail && (near[head] as number) > (latest[step] as number)) head++;
      let cost = left === 0 && latest[step] === end ? 0 : NONE;
      if (head < tail) cost = Math.min(cost, nearCosts[head] as number);
      if (step >= goOnLow && step < goOnHigh) {
        cost = Math.min(cost, (costs[step] as number) + (states[goOnPlace - step] as number));
      } else if (step < goOnLow && next < lowestBegin && (leastWays[step] as number) + cost > most) break;
      if ((ways[step] as number) + cost <= most) {
        if (last < 0) last = step;
        first = step;
        states[used + last - step] = cost;
      } else if (last >= 0) states[used + last - step] = NONE;
    }
    if (last < 0) return;
    this.#rows[own] = { low: first, high: last + 1, place: used + last };
    this.#used += last + 1 - first;
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

  /** Returns the cost from a state to the end; Infinity if it was dropped or is infeasible. */
  #costOf(runs: number, left: number, step: number): number {
    const { low, high, place } = this.#row(runs, left);
    return step >= low && step < high ? (this.#states[place - step] as number) : NONE;
  }

  #row(runs: number, left: number): Row {
    return (runs >= 0 && left >= 0 ? this.#rows[runs * (this.#entered + 1) + left] : undefined) ?? EMPTY;
  }

  /** Returns the number of runs that may begin after one more has begun. */
  #behind(runs: number): number {
    return this.#line.countsRuns ? runs - 1 : runs;
  }

  #makeRoom(states: number): void {
    if (this.#used + states <= this.#states.length) return;
    const more = new Float64Array(Math.max(2 * this.#states.length, this.#used + states));
    more.set(this.#states);
    this.#states = more;
  }
}

/** Limits of a solution besides the rules of its problem. */
export interface RunsLimits {
  /** Returns true for steps in which the first run may begin. */
  readonly may?: (first: number) => boolean;
  readonly most?: number;
}

/** Solves a problem. Counts runs only if the best solution without counting has too many. */
export class RunsSolver {
  readonly #problem: RunsProblem;
  readonly #free: RunsTable;
  #counted: RunsTable | null = null;

  constructor(problem: RunsProblem) {
    this.#problem = problem;
    this.#free = new RunsTable({ ...problem, maxRuns: NONE });
  }

  /** Returns the cheapest solution; null if none exists. Ties go to the earliest. */
  cheapest(limits?: RunsLimits): RunsChoice | null {
    if (this.#counted) return this.#counted.cheapest(limits);
    const free = this.#free.cheapest(limits);
    const goesOn = this.#problem.begin.kind === "running" && free?.runs[0]?.[0] === 0;
    if (!free || free.runs.length - (goesOn ? 1 : 0) <= this.#problem.maxRuns) return free;
    this.#counted = new RunsTable(this.#problem, undefined, this.#free.pay);
    return this.#counted.cheapest(limits);
  }
}

/** Returns the maximum feasible number of steps, at most `problem.on`; 0 if none is feasible. */
export function mostSteps(problem: RunsProblem): number {
  const most = Math.min(problem.on ?? NONE, problem.costs.length);
  const table = new RunsTable({ ...problem, on: most }, 1);
  for (let on = most; on > 0; on--) if (table.cheapest({ on })) return on;
  return 0;
}

/** Returns the minimum feasible number of steps, at least `problem.on`; null if none is feasible. */
export function fewestSteps(problem: RunsProblem): number | null {
  const most = problem.costs.length;
  const fewest = problem.on ?? 1;
  const table = new RunsTable({ ...problem, on: most }, fewest);
  for (let on = fewest; on <= most; on++) if (table.cheapest({ on })) return on;
  return null;
}

/** Returns a bound with which no state is dropped. */
function unbounded({ top, costs }: RunsLine): RunsBound {
  const ways = Array.from({ length: top + 1 }, () => new Float64Array(costs.length + 1));
  return { pay: 0, least: Number.MAX_VALUE, spread: 0, ways };
}

function leastSoFar(costs: Float64Array): Float64Array {
  let least = NONE;
  return costs.map((cost) => {
    least = Math.min(least, cost);
    return least;
  });
}
