/**
 * Attempts of earlier processes and boots, placed on this boot's monotonic axis.
 *
 * The wall clock is not asked: it may have jumped. A boot ended before the next one began, so an attempt is at least
 * as old as the time that is known to have passed since: the rest of its own boot, those between, and this one. Time
 * with the machine off counts for nothing until the service tells its own time.
 */

import * as z from "zod/mini";
import type { Attempt, MonotonicMs, Share } from "../../core/fetching/rate-limit.ts";
import type { EpochMs } from "../../core/time/interval.ts";

/** An attempt as the request log keeps it. `serverMs` is the service's time in its answer; null where none came. */
export interface KeptAttempt {
  readonly id: number;
  readonly share: Share;
  readonly boot: string;
  readonly monotonicMs: MonotonicMs;
  readonly serverMs: EpochMs | null;
}

/** A note made while nothing may be asked: at this moment of a boot, so much time had passed since the newest attempt. */
export const idleNote = z.object({
  ...{ attemptId: z.number(), boot: z.string(), monotonicMs: z.number(), idleMs: z.number() },
});
export type IdleNote = Readonly<z.infer<typeof idleNote>>;

/** An attempt on this boot's axis; `at` is negative for an earlier boot. */
export interface PlacedAttempt extends Attempt {
  readonly serverMs: EpochMs | null;
}

/**
 * Places kept attempts. No attempt comes out older than it is.
 * Shape: `kept` in the order they were made; so is the result. A boot's monotonic clock begins at 0 or later.
 */
export function placeAttempts(
  kept: readonly KeptAttempt[],
  note: IdleNote | null,
  boot: string,
): readonly PlacedAttempt[] {
  const placed: PlacedAttempt[] = [];
  let axis = { boot, zeroAt: 0 };
  for (const attempt of kept.toReversed()) {
    const { share, serverMs } = attempt;
    if (attempt.boot !== axis.boot) axis = { boot: attempt.boot, zeroAt: axis.zeroAt - attempt.monotonicMs };
    if (note?.attemptId === attempt.id) {
      const latest = (note.boot === boot ? note.monotonicMs : 0) - note.idleMs;
      axis = { ...axis, zeroAt: Math.min(axis.zeroAt, latest - attempt.monotonicMs) };
    }
    placed.push({ share, serverMs, at: axis.zeroAt + attempt.monotonicMs });
  }
  return placed.reverse();
}

/**
 * Moves attempts back to where the service's own times put them, now that its time is known. An attempt was made
 * before the answer to any later one.
 */
export function ageByServerTime(
  placed: readonly PlacedAttempt[],
  serverNow: EpochMs,
  now: MonotonicMs,
): readonly PlacedAttempt[] {
  const aged: PlacedAttempt[] = [];
  let latest = now;
  for (const attempt of placed.toReversed()) {
    const told = attempt.serverMs === null ? latest : now - (serverNow - attempt.serverMs);
    latest = Math.min(latest, attempt.at, told);
    aged.push({ ...attempt, at: latest });
  }
  return aged.reverse();
}
