/**
 * Lower bound of the cost, by Lagrangian relaxation of the number of steps.
 *
 * Instead of a fixed number of steps, each step ON earns a pay (the Lagrange multiplier). With the right pay, the cheapest
 * solution of any length has nearly the right length. For any pay, its cost plus the pay of the right number of steps is
 * a lower bound for solutions of the right length.
 */
import type { RunsLine } from "./run-problem.ts";

export interface RunsBound {
  /** Pay of each step ON. Unit: as costs, whole. */
  readonly pay: number;
  /** No solution costs less. */
  readonly least: number;
  /** Difference between the highest and the lowest cost of a step. */
  readonly spread: number;
  /**
   * By runs that may still begin: the minimum cost of reaching each step, minus pay. The previous step is ON, in a run of
   * at least the minimum length.
   */
  readonly ways: readonly Float64Array[];
}

const NONE = Number.POSITIVE_INFINITY;

/** Maximum rounds of the search for the pay. The bound is valid for any pay. */
const MAX_ROUNDS = 32;
/** The search ends if the bound can rise by at most this share of the spread. */
const CLOSE = 1 / 64;
/** Maximum error, in steps, at which the pay of a similar problem is still used. */
const NEAR = 6;
/** Difference of the second pay from the first, as a share of the spread. It grows from round to round. */
const FIRST_STRIDE = 1 / 16;

/**
 * Returns a high bound; null if no solution has `on` steps: a pay above all costs gives too few steps, or a pay below all
 * of them too many.
 *
 * Solutions with too few and too many steps enclose the best pay. The next pay is the one at which both cost the same.
 * `near`: the pay of a similar problem.
 */
export function boundOf(line: RunsLine, on: number, near?: number): RunsBound | null {
  const open = line.costs.filter((cost) => cost < NONE).sort();
  const [low, high] = [open[0] ?? 0, open.at(-1) ?? 0];
  const spread = high - low;
  const furthest = 2 * (Math.max(0, -low, high) + 1) * line.costs.length;
  let few: { readonly cost: number; readonly on: number } | null = null;
  let many: { readonly cost: number; readonly on: number } | null = null;
  // The most expensive of the `on` cheapest steps.
  let pay = near ?? open[Math.min(on, open.length) - 1] ?? 0;
  let stride = 1 + Math.round(spread * FIRST_STRIDE);
  for (let round = 1; ; round++) {
    const swept = sweep(line, pay);
    if (swept.least === NONE) return null;
    const bound = { pay, least: swept.least + pay * on, spread, ways: swept.ways };
    if (Math.abs(swept.on - on) <= (near === undefined ? 0 : NEAR) || round === MAX_ROUNDS) return bound;
    const found = { cost: swept.least + pay * swept.on, on: swept.on };
    if (swept.on < on) few = found;
    else many = found;
    if (few && many) {
      pay = Math.round((many.cost - few.cost) / (many.on - few.on));
      // The bound cannot be higher than the cost at which both are equal.
      if (few.cost + pay * (on - few.on) - bound.least <= spread * CLOSE) return bound;
    } else if (pay === (few ? furthest : -furthest)) {
      return null;
    } else {
      pay = Math.max(-furthest, Math.min(furthest, pay + (few ? stride : -stride)));
      stride *= 4;
    }
  }
}

interface Sweep {
  readonly ways: Float64Array[];
  /** Number of steps ON for each entry of `ways`. */
  readonly ons: Int32Array[];
  /** Cost of the cheapest solution minus pay. `on`: its number of steps. */
  least: number;
  on: number;
}

function sweep(line: RunsLine, pay: number): Sweep {
  const layers = Array.from({ length: line.top + 1 }, (_, runs) => runs);
  const room = line.costs.length + 1;
  const ways = layers.map(() => new Float64Array(room));
  const swept = { ways, ons: layers.map(() => new Int32Array(room)), least: NONE, on: 0 };
  for (const runs of layers.reverse()) sweepLayer(line, pay, swept, runs);
  return swept;
}

/** Computes the ways for a number of runs that may still begin. */
function sweepLayer(line: RunsLine, pay: number, swept: Sweep, runs: number): void {
  const { costs, starts, latest, minRun, minPause, begin, top, firstForced } = line;
  const own = swept.ways[runs] as Float64Array;
  const ownOn = swept.ons[runs] as Int32Array;
  const before = swept.ways[line.countsRuns ? runs + 1 : runs];
  const beforeOn = swept.ons[line.countsRuns ? runs + 1 : runs] ?? ownOn;
  const need = begin.kind === "running" && runs === top ? begin.need : -1;
  const first = begin.kind === "off" && runs === top ? begin.first : NONE;
  const last = begin.kind === "off" ? Math.min(begin.last, firstForced) : -1;
  // Cost and number of steps ON before a run that begins in each step.
  const entry = new Float64Array(costs.length + 1);
  const entryOn = new Int32Array(costs.length + 1);
  // Ends of earlier runs as a monotonic queue: ascending in cost and position, the first is the cheapest.
  const near = new Int32Array(costs.length + 1);
  let head = 0;
  let tail = 0;
  let way = NONE;
  let on = 0;
  for (let step = 0; step <= costs.length; step++) {
    way += step === 0 ? 0 : (costs[step - 1] as number) - pay;
    on++;
    const begun = step - minRun;
    const fresh = begun < 0 ? NONE : (entry[begun] as number) + (starts[begun] as number) - pay * minRun;
    if (fresh < way) {
      way = fresh;
      on = (entryOn[begun] as number) + minRun;
    }
    if (step === need) {
      way = costs.subarray(0, need).reduce((sum, cost) => sum + cost - pay, 0);
      on = need;
    }
    own[step] = way;
    ownOn[step] = on;
    if (way < swept.least && latest[step] === costs.length) {
      swept.least = way;
      swept.on = on;
    }
    const rested = step - minPause;
    if (before && rested >= 0) {
      const cost = before[rested] as number;
      while (tail > head && (before[near[tail - 1] as number] as number) >= cost) tail--;
      near[tail++] = rested;
    }
    while (head < tail && (latest[near[head] as number] as number) < step) head++;
    const nearest = before && head < tail ? (near[head] as number) : -1;
    const behind = before && nearest >= 0 ? (before[nearest] as number) : NONE;
    const isFirst = step >= first && step <= last && behind > 0;
    entry[step] = isFirst ? 0 : behind;
    entryOn[step] = isFirst || nearest < 0 ? 0 : (beforeOn[nearest] as number);
  }
}
