/** Random lives of a power group, for the property that its limit is never exceeded. */

import * as fc from "fast-check";
import type { PlanDefinition } from "../../../src/core/planning/model/plan-definition.ts";
import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import { planActions } from "../../../src/core/planning/plan-commands.ts";
import { type EpochMs, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { at, calendar, timelineOf } from "../home/price-days.ts";
import { PlansOnDisk } from "./plans-on-disk.ts";
import { definitionOf } from "./shown-plans.ts";

const LIMIT_W = 11_000;
const base = { enabled: true } as const;
const halfHours = (most: number) => fc.integer({ min: 1, max: most }).map((count) => (count * HOUR_MS) / 2);
const night = fc.constantFrom({}, { from: 17 * 60, readyBy: 7 * 60 }, { from: 0, readyBy: 6 * 60 });

const anySpec: fc.Arbitrary<PlanSpec> = fc
  .oneof(
    fc.tuple(night, fc.record({ kind: fc.constant("window" as const), hoursMs: halfHours(8) })),
    fc.tuple(night, fc.record({ kind: fc.constant("slots" as const), hoursMs: halfHours(10), minRunMs: halfHours(2) })),
    fc.tuple(night, fc.record({ kind: fc.constant("slots" as const), hoursMs: halfHours(6), maxGapMs: halfHours(12) })),
    fc.tuple(
      night,
      fc.record({
        ...{ kind: fc.constant("slots" as const), hoursMs: fc.constant(4 * HOUR_MS), energyKw: fc.constant(3) },
        soc: fc.record({
          ...{ topic: fc.constant("car"), capacityKwh: fc.constant(30) },
          ...{ target: fc.constantFrom(60, 90), minimum: fc.constantFrom(0, 40) },
        }),
      }),
    ),
    fc.tuple(night, fc.record({ kind: fc.constant("below" as const), percent: fc.constantFrom(20, 60) })),
    fc.tuple(night, fc.record({ kind: fc.constant("avoid" as const), hoursMs: halfHours(8), maxGapMs: halfHours(4) })),
  )
  .map(([times, spec]) => ({ ...base, ...times, ...spec }));

const anyEvent = fc.record({
  minutes: fc.integer({ min: 1, max: 400 }),
  plan: fc.nat({ max: 4 }),
  what: fc.constantFrom("restart", "prices", "hours", "charge", ...planActions),
});

/** A day of a group of five plans. In two of three days the clock changes. */
export const anyGroupLife = fc.record({
  start: fc.constantFrom("2026-03-10T12:00:00Z", "2026-03-28T12:00:00Z", "2026-10-24T12:00:00Z").map(at),
  specs: fc.array(anySpec, { minLength: 5, maxLength: 5 }),
  kilowatts: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 5, maxLength: 5 }),
  priorities: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 5, maxLength: 5 }),
  seed: fc.nat({ max: 50 }),
  events: fc.array(anyEvent, { minLength: 2, maxLength: 6 }),
});
export type GroupLife = typeof anyGroupLife extends fc.Arbitrary<infer Life> ? Life : never;

/** Lives through the day. Returns the times at which the group draws more than its limit or its `avoid` plans allow. */
export function overloadsOf({ start, specs, kilowatts, priorities, seed, events }: GroupLife): string[] {
  const definitions = specs.map((spec, i): PlanDefinition => {
    const watts = (kilowatts[i] ?? 1) * 1_000;
    return {
      ...definitionOf(spec, `plan${i}`),
      power: { group: "house", limitWatts: LIMIT_W, watts, priority: priorities[i] ?? 1 },
    };
  });
  // The power of `avoid` plans is reserved; `check` refuses a group in which it is above the limit.
  const reserved = definitions.reduce(
    (sum, { spec, power }) => sum + (spec.kind === "avoid" ? (power?.watts ?? 0) : 0),
    0,
  );
  const most = Math.max(LIMIT_W, reserved);
  using world = new PlansOnDisk({ definitions, timeline: pricesFrom(start, seed), results: false });
  const found: string[] = [];
  let now = start;
  const live = (to: EpochMs) => {
    while (now < to) {
      const until = world.decide(now);
      const { snapshots } = world.plans;
      const drawn = snapshots.reduce((sum, { on, definition }) => sum + (on ? (definition.power?.watts ?? 0) : 0), 0);
      if (drawn > most) found.push(`${drawn} W at ${new Date(now).toISOString()}`);
      now = Math.min(to, until);
    }
  };
  for (const { minutes, plan, what } of events) {
    live(now + minutes * MINUTE_MS);
    if (what === "restart") world.restart();
    else if (what === "prices") world.world.timeline = pricesFrom(start, seed + minutes);
    else if (what === "hours")
      world.plans.commands.take(["home", `plan${plan}`, "hours", "set"], String(1 + (minutes % 6)), now);
    else if (what === "charge")
      world.plans.chargeIs({ topic: "car", payload: String(minutes % 101), retained: false }, now);
    else world.plans.commands.act(`plan${plan}`, what, now);
  }
  live(start + 26 * HOUR_MS);
  return found;
}

/** Returns hourly prices from two days before to two days after a time. */
function pricesFrom(start: EpochMs, seed: number) {
  const days = { start: start - 72 * HOUR_MS, end: start + 72 * HOUR_MS };
  const hours = calendar.intervals("hour", days);
  return timelineOf(
    hours.map((hour, i) => ({ ...hour, price: 1 + Math.sin((i + seed) / 4) + ((i * seed) % 7) / 10, estimate: false })),
  );
}
