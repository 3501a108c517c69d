import fc from "fast-check";
import { expect, test } from "vitest";
import { isCharged, readCharge, withCharge } from "../../../../src/core/planning/charge.ts";
import type { PlanSpec, SlotsPlan } from "../../../../src/core/planning/model/plan-spec.ts";
import { newRecord } from "../../../../src/core/planning/plan-record.ts";
import { HOUR_MS } from "../../../../src/core/time/interval.ts";
import { OPENS, slots, washer } from "../../../support/plans/plan-life.ts";

const CLOSES = OPENS + 9 * HOUR_MS;
/** 1 % of 60 kWh takes 6 minutes at 6 kW. */
const car: SlotsPlan = {
  ...{ ...washer, kind: "slots", energyKw: 6 },
  soc: { topic: "car", capacityKwh: 60, target: 80, minimum: 20 },
};
const { energyKw: _, ...powerless } = car;
const record = newRecord({ start: OPENS, end: CLOSES, until: CLOSES }, OPENS, []);
const began = (from: number, until: number) => ({
  ...{ start: OPENS + from * HOUR_MS, end: OPENS + until * HOUR_MS, basis: "prices" as const, settled: false },
});

test("a battery needs the hours from its charge to the target, and at once those to its minimum", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), fc.boolean(), (percent, isBegun) => {
      const at = OPENS + 3 * HOUR_MS;
      // Two hours of the runs were before the charge was reported.
      const memory = { ...record, startedRuns: isBegun ? [began(0, 1), began(2, 4)] : [] };
      const spec = withCharge(car, { percent, at }, memory, at + HOUR_MS);
      const [needed, first] = [80, 20].map((goal) => Math.max(0, goal - percent) / 10);
      expect(spec).toMatchObject({ hoursMs: Math.round(((isBegun ? 2 : 0) + (needed ?? 0)) * HOUR_MS) });
      expect(spec.kwh).toBeCloseTo(((isBegun ? 2 : 0) + (needed ?? 0)) * 6, 9);
      expect(isCharged(spec)).toBe(percent >= 80);
      const atOnce = spec.kind === "slots" ? spec.atOnce : undefined;
      expect(atOnce).toEqual(first === 0 ? undefined : { ms: Math.round((first ?? 0) * HOUR_MS), from: at });
    }),
  );
});

test("an unknown charge counts as empty without hours at once, and a round that is over does not count", () => {
  const memory = { ...record, startedRuns: [began(0, 1)] };
  const unknown = withCharge(car, null, memory, OPENS + HOUR_MS);
  expect(unknown).toMatchObject({ hoursMs: 8 * HOUR_MS, kwh: 48 });
  expect(unknown).not.toHaveProperty("atOnce");
  const charge = { percent: 50, at: OPENS + HOUR_MS };
  expect(withCharge(car, charge, memory, CLOSES - 1)).toMatchObject({ hoursMs: 4 * HOUR_MS });
  expect(withCharge(car, charge, memory, CLOSES)).toMatchObject({ hoursMs: 3 * HOUR_MS });
  expect(withCharge(car, charge, null, CLOSES)).toMatchObject({ hoursMs: 3 * HOUR_MS });
});

test("a plan without a battery stays as it is", () => {
  for (const spec of [washer, slots, powerless] satisfies PlanSpec[])
    expect(withCharge(spec, { percent: 50, at: OPENS }, record, OPENS)).toBe(spec);
});

test.each([
  ["0", 0],
  [" 62.5 ", 62.5],
  ["100", 100],
  ["100.1", null],
  ["-1", null],
  ["1e1", null],
  ["", null],
  ["50 %", null],
])("the charge %j is read as %j", (text, expected) => {
  expect(readCharge(text)).toBe(expected);
});
