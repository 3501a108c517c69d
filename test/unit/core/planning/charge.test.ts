import fc from "fast-check";
import { expect, test } from "vitest";
import { type Battery, isCharged, readCharge, withCharge } from "../../../../src/core/planning/charge.ts";
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
/** The usual hours are only asked for with an unknown charge. */
const batteryAt = (value: number, at: number): Battery => ({
  charge: { kind: "known", value, at },
  usualMs: () => expect.fail("the charge is known"),
});
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
      const spec = withCharge(car, batteryAt(percent, at), memory, at + HOUR_MS);
      const [needed, first] = [80, 20].map((goal) => Math.max(0, goal - percent) / 10);
      expect(spec).toMatchObject({ hoursMs: Math.round(((isBegun ? 2 : 0) + (needed ?? 0)) * HOUR_MS) });
      expect(spec.kwh).toBeCloseTo(((isBegun ? 2 : 0) + (needed ?? 0)) * 6, 9);
      expect(isCharged(spec)).toBe(percent >= 80);
      const atOnce = first === 0 ? null : { ms: Math.round((first ?? 0) * HOUR_MS), from: at };
      expect(spec).toHaveProperty("battery", percent >= 80 ? { kind: "charged" } : { kind: "needs", atOnce });
    }),
  );
});

test("an unknown charge takes the usual hours, at least those to the minimum, and none at once", () => {
  const unknownFor = (usualMs: number) =>
    withCharge(car, { charge: { kind: "unknown", why: "never" }, usualMs: () => usualMs }, record, OPENS);
  expect(unknownFor(5 * HOUR_MS)).toMatchObject({ hoursMs: 5 * HOUR_MS, kwh: 30, battery: { kind: "unknown" } });
  expect(unknownFor(0)).toMatchObject({ hoursMs: 2 * HOUR_MS, kwh: 12, battery: { kind: "unknown" } });
});

test("runs of a round that is over do not count", () => {
  const memory = { ...record, startedRuns: [began(0, 1)] };
  const battery = batteryAt(50, OPENS + HOUR_MS);
  expect(withCharge(car, battery, memory, CLOSES - 1)).toMatchObject({ hoursMs: 4 * HOUR_MS });
  expect(withCharge(car, battery, memory, CLOSES)).toMatchObject({ hoursMs: 3 * HOUR_MS });
  expect(withCharge(car, battery, null, CLOSES)).toMatchObject({ hoursMs: 3 * HOUR_MS });
});

test("a plan without a battery stays as it is", () => {
  for (const spec of [washer, slots, powerless] satisfies PlanSpec[])
    expect(withCharge(spec, batteryAt(50, OPENS), record, OPENS)).toBe(spec);
});

test.each([
  ["0", 0],
  [" 62.5 ", 62.5],
  ["62,5", 62.5],
  ["80 %", 80],
  ["80%", 80],
  ["100", 100],
])("the charge %j is read as %j", (text, value) => {
  expect(readCharge(text, OPENS)).toEqual({ kind: "known", value, at: OPENS });
});

test.each(["100.1", "-1", "1e1", "", "%", "8 0", "unavailable", "unknown"])("the charge %j is unknown", (text) => {
  expect(readCharge(text, OPENS)).toEqual({ kind: "unknown", why: "unreadable", text });
});
