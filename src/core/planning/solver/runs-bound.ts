/**
 * What a choice costs at least, without trying any.
 *
 * The number of steps is let go, and every step is paid for instead: at the right pay the cheapest choice has nearly the
 * right number. Whatever the pay is, no choice of the right number costs less than the cheapest of any number, with
 * what the right number is paid: it is one of them.
 */
import type { RunsLine } from "./run-problem.ts";

export interface RunsBound {
  /** For each step that is ON. Unit: that of costs, whole. */
  readonly pay: number;
  /** No choice costs less. */
  readonly least: number;
  /** How far apart the costs are that are chosen from. */
  readonly spread: number;
  /**
   * By how many runs may still begin: what the cheapest way to each step costs, less what is paid for it. The step before
   * is ON, in a run that has its shortest length.
   */
  readonly ways: readonly Float64Array[];
}

const NONE = Number.POSITIVE_INFINITY;

/** Rounds of finding the pay; the bound holds for whatever it comes to. */
const MAX_ROUNDS = 32;
/** A bound is high enough that could be higher by this share of the spread of costs. */
const CLOSE = 1 / 64;
/** A pay that is known from a like problem is near enough where it leads to a number of steps wrong by no more than this. */
const NEAR = 6;
/** How far the second pay is from the first, as a share of the spread of costs; then ever further. */
const FIRST_STRIDE = 1 / 16;

/**
 * A high bound; null where no choice has the right number of steps, which is when even a pay (or a fine) above all costs
 * together leads to too few (or too many).
 *
 * Too few and too many steps enclose the best pay; where the lines of the nearest two cross both cost the same, and a
 * choice that costs less there lies between them. `near`: a pay that has been right for a problem much like this one.
 */
export function boundOf(line: RunsLine, on: number, near?: number): RunsBound | null {
  const open = line.costs.filter((cost) => cost < NONE).sort();
  const [low, high] = [open[0] ?? 0, open.at(-1) ?? 0];
  const spread = high - low;
  const furthest = 2 * (Math.max(0, -low, high) + 1) * line.costs.length;
  let few: { readonly cost: number; readonly on: number } | null = null;
  let many: { readonly cost: number; readonly on: number } | null = null;
  // The dearest of the cheapest steps there are.
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
      // Where both lines meet is the highest that a bound can be.
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
  /** How many steps are ON on each of the ways. */
  readonly ons: Int32Array[];
  /** What the cheapest choice costs, less what is paid for it, and how many steps are ON in it. */
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

/** The ways with so many runs that may still begin. */
function sweepLayer(line: RunsLine, pay: number, swept: Sweep, runs: number): void {
  const { costs, starts, latest, minRun, minPause, begin, top, firstForced } = line;
  const own = swept.ways[runs] as Float64Array;
  const ownOn = swept.ons[runs] as Int32Array;
  const before = swept.ways[line.countsRuns ? runs + 1 : runs];
  const beforeOn = swept.ons[line.countsRuns ? runs + 1 : runs] ?? ownOn;
  const need = begin.kind === "running" && runs === top ? begin.need : -1;
  const first = begin.kind === "off" && runs === top ? begin.first : NONE;
  const last = begin.kind === "off" ? Math.min(begin.last, firstForced) : -1;
  // What each run costs before it begins, and how many steps are ON before.
  const entry = new Float64Array(costs.length + 1);
  const entryOn = new Int32Array(costs.length + 1);
  // The ends of runs that a pause may follow, ascending both in cost and in place: the first is the cheapest.
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
