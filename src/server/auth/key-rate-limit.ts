/** How much each key may ask: two fixed UTC windows, in which denied attempts count, as at the service. */

import type { EpochMs } from "../../core/time/interval.ts";
import type { QuotaWindow } from "../../service/contract/limits.ts";
import { judgeAttempt, type QuotaLimits, type QuotaVerdict, windowStart } from "../../service/serve/quota-windows.ts";

/** The attempts of one key: in the present window of each kind, or in the last there were any. */
export type KeyUse = Readonly<Record<QuotaWindow, { readonly start: EpochMs; readonly count: number }>>;

export class KeyRateLimit {
  /** By the name of the key. Bounded by the keys: what is no key's is left out when it is kept. */
  readonly #uses: Map<string, KeyUse>;
  readonly #onCount: () => void;

  /** `uses` of an earlier life go on; `onCount` is called at every attempt. */
  constructor(uses: Readonly<Record<string, KeyUse>> = {}, onCount: () => void = () => undefined) {
    this.#uses = new Map(Object.entries(uses));
    this.#onCount = onCount;
  }

  /** Counts one attempt and judges it. */
  count(name: string, limits: QuotaLimits, now: EpochMs): QuotaVerdict {
    const before = this.#uses.get(name);
    const minute = countedIn("minute", before, now);
    const day = countedIn("day", before, now);
    this.#uses.set(name, { minute, day });
    this.#onCount();
    return judgeAttempt({ minute: minute.count, day: day.count }, limits, now);
  }

  /** The use of every key of `names` that was ever used. */
  usesOf(names: Iterable<string>): Record<string, KeyUse> {
    const kept = new Set(names);
    return Object.fromEntries([...this.#uses].filter(([name]) => kept.has(name)));
  }
}

function countedIn(window: QuotaWindow, before: KeyUse | undefined, now: EpochMs): KeyUse[QuotaWindow] {
  const start = windowStart(window, now);
  return { start, count: before?.[window].start === start ? before[window].count + 1 : 1 };
}
