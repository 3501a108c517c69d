/**
 * Solves plans with HiGHS, a mixed-integer solver, to verify elbro's solver on days too long to try every set. A plan
 * is expressed as inequalities over x (ON), s (a run starts) and z (a run has ended). No code is shared with elbro's
 * solver.
 */
import highs, { type Highs } from "highs";
import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import { profileWeights } from "../../../src/core/planning/solver/window.ts";
import type { PricePoint } from "../../../src/core/prices/timeline.ts";
import type { EpochMs, Interval } from "../../../src/core/time/interval.ts";

/** Plan's window in steps of equal length. Unit: currency per kWh; null for a gap. */
export interface SolverCase {
  readonly spec: PlanSpec;
  readonly stepMs: number;
  readonly prices: readonly (number | null)[];
  /** States of the first steps, which are fixed. Only later steps are chosen. */
  readonly given?: readonly boolean[];
}

/** Plans of a power group on the same steps. A price is null outside a plan's window. Unit: W. */
export interface SolverGroup {
  readonly plans: readonly (SolverCase & { readonly watts: number })[];
  readonly limitWatts: number;
}

/** Sum of the prices of the steps that are ON, and their number. */
export interface PricedSteps {
  readonly sum: number;
  readonly on: number;
}

/** Best solution that the solver has found. `sum` is Infinity if it found none within its time limit. */
export interface SolverAnswer extends PricedSteps {
  /** True if the solution is proven to be optimal. */
  readonly proven: boolean;
}

/** The package's types describe its CommonJS export. An ESM import returns the function itself. */
const loadSolver = highs as unknown as typeof highs.default;

/** Number of problems after which the WebAssembly instance is replaced, because its memory only grows. */
const PROBLEMS_PER_INSTANCE = 50;

/** Real prices are whole multiples of 0.00001 DKK. The objective counts those, so it is exact within 0.5. */
const PRICE_GRAIN = 1e5;
const ABSOLUTE_GAP = 0.4;

/** Time limit for one problem, in seconds. */
const LIMIT_S = 60;

export class PlanSolver {
  #solver: Highs | null = null;
  #asked = 0;
  readonly #limitS: number;
  /** Time spent in the solver, in ms. */
  spentMs = 0;

  constructor({ limitS = LIMIT_S }: { limitS?: number } = {}) {
    this.#limitS = limitS;
  }

  /** Resolves with the best solution; null if the problem is infeasible. Throws for any other solver status. */
  async solve(given: SolverCase): Promise<SolverAnswer | null> {
    if (this.#asked++ % PROBLEMS_PER_INSTANCE === 0) this.#solver = await loadSolver();
    const found = this.#ask(modelOf(given));
    if (found?.Status === "Infeasible") return null;
    const proven = found?.Status === "Optimal";
    if (!proven && found?.Status !== "Time limit reached") throw new Error(`the solver says ${found?.Status}`);
    if (!proven && !Number.isFinite(found.ObjectiveValue)) return { sum: Number.POSITIVE_INFINITY, on: 0, proven };
    const on = given.prices.map((_, step) => Math.round(found.Columns[`x${step}`]?.Primal ?? 0) === 1);
    return { ...pricedSteps(given, on), proven };
  }

  /** Resolves with the minimum cost of a group; null if it is infeasible, Infinity if nothing was found in time. */
  async solveGroup(group: SolverGroup): Promise<{ readonly cost: number; readonly proven: boolean } | null> {
    if (this.#asked++ % PROBLEMS_PER_INSTANCE === 0) this.#solver = await loadSolver();
    const found = this.#ask(groupModel(group));
    if (found?.Status === "Infeasible") return null;
    const proven = found?.Status === "Optimal";
    if (!proven && found?.Status !== "Time limit reached") throw new Error(`the solver says ${found?.Status}`);
    if (!proven && !Number.isFinite(found.ObjectiveValue)) return { cost: Number.POSITIVE_INFINITY, proven };
    const on = group.plans.map(({ prices }, i) =>
      prices.map((_, step) => Math.round(found.Columns[`p${i}x${step}`]?.Primal ?? 0) === 1),
    );
    return { cost: groupCost(group, on), proven };
  }

  #ask(model: string) {
    const before = performance.now();
    const found = this.#solver?.solve(model, { mip_rel_gap: 0, mip_abs_gap: ABSOLUTE_GAP, time_limit: this.#limitS });
    this.spentMs += performance.now() - before;
    return found;
  }
}

/** Returns the cost of a group's solution: each plan's prices times its power. Unit: currency per hour of a step. */
export function groupCost({ plans }: SolverGroup, on: readonly (readonly boolean[])[]): number {
  return plans.reduce((sum, plan, i) => sum + (sumOf(plan, on[i] ?? []) * plan.watts) / 1_000, 0);
}

/** Returns for each step whether it is ON. `runs` consist of whole steps, counted from `start`. */
export function stepsOn({ prices, stepMs }: SolverCase, start: EpochMs, runs: readonly Interval[]): boolean[] {
  return prices.map((_, step) => {
    const at = start + step * stepMs;
    return runs.some((run) => run.start <= at && at + stepMs <= run.end);
  });
}

export function pricedSteps(given: SolverCase, on: readonly boolean[]): PricedSteps {
  return { sum: sumOf(given, on), on: on.filter(Boolean).length };
}

/** Returns the price of each step of an interval; null for a step that no single point covers. */
export function stepPrices(points: readonly PricePoint[], { start, end }: Interval, stepMs: number): (number | null)[] {
  const prices: (number | null)[] = [];
  let i = 0;
  for (let at = start; at + stepMs <= end; at += stepMs) {
    while (i < points.length && (points[i]?.end ?? 0) <= at) i++;
    const point = points[i];
    prices.push(point && point.start <= at && at + stepMs <= point.end ? point.price : null);
  }
  return prices;
}

/** Returns the sum of the prices of the steps that are ON, weighted if the plan has a profile. */
function sumOf({ spec, stepMs, prices }: SolverCase, on: readonly boolean[]): number {
  const weights = spec.kind === "window" ? profileWeights(spec.profile, Math.ceil(spec.hoursMs / stepMs)) : null;
  const first = on.indexOf(true);
  return on.reduce((sum, is, step) => {
    const weight = weights ? (weights[step - first] ?? 0) / 1_000 : 1;
    return is ? sum + (prices[step] ?? 0) * weight : sum;
  }, 0);
}

/** Sum of terms, in CPLEX LP format. */
type Terms = readonly (readonly [factor: number, name: string])[];

const text = (terms: Terms) =>
  terms.map(([factor, name]) => `${factor < 0 ? "-" : "+"} ${Math.abs(factor)} ${name}`).join(" ");

class Model {
  readonly #rows: string[] = [];
  readonly #names: string[] = [];
  goal: Terms = [];

