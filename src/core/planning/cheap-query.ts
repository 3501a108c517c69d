/**
 * Answers "is now one of the cheapest hours?" for devices that poll, without a configured plan.
 *
 * A query is handled like a plan: same windows, same solver, same record of runs that have begun. A device that polls each
 * minute therefore sees exactly its hours in each window, also when prices change in between.
 */

import { type Message, placed } from "../language/text.ts";
import { type EpochMs, MINUTE_MS } from "../time/interval.ts";
import { localTimeText } from "./model/local-time.ts";
import { hoursText, planMistakes } from "./model/plan-definition.ts";
import type { SlotsPlan, WindowPlan } from "./model/plan-spec.ts";
import type { PlanInput } from "./plan-input.ts";
import type { PlanRecord } from "./plan-record.ts";
import { advancePlan, type PlanAdvance } from "./plan-state-machine.ts";
import { solvePlan } from "./solve-plan.ts";

/** Plan of a query. Equal queries get equal answers. */
export type CheapSpec = WindowPlan | SlotsPlan;

export interface CheapSettings {
  readonly kind: CheapSpec["kind"];
  readonly hoursMs: number;
  /** Minutes of the local day. */
  readonly from: number | null;
  readonly readyBy: number | null;
  readonly maxPrice: number | null;
}

/** Returns the plan of a query, or its first mistake. */
export function cheapSpec(
  settings: CheapSettings,
): { readonly kind: "spec"; readonly spec: CheapSpec } | { readonly kind: "mistake"; readonly said: Message } {
  const { kind, hoursMs, from, readyBy, maxPrice } = settings;
  const spec: CheapSpec = {
    kind,
    hoursMs,
    ...(from === null ? {} : { from }),
    ...(readyBy === null ? {} : { readyBy }),
    ...(maxPrice === null ? {} : { maxPrice }),
    enabled: true,
  };
  const [mistake] = planMistakes(spec);
  return mistake ? { kind: "mistake", said: placed(mistake.setting, mistake) } : { kind: "spec", spec };
}

/** Returns the key of a query. Equal queries have equal keys, however they are written. */
export function cheapKey(subject: string, { kind, hoursMs, from, readyBy, maxPrice }: CheapSpec): string {
  const time = (minute: number | undefined) => (minute === undefined ? "" : localTimeText(minute));
  return [subject, kind, hoursText(hoursMs), time(from), time(readyBy), maxPrice ?? ""].join(" ");
}

/** State of a query after its last poll. */
export interface CheapState {
  readonly askedAt: EpochMs;
  readonly advance: PlanAdvance;
}

export interface CheapMoment extends Pick<PlanInput, "now" | "timeline" | "calendar" | "trusted"> {
  readonly spec: CheapSpec;
}

/** A device that polls this often follows the plan to the minute. After a longer pause, missed runs are replanned. */
const FOLLOWED_MS = 65 * MINUTE_MS;
/** Maximum changes between two polls. `FOLLOWED_MS` holds 13 of the shortest steps. */
const MAX_CHANGES = 24;

/** Returns the state of a query at `now`. `memory`: its stored record after a restart, used if `state` is null. */
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

function planMoment(moment: CheapMoment, now: EpochMs, memory: PlanRecord | null): PlanInput {
  // A polling device has no timer to renew: a run that has begun lasts to its end.
  const lasting = memory && { ...memory, lastsUntil: null };
  const alone = { blocked: [], after: { kind: "free" }, finishBy: null, solve: solvePlan } as const;
  return { ...moment, ...alone, now, memory: lasting, graceUntil: now };
}

/** Returns true if the answer is known. Without prices or a trusted clock, OFF is only the safe default. */
export function cheapIsKnown({ now, trusted }: CheapMoment, { state, memory }: PlanAdvance): boolean {
  if (!trusted) return false;
  if (memory && now < memory.window.start) return true;
  return state !== "no_prices" && (state !== "waiting" || memory?.outcome.kind !== "missing");
}
