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
import { mistakeLines } from "../../support/sources/config-mistakes.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function read(plans: string) {
  return readConfig({ text: `plans:\n${plans}`, environment: {}, readFile: () => "" });
}

function mistakesOf(plans: string): string[] {
  const reading = read(plans);
  return mistakeLines(reading);
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
    expect(mistakesOf("  - { name: Car, home: home, kind: slots, hours: 4, fallback: [maybe] }")).toHaveLength(1);
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

describe("a mistake is reported with the expected value:", () => {
  test.each([
    ["{ name: A, home: home, kind: window }", "plans[0].hours: expected hours, found nothing"],
    [
      "{ name: A, home: home, kind: window, hours: long }",
      'plans[0].hours: expected hours above 0 as a number, or a text such as 45m or 1h30m, at most 24 h, found "long"',
    ],
    [
      "{ name: A, home: home, kind: window, hours: 0 }",
      "plans[0].hours: expected hours above 0 as a number, or a text such as 45m or 1h30m, at most 24 h, found 0",
    ],
    [
      '{ name: A, home: home, kind: window, hours: 10, from: "22:00", ready_by: "07:00" }',
      "plans[0].hours: expected at most the 9 h between from and ready_by, found 10 h",
    ],
    [
      "{ name: A, home: home, kind: below }",
      'plans[0].cheap_below: expected a price, a price level such as cheap, a percentage such as "30%", or several of them such as "cheap 30%", found nothing',
    ],
    [
      "{ name: A, home: home, kind: avoid, hours: 3, profile: [1] }",
      "plans[0].profile: is for plans of kind window; this one is of kind avoid",
    ],
    [
      '{ name: A, home: home, kind: window, hours: 3, from: "24:00" }',
      'plans[0].from: expected a time of day such as "07:00", found "24:00"; write "00:00"',
    ],
    [
      "{ name: A, home: home, kind: window, hours: 3, after: b }",
      'plans[0].after: expected the id of a plan (a), found "b"; did you mean a?',
    ],
    [
      "{ name: A, home: home, kind: window, hours: 3, after: a + long }",
      'plans[0].after: expected the id of a plan, or with a pause such as washer + 15m, found "a + long"',
    ],
    [
      "{ name: A, home: home, kind: slots, kw: 3, kwh: 9 learned }",
      "plans[0].kwh: learned needs hours; without them kwh and kw set the hours",
    ],
    [
      "{ name: A, home: home, kind: slots, hours: 3, up_to: 4, cheap_below: 1 export }",
      'plans[0].cheap_below: expected a price, a price level such as cheap, a percentage such as "30%", or several of them such as "cheap 30%", found "1 export"',
    ],
    [
      '{ name: A, home: home, kind: window, hours: 3, fallback: ["2-4"] }',
      'plans[0].fallback[0]: expected hours such as "02:00-05:00", found "2-4"',
    ],
  ])("%s", (plan, mistake) => {
    expect(mistakesOf(`  - ${plan}`)).toEqual([mistake]);
  });

  test("a plan may learn its power, and in a group without a limit avoids without using it", () => {
    const plans = `  - { name: A, home: home, kind: window, hours: 3, learn: true, group: g }
  - { name: B, home: home, kind: avoid, hours: 3, group: g }`;
    const { config } = read(`${plans}\ngroups:\n  - { name: g }`) as { config: Config };
    const drawn = planDefinitions(config.plans, config.groups).map(({ power }) => power?.watts);
    expect(drawn).toEqual([1, 0]);
  });

  test("equal names, whose ids would depend on the order of the file", () => {
    const plan = (home: string, more = "") => `  - { name: Vandvarmer, home: ${home}, kind: window, hours: 1${more} }`;
    expect(mistakesOf([plan("hus"), plan("hytte"), plan("hus")].join("\n"))).toEqual([
      'plans[0].id: "vandvarmer" is also the id of [1]; each needs its own, for example id: vandvarmer_hus',
      'plans[1].id: "vandvarmer" is also the id of [0]; each needs its own, for example id: vandvarmer_hytte',
      'plans[2].id: "vandvarmer" is also the id of [0]; each needs its own, for example id: vandvarmer_hus_2',
    ]);
    expect(mistakesOf([plan("hus"), plan("hytte", ", id: vandvarmer_hytte")].join("\n"))).toEqual([]);
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

  test("duplicate ids and circles", () => {
    const plan = (name: string, more: string) => `  - { name: ${name}, home: home, kind: window, hours: 1, ${more} }`;
    expect(mistakesOf([plan("A", "id: x"), plan("B", "id: x")].join("\n"))).toEqual([
      'plans[0].id: "x" is also the id of [1]; each needs its own, for example id: a_home',
      'plans[1].id: "x" is also the id of [0]; each needs its own, for example id: b_home',
    ]);
    expect(mistakesOf([plan("A", "after: b"), plan("B", "after: a")].join("\n"))).toEqual([
      "plans[0].after: expected an order of plans, found a circle: a after b after a",
      "plans[1].after: expected an order of plans, found a circle: b after a after b",
    ]);
  });
});
