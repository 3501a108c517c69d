/**
 * The table behind the cheapest runs: dynamic programming from the last step of the line to the first.
 *
 * A state is (steps still to place, steps OFF so far, runs still to begin), in a run that has its shortest length. A
 * step more of the run, and the shortest length of a new one, keep the number of steps OFF, so both look into the
 * state's own column of a lower row; only a pause moves along the row, and the best beginning behind it is a running
 * minimum (a monotone queue where `maxGap` bounds it). So every state costs the same few operations, whatever the
 * lengths are. Going on, or beginning, as early as the minimum allows gives the earliest of equal sets.
 */

/** How the line is entered. */
export type RunsBegin =
  /** A run reaches the line and has to go on for `need` steps. */
  | { readonly kind: "running"; readonly need: number }
  /** The first run begins in one of the steps `first` to `last`, both included. */
  | { readonly kind: "off"; readonly first: number; readonly last: number };

export interface RunsProblem {
  /** Shape: whole numbers, so that sums are exact; Infinity where it may not be ON. At most `MAX_LINE` steps. */
  readonly costs: Float64Array;
  /** 1 where it has to be ON. */
  readonly forced: Uint8Array;
  /** How many steps are ON; at least 1, at most all. */
  readonly on: number;
  /** At least 1. */
  readonly minRun: number;
  /** At least 1. */
  readonly minPause: number;
  /** Most steps OFF in a row, behind the last run too; Infinity for no bound. */
  readonly maxGap: number;
  /** Most runs that may begin; Infinity for no bound. */
  readonly maxRuns: number;
  readonly begin: RunsBegin;
}

/** The choice of going on with the run. Any other is the step at which the next run begins, plus one. */
export const GO_ON = 0;

/** Longest line: a choice has two bytes. */
export const MAX_LINE = 0xfffe;

/** Costs and choices of every state. A state's place is `row * columns + column` within its layer. */
export interface RunsTable {
  readonly problem: RunsProblem;
  readonly columns: number;
  /** Column of step 0 in the row of all steps: 0, or `on` where fewer steps can be asked for. */
  readonly shift: number;
  /** How many numbers of runs still to begin are told apart; 1 where they are not counted. */
  readonly layers: number;
  /** What the shortest run costs that begins with a step. */
  readonly startCosts: Float64Array;
  /** The first step, at or after each, that has to be ON. */
  readonly nextForced: Int32Array;
  readonly choices: Uint16Array;
  /** Costs of the states that may still begin all runs. */
  readonly top: Float64Array;
  /** Costs of those behind the first beginning; null where none may begin. */
  readonly behindFirst: Float64Array | null;
}

/** Room for one row: what lies before a pause, nearest step first. */
interface Queue {
  readonly costs: Float64Array;
  readonly steps: Int32Array;
}

/** Fills the table. `fewer`: so that every number of steps up to `on` can be asked for; it takes more room. */
export function runsTable(problem: RunsProblem, { fewer = false } = {}): RunsTable {
  const { costs, forced, on, minRun, maxRuns } = problem;
  const shift = fewer ? on : 0;
  const columns = shift + costs.length - on + 1;
  const size = (on + 1) * columns;
  const counted = Number.isFinite(maxRuns);
  const layers = counted ? maxRuns + 1 : 1;
  const first = new Float64Array(size);
  const second = layers > 1 ? new Float64Array(size) : first;
  const table: RunsTable = {
    problem,
    columns,
    shift,
    layers,
    startCosts: startCosts(costs, minRun),
    nextForced: nextForced(forced),
    choices: new Uint16Array(layers * size),
    top: layers % 2 === 1 ? first : second,
    behindFirst: counted ? (layers === 1 ? null : layers % 2 === 1 ? second : first) : first,
  };
  const queue = { costs: new Float64Array(columns), steps: new Int32Array(columns) };
  for (let layer = 0; layer < layers; layer++) {
    const [own, other] = layer % 2 === 0 ? [first, second] : [second, first];
    const below = counted && layer === 0 ? null : other;
    // The runs that this layer has fewer to begin have their shortest length, so fewer steps are left.
    const most = counted ? on - (maxRuns - layer) * minRun : on;
    if (most >= 0) fillLayer(table, { own, below, most, choices: layer * size, queue });
  }
  return table;
}

interface Layer {
  readonly own: Float64Array;
  /** The layer that beginning a run leads to. */
  readonly below: Float64Array | null;
  /** Most steps that can be left to place. */
  readonly most: number;
  /** Where its choices begin. */
  readonly choices: number;
  readonly queue: Queue;
}

