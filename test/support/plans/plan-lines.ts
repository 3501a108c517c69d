/** Step sequences with rules for runs that are too long to try every set, and their optimum by dynamic programming. */
import * as fc from "fast-check";
import type { RunsBegin, RunsProblem } from "../../../src/core/planning/solver/run-problem.ts";
import { type RunsChoice, type RunsLimits, RunsTable } from "../../../src/core/planning/solver/runs-solver.ts";

export type LineProblem = RunsProblem & { readonly on: number };

/**
 * Returns the optimum over all states, without pruning. Its correctness is tested on sequences short enough to try all
 * sets.
 */
export function bestOfAll(problem: LineProblem, limits?: RunsLimits): RunsChoice | null {
  return new RunsTable(problem, 0).cheapest({ ...limits, on: problem.on });
}

/** Generates prices with a daily wave, in few or many different values, with closed steps. */
function prices(lengths: { min: number; max: number }): fc.Arbitrary<Float64Array> {
  return fc
    .record({
      length: fc.integer(lengths),
      values: fc.constantFrom(3, 12, 4_000),
      low: fc.constantFrom(-1, -0.2, 0.1),
      noise: fc.integer({ min: 0, max: 1_000 }),
      closed: fc.constantFrom(0, 0, 0.05, 0.3),
      seed: fc.integer(),
    })
    .map(({ length, values, low, noise, closed, seed }) => {
      const random = randomFrom(seed);
      return Float64Array.from({ length }, (_, step) => {
        const wave = Math.sin((step * Math.PI) / 48) + low + (random() * noise) / 500;
        return random() < closed ? Number.POSITIVE_INFINITY : Math.round(wave * values);
      });
    });
}

/** Returns a Mulberry32 pseudorandom generator. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Generates problems on sequences of these lengths, with and without each rule. */
export function lineProblems(lengths: { min: number; max: number }): fc.Arbitrary<LineProblem> {
  const unbounded = fc.constant(Number.POSITIVE_INFINITY);
  return fc
    .record({
      costs: prices(lengths),
      share: fc.double({ min: 0.05, max: 0.9, noNaN: true }),
      minRun: fc.integer({ min: 1, max: 8 }),
      minPause: fc.integer({ min: 1, max: 8 }),
      maxGap: fc.oneof(unbounded, fc.integer({ min: 8, max: 120 })),
      maxRuns: fc.oneof(unbounded, fc.integer({ min: 0, max: 12 })),
      need: fc.option(fc.integer({ min: 0, max: 4 }), { nil: null, freq: 3 }),
      forced: fc.option(fc.integer({ min: 1, max: 6 }), { nil: 0, freq: 2 }),
    })
    .map(({ costs, share, need, forced, ...given }) => {
      const length = costs.length;
      const last = Math.min(length - 1, given.maxGap);
      const off: RunsBegin = { kind: "off", first: 0, last };
      const begin: RunsBegin = need === null ? off : { kind: "running", need };
      const marks = Uint8Array.from(costs, (_, step) => (need !== null && step < forced ? 1 : 0));
      const open = costs.map((cost, step) => (marks[step] === 1 && cost === Number.POSITIVE_INFINITY ? 0 : cost));
      return { ...given, costs: open, forced: marks, begin, on: Math.max(1, Math.round(share * length)) };
    });
}
