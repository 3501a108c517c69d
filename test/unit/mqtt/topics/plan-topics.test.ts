import { describe, expect, test } from "vitest";
import { textIn } from "../../../../src/core/language/text.ts";
import { changeSettings } from "../../../../src/core/planning/plan-settings.ts";
import { planMessages } from "../../../../src/mqtt/topics/plan-topics.ts";
import { definitionOf, planOf, WASHER } from "../../../support/plans/shown-plans.ts";

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
    expect(said.reason).toMatch(
      /^\d\d:\d\d-(Wed )?\d\d:\d\d, \d\.\d\d DKK\/kWh on average; next best \d\d:\d\d at \d\.\d\d; \d\.\d\d if started now, \d\.\d\d if started at 22:00$/,
    );
    expect(said.cost).toBeCloseTo(said.mean_price * 1.2, 5);
    expect(said.saving).toBeCloseTo(said.savings.per_kwh.against_window_start * 1.2, 5);
  });

  test("topics of a plan have an OFF signal and null values without prices", () => {
    const [off, none] = planMessages("elbro", planOf(WASHER, "none"));
    expect(off?.payload).toBe("OFF");
    expect(JSON.parse(none?.payload ?? "{}")).toMatchObject({ cost: null, saving: null, runs: [], next_start: null });
  });
});

describe("a setting from a command", () => {
  const definition = definitionOf(WASHER);

  test.each([
    ["hours", "2", "2"],
    ["hours", "1h30m", "1h30m"],
    ["hours", "3", null],
    ["hours", "", null],
    ["from", "21:30", "21:30"],
    ["ready_by", "07:00", null],
    ["max_price", "1.25", "1.25"],
    ["enabled", "OFF", "OFF"],
    ["enabled", "ON", null],
  ] as const)("%s %s is stored as %s", (setting, text, kept) => {
    expect(changeSettings(definition, {}, { [setting]: text })).toEqual({
      kind: "changed",
      texts: { [setting]: kept },
    });
  });

  test.each([
    ["hours", "9.5", "at most the 9 h"],
    ["hours", "-1", "expected hours above 0"],
    ["from", "7:00", "a time of day"],
    ["max_price", "1e3", "a price per kWh"],
    ["max_price", "99", "a price per kWh from -10 to 25"],
    ["enabled", "maybe", "ON or OFF"],
  ] as const)("%s %s is rejected", (setting, text, why) => {
    const done = changeSettings(definition, {}, { [setting]: text });
    expect(done.kind === "refused" && textIn("en", done.reason)).toContain(why);
  });

  test("a setting from a command is validated together with earlier settings", () => {
    expect(changeSettings(definition, { hours: "8" }, { from: "23:30" })).toMatchObject({ kind: "refused" });
    expect(changeSettings(definition, { hours: "2" }, { from: "23:30" })).toMatchObject({ kind: "changed" });
  });

  test("a setting from a command is validated together with others in the same command, such as hours that only fit the new window", () => {
    const changes = { hours: "10", from: "20:00" };
    expect(changeSettings(definition, {}, { hours: "10" })).toMatchObject({ kind: "refused" });
    expect(changeSettings(definition, {}, changes)).toEqual({ kind: "changed", texts: changes });
    expect(changeSettings(definition, changes, { from: "" })).toMatchObject({ kind: "refused" });
    expect(changeSettings(definition, changes, { from: "", hours: "" })).toEqual({
      kind: "changed",
      texts: { from: null, hours: null },
    });
  });

  test("with longer hours is rejected for a short window, also if the hours are those of the file", () => {
    const short = { from: "00:00", ready_by: "02:00", hours: "2" };
    expect(changeSettings(definition, short, { hours: "3" })).toMatchObject({ kind: "refused" });
    expect(changeSettings(definition, short, { hours: "" })).toMatchObject({ kind: "refused" });
  });

  test("that does not fit the edited file is discarded with the next change", () => {
    const unfit = { from: "06:30" };
    expect(changeSettings(definition, unfit, { hours: "2" })).toEqual({
      kind: "changed",
      texts: { from: null, hours: "2" },
    });
  });
});
