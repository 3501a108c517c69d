import { describe, expect, test } from "vitest";
import { planSchema } from "../../../../src/config/schema/plan-schema.ts";
import type { PlanSpec } from "../../../../src/core/planning/model/plan-spec.ts";
import { runNow, stop } from "../../../../src/core/planning/plan-commands.ts";
import da from "../../../../src/i18n/da.json" with { type: "json" };
import en from "../../../../src/i18n/en.json" with { type: "json" };
import nb from "../../../../src/i18n/nb.json" with { type: "json" };
import sv from "../../../../src/i18n/sv.json" with { type: "json" };
import { at, timelineOf } from "../../../support/home/price-days.ts";
import { costOf, live, nightPrices, OPENS, slots, step, washer, wordsOf } from "../../../support/plans/plan-life.ts";

const HOUR = 3_600_000;
const AFTERNOON = OPENS - 5 * HOUR;

/** Returns the reason of a plan that is decided in the afternoon. */
function words(spec: PlanSpec, given: Partial<Parameters<typeof step>[0]> = {}): string {
  return wordsOf(step({ now: AFTERNOON, spec, ...given }), AFTERNOON, spec);
}

describe("the reason of a plan with its figures", () => {
  const before = "Wed 02:00-04:00, 0.50 DKK/kWh on average instead of 2.23 DKK/kWh from 22:00";

  test("the reason of a plan with its figures contains the price of a start when the window opens, before, during and after the run", () => {
    const planned = step({ now: AFTERNOON });
    expect(wordsOf(planned, AFTERNOON)).toBe(before);
    expect(wordsOf(step({ now: OPENS }), OPENS)).toBe(before);
    const numbers = "02:00-04:00, 0.50 DKK/kWh on average instead of 2.23 DKK/kWh from Tue 22:00";
    const now = at("2026-03-11T01:00:00Z");
    const running = step({ now, memory: planned.memory });
    expect(wordsOf(running, now)).toBe(`runs until 04:00: ${numbers}`);
    const done = live({ now, memory: running.memory }, now + 2 * HOUR);
    expect(wordsOf(done, now + 2 * HOUR)).toBe(`has run: ${numbers}`);
  });

  test.each([
    [
      "da",
      "kl. 04.00",
      "02.00–04.00, 0,50 DKK/kWh i gennemsnit",
      "i stedet for 2,23 DKK/kWh fra tirs. kl. 22.00",
      "ons. 02.00–04.00",
    ],
    [
      "sv",
      "kl. 04:00",
      "02:00–04:00, 0,50 DKK/kWh i genomsnitt",
      "i stället för 2,23 DKK/kWh från tis kl. 22:00",
      "ons 02:00–04:00",
    ],
    [
      "nb",
      "kl. 04:00",
      "02:00–04:00, 0,50 DKK/kWh i gjennomsnitt",
      "i stedet for 2,23 DKK/kWh fra tirs. kl. 22:00",
      "ons. 02:00–04:00",
    ],
  ] as const)(
    "the reason of a plan with its figures has times and prices in the format of %s",
    (language, end, runs, best, wednesday) => {
      const planned = step({ now: AFTERNOON });
      expect(wordsOf(planned, AFTERNOON, washer, language)).toContain(`${wednesday}, `);
      const now = at("2026-03-11T01:00:00Z");
      const text = wordsOf(step({ now, memory: planned.memory }), now, washer, language);
      for (const part of [end, runs, best]) expect(text).toContain(part);
    },
  );

  test("an avoid plan reports its times OFF", () => {
    const spec: PlanSpec = { kind: "avoid", hoursMs: 3 * HOUR, enabled: true };
    const midnight = at("2026-03-09T23:00:00Z");
    const now = midnight + 600_000;
    const advance = live({ now: midnight, spec }, now);
    expect(wordsOf(advance, now, spec)).toMatch(
      /^runs until 21:00: ON except 21:00-00:00, \d\.\d\d DKK\/kWh on average$/,
    );
  });

  test.each<readonly [string, PlanSpec, Partial<Parameters<typeof step>[0]>, string]>([
    ["every price too high", { kind: "below", maxPrice: 0.1, enabled: true }, {}, "no known price is low enough"],
    [
      "above max_price",
      { ...washer, maxPrice: 0.3 },
      {},
      "prices are above the maximum of 0.30 DKK/kWh: 2 h missing of 2 h",
    ],
    ["no prices", washer, { timeline: null }, "no prices from 22:00 on; nothing runs"],
    [
      "no prices, and the fallback is over",
      { ...washer, fallback: [{ from: 720, until: 780 }] },
      { timeline: null },
      "no prices from 22:00 on, and no fallback hours are left; nothing runs",
    ],
    [
      "fallback",
      { ...slots, fallback: [{ from: 120, until: 240 }] },
      { timeline: null },
      "prices are missing; runs in its fallback hours Wed 02:00-04:00",
    ],
    [
      "blocked by other plans",
      washer,
      { blocked: [{ start: OPENS, end: OPENS + 8.5 * HOUR }] },
      "other plans of its group are running, or the time is excluded: 2 h missing of 2 h",
    ],
    [
      "blocked by a plan that holds the only hours below max_price",
      { ...washer, maxPrice: 1 },
      { blocked: [{ start: at("2026-03-11T01:00:00Z"), end: at("2026-03-11T03:00:00Z") }] },
      "other plans of its group are running, or the time is excluded: 2 h missing of 2 h",
    ],
    [
      "waiting for another plan",
      washer,
      { after: { kind: "waiting", plan: "Dishwasher" } },
      'waits until "Dishwasher" is scheduled',
    ],
    ["disabled", { ...washer, enabled: false }, {}, "the plan is disabled"],
    [
      "on estimates",
      { ...washer },
      { timeline: timelineOf(nightPrices().map((point) => ({ ...point, estimate: point.start >= OPENS }))) },
      `probably ${before}; the prices from 22:00 on are late`,
    ],
  ])("%s", (_name, spec, given, expected) => {
    expect(words(spec, given)).toBe(expected);
  });
});

