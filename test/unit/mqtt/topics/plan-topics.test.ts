import { describe, expect, test } from "vitest";
import { planMessages } from "../../../../src/mqtt/topics/plan-topics.ts";
import { planOf, WASHER } from "../../../support/plans/shown-plans.ts";

describe("topics of a plan", () => {
  const plan = planOf(WASHER);
  const [signal, state] = planMessages("elbro", plan);

  test("topics of a plan have a signal that is ON or OFF, with heartbeat", () => {
    expect(signal).toEqual({ topic: "elbro/home/plan/washer", payload: "OFF", heartbeat: true, urgent: true });
  });

  test("topics of a plan have a state with its documented fields, and a reason with its numbers", () => {
    const said = JSON.parse(state?.payload ?? "{}");
    expect(state?.topic).toBe("elbro/home/plan/washer/state");
    expect(Object.keys(said)).toEqual(
      expect.arrayContaining("state reason code runs cost saving next_start next_end settings".split(" ")),
    );
    expect(said).toMatchObject({
      state: "scheduled",
      code: "scheduled",
      currency: "DKK",
      settings: { hours: { value: 3, changed: false }, from: { value: "22:00", changed: false } },
    });
    expect(said.reason).toMatch(/^\d\d:\d\d-(Wed )?\d\d:\d\d, \d\.\d\d DKK\/kWh on average$/);
    expect(said.cost).toBeCloseTo(said.mean_price * 1.2, 5);
    expect(said.saving).toBeCloseTo(said.savings.per_kwh.against_window_start * 1.2, 5);
  });
});
