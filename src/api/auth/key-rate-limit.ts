/** Rate limit per key: two fixed UTC windows, in which denied attempts count, as at the service. */

import type { EpochMs } from "../../core/time/interval.ts";
import { judgeAttempt, type QuotaLimits, type QuotaVerdict, windowStart } from "../../http/quota-windows.ts";
import type { QuotaWindow } from "../../service/contract/limits.ts";

/** Attempts of one key: in the current window of each kind, or in the last one with any. */
type KeyUse = Readonly<Record<QuotaWindow, { readonly start: EpochMs; readonly count: number }>>;

export class KeyRateLimit {
  /** Attempts by name of the key since the start. Bounded by the keys that were ever valid. */
  readonly #uses = new Map<string, KeyUse>();

  /** Counts one attempt. Returns whether it is within the limits. */
  count(name: string, limits: QuotaLimits, now: EpochMs): QuotaVerdict {
    const before = this.#uses.get(name);
    const minute = countedIn("minute", before, now);
    const day = countedIn("day", before, now);
    this.#uses.set(name, { minute, day });
    return judgeAttempt({ minute: minute.count, day: day.count }, limits, now);
  }

  /** Returns the start of the day of the last attempt, in UTC; null without one since the start. */
  lastUse(name: string): EpochMs | null {
    return this.#uses.get(name)?.day.start ?? null;
  }
}

function countedIn(window: QuotaWindow, before: KeyUse | undefined, now: EpochMs): KeyUse[QuotaWindow] {
  const start = windowStart(window, now);
  return { start, count: before?.[window].start === start ? before[window].count + 1 : 1 };
}
