import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bestOf, cheapestRuns, type RunsChoice } from "../../src/core/plan-runs.ts";
import { favouredProblem, type RunsBegin, type RunsProblem } from "../../src/core/plan-runs-problem.ts";
import { RunsSweep } from "../../src/core/plan-runs-sweep.ts";
import { RunsTable } from "../../src/core/plan-runs-table.ts";

const night = process.env.ELBRO_NIGHTLY === "1";
const CASES = night ? 20_000 : 1_200;

/** Long enough for the bound to be used; the table without it is proven on lines that all sets can be tried of. */
const LENGTH = { min: 150, max: 320 } as const;

/** A line of prices that rise and fall like days, in few different values or in many, with closed steps. */
const line = fc
  .record({
    length: fc.integer(LENGTH),
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

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const problem: fc.Arbitrary<RunsProblem> = fc
  .record({
    costs: line,
    share: fc.double({ min: 0.05, max: 0.9, noNaN: true }),
    minRun: fc.integer({ min: 1, max: 8 }),
    minPause: fc.integer({ min: 1, max: 8 }),
    maxGap: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 8, max: 120 })),
    maxRuns: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 0, max: 12 })),
    need: fc.option(fc.integer({ min: 0, max: 4 }), { nil: null, freq: 3 }),
    forced: fc.option(fc.integer({ min: 1, max: 6 }), { nil: 0, freq: 2 }),
    except: fc.boolean(),
  })
  .map(({ costs, share, need, forced, except, ...given }) => {
    const length = costs.length;
    const last = Math.min(length - 1, given.maxGap);
    const off: RunsBegin = { kind: "off", first: 0, last, ...(except ? { except: [10, 40] as const } : {}) };
    const begin: RunsBegin = need === null ? off : { kind: "running", need };
    const marks = Uint8Array.from(costs, (_, step) => (need !== null && step < forced ? 1 : 0));
    const open = costs.map((cost, step) => (marks[step] === 1 && cost === Number.POSITIVE_INFINITY ? 0 : cost));
    return { ...given, costs: open, forced: marks, begin, on: Math.max(1, Math.round(share * length)) };
  });

/** The best of all states, none left out. */
function bestOfAll(problem: RunsProblem): RunsChoice | null {
  const favoured = favouredProblem(problem);
  const sweep = new RunsSweep(favoured);
  sweep.run(0);
  const table = new RunsTable(favoured, sweep, 0);
  table.fill(Number.MAX_VALUE);
  const best = bestOf(table);
  return best && best.cost <= favoured.dearest ? { ...best, cost: best.cost + favoured.bonus } : null;
}

test(`leaving states out by a bound changes no choice: ${CASES} lines`, { timeout: 1_200_000 }, () => {
  let found = 0;
  fc.assert(
    fc.property(problem, (given) => {
      const plain = bestOfAll(given);
      if (plain) found++;
      const { trail, ...choice } = cheapestRuns(given) ?? { trail: null };
      expect(trail ? choice : null).toEqual(plain);
    }),
    { numRuns: CASES, seed: 5 },
  );
  expect(found).toBeGreaterThan(CASES / 5);
});