  flag(name: string): string {
    this.#names.push(name);
    return name;
  }

  require(terms: Terms, relation: "<=" | ">=" | "=", bound: number): void {
    if (terms.length > 0) this.#rows.push(` r${this.#rows.length}: ${text(terms)} ${relation} ${bound}`);
  }

  toString(): string {
    const rows = this.#rows.join("\n");
    return `Minimize\n obj: ${text(this.goal)}\nSubject To\n${rows}\nBinary\n ${this.#names.join("\n ")}\nEnd\n`;
  }
}

function modelOf(given: SolverCase): string {
  const model = new Model();
  addPlan(model, given, "");
  return model.toString();
}

function groupModel({ plans, limitWatts }: SolverGroup): string {
  const model = new Model();
  const goals: (readonly [number, string])[] = [];
  const x = plans.map((plan, i) => {
    const names = addPlan(model, plan, `p${i}`);
    // The weights of a profile are thousandths.
    const unit = plan.spec.kind === "window" ? 1_000_000 : 1_000;
    goals.push(...model.goal.map(([factor, name]) => [(factor * plan.watts) / unit, name] as const));
    return names;
  });
  model.goal = goals;
  for (const step of plans[0]?.prices.keys() ?? []) {
    const draws = plans.map(({ watts }, i) => [watts / 1_000, x[i]?.[step] ?? ""] as const);
    model.require(draws, "<=", limitWatts / 1_000);
  }
  return model.toString();
}

/** Adds the constraints of a plan and sets its cost as the objective. Returns the names of its steps. */
function addPlan(model: Model, given: SolverCase, prefix: string): string[] {
  const { spec, prices } = given;
  const x = prices.map((_, step) => model.flag(`${prefix}x${step}`));
  if (spec.kind === "window") oneRun(model, given, x, prefix);
  else manyRuns(model, given, x, prefix);
  for (const [step, on] of (given.given ?? []).entries()) model.require([[1, x[step] ?? ""]], "=", on ? 1 : 0);
  return x;
}

/** Adds the constraints of a single run: y marks its start, and x follows from y. */
function oneRun(model: Model, { spec, stepMs, prices }: SolverCase, x: readonly string[], prefix: string): void {
  if (spec.kind !== "window") return;
  const weights = profileWeights(spec.profile, Math.ceil(spec.hoursMs / stepMs));
  const starts = prices.slice(0, Math.max(0, prices.length - weights.length + 1));
  const y = starts.map((_, step) => model.flag(`${prefix}y${step}`));
  model.goal = y.map((name, first) => [
    weights.reduce((sum, weight, i) => sum + weight * Math.round((prices[first + i] ?? 0) * PRICE_GRAIN), 0),
    name,
  ]);
  model.require(
    y.map((name) => [1, name]),
    "=",
    1,
  );
  x.forEach((name, step) => {
    const covering = y.slice(Math.max(0, step - weights.length + 1), step + 1).map((each) => [-1, each] as const);
    model.require([[1, name], ...covering], "=", 0);
    if (prices[step] === null) model.require([[1, name]], "=", 0);
  });
}

function manyRuns(model: Model, given: SolverCase, x: readonly string[], prefix: string): void {
  const { spec, stepMs, prices } = given;
  if (spec.kind === "window") return;
  const rules = rulesOf(spec, stepMs);
  const wanted = spec.kind === "avoid" ? prices.length - Math.floor(spec.hoursMs / stepMs) : null;
  const on = spec.kind === "slots" ? Math.ceil(spec.hoursMs / stepMs) : wanted;
  const worth = spec.kind === "below" ? worthOfStep(prices) : 0;
  model.goal = x.map((name, step) => [Math.round((prices[step] ?? 0) * PRICE_GRAIN) - worth, name]);
  if (on !== null)
    model.require(
      x.map((name) => [1, name]),
      "=",
      on,
    );
  // s and z need not be declared as integers: with binary x, larger values only violate more constraints.
  const s = x.map((_, step) => `${prefix}s${step}`);
  const z = x.map((_, step) => `${prefix}z${step}`);
  // c is the number of ON steps so far. A maximum gap then needs two terms instead of one per step.
  if (Number.isFinite(rules.maxGap)) {
    for (const [step, name] of x.entries()) {
      const before = step > 0 ? [[-1, `${prefix}c${step - 1}`] as const] : [];
      model.require([[1, `${prefix}c${step}`], [-1, name], ...before], "=", 0);
    }
  }
  x.forEach((name, step) => {
    edges(model, x, s, z, step);
    if (!rules.open(prices[step] ?? null)) model.require([[1, name]], "=", 0);
    // `avoid` stays ON in steps without a price.
    if (spec.kind === "avoid" && prices[step] === null) model.require([[1, name]], "=", 1);
    const begun = s.slice(Math.max(0, step - rules.minRun + 1), step + 1).map((each) => [1, each] as const);
    model.require([...begun, [-1, name]], "<=", 0);
    if (step + rules.minRun > x.length) model.require([[1, s[step] ?? ""]], "=", 0);
    const ended = z.slice(Math.max(0, step - rules.minPause + 1), step + 1).map((each) => [1, each] as const);
    model.require([...ended, [1, name]], "<=", 1);
    const until = step + rules.maxGap;
    if (until < x.length)
      model.require(
        [[1, `${prefix}c${until}`], ...(step > 0 ? [[-1, `${prefix}c${step - 1}`] as const] : [])],
        ">=",
        1,
      );
  });
  if (rules.maxRuns < x.length)
    model.require(
      s.map((name) => [1, name]),
      "<=",
      rules.maxRuns,
    );
}

/** Returns a value larger than the sum of all prices. */
function worthOfStep(prices: readonly (number | null)[]): number {
  return 1 + prices.reduce((sum: number, price) => sum + Math.abs(Math.round((price ?? 0) * PRICE_GRAIN)), 0);
}

/** Requires x(t) - x(t-1) = s(t) - z(t). */
function edges(model: Model, x: readonly string[], s: readonly string[], z: readonly string[], step: number): void {
  const [now = "", begins = "", ended = "", before] = [x[step], s[step], z[step], x[step - 1]];
  const change: Terms = [[1, now], ...(before === undefined ? [] : [[-1, before] as const]), [-1, begins], [1, ended]];
  model.require(change, "=", 0);
}

interface Rules {
  readonly minRun: number;
  readonly minPause: number;
  readonly maxGap: number;
  readonly maxRuns: number;
  readonly open: (price: number | null) => boolean;
}

function rulesOf(spec: Exclude<PlanSpec, { kind: "window" }>, stepMs: number): Rules {
  const up = (durationMs = 0) => Math.max(1, Math.ceil(durationMs / stepMs));
  const { maxPrice = Number.POSITIVE_INFINITY } = spec;
  const shortest = spec.kind === "avoid" ? { run: spec.minRunMs } : { run: spec.minRunMs, pause: spec.minPauseMs };
  return {
    minRun: up(shortest.run),
    minPause: up(shortest.pause),
    maxGap:
      spec.kind === "below"
        ? Number.POSITIVE_INFINITY
        : Math.floor((spec.maxGapMs ?? Number.POSITIVE_INFINITY) / stepMs),
    maxRuns: spec.kind === "slots" ? (spec.atMostRuns ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
    open: (price) =>
      price === null ? spec.kind === "avoid" : spec.kind === "below" ? price < maxPrice : price <= maxPrice,
  };
}
