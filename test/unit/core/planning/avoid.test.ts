import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AvoidPlan, PlanSpec } from "../../../../src/core/planning/model/plan-spec.ts";
import { runNow, skip, stop } from "../../../../src/core/planning/plan-commands.ts";
import type { PlanRecord } from "../../../../src/core/planning/plan-record.ts";
import { type PlanAdvance, runsOf } from "../../../../src/core/planning/plan-state-machine.ts";
import { planSnapshot } from "../../../../src/core/planning/snapshot/plan-snapshot.ts";
import type { PricePoint } from "../../../../src/core/prices/timeline.ts";
import { at, daysOf, points, timelineOf } from "../../../support/home/price-days.ts";
import { live, step, wordsOf } from "../../../support/plans/plan-life.ts";
import { PlansOnDisk } from "../../../support/plans/plans-on-disk.ts";
import { definitionOf, planOf } from "../../../support/plans/shown-plans.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const QUARTER = 15 * MINUTE;
/** 10 March 2026, midnight in Denmark. */
const MIDNIGHT = at("2026-03-09T23:00:00Z");

const freezer: AvoidPlan = { kind: "avoid", hoursMs: 4 * HOUR, maxGapMs: 1.5 * HOUR, enabled: true };

/** Quarter-hours of 7 to 11 March; expensive from 17:00 to 21:00 local time, most expensive from 18:00 to 19:00. */
const prices = points(daysOf("2026-03-07", "2026-03-11"), (i) => priceOfHour(Math.floor((i % 96) / 4)), {
  unit: "fifteenMinutes",
});

function priceOfHour(hour: number): number {
  if (hour === 18) return 5;
  return hour >= 17 && hour < 21 ? 3 : 1;
}
const pricesUntil = (until: number): PricePoint[] => prices.filter(({ end }) => end <= until);

function commanded(advance: PlanAdvance, command: (memory: PlanRecord | null) => ReturnType<typeof skip>): PlanRecord {
  const done = command(advance.memory);
  if (done.kind === "refused") throw new Error(done.why);
  return done.memory;
}

test("a planned run that begins where the present one ends continues it: the next start is that of a later run", () => {
  const advance = step({ now: MIDNIGHT, spec: freezer, timeline: timelineOf(prices) });
  if (!advance.memory) throw new Error("no record");
  const run = (from: number, to: number) => ({
    ...{ start: MIDNIGHT + from * QUARTER, end: MIDNIGHT + to * QUARTER, basis: "prices" as const },
  });
  const begun = { ...run(0, 1), settled: false };
  const memory = { ...advance.memory, startedRuns: [begun], planned: [run(1, 2), run(5, 6)] };
  const { nextStart, nextEnd } = planSnapshot({
    ...planOf(freezer, "prices", MIDNIGHT),
    ...{ spec: freezer, now: MIDNIGHT, advance: { ...advance, memory, running: begun, on: true } },
  });
  expect([nextEnd, nextStart]).toEqual([MIDNIGHT + 2 * QUARTER, MIDNIGHT + 5 * QUARTER]);
});

