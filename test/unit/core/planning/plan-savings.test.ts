import { describe, expect, test } from "vitest";
import type { PlanSpec } from "../../../../src/core/planning/model/plan-spec.ts";
import { energyOf, runPrice } from "../../../../src/core/planning/snapshot/plan-savings.ts";
import { HOUR_MS } from "../../../../src/core/time/interval.ts";
import { OPENS, washer } from "../../../support/plans/plan-life.ts";

const HALF_MS = HOUR_MS / 2;
/** Returns a run from the hour `from` to the hour `until` of the window. */
const run = (from: number, until: number) => ({ start: OPENS + from * HOUR_MS, end: OPENS + until * HOUR_MS });
const began = (from: number, until: number, basis: "prices" | "manual" = "prices") => ({
  ...{ ...run(from, until), basis, settled: false },
});

describe("the price of a run", () => {
  const priced = (i: number, price: number) => ({ ...run(i, i + 1), price, estimate: false });
  const [first, second, third] = [priced(0, 1), priced(1, 3), priced(2, 5)];
  const points = [first, second, third];

  test.each([
    [run(0, 1), undefined, 1],
    [run(0.5, 2), undefined, 7 / 3],
    [run(0, 3), undefined, 3],
    [run(0, 2), [3, 1], 1.5],
    [run(0, 2), [0, 1], 3],
    [run(1, 1), undefined, null],
    [run(0, 2), [0, 0], null],
    [run(2, 3.5), undefined, null],
    [run(-0.5, 1), undefined, null],
  ] as const)("the price of a run from %o with the profile %o is %d", (each, profile, expected) => {
    expect(runPrice(points, each, "all", profile)).toEqual(expected === null ? null : expect.closeTo(expected, 9));
  });

  test("the price of a run is unknown over a gap, and over an estimate if only confirmed prices are used", () => {
    expect(runPrice([first, third], run(0, 3), "all")).toBeNull();
    expect(runPrice([first, third], run(2, 3), "all")).toBe(5);
    const estimated = [first, { ...second, estimate: true }, third];
    expect([runPrice(estimated, run(0, 2), "all"), runPrice(estimated, run(0, 2), "confirmed")]).toEqual([2, null]);
    expect(runPrice(estimated, run(2, 3), "confirmed")).toBe(5);
  });
});

describe("the energy of a run", () => {
  const spec = { ...washer, kwh: 4 };
  const upTo: PlanSpec = { ...spec, kind: "slots", hoursMs: 2 * HOUR_MS, upToMs: 4 * HOUR_MS };
  const below: PlanSpec = { kind: "below", maxPrice: 1, kwh: 4, enabled: true };
  const none = { startedRuns: [], planned: [] };

  test.each<readonly [string, PlanSpec, Parameters<typeof energyOf>[1], Parameters<typeof energyOf>[2], number | null]>(
    [
      ["without energy is unknown", washer, began(0, 2), none, null],
      ["of all hours is that of the plan", spec, began(0, 2), { ...none, planned: [began(0, 2)] }, 4],
      ["of half of its hours is the half", spec, began(0, 1), { ...none, startedRuns: [began(0, 1)] }, 2],
      [
        "of hours that are rounded up to steps is not more than the plan's",
        { ...spec, hoursMs: 2 * HOUR_MS - HALF_MS / 3 },
        began(0, 2),
        { ...none, planned: [began(0, 2)] },
        4,
      ],
      ["with up_to uses the same power", upTo, began(0, 4), { ...none, planned: [began(0, 4)] }, 8],
      ["that is manual uses the same power", spec, began(0, 4, "manual"), { ...none, startedRuns: [began(0, 4)] }, 8],
      [
        "that is planned does not depend on a manual one",
        spec,
        began(0, 2),
        { planned: [began(0, 2)], startedRuns: [began(3, 8, "manual")] },
        4,
      ],
      [
        "of a plan without hours is its part of all runs",
        below,
        began(0, 1),
        { planned: [began(4, 6)], startedRuns: [began(0, 1), began(2, 3, "manual")] },
        1,
      ],
      ["of a plan without hours and runs is unknown", below, began(0, 1), none, null],
    ],
  )("the energy of a run %s", (_, plan, each, memory, expected) => {
    expect(energyOf(plan, each, memory)).toBe(expected);
  });
});
