/** Hours of a plan from the charge of a battery. */

import { clipped, type EpochMs, HOUR_MS, lengthOf } from "../time/interval.ts";
import type { PlanSpec } from "./model/plan-spec.ts";
import type { PlanRecord } from "./plan-record.ts";

/** Charge of a battery, and when it was reported. Unit: percent. */
export interface Charge {
  readonly percent: number;
  readonly at: EpochMs;
}

/** Reads a charge in percent; null for any other text. */
export function readCharge(text: string): Charge["percent"] | null {
  const percent = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  return percent <= 100 ? percent : null;
}

/**
 * Returns a spec with the hours that a battery needs: those that its plan had run in the round when the charge was
 * reported, and those from that charge to the target. An unknown charge counts as empty, but nothing runs at once for it.
 */
export function withCharge(spec: PlanSpec, charge: Charge | null, memory: PlanRecord | null, now: EpochMs): PlanSpec {
  if (spec.kind !== "slots" || !spec.soc || spec.energyKw === undefined) return spec;
  const { soc, energyKw } = spec;
  const msPerPercent = (soc.capacityKwh / 100 / energyKw) * HOUR_MS;
  const msTo = (percent: number) => Math.round(Math.max(0, percent - (charge?.percent ?? 0)) * msPerPercent);
  const neededMs = msTo(soc.target);
  const isCurrent = memory !== null && now < memory.window.end;
  const runs = isCurrent && charge ? memory.startedRuns : [];
  const at = charge?.at ?? 0;
  const before = { start: memory?.window.start ?? 0, end: at };
  const usedMs = lengthOf(runs.flatMap((run) => clipped(run, before) ?? []));
  const hoursMs = usedMs + neededMs;
  const atOnceMs = charge ? msTo(Math.min(soc.minimum, soc.target)) : 0;
  return {
    ...spec,
    hoursMs,
    kwh: (hoursMs / HOUR_MS) * energyKw,
    ...(neededMs === 0 ? { isCharged: true as const } : {}),
    ...(atOnceMs > 0 ? { atOnce: { ms: atOnceMs, from: at } } : {}),
  };
}

/** Returns true for a battery that has its target. */
export function isCharged(spec: PlanSpec): boolean {
  return spec.kind === "slots" && spec.isCharged === true;
}