describe("a plan of kind avoid is ON", () => {
  test("at the first start, without prices and without a trusted clock", () => {
    expect(step({ now: MIDNIGHT, spec: freezer, timeline: null }).on).toBe(true);
    expect(step({ now: MIDNIGHT, spec: freezer, trusted: false }).on).toBe(true);
    expect(step({ now: MIDNIGHT, spec: freezer, timeline: timelineOf(prices) }).on).toBe(true);
  });

  test("during ten hours without prices after midnight, then avoids again", () => {
    const known = { spec: freezer, timeline: timelineOf(pricesUntil(MIDNIGHT)) };
    let advance = live({ now: MIDNIGHT - 6 * HOUR, ...known }, MIDNIGHT - 1);
    for (let now = MIDNIGHT; now < MIDNIGHT + 10 * HOUR; now += QUARTER) {
      advance = step({ now, memory: advance.memory, ...known });
      expect(advance.on).toBe(true);
    }
    expect(advance.state).toBe("no_prices");
    expect(wordsOf(advance, MIDNIGHT + 10 * HOUR, freezer)).toContain("stays ON");
    const back = MIDNIGHT + 10 * HOUR;
    const evening = live(
      { now: back, memory: advance.memory, spec: freezer, timeline: timelineOf(prices) },
      MIDNIGHT + 18.5 * HOUR,
    );
    expect(evening.on).toBe(false);
  });

  test("when prices become unavailable during an avoided quarter hour, unless when_lost is keep", () => {
    const evening = MIDNIGHT + 18.5 * HOUR;
    const advance = live({ now: MIDNIGHT, spec: freezer, timeline: timelineOf(prices) }, evening);
    expect(advance.on).toBe(false);
    const lost = { now: evening + MINUTE, memory: advance.memory, spec: freezer };
    expect(step({ ...lost, timeline: timelineOf(pricesUntil(evening)) }).on).toBe(true);
    expect(
      step({ ...lost, spec: { ...freezer, whenLost: "keep" }, timeline: timelineOf(pricesUntil(evening)) }).on,
    ).toBe(false);
  });

  test.each(["run_now", "skip", "stop"] as const)(
    "after %s in an avoided quarter hour, until the next round",
    (command) => {
      const evening = MIDNIGHT + 18.5 * HOUR;
      const given = { spec: freezer, timeline: timelineOf(prices) };
      const advance = live({ now: MIDNIGHT, ...given }, evening);
      expect(advance.on).toBe(false);
      let memory: PlanRecord | null = commanded(advance, (known) =>
        command === "run_now"
          ? runNow(freezer, known, evening)
          : command === "skip"
            ? skip(known, evening)
            : stop(known, evening, freezer),
      );
      for (let now = evening; now < MIDNIGHT + 24 * HOUR; now += QUARTER) {
        const next = step({ now, memory, ...given });
        memory = next.memory;
        expect(next.on).toBe(true);
      }
    },
  );

  test("outside its window, on other days and while disabled", () => {
    const spec: PlanSpec = { ...freezer, from: 17 * 60, readyBy: 21 * 60, hoursMs: HOUR };
    const timeline = timelineOf(prices);
    expect(step({ now: MIDNIGHT + 12 * HOUR, spec, timeline }).on).toBe(true);
    expect(step({ now: MIDNIGHT + 18 * HOUR, spec: { ...spec, days: [] }, timeline }).on).toBe(true);
    expect(step({ now: MIDNIGHT + 18 * HOUR, spec: { ...spec, enabled: false }, timeline }).on).toBe(true);
  });

  test("other kinds are ON without prices if when_lost is on, but not before their window", () => {
    const spec: PlanSpec = { ...freezer, kind: "slots", from: 12 * 60, readyBy: 20 * 60, whenLost: "on" };
    expect(step({ now: MIDNIGHT + 11 * HOUR, spec, timeline: null }).on).toBe(false);
    expect(step({ now: MIDNIGHT + 13 * HOUR, spec, timeline: null }).on).toBe(true);
    expect(step({ now: MIDNIGHT + 13 * HOUR, spec: { ...spec, whenLost: "off" }, timeline: null }).on).toBe(false);
    expect(step({ now: MIDNIGHT + 11 * HOUR, spec, timeline: null, trusted: false }).on).toBe(true);
  });

  test("other kinds keep their state while the clock is not trusted if when_lost is keep", () => {
    const spec: PlanSpec = { kind: "slots", hoursMs: 4 * HOUR, enabled: true, whenLost: "keep" };
    const known = { spec, timeline: timelineOf(prices) };
    const running = live({ now: MIDNIGHT, ...known }, MIDNIGHT + HOUR);
    const over = live({ now: MIDNIGHT + HOUR, memory: running.memory, ...known }, MIDNIGHT + 12 * HOUR);
    expect([running.on, over.on]).toEqual([true, false]);
    for (const { memory, on } of [running, over])
      expect(step({ now: MIDNIGHT + 12 * HOUR, memory, ...known, trusted: false }).on).toBe(on);
  });

  test.each([undefined, HOUR])(
    "min_run %s also applies to an ON that was caused by briefly missing prices",
    (minRunMs) => {
      const evening = MIDNIGHT + 18.5 * HOUR;
      const spec = { ...freezer, ...(minRunMs ? { minRunMs } : {}) };
      const off = live({ now: MIDNIGHT, spec, timeline: timelineOf(prices) }, evening);
      const lost = step({ now: evening, memory: off.memory, spec, timeline: timelineOf(pricesUntil(evening)) });
      const back = live(
        { now: evening + QUARTER, memory: lost.memory, spec, timeline: timelineOf(prices) },
        evening + 2 * QUARTER,
      );
      expect([off.on, lost.on, back.on]).toEqual([false, true, minRunMs !== undefined]);
    },
  );

  test("at least once per max_gap, even if every price is above max_price", () => {
    const spec = { ...freezer, maxPrice: 0.5 };
    expect(longestOff(spec, prices, [])).toBe(freezer.maxGapMs);
    // Only 17:00 to 21:00 is above this price: two quarter hours of it are ON, and so is the rest of the day.
    const { memory } = step({
      now: MIDNIGHT,
      spec: { ...freezer, hoursMs: 3 * HOUR, maxPrice: 2 },
      timeline: timelineOf(prices),
    });
    const { onQuarters, expensive } = onOf(memory);
    expect(onQuarters - expensive).toBe(80);
    expect(expensive).toBe(2);
  });

  test("for at least min_run between two avoided ranges", () => {
    const spec = { ...freezer, maxGapMs: HOUR, minRunMs: HOUR, hoursMs: 3 * HOUR };
    const { memory } = step({ now: MIDNIGHT, spec, timeline: timelineOf(prices) });
    expect((memory?.planned ?? []).every((run) => run.end - run.start >= HOUR)).toBe(true);
  });
});

