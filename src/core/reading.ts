/** Values that can be unknown: their number, ON or OFF can only be read where `kind` was checked. */
import type { EpochMs } from "./time/interval.ts";

/** A value as it was reported at `at`. */
export interface Known<Value> {
  readonly kind: "known";
  readonly value: Value;
  readonly at: EpochMs;
}

/** Why a value is unknown: it was never reported, its source reported `text` instead, or the last one is too old. */
export type Unknown<Value> =
  | { readonly kind: "unknown"; readonly why: "never" }
  | { readonly kind: "unknown"; readonly why: "unreadable"; readonly text: string }
  | { readonly kind: "unknown"; readonly why: "old"; readonly last: Known<Value> };

export type Reading<Value> = Known<Value> | Unknown<Value>;

/** Returns a reading as it counts at `now`: a value older than `maxAgeMs` is unknown. */
export function readingAt<Value>(reading: Reading<Value>, maxAgeMs: number, now: EpochMs): Reading<Value> {
  if (reading.kind === "unknown" || now - reading.at <= maxAgeMs) return reading;
  return { kind: "unknown", why: "old", last: reading };
}
