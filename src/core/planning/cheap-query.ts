/**
 * "Is now one of the cheapest hours?", asked by a device again and again, without a configured plan.
 *
 * A question is a plan that nobody wrote down: the same window, the same solver, the same memory of what has begun. So
 * whoever asks each minute sees one coherent run of exactly the hours in each window, whatever prices come meanwhile.
 */

import type { Timeline } from "../prices/timeline.ts";
import type { Calendar } from "../time/calendar.ts";
import { type EpochMs, MINUTE_MS } from "../time/interval.ts";
import { hoursText, localTimeText, planMistakes } from "./model/plan-definition.ts";
import type { SlotsPlan, WindowPlan } from "./model/plan-spec.ts";
import type { PlanInput } from "./plan-input.ts";
import type { PlanRecord } from "./plan-record.ts";
import { advancePlan, type PlanAdvance } from "./plan-state-machine.ts";
import { solvePlan } from "./solve-plan.ts";

/** What is asked for. Two who ask the same are given the same answer. */
export type CheapSpec = WindowPlan | SlotsPlan;

export interface CheapSettings {
  readonly kind: CheapSpec["kind"];
  readonly hoursMs: number;
  /** Minutes of the local day. */
  readonly from: number | null;
  readonly readyBy: number | null;
  readonly maxPrice: number | null;
}

/** The spec of a question, or what is wrong with it: a setting and the words. */
export function cheapSpec(
  settings: CheapSettings,
): { readonly kind: "spec"; readonly spec: CheapSpec } | { readonly kind: "mistake"; readonly text: string } {
  const { kind, hoursMs, from, readyBy, maxPrice } = settings;
  const spec: CheapSpec = {
    kind,
    hoursMs,
    ...(from === null ? {} : { from }),
    ...(readyBy === null ? {} : { readyBy }),
    ...(maxPrice === null ? {} : { maxPrice }),
    useForecast: false,
    enabled: true,
  };
  const [mistake] = planMistakes(spec);
  return mistake ? { kind: "mistake", text: `${mistake.setting}: ${mistake.text}` } : { kind: "spec", spec };
}

/** A name for a question: the same for the same question, however it was written. */
export function cheapKey(subject: string, { kind, hoursMs, from, readyBy, maxPrice }: CheapSpec): string {
  const time = (minute: number | undefined) => (minute === undefined ? "" : localTimeText(minute));
  return [subject, kind, hoursText(hoursMs), time(from), time(readyBy), maxPrice ?? ""].join(" ");
}

/** What is known of a question since it was last asked. */
export interface CheapState {
  readonly askedAt: EpochMs;
  readonly advance: PlanAdvance;
}

export interface CheapMoment {
  readonly spec: CheapSpec;
  readonly now: EpochMs;
  readonly timeline: Timeline | null;
  readonly calendar: Calendar;
  readonly trusted: boolean;
}

/**
 * Who asks at least this often is held to what was planned, to the minute: what should have begun since the last time
 * has begun. After a longer silence nobody can have followed the plan, and what is missed is planned again.
 */
const FOLLOWED_MS = 65 * MINUTE_MS;
/** Changes that one silence can hold: slots of quarters, each with a beginning and an end, and room. */
const MAX_CHANGES = 24;

/** Where a question stands at `now`. `memory` is what survived a restart, for a question without a state. */
export function askCheap(moment: CheapMoment, state: CheapState | null, memory: PlanRecord | null = null): CheapState {
  const { now } = moment;
  let advance = state?.advance ?? null;
  if (state && now - state.askedAt <= FOLLOWED_MS) {
    for (let i = 0; i < MAX_CHANGES; i++) {
      const next = advance?.nextChangeAt ?? null;
      if (!advance || next === null || next >= now) break;
      advance = advancePlan(planMoment(moment, next, advance.memory));
    }
  }
  return { askedAt: now, advance: advancePlan(planMoment(moment, now, advance?.memory ?? memory)) };
}

function planMoment({ spec, timeline, calendar, trusted }: CheapMoment, now: EpochMs, memory: PlanRecord | null) {
  const moment: PlanInput = {
    now,
    spec,
    // Nobody renews the ON of a device that asks: what has begun lasts to its end, whoever was away meanwhile.
    memory: memory && { ...memory, lastsUntil: null },
    timeline,
    calendar,
    trusted,
    blocked: [],
    after: { kind: "free" },
    finishBy: null,
    graceUntil: now,
    solve: solvePlan,
  };
  return moment;
}

/**
 * Whether the answer is an answer: without prices, and without a clock, OFF is only what is safe. Before its window
 * opens a question is answered by OFF, whatever the prices will be.
 */
export function cheapIsKnown({ now, trusted }: CheapMoment, { state, memory }: PlanAdvance): boolean {
  if (!trusted) return false;
  if (memory && now < memory.window.start) return true;
  return state !== "no_prices" && (state !== "waiting" || memory?.outcome.kind !== "missing");
}
