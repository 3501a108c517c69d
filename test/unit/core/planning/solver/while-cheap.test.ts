import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SlotsPlan } from "../../../../../src/core/planning/model/plan-spec.ts";
import { QUARTER_MS } from "../../../../../src/core/time/interval.ts";
import { pictureOf, type SmallCase, solveSmall } from "../../../../support/plans/plan-small.ts";

const STEPS = 10;
const none = Array.from({ length: STEPS }, () => false);
const base = { kind: "slots", useForecast: true, enabled: true } as const;

const caseOf = (spec: SlotsPlan, prices: readonly number[]): SmallCase => ({
  ...{ spec, prices, estimates: none, blocked: none, ahead: 0, now: 0, fixed: [] },
});

const quarters = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((count) => count * QUARTER_MS);
const anyCase = fc
  .record({
    hoursMs: quarters(1, 4),
    more: fc.integer({ min: 0, max: 5 }),
    cheap: fc.oneof(
      fc.integer({ min: 1, max: 9 }).map((price) => ({ maxPrice: price })),
      fc.constantFrom(30, 50).map((percent) => ({ percent })),
    ),
    rules: fc.constantFrom<Partial<SlotsPlan>>(
      {},
      { minRunMs: 2 * QUARTER_MS },
      { minRunMs: 2 * QUARTER_MS, minPauseMs: 2 * QUARTER_MS, atMostRuns: 2 },
      { maxGapMs: 5 * QUARTER_MS, atMostRuns: 3 },
    ),
    prices: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: STEPS, maxLength: STEPS }),
  })
  .map(({ hoursMs, more, cheap, rules, prices }) => ({
    cheap,
    alone: caseOf({ ...base, ...rules, hoursMs }, prices),
    given: caseOf({ ...base, ...rules, hoursMs, upToMs: hoursMs + more * QUARTER_MS, cheapBelow: cheap }, prices),
  }));

const places = (picture: string) => [...picture].flatMap((mark, step) => (mark === "#" ? [step] : []));

function keeps({ minRunMs = 0, minPauseMs = 0, atMostRuns = 99 }: SlotsPlan, picture: string): boolean {
  const runs = [...picture.matchAll(/#+/g)];
  const pauses = [...picture.matchAll(/(?<=#)\.+(?=#)/g)];
  return (
    runs.length <= atMostRuns &&
    runs.every(([run]) => run.length * QUARTER_MS >= minRunMs) &&
    pauses.every(([pause]) => pause.length * QUARTER_MS >= minPauseMs)
  );
}

test("up_to adds as many cheap steps as the rules allow to the steps without up_to, the cheapest first", () => {
  fc.assert(
    fc.property(anyCase, ({ cheap, alone, given }) => {
      const solution = solveSmall(given);
      const own = solveSmall(alone);
      if (own.kind !== "solved") {
        expect(solution.kind).toBe(own.kind);
        return;
      }
      const first = new Set(places(pictureOf(own, alone)));
      const found = places(pictureOf(solution, given));
      const spec = given.spec as SlotsPlan;
      const prices = given.prices.map(Number);
      const order = prices.map((_, step) => step).sort((a, b) => (prices[a] ?? 0) - (prices[b] ?? 0) || a - b);
      const cheapest = order.slice(0, Math.round((("percent" in cheap ? cheap.percent : 100) / 100) * STEPS));
      const isCheap = (step: number) =>
        "maxPrice" in cheap ? (prices[step] ?? 0) < cheap.maxPrice : cheapest.includes(step);
      let best = { steps: 0, cost: 0 };
      for (let bits = 0; bits < 2 ** STEPS; bits++) {
        const steps = prices.flatMap((_, step) => ((bits >> step) & 1 ? [step] : []));
        const picture = prices.map((_, step) => ((bits >> step) & 1 ? "#" : ".")).join("");
        if (steps.length > (spec.upToMs ?? 0) / QUARTER_MS || ![...first].every((step) => steps.includes(step)))
          continue;
        if (!steps.every((step) => first.has(step) || isCheap(step)) || !keeps(spec, picture)) continue;
        const cost = steps.reduce((sum, step) => sum + (prices[step] ?? 0), 0);
        if (steps.length > best.steps || (steps.length === best.steps && cost < best.cost))
          best = { steps: steps.length, cost };
      }
      expect([...first].every((step) => found.includes(step))).toBe(true);
      expect(found.every((step) => first.has(step) || isCheap(step))).toBe(true);
      expect({ steps: found.length, cost: found.reduce((sum, step) => sum + (prices[step] ?? 0), 0) }).toEqual(best);
    }),
    { numRuns: 150 },
  );
});

test("a plan with up_to runs three quarter hours, and more at prices below 2: ##..####..", () => {
  const spec: SlotsPlan = { ...base, hoursMs: 3 * QUARTER_MS, upToMs: 8 * QUARTER_MS, cheapBelow: { maxPrice: 2 } };
  const given = caseOf(spec, [1.9, 1.8, 3, 3, 1, 1, 1.5, 1.9, 2, 5]);
  expect(pictureOf(solveSmall(given), given)).toBe("##..####..");
});

test("a plan with up_to does not exceed max_gap after more hours than required at cheap prices: ####...#..", () => {
  const spec: SlotsPlan = {
    ...{ ...base, hoursMs: 3 * QUARTER_MS, upToMs: 6 * QUARTER_MS, cheapBelow: { maxPrice: 2 } },
    maxGapMs: 3 * QUARTER_MS,
  };
  const given = { ...caseOf(spec, [1, 1, 1, 1, 9, 9, 9, 5, 9, 9]), now: 4, fixed: [[0, 4]] as const };
  expect(pictureOf(solveSmall(given), given)).toBe("####...#..");
});

test("with a level adds exactly the quarter hours of that level", () => {
  const spec: SlotsPlan = { ...base, hoursMs: QUARTER_MS, upToMs: 6 * QUARTER_MS, cheapBelow: { level: "cheap" } };
  const given = caseOf(spec, [1, 1, 9, 9, 9, 6, 9, 9, 1, 9]);
  expect(pictureOf(solveSmall(given), given)).toBe("##......#.");
});