/** Returns the number of quarter hours that are ON, and how many of these cost more than 2. */
function onOf(memory: PlanRecord | null): { onQuarters: number; expensive: number } {
  const isOn = ({ start }: PricePoint) =>
    runsOf(memory ?? never()).some((run) => run.start <= start && start < run.end);
  const on = prices.filter((point) => point.start >= MIDNIGHT && point.start < MIDNIGHT + 24 * HOUR && isOn(point));
  return { onQuarters: on.length, expensive: on.filter(({ price }) => price > 2).length };
}

function never(): never {
  throw new RangeError("no memory");
}

interface Event {
  readonly afterMs: number;
  readonly what:
    | "run_now"
    | "skip"
    | "stop"
    | "lose_prices"
    | "find_prices"
    | "lose_clock"
    | "find_clock"
    | "restart"
    | "disable"
    | "enable";
  readonly lastsMs: number;
}

/** Simulates three days. Returns the longest time OFF while elbro was running. */
function longestOff(spec: AvoidPlan, known: readonly PricePoint[], events: readonly Event[]): number {
  const end = MIDNIGHT + 48 * HOUR;
  const queue = [...events];
  let memory: PlanRecord | null = null;
  let [trusted, enabled, lost] = [true, true, false];
  let [offSince, longest]: [number | null, number] = [null, 0];
  let nextEvent = MIDNIGHT - 24 * HOUR + (queue[0]?.afterMs ?? 0);
  for (let now = MIDNIGHT - 24 * HOUR; now < end; ) {
    while (queue[0] && nextEvent <= now) {
      const [event] = queue.splice(0, 1) as [Event];
      nextEvent = now + (queue[0]?.afterMs ?? 0);
      const own = { ...spec, enabled };
      const decision =
        event.what === "run_now"
          ? runNow(own, memory, now)
          : event.what === "skip"
            ? skip(memory, now)
            : event.what === "stop"
              ? stop(memory, now, own)
              : null;
      if (decision?.kind === "done") memory = decision.memory;
      if (event.what === "lose_prices" || event.what === "find_prices") lost = event.what === "lose_prices";
      if (event.what === "lose_clock" || event.what === "find_clock") trusted = event.what === "find_clock";
      if (event.what === "disable" || event.what === "enable") enabled = event.what === "enable";
      if (event.what === "restart") {
        memory = JSON.parse(JSON.stringify(memory)) as PlanRecord | null;
        now += event.lastsMs;
      }
    }
    const timeline = timelineOf(
      lost ? known.filter((point) => point.end <= now) : known.filter((point) => point.start < now + 24 * HOUR),
    );
    const advance: PlanAdvance = step({ now, spec: { ...spec, enabled }, memory, timeline, trusted });
    memory = advance.memory;
    offSince = advance.on ? null : (offSince ?? now);
    const next: number = Math.min(advance.nextChangeAt ?? end, queue[0] ? Math.max(nextEvent, now + 1) : end, end);
    if (offSince !== null) longest = Math.max(longest, next - offSince);
    now = next;
  }
  return longest;
}

