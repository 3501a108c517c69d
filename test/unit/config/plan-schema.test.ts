import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { settingText } from "../../../src/api/house/plan-change.ts";
import { planDefinitions } from "../../../src/config/plan-list.ts";
import { readConfig } from "../../../src/config/reading/load.ts";
import { planSchema } from "../../../src/config/schema/plan-schema.ts";
import type { Config } from "../../../src/config/schema/schema.ts";
import type { PlanDefinition } from "../../../src/core/planning/model/plan-definition.ts";
import { whenLostOf } from "../../../src/core/planning/model/plan-spec.ts";
import { adjustedSpec } from "../../../src/core/planning/plan-settings.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function read(plans: string) {
  return readConfig({ text: `plans:\n${plans}`, environment: {}, readFile: () => "" });
}

function definitionsOf(plans: string) {
  const reading = read(plans);
  if (reading.kind === "mistakes") throw new Error(JSON.stringify(reading.mistakes));
  return planDefinitions(reading.config.plans);
}

describe("a plan in the file", () => {
  test("without prices a plan in the file is on for avoid and off otherwise, unless set", () => {
    const plans = definitionsOf(`  - { name: Freezer, home: home, kind: avoid, hours: 4 }
  - { name: Car, home: home, kind: slots, hours: 4 }
  - { name: Heat pump, home: home, kind: avoid, hours: 4, fallback: [keep] }`);
    expect(plans.map(({ spec }) => whenLostOf(spec))).toEqual(["on", "off", "keep"]);
  });

  test("of kind window or slots can set all keys", () => {
    const [washer, dryer] = definitionsOf(
      `  - { name: Washing machine, home: home, kind: window, hours: 2.5, profile: [3, 1], kwh: 0.9, from: "22:00", ready_by: "07:00", days: [mon, fri], max_price: 3, tolerance: 5 % latest, fallback: ["02:00-04:30"] }
  - { name: Dryer, home: home, id: dryer, kind: slots, hours: 1h30m, min_run: 45m, min_pause: 15m, max_gap: 9, after: washing_machine + 10m, enabled: false }`,
    );
    expect(washer).toEqual({
      id: "washing_machine",
      name: "Washing machine",
      home: "home",
      after: null,
      spec: {
        kind: "window",
        hoursMs: 2.5 * HOUR,
        profile: [3, 1],
        kwh: 0.9,
        from: 22 * 60,
        readyBy: 7 * 60,
        days: ["mon", "fri"],
        maxPrice: 3,
        tolerance: { percent: 5, side: "latest" },
        fallback: [{ from: 120, until: 270 }],
        enabled: true,
      },
    });
    expect(dryer).toMatchObject({
      id: "dryer",
      after: { plan: "washing_machine", pauseMs: 10 * MINUTE },
      spec: {
        hoursMs: 90 * MINUTE,
        minRunMs: 45 * MINUTE,
        minPauseMs: 15 * MINUTE,
        maxGapMs: 9 * HOUR,
        enabled: false,
      },
    });
  });

  test("a plan in the file can be of kind below or avoid", () => {
    const [heater, fridge] = definitionsOf(
      `  - { name: Heater, home: home, kind: below, cheap_below: cheap 25%, min_run: 30m }
  - { name: Fridge, home: home, kind: avoid, hours: 4, max_gap: 2h }`,
    );
    expect(heater?.spec).toEqual({
      kind: "below",
      level: "cheap",
      percent: 25,
      minRunMs: 30 * MINUTE,
      enabled: true,
    });
    expect(fridge?.spec).toMatchObject({ kind: "avoid", hoursMs: 4 * HOUR, maxGapMs: 2 * HOUR });
  });
});

test.each([
  ["slots", "hours", "1h30m"],
  ["window", "from", "22:00"],
  ["window", "ready_by", "07:00"],
  ["below", "max_price", 1.2],
  ["window", "enabled", false],
  ["slots", "days", ["mon", "sun"]],
  ["window", "tolerance", 5],
  ["slots", "min_saving", "10%"],
  ["below", "away", { from: "2026-07-01", until: "2026-07-15T14:00" }],
] as const)("of a plan %s, %s is the same from the file and from a command", (kind, setting, value) => {
  const entry = { name: "A", home: "home", kind, ...(kind === "below" ? { cheap_below: "cheap" } : { hours: 3 }) };
  const [plain, set] = planDefinitions([entry, { ...entry, [setting]: value }].map((each) => planSchema.parse(each)));
  expect(adjustedSpec(plain as PlanDefinition, { [setting]: settingText(value) ?? "" })).toEqual(set?.spec);
  expect(set?.spec).not.toEqual(plain?.spec);
});

test("a plan may learn its power, and in a group without a limit avoids without using it", () => {
  const plans = `  - { name: A, home: home, kind: window, hours: 3, learn: true, group: g }
  - { name: B, home: home, kind: avoid, hours: 3, group: g }`;
  const { config } = read(`${plans}\ngroups:\n  - { name: g }`) as { config: Config };
  const drawn = planDefinitions(config.plans, config.groups).map(({ power }) => power?.watts);
  expect(drawn).toEqual([1, 0]);
});

test("an id never depends on the other plans and their order", () => {
  const names = fc.constantFrom("Car", "Heater", "Heater 2", "Æ");
  const entry = fc.record({ name: names, id: fc.option(fc.constantFrom("car", "heater")) });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 6 }), fc.nat(5), (list, at) => {
      const entries = list.map(({ name, id }) =>
        planSchema.parse({ name, home: "home", kind: "window", hours: 1, ...(id !== null && { id }) }),
      );
      const one = entries[at];
      if (one) expect(planDefinitions(entries)[at]?.id).toBe(planDefinitions([one])[0]?.id);
    }),
  );
});
