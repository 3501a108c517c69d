/** Small plans with every setting. A step is a quarter hour; with so few steps, all sets can be tried. */
import * as fc from "fast-check";
import type { PlanContext, PlanSolution, PlanSpec, PlanWindow } from "../../../src/core/planning/model/plan-spec.ts";
import { solvePlan } from "../../../src/core/planning/solve-plan.ts";
import type { PricePoint } from "../../../src/core/prices/timeline.ts";
import { type EpochMs, type Interval, QUARTER_MS } from "../../../src/core/time/interval.ts";
import { at, calendar, timelineOf } from "../home/price-days.ts";

/** Steps from the window's start; negative before it. */
export type StepSpan = readonly [from: number, to: number];

/** Plan's window in steps; each list has one entry per step. */
export interface SmallCase {
  readonly spec: PlanSpec;
  /** Price per kWh; null for a gap. */
  readonly prices: readonly (number | null)[];
  readonly estimates: readonly boolean[];
  readonly usesEstimates: boolean;
  readonly blocked: readonly boolean[];
  /** Number of steps after the window that are used for comparison only. */
  readonly ahead: number;
  /** First step that may be chosen. */
  readonly now: number;
  /** Runs so far: ascending, not touching. All start before `now`; the last may end after it. */
  readonly fixed: readonly StepSpan[];
}

const WINDOW_START = at("2026-03-10T08:00:00Z");

function stepAt(step: number): EpochMs {
  return WINDOW_START + step * QUARTER_MS;
}

function spanAt([from, to]: StepSpan): Interval {
  return { start: stepAt(from), end: stepAt(to) };
}

function windowOf({ prices, ahead }: SmallCase): PlanWindow {
  return { ...spanAt([0, prices.length - ahead]), until: stepAt(prices.length) };
}

function pointsOf({ prices, estimates }: SmallCase): PricePoint[] {
  return prices.flatMap((price, step) =>
    price === null ? [] : [{ ...spanAt([step, step + 1]), price, estimate: estimates[step] === true }],
  );
}

function contextOf({ now, fixed, blocked, usesEstimates }: SmallCase): PlanContext {
  return {
    now: stepAt(now),
    ...(usesEstimates ? { estimates: true } : {}),
    calendar,
    fixed: fixed.map(spanAt),
    blocked: blocked.flatMap((on, step) => (on ? [spanAt([step, step + 1])] : [])),
  };
}

export function solveSmall(given: SmallCase): PlanSolution {
  return solvePlan(given.spec, timelineOf(pointsOf(given)), windowOf(given), contextOf(given));
}

/** Returns a solution as text, such as `.##.`, for readable failures. */
export function pictureOf(solution: PlanSolution, { prices, ahead }: SmallCase): string {
  if (solution.kind !== "solved") return solution.kind;
  const isOn = (step: number) => solution.runs.some((run) => run.start <= stepAt(step) && stepAt(step + 1) <= run.end);
  return prices
    .slice(0, prices.length - ahead)
    .map((_, step) => (isOn(step) ? "#" : "."))
    .join("");
}

const quarters = (min: number, max: number) => fc.integer({ min, max }).map((count) => count * QUARTER_MS);

const tenths = (min: number, max: number) => fc.integer({ min, max }).map((count) => count / 10);

/** Few different prices, so that equal costs are common; includes negative prices, zero and gaps. */
const price = fc.oneof({ weight: 9, arbitrary: tenths(-2, 4) }, { weight: 1, arbitrary: fc.constant(null) });

/** Generates `undefined` once in `freq` times. */
function sometimes<Value>(value: fc.Arbitrary<Value>, freq = 2): fc.Arbitrary<Value | undefined> {
  return fc.option(value, { nil: undefined, freq });
}

const common = { enabled: fc.constant(true), maxPrice: sometimes(tenths(-1, 4)) };

const tolerance = fc.record({
  percent: fc.constantFrom(0, 5, 20, 60),
  side: fc.constantFrom("latest" as const, "earliest" as const),
});

