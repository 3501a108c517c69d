/** Hours of a plan from the charge of a battery. */

import { message, type Text } from "../language/text.ts";
import type { Reading, Unknown } from "../reading.ts";
import type { Calendar } from "../time/calendar.ts";
import { clipped, DAY_MS, type EpochMs, HOUR_MS, lengthOf } from "../time/interval.ts";
import { localTimeText } from "./model/local-time.ts";
import type { BatteryNeed, PlanSpec } from "./model/plan-spec.ts";
import { weekdayOf } from "./model/plan-windows.ts";
import type { PlanRecord } from "./plan-record.ts";

/** Charge of a battery. Unit: percent. */
export type Charge = Reading<number>;

/** A charge counts this long. A car that stands still has to report it again. */
export const CHARGE_AGE_MS: number = DAY_MS;
/** Longest part of an unreadable charge that is shown. */
const MAX_SHOWN_LENGTH = 40;

/** Reads a charge: `80`, `80.5`, `80,5` or `80 %`. All other texts, such as `unavailable`, are an unknown charge. */
export function readCharge(text: string, now: EpochMs): Charge {
  const [, number] = /^(\d+(?:[.,]\d+)?)\s*%?$/.exec(text.trim()) ?? [];
  const percent = Number(number?.replace(",", "."));
  if (percent <= 100) return { kind: "known", value: percent, at: now };
  return { kind: "unknown", why: "unreadable", text: text.slice(0, MAX_SHOWN_LENGTH) };
}

/** Returns why a charge is unknown. */
export function whyUnknown(charge: Unknown<number>, calendar: Calendar): Text {
  switch (charge.why) {
    case "never":
      return message("found.charge_never");
    case "unreadable":
      return message("found.charge_unreadable", { text: charge.text });
    case "old": {
      const { value, at } = charge.last;
      const [hour = "", minute = ""] = localTimeText(calendar.minuteOfDay(at)).split(":");
      const clock = message("format.clock", { hour, minute });
      const time = message("format.clock_of_day", { day: message(`weekday.${weekdayOf(calendar, at)}`), clock });
      return message("found.charge_old", { percent: value, time });
    }
  }
}

/** What is known of a plan's battery. */
export interface Battery {
  readonly charge: Charge;
  /** Returns the mean time of the plan's last rounds, which it needs with an unknown charge. Unit: ms. */
  readonly usualMs: () => number;
}

/**
 * Returns a spec with the hours that a battery needs. With a known charge: those that its plan had run in the round when
 * the charge was reported, and those from that charge to the target. With an unknown charge: its usual hours, at least
 * those from empty to the minimum, and none at once.
 */
export function withCharge(spec: PlanSpec, battery: Battery, memory: PlanRecord | null, now: EpochMs): PlanSpec {
  if (spec.kind !== "slots" || !spec.soc || spec.energyKw === undefined) return spec;
  const { soc, energyKw } = spec;
  const { charge, usualMs } = battery;
  const msOf = (percent: number) => Math.round(Math.max(0, percent) * (soc.capacityKwh / 100 / energyKw) * HOUR_MS);
  const withHours = (hoursMs: number, known: BatteryNeed, moreMs = 0): PlanSpec => {
    const upTo = moreMs > 0 ? { upToMs: hoursMs + moreMs } : {};
    return { ...spec, ...upTo, hoursMs, kwh: (hoursMs / HOUR_MS) * energyKw, battery: known };
  };
  const minimum = Math.min(soc.minimum, soc.target);
  if (charge.kind === "unknown") return withHours(Math.max(msOf(minimum), usualMs()), { kind: "unknown" });
  const { value: percent, at } = charge;
  const neededMs = msOf(soc.target - percent);
  const atOnceMs = msOf(minimum - percent);
  const isCurrent = memory !== null && now < memory.window.end;
  const before = isCurrent ? { start: memory.window.start, end: at } : null;
  const usedMs = before ? lengthOf(memory?.startedRuns.flatMap((run) => clipped(run, before) ?? []) ?? []) : 0;
  const moreMs = Math.max(0, msOf((soc.upTo ?? 0) - percent) - neededMs);
  if (neededMs + moreMs === 0) return withHours(usedMs, { kind: "charged" });
  const atOnce = atOnceMs > 0 ? { ms: atOnceMs, from: at } : null;
  return withHours(usedMs + neededMs, { kind: "needs", atOnce }, moreMs);
}

/** Returns true for a battery that has its target. */
export function isCharged(spec: PlanSpec): boolean {
  return spec.kind === "slots" && spec.battery?.kind === "charged";
}

/** Returns true for a plan that cannot know how much its battery needs. */
export function isChargeUnknown(spec: PlanSpec): boolean {
  return spec.kind === "slots" && spec.battery?.kind === "unknown";
}