test("a plan that has run and whose battery has its target says so, also if it is done", () => {
  const soc = { topic: "car", capacityKwh: 50, target: 80, minimum: 20 };
  const spec: PlanSpec = { ...washer, kind: "slots", energyKw: 2, soc };
  const advance = step({ now: AFTERNOON, spec });
  if (!advance.memory) throw new Error("no memory");
  const memory = { ...advance.memory, planned: [], outcome: { kind: "charged" } as const };
  for (const state of ["done", "waiting"] as const)
    expect(wordsOf({ ...advance, memory, state }, AFTERNOON, spec)).toContain("80");
});

describe("a run that was missed", () => {
  const now = at("2026-03-11T01:30:00Z");
  const missed = (spec: PlanSpec) => step({ now, spec, memory: step({ now: AFTERNOON, spec }).memory });

  test("starts late if its time is still the best one", () => {
    expect(missed(washer).memory?.startedRuns).toMatchObject([{ start: now, end: now + 2 * HOUR }]);
  });

  test("does not start late if it would save less than min_saving", () => {
    const spec: PlanSpec = { ...washer, minSaving: { perKwh: 1.6 } };
    expect(step({ now: AFTERNOON, spec }).memory?.planned).toHaveLength(1);
    expect(missed(spec).memory).toMatchObject({
      ...{ startedRuns: [], planned: [], outcome: { kind: "saves_too_little" } },
    });
  });
});