const lengths = { minRunMs: sometimes(quarters(1, 4)), minPauseMs: sometimes(quarters(1, 4)) };

const cheapBelow = fc.oneof(
  fc.record({ maxPrice: tenths(-1, 4) }),
  fc.record({ percent: fc.constantFrom(0, 25, 50, 75, 100) }),
);

/** Plans of each kind that require at most `most` steps. */
export const smallPlans = {
  window: (most: number) =>
    fc.record({
      kind: fc.constant("window" as const),
      hoursMs: quarters(1, most),
      profile: sometimes(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 })),
      tolerance: sometimes(tolerance, 3),
      ...common,
    }),
  slots: (most: number) =>
    fc
      .record({
        kind: fc.constant("slots" as const),
        hoursMs: quarters(1, most),
        maxGapMs: sometimes(quarters(1, 6)),
        tolerance: sometimes(tolerance, 3),
        cheap: sometimes(fc.record({ moreMs: quarters(0, 5), cheapBelow }), 3),
        ...lengths,
        ...common,
      })
      .map(({ cheap, ...plan }) =>
        cheap ? { ...plan, upToMs: plan.hoursMs + cheap.moreMs, cheapBelow: cheap.cheapBelow } : plan,
      ),
  below: () =>
    fc.record({
      kind: fc.constant("below" as const),
      percent: sometimes(fc.constantFrom(0, 25, 50, 75, 100)),
      ...lengths,
      ...common,
    }),
  avoid: (most: number) =>
    fc.record({
      kind: fc.constant("avoid" as const),
      hoursMs: quarters(1, most),
      maxGapMs: sometimes(quarters(1, 4)),
      minRunMs: sometimes(quarters(1, 3)),
      minPauseMs: sometimes(quarters(1, 3)),
      ...common,
    }),
} as const;

/** Removes undefined properties. */
function without<Spec extends object>(spec: Spec): PlanSpec {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined)) as unknown as PlanSpec;
}

/** Generates the runs so far: none, before the window, in it, or in progress at `now`. */
function begunIn(length: number): fc.Arbitrary<{ now: number; fixed: StepSpan[] }> {
  const cuts = fc.uniqueArray(fc.integer({ min: -4, max: Math.min(4, length) }), { maxLength: 4 });
  return fc.record({ cuts, now: fc.integer({ min: 0, max: Math.min(3, length) }) }).map(({ cuts, now }) => {
    const sorted = cuts.sort((a, b) => a - b);
    const spans: StepSpan[] = [];
    for (let i = 0; i + 1 < sorted.length; i += 2) spans.push([sorted[i] ?? 0, sorted[i + 1] ?? 0]);
    return { now, fixed: spans.filter(([from]) => from < now) };
  });
}

/** Generates cases of one kind with up to `most` steps. */
export function smallCases(kind: keyof typeof smallPlans, most: number): fc.Arbitrary<SmallCase> {
  return fc.integer({ min: 1, max: most }).chain((length) => {
    const list = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { minLength: length, maxLength: length });
    const spec: fc.Arbitrary<object> = smallPlans[kind](length);
    const fresh = fc.constant({ now: 0, fixed: [] as StepSpan[] });
    return fc
      .record({
        spec,
        prices: list(price),
        usesEstimates: fc.boolean(),
        forecastFrom: fc.integer({ min: 0, max: 2 * length }),
        blocked: sometimes(list(fc.boolean())),
        begun: fc.oneof(fresh, begunIn(length)),
        // Only `below` uses steps after its window.
        ahead: kind === "below" ? fc.oneof(fc.constant(0), fc.integer({ min: 0, max: length - 1 })) : fc.constant(0),
      })
      .map(({ spec, prices, usesEstimates, forecastFrom, blocked, begun, ahead }) => ({
        spec: without(spec),
        ...{ prices, usesEstimates },
        estimates: prices.map((_, step) => step >= forecastFrom),
        blocked: blocked ?? prices.map(() => false),
        ahead,
        ...begun,
      }));
  });
}