function fillLayer(table: RunsTable, layer: Layer): void {
  const { minRun, maxGap } = table.problem;
  fillLastRow(table, layer);
  for (let left = 1; left <= layer.most; left++) {
    if (!layer.below || left < minRun) fillRowThatGoesOn(table, layer, left);
    else if (maxGap < table.problem.costs.length) fillRowWithGaps(table, layer, left);
    else fillRow(table, layer, left);
  }
}

/** Nothing left to place: OFF until the end. */
function fillLastRow({ problem, columns, shift, nextForced }: RunsTable, { own }: Layer): void {
  const length = problem.costs.length;
  const offset = problem.on - shift;
  for (let column = 0; column < columns; column++) {
    const step = column + offset;
    const ends = length - step <= problem.maxGap && (nextForced[step] as number) >= length;
    own[column] = ends ? 0 : Number.POSITIVE_INFINITY;
  }
}

/** Too little is left for another run. Its choices stay what they are made as: GO_ON. */
function fillRowThatGoesOn({ problem, columns, shift }: RunsTable, { own }: Layer, left: number): void {
  const row = left * columns;
  const offset = problem.on - shift - left;
  for (let column = Math.max(0, -offset); column < columns; column++) {
    own[row + column] = (problem.costs[column + offset] as number) + (own[row - columns + column] as number);
  }
}

function fillRow(table: RunsTable, layer: Layer, left: number): void {
  const { problem, columns, shift, startCosts, nextForced, choices } = table;
  const { costs, forced, minRun, minPause } = problem;
  const { own } = layer;
  const below = layer.below as Float64Array;
  const row = left * columns;
  const source = row - minRun * columns;
  const offset = problem.on - shift - left;
  let best = Number.POSITIVE_INFINITY;
  let bestStep = 0;
  for (let column = columns - 1; column >= Math.max(0, -offset); column--) {
    const step = column + offset;
    const next = step + minPause;
    if (column + minPause < columns && next <= (nextForced[step] as number)) {
      const cost = (startCosts[next] as number) + (below[source + column + minPause] as number);
      if (cost <= best) {
        best = cost;
        bestStep = next;
      }
    }
    if (forced[step] === 1) best = Number.POSITIVE_INFINITY;
    const goOn = (costs[step] as number) + (own[row - columns + column] as number);
    own[row + column] = goOn <= best ? goOn : best;
    if (goOn > best) choices[layer.choices + row + column] = bestStep + 1;
  }
}

/** As `fillRow`, where a pause has a longest length: the nearest of equal beginnings, and none that is too far. */
function fillRowWithGaps(table: RunsTable, layer: Layer, left: number): void {
  const { problem, columns, shift, startCosts, nextForced, choices } = table;
  const { costs, minRun, minPause, maxGap } = problem;
  const { own, queue } = layer;
  const below = layer.below as Float64Array;
  const row = left * columns;
  const source = row - minRun * columns;
  const offset = problem.on - shift - left;
  let head = 0;
  let tail = 0;
  for (let column = columns - 1; column >= Math.max(0, -offset); column--) {
    const step = column + offset;
    const next = step + minPause;
    if (column + minPause < columns) {
      const cost = (startCosts[next] as number) + (below[source + column + minPause] as number);
      while (tail > head && (queue.costs[tail - 1] as number) >= cost) tail--;
      queue.costs[tail] = cost;
      queue.steps[tail++] = next;
    }
    const furthest = Math.min(step + maxGap, nextForced[step] as number);
    while (head < tail && (queue.steps[head] as number) > furthest) head++;
    const best = head < tail ? (queue.costs[head] as number) : Number.POSITIVE_INFINITY;
    const goOn = (costs[step] as number) + (own[row - columns + column] as number);
    own[row + column] = goOn <= best ? goOn : best;
    if (goOn > best) choices[layer.choices + row + column] = (queue.steps[head] as number) + 1;
  }
}

/** The cost of `length` steps from each; Infinity where one of them is not allowed or the line ends. */
export function startCosts(costs: Float64Array, length: number): Float64Array {
  const sums = new Float64Array(costs.length + 1).fill(Number.POSITIVE_INFINITY);
  let sum = 0;
  let closed = 0;
  for (let end = 1; end <= costs.length; end++) {
    const added = costs[end - 1] as number;
    if (added === Number.POSITIVE_INFINITY) closed++;
    else sum += added;
    if (end > length) {
      const removed = costs[end - 1 - length] as number;
      if (removed === Number.POSITIVE_INFINITY) closed--;
      else sum -= removed;
    }
    if (end >= length && closed === 0) sums[end - length] = sum;
  }
  return sums;
}

/** Shape: one more than the steps; the line's length where none follows. */
export function nextForced(forced: Uint8Array): Int32Array {
  const next = new Int32Array(forced.length + 1).fill(forced.length);
  for (let step = forced.length - 1; step >= 0; step--) {
    next[step] = forced[step] === 1 ? step : (next[step + 1] as number);
  }
  return next;
}
