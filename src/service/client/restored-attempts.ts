/**
 * Places attempts of earlier processes and boots on this boot's monotonic time axis.
 *
 * The wall clock is not used, because it may have jumped. Boots do not overlap. So the minimum age of an attempt is the
 * sum of the known times: the rest of its own boot, the boots between, and this one. Time with the machine off counts
 * as zero until the service has sent its own time.
 */

import * as z from "zod/mini";
import type { Attempt, MonotonicMs, SpentAttempt } from "../../core/fetching/rate-limit.ts";
import type { EpochMs } from "../../core/time/interval.ts";

/** Record made while no request is allowed: at `monotonicMs`, `idleMs` had passed since the newest attempt. */
export const idleNote = z.object({
  attemptId: z.number(),
  boot: z.string(),
  monotonicMs: z.number(),
  idleMs: z.number(),
});
export type IdleNote = Readonly<z.infer<typeof idleNote>>;

/** Attempt on this boot's time axis; `at` is negative for an earlier boot. */
export interface PlacedAttempt extends Attempt {
  readonly serverMs: EpochMs | null;
}

/** Places stored attempts and never overstates their age. Shape: in the order of `attempts`. */
export function placeAttempts(
  attempts: readonly SpentAttempt[],
  note: IdleNote | null,
  boot: string,
): readonly PlacedAttempt[] {
  const placed: PlacedAttempt[] = [];
  let axis = { boot, zeroAt: 0 };
  for (const attempt of attempts.toReversed()) {
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

/** Moves attempts back to their service times. An attempt precedes the response to any later attempt. */
export function ageByServerTime(
  placed: readonly PlacedAttempt[],
  serverNow: EpochMs,
  now: MonotonicMs,
): readonly PlacedAttempt[] {
  const aged: PlacedAttempt[] = [];
  let latest = now;
  for (const attempt of placed.toReversed()) {
    const byServerTime = attempt.serverMs === null ? latest : now - (serverNow - attempt.serverMs);
    latest = Math.min(latest, attempt.at, byServerTime);
    aged.push({ ...attempt, at: latest });
  }
  return aged.reverse();
}
