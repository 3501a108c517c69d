/**
 * The table behind the cheapest runs: dynamic programming from the last step of the line to the first.
 *
 * A state is (steps still to place, open steps passed by, runs still to begin), in a run that has its shortest length.
 * A step more of the run, and the shortest length of a new one, pass nothing by, so both look into the state's own
 * column of a lower row; only a pause moves along the row, and the best beginning behind it is the least of a stretch
 * of the row. So every state costs the same few operations, whatever the lengths are, and a step that may not be ON
 * takes no room.
 */

/** How the line is entered. */
export type RunsBegin =
  /** A run reaches the line and has to go on for `need` steps. */
  | { readonly kind: "running"; readonly need: number }
  /** The first run begins in one of the steps `first` to `last`, both included, but in none of `except` [from, to). */
  | {
      readonly kind: "off";
      readonly first: number;
      readonly last: number;
      readonly except?: readonly [from: number, to: number];
    };

export interface RunsProblem {
  /** Shape: whole numbers, so that sums are exact; Infinity where it may not be ON. */
  readonly costs: Float64Array;
  /** 1 where it has to be ON; those have a cost. */
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

/** Whether the first run may begin with a step. */
export function mayBegin(begin: RunsBegin, step: number): boolean {
  if (begin.kind === "running" || step < begin.first || step > begin.last) return false;
  return !begin.except || step < begin.except[0] || step >= begin.except[1];
}

/** The steps that may be ON, one after the other. An index counts them; a step counts all. */
export interface OpenLine {
  /** The step of each. Shape: ascending. */
  readonly steps: Int32Array;
  /** How many there are before each step, and in all. */
  readonly before: Int32Array;
  /** What each costs behind the one before it; Infinity behind a closed step. */
  readonly goOn: Float64Array;
  /** What the shortest run costs that begins with each; Infinity where none can. One entry more than there are. */
  readonly startCosts: Float64Array;
}

/** The cost of every state. A state's place in its layer is `row * columns + column`. */
export interface RunsTable {
  readonly problem: RunsProblem;
  readonly favour: Favour;
  readonly line: OpenLine;
  readonly columns: number;
  /** Column of index 0 in the row of all steps: 0, or `on` where fewer steps can be asked for. */
  readonly shift: number;
  /** By the number of runs that may still begin; one that looks at itself where they are not counted. */
  readonly layers: readonly Float64Array[];
}

/** Fills the table; null where too few steps are open. `fewer`: every number of steps up to `on` can be asked for. */
export function runsTable(problem: RunsProblem, { fewer = false } = {}): RunsTable | null {
  const { on, minRun, maxRuns } = problem;
  const favour = favourOf(problem);
  const line = openLine(favour.costs, minRun);
  const open = line.steps.length;
  if (open < on && !fewer) return null;
  const shift = fewer ? on : 0;
  const columns = Math.max(1, shift + open - on + 1);
  const counted = Number.isFinite(maxRuns);
  const layers = Array.from({ length: counted ? maxRuns + 1 : 1 }, () => new Float64Array((on + 1) * columns));
  const table = { problem, favour, line, columns, shift, layers };
  const reach = reachOf(problem, line);
  for (const [begins, own] of layers.entries()) {
    const below = counted ? (layers[begins - 1] ?? null) : own;
    // The runs that this layer has fewer to begin have their shortest length, so fewer steps are left.
    const most = counted ? on - (maxRuns - begins) * minRun : on;
    if (most >= 0) fillLayer(table, own, below, most, reach);
  }
  return table;
}

/** The layer that beginning a run leads to; null where none may begin. */
export function layerBehind({ layers, problem }: RunsTable, begins: number): Float64Array | null {
  return (Number.isFinite(problem.maxRuns) ? layers[begins - 1] : layers[0]) ?? null;
}

/** Costs by which no choice goes without a step that has to be ON, if it can. */
export interface Favour {
  readonly costs: Float64Array;
  /** By how much such steps are cheaper together. */
  readonly bonus: number;
  /** Sums above this go without one of them. */
  readonly dearest: number;
}

/** Makes each step that has to be ON cheaper by more than all steps cost together. */
export function favourOf({ costs, forced }: RunsProblem): Favour {
  let sum = 0;
  let count = 0;
  for (let step = 0; step < costs.length; step++) {
    const cost = costs[step] as number;
    if (cost < Number.POSITIVE_INFINITY) sum += Math.abs(cost);
    count += forced[step] as number;
  }
  if (count === 0) return { costs, bonus: 0, dearest: Number.POSITIVE_INFINITY };
  const bonus = 2 * sum + 1;
  return {
    costs: costs.map((cost, step) => (forced[step] === 1 ? cost - bonus : cost)),
    bonus: bonus * count,
    dearest: sum - bonus * count,
  };
}

function openLine(costs: Float64Array, minRun: number): OpenLine {
  const before = new Int32Array(costs.length + 1);
  let open = 0;
  for (let step = 0; step < costs.length; step++) {
    before[step] = open;
    if ((costs[step] as number) < Number.POSITIVE_INFINITY) open++;
  }
  before[costs.length] = open;
  const steps = new Int32Array(open);
  const goOn = new Float64Array(open);
  const starts = startCosts(costs, minRun);
  const openStarts = new Float64Array(open + 1).fill(Number.POSITIVE_INFINITY);
  for (let step = costs.length - 1; step >= 0; step--) {
    if ((before[step + 1] as number) === (before[step] as number)) continue;
    const index = --open;
    const isBehind = step === 0 || (before[step - 1] as number) < index;
    steps[index] = step;
    goOn[index] = isBehind ? (costs[step] as number) : Number.POSITIVE_INFINITY;
    openStarts[index] = starts[step] as number;
  }
  return { steps, before, goOn, startCosts: openStarts };
}

/** Which beginnings a pause reaches from each index: the pause begins behind the step before it. */
interface Reach {
  readonly from: Int32Array;
  /** Null where a pause reaches to the end. */
  readonly to: Int32Array | null;
  /** Room for one row's beginnings. */
  readonly costs: Float64Array;
  readonly indices: Int32Array;
}

function reachOf({ costs, minPause, maxGap }: RunsProblem, { steps, before }: OpenLine): Reach {
  const length = costs.length;
  const from = new Int32Array(steps.length + 1);
  const to = maxGap < length ? new Int32Array(steps.length + 1) : null;
  for (let index = 0; index <= steps.length; index++) {
    const pause = index === 0 ? 0 : (steps[index - 1] as number) + 1;
    from[index] = before[Math.min(length, pause + minPause)] as number;
    if (to) to[index] = before[Math.min(length, pause + maxGap + 1)] as number;
  }
  const room = to ? steps.length + 1 : 0;
  return { from, to, costs: new Float64Array(room), indices: new Int32Array(room) };
}

function fillLayer(table: RunsTable, own: Float64Array, below: Float64Array | null, most: number, reach: Reach): void {
  fillLastRow(table, own);
  for (let left = 1; left <= most; left++) {
    if (!below || left < table.problem.minRun) fillRowThatGoesOn(table, own, left);
    else if (reach.to) fillRowWithGaps(table, own, below, left, reach, reach.to);
    else fillRow(table, own, below, left, reach.from);
  }
}

/** Nothing left to place: OFF until the end. */
function fillLastRow({ problem, line, columns, shift }: RunsTable, own: Float64Array): void {
  const offset = problem.on - shift;
  for (let column = Math.max(0, -offset); column < columns; column++) {
    const index = column + offset;
    const pause = index === 0 ? 0 : (line.steps[index - 1] as number) + 1;
    own[column] = problem.costs.length - pause <= problem.maxGap ? 0 : Number.POSITIVE_INFINITY;
  }
}

/** No run can begin any more. */
function fillRowThatGoesOn({ problem, line, columns, shift }: RunsTable, own: Float64Array, left: number): void {
  const row = left * columns;
  const offset = problem.on - shift - left;
  for (let column = Math.max(0, -offset); column < columns; column++) {
    own[row + column] = (line.goOn[column + offset] as number) + (own[row - columns + column] as number);
  }
}

function fillRow(table: RunsTable, own: Float64Array, below: Float64Array, left: number, from: Int32Array): void {
  const { problem, columns, shift } = table;
  const { goOn, startCosts } = table.line;
  const row = left * columns;
  const offset = problem.on - shift - left;
  const source = row - problem.minRun * columns - offset;
  let best = Number.POSITIVE_INFINITY;
  let next = columns + offset;
  for (let column = columns - 1; column >= Math.max(0, -offset); column--) {
    const index = column + offset;
    while (next > (from[index] as number)) {
      next--;
      best = Math.min(best, (startCosts[next] as number) + (below[source + next] as number));
    }
    own[row + column] = Math.min((goOn[index] as number) + (own[row - columns + column] as number), best);
  }
}

/** As `fillRow`, where a pause reaches only so far: a queue of the beginnings, from the best to the nearest. */
function fillRowWithGaps(
  table: RunsTable,
  own: Float64Array,
  below: Float64Array,
  left: number,
  { from, costs, indices }: Reach,
  to: Int32Array,
): void {
  const { problem, columns, shift } = table;
  const { goOn, startCosts } = table.line;
  const row = left * columns;
  const offset = problem.on - shift - left;
  const source = row - problem.minRun * columns - offset;
  let next = columns + offset;
  let head = 0;
  let tail = 0;
  for (let column = columns - 1; column >= Math.max(0, -offset); column--) {
    const index = column + offset;
    while (next > (from[index] as number)) {
      next--;
      const cost = (startCosts[next] as number) + (below[source + next] as number);
      while (tail > head && (costs[tail - 1] as number) >= cost) tail--;
      costs[tail] = cost;
      indices[tail++] = next;
    }
    const beyond = to[index] as number;
    while (head < tail && (indices[head] as number) >= beyond) head++;
    const best = head < tail ? (costs[head] as number) : Number.POSITIVE_INFINITY;
    own[row + column] = Math.min((goOn[index] as number) + (own[row - columns + column] as number), best);
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
