import { setTimeout as pause } from "node:timers/promises";

/** Interval between two calls of `look`. */
const LOOK_EVERY_MS = 200;

/**
 * Calls `look` until it returns a value. Returns the value and the elapsed seconds. Rejects after `withinMs` with
 * `what` and the last error.
 */
export async function until<T>(
  what: string,
  withinMs: number,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<{ readonly value: T; readonly seconds: number }> {
  const began = performance.now();
  for (;;) {
    let failure: unknown;
    try {
      const value = await look();
      if (value !== undefined) return { value, seconds: (performance.now() - began) / 1_000 };
    } catch (error) {
      failure = error;
    }
    if (performance.now() - began > withinMs) {
      const reason = failure instanceof Error ? `: ${failure.message}` : "";
      throw new Error(`not within ${withinMs / 1_000} s: ${what}${reason}`);
    }
    await pause(LOOK_EVERY_MS);
  }
}
