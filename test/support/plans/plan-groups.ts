/** Power groups on days of real prices, for benches and tests. */

import { crowdedFor, groupTurn, inTurn } from "../../../src/core/planning/group/power-group.ts";
import type { PlanDefinition } from "../../../src/core/planning/model/plan-definition.ts";
import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import type { PlanInput } from "../../../src/core/planning/plan-input.ts";
import { advancePlan, runsOf, UNDECIDED } from "../../../src/core/planning/plan-state-machine.ts";
import { solvePlan } from "../../../src/core/planning/solve-plan.ts";
import type { Timeline } from "../../../src/core/prices/timeline.ts";
import { type EpochMs, HOUR_MS, type Interval, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { at, calendar, timelineOf } from "../home/price-days.ts";
import { realPoints } from "./plan-days.ts";

export interface GroupPlan {
  readonly spec: PlanSpec;
  readonly watts: number;
  /** Hours after the start of the case, which is noon of the first day. */
  readonly from: number;
  readonly to: number;
}

export interface GroupCase {
  readonly plans: readonly GroupPlan[];
  readonly start: EpochMs;
  readonly limitWatts: number;
  readonly timeline: Timeline;
  readonly definitions: readonly PlanDefinition[];
}

const base = { enabled: true } as const;
const slots = (hours: number, rules: object = {}): PlanSpec => ({
  ...base,
  kind: "slots",
  hoursMs: hours * HOUR_MS,
  ...rules,
});
const run = (hours: number, rules: object = {}): PlanSpec => ({
  ...base,
  kind: "window",
  hoursMs: hours * HOUR_MS,
  ...rules,
});

/** Appliances of a household. A group of n plans consists of the first n. */
const HOUSE: readonly GroupPlan[] = [
  { spec: slots(5, { minRunMs: 30 * MINUTE_MS }), watts: 7_400, from: 5, to: 19 },
  { spec: slots(4), watts: 3_000, from: 0, to: 24 },
  { spec: run(2, { profile: [3, 1, 1, 1] }), watts: 2_200, from: 7, to: 19 },
  { spec: slots(6, { minRunMs: HOUR_MS, minPauseMs: HOUR_MS }), watts: 4_000, from: 0, to: 24 },
  { spec: run(3), watts: 2_500, from: 6, to: 21 },
  { spec: slots(3, { minRunMs: 45 * MINUTE_MS }), watts: 3_600, from: 4, to: 20 },
  { spec: slots(5, { minPauseMs: 30 * MINUTE_MS }), watts: 1_500, from: 0, to: 24 },
  { spec: run(1.5), watts: 2_000, from: 8, to: 18 },
];

const FIRST_NOON = at("2025-10-06T10:00:00Z");
const DAYS_APART = 9;

/** Returns one group of `count` plans for each of `days` days, nine days apart. */
export function groupCases(count: number, days: number, limitWatts = 11_000): GroupCase[] {
  const points = realPoints();
  return Array.from({ length: days }, (_, i) => {
    const start = FIRST_NOON + i * DAYS_APART * 24 * HOUR_MS;
    const near = points.filter((point) => point.end > start && point.start < start + 24 * HOUR_MS);
    const timeline = timelineOf(near);
    return caseOf(HOUSE.slice(0, count), start, limitWatts, timeline);
  });
}

/** Returns a group whose plans run once, on the day from `start`. */
function caseOf(plans: readonly GroupPlan[], start: EpochMs, limitWatts: number, timeline: Timeline): GroupCase {
  const definitions = plans.map(({ spec, watts, from, to }, place) => {
    const once = { start: start + from * HOUR_MS, end: start + to * HOUR_MS };
    const power = { group: "house", limitWatts, watts, priority: 1 };
    return {
      ...{ id: `plan${place}`, name: "Plan", home: "home", after: null },
      spec: { ...spec, once },
      power,
    };
  });
  return { plans, start, limitWatts, timeline, definitions };
}

/** Decides the plans of a new group, as `decideCircle` does. Returns their runs, and the number of plans that were solved. */
export function decideGroup(definitions: readonly PlanDefinition[], timeline: Timeline, now: EpochMs) {
  let solved = 0;
  const inputOf = ({ spec }: PlanDefinition): PlanInput => ({
    ...{ now, spec, memory: null, timeline, calendar, blocked: [], after: { kind: "free" }, finishBy: null },
    ...{ trusted: true, graceUntil: now },
    solve: (...args) => {
      solved++;
      return solvePlan(...args);
    },
  });
  const slots = inTurn(definitions).map((definition) => ({ definition, spec: definition.spec, advance: UNDECIDED }));
  const seats = slots.flatMap((slot) => {
    const { power, spec } = slot.definition;
    return power && spec.kind !== "avoid" ? [{ slot, power, input: inputOf(slot.definition) }] : [];
  });
  const { places } = groupTurn(seats, slots);
  const runs = new Map(places);
  for (const { slot } of seats) {
    const blocked = crowdedFor(slot, slots, ({ definition }) => runs.get(definition.id) ?? []);
    const { memory } = advancePlan({ ...inputOf(slot.definition), blocked });
    runs.set(slot.definition.id, memory ? runsOf(memory) : []);
  }
  return { runs: definitions.map(({ id }) => runs.get(id) ?? []), solved };
}

/** Returns the runs of each plan; null for a plan that does not get all its hours. */
export function solveCase({ definitions, timeline, start }: GroupCase): (readonly Interval[] | null)[] {
  return decideGroup(definitions, timeline, start).runs.map((runs, i) => {
    const { spec } = definitions[i] as PlanDefinition;
    const length = runs.reduce((sum, run) => sum + run.end - run.start, 0);
    return "hoursMs" in spec && length < spec.hoursMs ? null : runs;
  });
}
