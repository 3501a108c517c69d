import { expect, test } from "vitest";
import { textIn } from "../../../../src/core/language/text.ts";
import type { PlanDefinition } from "../../../../src/core/planning/model/plan-definition.ts";
import type { PlanSpec } from "../../../../src/core/planning/model/plan-spec.ts";
import { adjustedSpec, changeSettings, resetOf, shownSettings } from "../../../../src/core/planning/plan-settings.ts";
import { slots, washer } from "../../../support/plans/plan-life.ts";

function definitionOf(spec: PlanSpec): PlanDefinition {
  return { id: "a", name: "A", home: "home", spec, after: null };
}

const withCheap: PlanSpec = {
  ...{ kind: "slots", hoursMs: 2 * 3_600_000, upToMs: 4 * 3_600_000, cheapBelow: { percent: 20 } },
  ...{ enabled: true },
};
const times = ["from", "ready_by", "days", "away"] as const;
const always = ["max_price", "enabled"] as const;
const choices = ["tolerance", "min_saving"] as const;
const soc = { topic: "car", capacityKwh: 50, target: 80, minimum: 20 };
const common = { enabled: true };
const hours = { hoursMs: 2 * 3_600_000, enabled: true };

test.each([
  ["a window", washer, ["hours", ...times, ...always, ...choices]],
  ["slots", slots, ["hours", ...times, ...always, ...choices]],
  ["an energy", { ...washer, energyKw: 2, kwh: 4 }, ["energy", "sun", ...times, ...always, ...choices]],
  ["one run", { kind: "window", ...hours, once: { start: 0, end: 1 } }, ["hours", ...always, ...choices]],
  ["a gap", { ...slots, maxGapMs: 3_600_000 }, ["hours", ...times, ...always, "tolerance"]],
  ["a battery", { ...slots, energyKw: 2, soc }, ["soc_target", "soc_minimum", "sun", ...times, ...always, ...choices]],
  ["a price", { kind: "below", maxPrice: 1, ...common }, ["percent", ...times, ...always]],
  ["an avoided price", { kind: "avoid", ...hours }, ["hours", "from", "ready_by", "days", "min_saving", ...always]],
] as const)("the settings of a plan with %s", (_, spec, expected) => {
  const definition = definitionOf(spec as PlanSpec);
  expect(Object.keys(resetOf(definition)).toSorted()).toEqual(expected.toSorted());
  for (const name of ["hours", "energy", "from", "ready_by"] as const) {
    const change = changeSettings(definition, {}, { [name]: name === "hours" || name === "energy" ? "3" : "06:00" });
    const isUnknown = change.kind === "refused" && change.why === "unknown_setting";
    expect([name, isUnknown]).toEqual([name, !(expected as readonly string[]).includes(name)]);
  }
});

test.each([
  ["hours", "1h30m", 1.5],
  ["from", "21:30", "21:30"],
  ["max_price", "1.25", 1.25],
  ["enabled", "OFF", false],
  ["up_to", "5", 5],
  ["cheap_below", "30%", "30%"],
  ["cheap_below", "cheap", "cheap"],
  ["cheap_below", "1.25", 1.25],
  ["tolerance", "7", 7],
  ["days", "sat, MON", "mon,sat"],
  ["min_saving", "0.2", 0.2],
  ["min_saving", "15%", "15%"],
  ["away", "2026-07-01/2026-07-15T14:00", "2026-07-01/2026-07-15T14:00"],
] as const)("%s %s is shown as %s, and an empty text restores the configuration", (name, text, value) => {
  const definition = definitionOf(withCheap);
  const change = changeSettings(definition, {}, { [name]: text });
  expect(change).toEqual({ kind: "changed", texts: { [name]: text } });
  const shown = shownSettings(definition, adjustedSpec(definition, { [name]: text }));
  expect(shown[name]).toMatchObject({ value, changed: true });
  expect(changeSettings(definition, { [name]: text }, { [name]: "" })).toEqual({
    kind: "changed",
    texts: { [name]: null },
  });
});

test("settings that no longer fit each other are forgotten with the next change, and others stay", () => {
  const definition = definitionOf(withCheap);
  const hours = { hours: "5", tolerance: "7" };
  expect(changeSettings(definition, hours, { days: "mon" })).toEqual({
    ...{ kind: "changed", texts: { hours: null, tolerance: null, days: "mon" } },
  });
  expect(changeSettings(definition, hours, { hours: "3" })).toEqual({
    ...{ kind: "changed", texts: { hours: "3", tolerance: null } },
  });
  expect(changeSettings(definition, { tolerance: "7" }, { hours: "3" })).toEqual({
    ...{ kind: "changed", texts: { hours: "3" } },
  });
  expect(changeSettings(definition, {}, { hours: "5" })).toMatchObject({ kind: "refused", why: "hours_too_long" });
});

test("a change has to fit the other settings, earlier ones and those of the same command", () => {
  // Three hours between 22:00 and 07:00.
  const definition = definitionOf({ ...washer, hoursMs: 3 * 3_600_000, from: 22 * 60, readyBy: 7 * 60 });
  const kinds = (changed: object, ...changes: object[]) =>
    changes.map((change) => changeSettings(definition, changed, change).kind);
  expect(kinds({ hours: "8" }, { from: "23:30" })).toEqual(["refused"]);
  expect(kinds({ hours: "2" }, { from: "23:30" })).toEqual(["changed"]);
  expect(kinds({}, { hours: "10" }, { hours: "10", from: "20:00" })).toEqual(["refused", "changed"]);
  expect(kinds({ hours: "10", from: "20:00" }, { from: "" }, { from: "", hours: "" })).toEqual(["refused", "changed"]);
  const short = { from: "00:00", ready_by: "02:00", hours: "2" };
  expect(kinds(short, { hours: "3" }, { hours: "" })).toEqual(["refused", "refused"]);
  const same = { hours: "3", ready_by: "07:00", enabled: "ON" };
  expect(changeSettings(definition, {}, same)).toEqual({
    kind: "changed",
    texts: { hours: null, ready_by: null, enabled: null },
  });
});

test.each([
  ["hours", "-1", "expected hours above 0"],
  ["from", "7:00", "a time of day"],
  ["max_price", "1e3", "a price per kWh"],
  ["max_price", "99", "a price per kWh from -10 to 25"],
  ["enabled", "maybe", "ON or OFF"],
  ["up_to", "0", "hours"],
  ["cheap_below", "costly", ""],
  ["cheap_below", "101%", ""],
  ["tolerance", "-1", ""],
  ["days", "mon,someday", ""],
  ["days", ",", ""],
  ["min_saving", "free", ""],
  ["away", "2026-07-15/2026-07-01", ""],
] as const)("%s does not take %s", (name, text, why) => {
  const done = changeSettings(definitionOf(withCheap), {}, { [name]: text });
  expect(done).toMatchObject({ kind: "refused", why: "unreadable_setting" });
  expect(done.kind === "refused" && textIn("en", done.reason)).toContain(why);
});
