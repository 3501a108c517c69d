import { DAY_MS, type EpochMs } from "../core/time/interval.ts";

/** Returns the season as a number: 1 in mid-January, 0 in mid-July. */
export function winterness(at: EpochMs): number {
  return (1 + Math.cos((2 * Math.PI * (at - Date.UTC(2024, 0, 15))) / (365.2425 * DAY_MS))) / 2;
}
