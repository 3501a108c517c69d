/**
 * The cheapest runs on a line of equal steps, exact: dynamic programming from the last step to the first.
 *
 * A state is (runs that may still begin, steps still to place, step), in a run that has its shortest length. A step more
 * of the run leads to the next step in the row with one step less to place; a pause, and the shortest length of the run
 * behind it, to a row with fewer steps to place and one run less to begin. The best beginning behind a pause is the
 * least of a stretch of such a row, which moves along with the step: so every state costs the same few operations,
 * whatever the lengths are. Where runs or steps are not counted, there is one row for any number of them.
 *
 * A state is left out where the cheapest way to it, with what its own way on costs, comes to more than a guess. The way
 * is the bound's, so no way of the right number of steps costs less: a choice that costs no more than the guess passes
 * by no state that is left out, and what stands in the states it passes is exact. What is left of a week is a narrow
 * band, and each row keeps its own part of it. Where nothing is found, the guess grows.
 */
import { lineOf, type RunsLine, type RunsProblem } from "./run-problem.ts";
import { boundOf, type RunsBound } from "./runs-bound.ts";

/** A stretch of steps [from, to). */
export type StepRun = readonly [from: number, to: number];

/** A set of runs and what it costs. Shape: `runs` ascending, apart. */
export interface RunsChoice {
  readonly cost: number;
  readonly runs: readonly StepRun[];
}

/** Steps [low, high) whose states stand behind each other, counted down from a place. */
interface Row {
  readonly low: number;
  readonly high: number;
  readonly place: number;
}

const NONE = Number.POSITIVE_INFINITY;
const EMPTY: Row = { low: 2 ** 30 - 1, high: -1, place: 0 };
const anywhere = (_first: number): boolean => true;

/** How much dearer than the bound the best is guessed to be first, as a share of the dearest step; then ever more. */
const FIRST_SLACK = 1 / 64;
const SLACK_GROWTH = 4;
/** The last guess is none: whatever it costs. */
const MAX_GUESSES = 5;
/** A table begins with room for so many states, and doubles it. */
const FIRST_ROOM = 16_384;

export class RunsTable {
  readonly #line: RunsLine;
  readonly #on: number;
  readonly #fewest: number;
  /** 1 where steps are counted, else 0. */
  readonly #one: number;
  /** How many steps are still to place when the first run has its shortest length. */
  readonly #entered: number;
  /** Null where there is no choice. */
  readonly #bound: RunsBound | null;
  /** By runs still to begin: the least of the ways to a step and to those before it. */
  readonly #leastWays: readonly Float64Array[];
  #guesses = 0;
  /** All choices that cost no more are known. */
  #most = Number.NEGATIVE_INFINITY;
  #rows: Row[] = [];
  #states = new Float64Array(FIRST_ROOM);
  #used = 0;
  readonly #near: Int32Array;
  readonly #nearCosts: Float64Array;

  /** Knows the choices of `on` steps, and of all numbers from `fewest` on. `near`: a pay that is nearly right. */
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
   * The cheapest choice whose first run begins with a step where it `may`, and that costs no more than `most`; null where
   * there is none. Ties go to the earliest: of two equal sets the one that is ON in the first step where they differ.
   */
  cheapest({ may = anywhere, most = Number.MAX_VALUE, on = this.#on } = {}): RunsChoice | null {
    const left = this.#entered - this.#on + on;
    for (;;) {
      const { cost, begun, step } = this.#entry(may, left);
      if (cost <= Math.min(this.#most, most)) return { cost, runs: begun < 0 ? [] : this.#walk(begun, step, left) };
      if (!this.#bound || this.#most >= most) return null;
      // What was found beyond the guess need not be the best, but the best is no more expensive.
      this.#guess(this.#bound, cost);
    }
  }

  /** Where the cheapest choice begins. */
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
      // The runs that have begun have their shortest length.
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
    // The beginnings behind a pause, from the cheapest to the nearest.
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
    // What has been placed took its steps.
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

  /** From a step of a run that began with `begun`, goes on or begins the next as early as the least cost allows. */
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

  /** What a state costs from its step on; Infinity where it is left out or leads nowhere. */
  #costOf(runs: number, left: number, step: number): number {
    const { low, high, place } = this.#row(runs, left);
    return step >= low && step < high ? (this.#states[place - step] as number) : NONE;
  }

  #row(runs: number, left: number): Row {
    return (runs >= 0 && left >= 0 ? this.#rows[runs * (this.#entered + 1) + left] : undefined) ?? EMPTY;
  }

  /** How many runs may begin behind the beginning of one. */
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

/** What a choice is to keep besides its problem's rules. */
export interface RunsLimits {
  /** Where the first run may begin. */
  readonly may?: (first: number) => boolean;
  readonly most?: number;
}

/** The choices of a problem. Runs are counted only where the best that does not count them has too many. */
export class RunsSolver {
  readonly #problem: RunsProblem;
  readonly #free: RunsTable;
  #counted: RunsTable | null = null;

  constructor(problem: RunsProblem) {
    this.#problem = problem;
    this.#free = new RunsTable({ ...problem, maxRuns: NONE });
  }

  /** The cheapest choice; null where there is none. Ties go to the earliest. */
  cheapest(limits?: RunsLimits): RunsChoice | null {
    if (this.#counted) return this.#counted.cheapest(limits);
    const free = this.#free.cheapest(limits);
    const goesOn = this.#problem.begin.kind === "running" && free?.runs[0]?.[0] === 0;
    if (!free || free.runs.length - (goesOn ? 1 : 0) <= this.#problem.maxRuns) return free;
    this.#counted = new RunsTable(this.#problem, undefined, this.#free.pay);
    return this.#counted.cheapest(limits);
  }
}

/** The most steps, up to as many as are asked for, that can be placed at all; 0 where none can. */
export function mostSteps(problem: RunsProblem): number {
  const most = Math.min(problem.on ?? NONE, problem.costs.length);
  const table = new RunsTable({ ...problem, on: most }, 1);
  for (let on = most; on > 0; on--) if (table.cheapest({ on })) return on;
  return 0;
}

/** The fewest steps, of as many as are asked for and more, that can be placed at all; null where none can. */
export function fewestSteps(problem: RunsProblem): number | null {
  const most = problem.costs.length;
  const fewest = problem.on ?? 1;
  const table = new RunsTable({ ...problem, on: most }, fewest);
  for (let on = fewest; on <= most; on++) if (table.cheapest({ on })) return on;
  return null;
}

/** Nothing is known of what a choice costs: none is left out. */
function unbounded({ top, costs }: RunsLine): RunsBound {
  const ways = Array.from({ length: top + 1 }, () => new Float64Array(costs.length + 1));
  return { pay: 0, least: Number.MAX_VALUE, spread: 0, ways };
}

/** The least up to each. */
function leastSoFar(costs: Float64Array): Float64Array {
  let least = NONE;
  return costs.map((cost) => {
    least = Math.min(least, cost);
    return least;
  });
}
