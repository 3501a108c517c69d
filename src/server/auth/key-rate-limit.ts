/** How much each key may ask: two fixed UTC windows, in which denied attempts count, as at the service. */

import { DAY_MS, type EpochMs, MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";
import type { QuotaWindow } from "../../service/contract/limits.ts";
import type { QuotaStanding, WindowStanding } from "../../service/contract/quota-headers.ts";

export type QuotaLimits = Readonly<Record<QuotaWindow, number>>;

interface Counted {
  start: EpochMs;
  count: number;
}

/** The attempts of one key: in the present window of each kind, or in the last there were any. */
export type KeyUse = Readonly<Record<QuotaWindow, Readonly<Counted>>>;

export interface QuotaVerdict {
  readonly standing: QuotaStanding;
  /** Seconds until the latest reset among the exhausted windows, at least 1; null where the attempt is within quota. */
  readonly retryAfterSec: number | null;
}

const WINDOW_MS = { minute: MINUTE_MS, day: DAY_MS } as const;

export class KeyRateLimit {
  /** By the name of the key. Bounded by the keys: what is no key's is left out when it is kept. */
  readonly #uses = new Map<string, Record<QuotaWindow, Counted>>();
  readonly #onCount: () => void;

  /** `uses` of an earlier life go on; `onCount` is told of every attempt. */
  constructor(uses: Readonly<Record<string, KeyUse>> = {}, onCount: () => void = () => undefined) {
    for (const [name, { minute, day }] of Object.entries(uses))
      this.#uses.set(name, { minute: { ...minute }, day: { ...day } });
    this.#onCount = onCount;
  }

  /** Counts one attempt and judges it. */
  count(name: string, limits: QuotaLimits, now: EpochMs): QuotaVerdict {
    const use = this.#useOf(name);
    countIn(use.minute, WINDOW_MS.minute, now);
    countIn(use.day, WINDOW_MS.day, now);
    this.#onCount();
    const standing = { minute: standingOf("minute", use, limits), day: standingOf("day", use, limits) };
    if (use.minute.count <= limits.minute && use.day.count <= limits.day) return { standing, retryAfterSec: null };
    const exhausted = (["minute", "day"] as const).filter((window) => use[window].count > limits[window]);
    const latestResetSec = Math.max(...exhausted.map((window) => standing[window].resetSec));
    return { standing, retryAfterSec: Math.max(1, Math.ceil(latestResetSec - now / SECOND_MS)) };
  }

  /** The use of every key of `names` that was ever used. */
  usesOf(names: Iterable<string>): Record<string, KeyUse> {
    const uses: Record<string, KeyUse> = {};
    for (const name of names) {
      const use = this.#uses.get(name);
      if (use) uses[name] = { minute: { ...use.minute }, day: { ...use.day } };
    }
    return uses;
  }

  #useOf(name: string): Record<QuotaWindow, Counted> {
    const known = this.#uses.get(name);
    if (known) return known;
    const use = { minute: { start: 0, count: 0 }, day: { start: 0, count: 0 } };
    this.#uses.set(name, use);
    return use;
  }
}

function countIn(counted: Counted, windowMs: number, now: EpochMs): void {
  const start = Math.floor(now / windowMs) * windowMs;
  counted.count = counted.start === start ? counted.count + 1 : 1;
  counted.start = start;
}

function standingOf(window: QuotaWindow, use: KeyUse, limits: QuotaLimits): WindowStanding {
  const { start, count } = use[window];
  const limit = limits[window];
  return { limit, remaining: Math.max(0, limit - count), resetSec: (start + WINDOW_MS[window]) / SECOND_MS };
}
