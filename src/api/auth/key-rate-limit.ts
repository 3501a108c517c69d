/** Rate limit per key: two fixed UTC windows, in which denied attempts count, as at the service. */

import type { EpochMs } from "../../core/time/interval.ts";
import { judgeAttempt, type QuotaLimits, type QuotaVerdict, windowStart } from "../../http/quota-windows.ts";
import type { QuotaWindow } from "../../service/contract/limits.ts";

/** Attempts of one key: in the current window of each kind, or in the last one with any. */
export type KeyUse = Readonly<Record<QuotaWindow, { readonly start: EpochMs; readonly count: number }>>;

export class KeyRateLimit {
  /** Attempts by name of the key. Bounded by the keys; only those of existing keys are stored. */
  readonly #uses: Map<string, KeyUse>;
  readonly #onCount: () => void;

  /** `uses` continues the counts of an earlier run. `onCount` is called at every attempt. */
  constructor(uses: Readonly<Record<string, KeyUse>> = {}, onCount: () => void = () => undefined) {
    this.#uses = new Map(Object.entries(uses));
    this.#onCount = onCount;
  }

  /** Counts one attempt. Returns whether it is within the limits. */
  count(name: string, limits: QuotaLimits, now: EpochMs): QuotaVerdict {
    const before = this.#uses.get(name);
    const minute = countedIn("minute", before, now);
    const day = countedIn("day", before, now);
    this.#uses.set(name, { minute, day });
    this.#onCount();
    return judgeAttempt({ minute: minute.count, day: day.count }, limits, now);
  }

  usesOf(names: Iterable<string>): Record<string, KeyUse> {
    const wanted = new Set(names);
    return Object.fromEntries([...this.#uses].filter(([name]) => wanted.has(name)));
  }
}

function countedIn(window: QuotaWindow, before: KeyUse | undefined, now: EpochMs): KeyUse[QuotaWindow] {
  const start = windowStart(window, now);
  return { start, count: before?.[window].start === start ? before[window].count + 1 : 1 };
}
