/** What the wall panel shows of plans, and how it protects a screen that is always on. */

import { joinedRuns } from "../plans/plan-words.ts";
import type { Plan } from "../store/answers.ts";

/** A run of a plan that is running or will run. */
export type PanelRun = { readonly plan: Plan; readonly start: number; readonly end: number };

/** Largest shift in each direction, in pixels. */
const MAX_SHIFT_PX = 4;
const MINUTE_MS = 60_000;

/** Returns the first `count` runs of all plans that have not ended, ascending. */
export function comingRuns(plans: readonly Plan[], now: number, count: number): PanelRun[] {
  return plans
    .flatMap((plan) =>
      joinedRuns(plan)
        .filter(({ isLikely }) => !isLikely)
        .map(({ start, end }) => ({ plan, start, end })),
    )
    .filter(({ end }) => end > now)
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .slice(0, count);
}

/**
 * Returns by how many pixels the panel is moved, so that no edge stays at one place: each minute one step on a square.
 */
export function shiftAt(now: number): readonly [x: number, y: number] {
  const side = 2 * MAX_SHIFT_PX + 1;
  const step = Math.floor(now / MINUTE_MS) % (side * side);
  // Every other row backwards, so that each step is one pixel.
  const row = Math.floor(step / side);
  const column = row % 2 === 0 ? step % side : side - 1 - (step % side);
  return [column - MAX_SHIFT_PX, row - MAX_SHIFT_PX];
}