describe("a manual run has the price of the time that it runs", () => {
  const planned = step({ now: AFTERNOON, spec: { ...washer, kwh: 2 } }).memory;
  const spec = { ...washer, kwh: 2 };

  test("if it runs to its end", () => {
    const done = runNow(spec, planned, AFTERNOON);
    if (done.kind === "refused") throw new Error(done.why);
    const over = live({ now: AFTERNOON, memory: done.memory, spec }, AFTERNOON + 2 * HOUR);
    expect(over.memory?.outcome).toMatchObject({ kind: "solved", meanPrice: 2.175 });
    expect(costOf(over, spec)).toBeCloseTo(4.35);
    expect(wordsOf(over, AFTERNOON + 2 * HOUR, spec)).toBe("has run: 17:00-19:00, 2.17 DKK/kWh on average");
  });

  test("if it is stopped: up to that time; a skipped occurrence has no price", () => {
    const opens = AFTERNOON + 5 * HOUR;
    const begun = runNow(spec, planned, opens);
    if (begun.kind === "refused") throw new Error(begun.why);
    const now = opens + HOUR / 4;
    const stopped = stop(live({ now: opens, memory: begun.memory, spec }, now).memory, now, spec);
    if (stopped.kind === "refused") throw new Error(stopped.why);
    const after = step({ now, memory: stopped.memory, spec });
    expect(after.memory?.outcome).toMatchObject({ kind: "solved", meanPrice: 2.22 });
    expect(costOf(after, spec)).toBeCloseTo((2.22 * 2) / 8);
    const off = { ...spec, enabled: false };
    expect(step({ now: AFTERNOON, memory: planned, spec: off }).memory?.outcome).toEqual({ kind: "none" });
  });
});

describe("the reason's figures", () => {
  test("change with revised prices while the plan runs", () => {
    const spec = { ...washer, kwh: 2 };
    const now = at("2026-03-11T01:00:00Z");
    const running = live({ now: AFTERNOON, spec }, now);
    const revised = timelineOf(nightPrices().map((point) => ({ ...point, price: point.price + 1 })));
    const after = step({ now: now + HOUR / 4, spec, memory: running.memory, timeline: revised });
    expect(wordsOf(after, now + HOUR / 4, spec)).toMatch(/^runs until 04:00: 02:00-04:00, 1\.50 DKK/);
    expect(costOf(after, spec)).toBeCloseTo(3);
  });

  test("have no sign for an amount that is shown as zero", () => {
    const timeline = timelineOf(nightPrices().map((point) => ({ ...point, price: point.price < 1 ? -0.004 : 2 })));
    expect(words(washer, { timeline })).toMatch(/02:00-04:00, 0\.00 DKK/);
  });

  test("do not name estimates if prices are missing and none is an estimate", () => {
    const spec: PlanSpec = { ...washer, kind: "avoid" };
    const timeline = timelineOf(nightPrices().filter(({ start }) => start < at("2026-03-11T04:00:00Z")));
    expect(words(spec, { timeline })).toMatch(/^ON except/);
    expect(words(spec, { timeline })).not.toMatch(/estimates/);
  });
});

test("no text of a plan contains a key of the configuration, in any language", () => {
  const keys = Object.keys(planSchema.def.shape).filter((key) => key.includes("_"));
  const texts = Object.entries({ da, en, nb, sv }).flatMap(([language, { plan }]) =>
    Object.values(plan).map((text) => `${language}: ${text}`),
  );
  expect(texts.filter((text) => [...keys, "never ", "third_party"].some((key) => text.includes(key)))).toEqual([]);
});

test("a plan with many runs names the current and the next ones", () => {
  const cheap = nightPrices().map((point, i) => ({ ...point, price: i % 2 === 0 ? 0.5 : 2 }));
  const given = { spec: { ...slots, readyBy: 12 * 60, hoursMs: 7 * HOUR } as PlanSpec, timeline: timelineOf(cheap) };
  const now = at("2026-03-11T05:10:00Z");
  const later = live({ now: AFTERNOON, ...given }, now);
  expect(wordsOf(later, now, given.spec)).toMatch(/^(runs until \d\d:\d\d: )?0[67]:00-0[78]:00, /);
});
