import { expect, test } from "vitest";
import type { PlanDefinition } from "../../../../src/core/planning/model/plan-definition.ts";
import type { PlanSpec } from "../../../../src/core/planning/model/plan-spec.ts";
import { changeSettings, resetOf } from "../../../../src/core/planning/plan-settings.ts";
import { slots, washer } from "../../../support/plans/plan-life.ts";

function definitionOf(spec: PlanSpec): PlanDefinition {
  return { id: "a", name: "A", home: "home", spec, after: null, powerLimit: null };
}

const hours = { hoursMs: 2 * 3_600_000, useForecast: false, enabled: true };

test.each([
  ["a window", washer, ["hours", "from", "ready_by", "max_price", "enabled"]],
  ["slots", slots, ["hours", "from", "ready_by", "max_price", "enabled"]],
  ["an energy", { ...washer, energyKw: 2, kwh: 4 }, ["energy", "from", "ready_by", "max_price", "enabled"]],
  ["one run", { kind: "window", ...hours, once: { start: 0, end: 1 } }, ["hours", "max_price", "enabled"]],
] as const)("the settings of a plan with %s", (_, spec, expected) => {
  const definition = definitionOf(spec as PlanSpec);
  expect(Object.keys(resetOf(definition)).toSorted()).toEqual(expected.toSorted());
  for (const name of ["hours", "energy", "from", "ready_by"] as const) {
    const change = changeSettings(definition, {}, { [name]: name === "hours" || name === "energy" ? "3" : "06:00" });
    const isUnknown = change.kind === "refused" && change.why === "unknown_setting";
    expect([name, isUnknown]).toEqual([name, !(expected as readonly string[]).includes(name)]);
  }
});
