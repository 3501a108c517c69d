/** Steps a plan through time, in the night to 11 March 2026. */

import type { Language } from "../../../src/core/language/language.ts";
import type { PlanSpec, WindowPlan } from "../../../src/core/planning/model/plan-spec.ts";
import type { PlanInput } from "../../../src/core/planning/plan-input.ts";
import type { PlanRecord } from "../../../src/core/planning/plan-record.ts";
import { advancePlan, type PlanAdvance, runsOf } from "../../../src/core/planning/plan-state-machine.ts";
import { planReasonOf } from "../../../src/core/planning/snapshot/plan-reason.ts";
import { roundEnergy } from "../../../src/core/planning/snapshot/plan-snapshot.ts";
import { solvePlan } from "../../../src/core/planning/solve-plan.ts";
import type { PricePoint } from "../../../src/core/prices/timeline.ts";
import { at, calendar, daysOf, points, timelineOf } from "../home/price-days.ts";

const HOUR = 3_600_000;
/** Start of the washer's window, which is from 22:00 to 07:00 local time. */
export const OPENS: number = at("2026-03-10T21:00:00Z");
export const washer: WindowPlan = {
  kind: "window",
  hoursMs: 2 * HOUR,
  from: 22 * 60,
  readyBy: 7 * 60,
  enabled: true,
};
export const slots: PlanSpec = { ...washer, kind: "slots" };

/** Hourly prices from 7 March to `last`; cheap from 02:00 to 04:00 local time every night. */
export function nightPrices(last = "2026-03-11"): PricePoint[] {
  return points(daysOf("2026-03-07", last), (i) => ([2, 3].includes(i % 24) ? 0.5 : 2 + (i % 24) / 100), {
    unit: "hour",
  });
}

type Given = Partial<PlanInput> & Pick<PlanInput, "now">;

export function step(given: Given): PlanAdvance {
  return advancePlan({
    spec: washer,
    memory: null,
    timeline: timelineOf(nightPrices()),
    calendar,
    blocked: [],
    after: { kind: "free" },
    finishBy: null,
    trusted: true,
    graceUntil: 0,
    solve: solvePlan,
    ...given,
  });
}

/** Advances a plan from `given.now` to `until`, at every time that the plan itself requests. */
export function live(given: Given, until: number): PlanAdvance {
  let advance = step(given);
  for (let now = given.now; now < until; ) {
    now = Math.min(until, advance.nextChangeAt ?? until);
    advance = step({ ...given, now, memory: advance.memory });
  }
  return advance;
}

/** Returns the cost of the occurrence; null if it is not known. */
export function costOf({ memory }: PlanAdvance, spec: PlanSpec): number | null {
  const kwh = memory && roundEnergy(spec, memory);
  const meanPrice = memory?.outcome.kind === "solved" ? memory.outcome.meanPrice : null;
  return kwh === null || meanPrice === null ? null : kwh * meanPrice;
}

export function timesOf(memory: PlanRecord | null): string[] {
  return memory ? runsOf(memory).map(({ start, end }) => `${iso(start)}-${iso(end)}`) : [];
}

/** Returns the text of the reason. */
export function wordsOf(advance: PlanAdvance, now: number, spec: PlanSpec = washer, language: Language = "en"): string {
  return planReasonOf({ spec, advance, now, calendar, trusted: true, currency: "DKK", home: null, language }).text;
}

export function iso(instant: number): string {
  return new Date(instant).toISOString().slice(11, 16);
}