test("an avoid plan is never OFF longer than max_gap: random prices, commands, outages and restarts", () => {
  const event = fc.record({
    afterMs: fc.integer({ min: 1, max: 600 }).map((minutes) => minutes * MINUTE),
    what: fc.constantFrom(
      "run_now",
      "skip",
      "stop",
      "lose_prices",
      "find_prices",
      "lose_clock",
      "find_clock",
      "restart",
      "disable",
      "enable",
    ) as fc.Arbitrary<Event["what"]>,
    lastsMs: fc.integer({ min: 0, max: 180 }).map((minutes) => minutes * MINUTE),
  });
  const spec = fc.record({
    hours: fc.integer({ min: 1, max: 40 }),
    gap: fc.integer({ min: 1, max: 12 }),
    minRun: fc.integer({ min: 0, max: 6 }),
    maxPrice: fc.option(fc.double({ min: -1, max: 3, noNaN: true })),
    window: fc.option(fc.tuple(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 0, max: 1439 }))),
    whenLost: fc.constantFrom("on", "keep", "off", undefined) as fc.Arbitrary<"on" | "keep" | "off" | undefined>,
  });
  fc.assert(
    fc.property(
      spec,
      fc.array(event, { maxLength: 12 }),
      fc.infiniteStream(fc.double({ min: -1, max: 4, noNaN: true })),
      (given, events, random) => {
        const priced = prices.map((point) => ({ ...point, price: random.next().value as number }));
        const plan: AvoidPlan = {
          ...freezer,
          hoursMs: given.hours * QUARTER,
          maxGapMs: given.gap * QUARTER,
          minRunMs: given.minRun * QUARTER,
          ...(given.maxPrice === null ? {} : { maxPrice: given.maxPrice }),
          ...(given.window ? { from: given.window[0], readyBy: given.window[1] } : {}),
          ...(given.whenLost ? { whenLost: given.whenLost } : {}),
        };
        expect(longestOff(plan, priced, events)).toBeLessThanOrEqual(plan.maxGapMs ?? 0);
      },
    ),
    { numRuns: 60 },
  );
});

describe("an avoid plan is not switched for little", () => {
  const random = (seed: number) => (i: number) => 1 + Math.abs(Math.sin(i * i + seed));
  const days = daysOf("2026-03-07", "2026-03-11");
  const offOf = (spec: AvoidPlan, price: (i: number) => number) => {
    const { memory } = step({ now: MIDNIGHT, spec, timeline: timelineOf(points(days, price)) });
    const runs = memory ? runsOf(memory) : [];
    return [...runs.slice(1).map((run, i) => run.start - (runs[i]?.end ?? 0)), (runs[0]?.start ?? MIDNIGHT) - MIDNIGHT];
  };

  test("min_pause is the shortest time OFF", () => {
    for (let seed = 0; seed < 20; seed++) {
      const short = offOf(freezer, random(seed)).filter((ms) => ms > 0);
      expect(Math.min(...short)).toBe(QUARTER);
      const off = offOf({ ...freezer, minPauseMs: 3 * QUARTER }, random(seed)).slice(0, -1);
      expect(Math.min(...off)).toBeGreaterThanOrEqual(3 * QUARTER);
    }
  });

  test("with min_saving it stays ON unless its hours OFF cost enough more", () => {
    const price = (i: number) => (i % 96 >= 68 && i % 96 < 84 ? 1.02 : 1);
    const advance = (minSaving: number) =>
      step({
        now: MIDNIGHT,
        spec: { ...freezer, minSaving: { perKwh: minSaving } },
        timeline: timelineOf(points(days, price)),
      });
    expect(advance(0.01).memory?.planned.length).toBeGreaterThan(1);
    const little = advance(0.1);
    expect([little.on, little.memory?.outcome.kind]).toEqual([true, "saves_too_little"]);
    const spec: AvoidPlan = { ...freezer, minSaving: { perKwh: 0.1 } };
    expect(wordsOf(little, MIDNIGHT, spec)).toMatch(
      /^ON all the time: 1\.02 DKK\/kWh when OFF instead of 1\.00 DKK\/kWh saves less than the wanted 0\.10 DKK\/kWh$/,
    );
  });
});

test("an avoid plan that is added within a quarter is shown as one run until it is OFF", () => {
  const now = MIDNIGHT + 5 * MINUTE + 12_345;
  using world = new PlansOnDisk({ definitions: [definitionOf(freezer)], timeline: timelineOf(prices) });
  world.at(now);
  const shown = world.until(now, MIDNIGHT + HOUR);
  expect(shown.runs.filter(({ start }) => start < MIDNIGHT + 12 * HOUR)).toHaveLength(1);
});
