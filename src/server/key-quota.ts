/** How much each key may ask: two fixed UTC windows, in which denied attempts count, as at the service. */
import type { QuotaWindow } from "../contract/limits.ts";
import type { QuotaStanding, WindowStanding } from "../contract/quota-headers.ts";
import { DAY_MS, type EpochMs, MINUTE_MS, SECOND_MS } from "../core/interval.ts";

export type QuotaLimits = Readonly<Record<QuotaWindow, number>>;

interface Counted {
  readonly start: EpochMs;
  readonly count: number;
}

/** The attempts of one key: in the present window of each kind, or in the last there were any. */
export type KeyUse = Readonly<Record<QuotaWindow, Counted>>;

export interface QuotaVerdict {
  readonly standing: QuotaStanding;
  /** Seconds until the latest reset among the exhausted windows, at least 1; null where the attempt is within quota. */
  readonly retryAfterSec: number | null;
}

const WINDOW_MS = { minute: MINUTE_MS, day: DAY_MS } as const;

export class KeyQuota {
  /** By the name of the key. Bounded by the keys: what is no key's is left out when it is kept. */
  readonly #uses = new Map<string, KeyUse>();
  readonly #onCount: () => void;

  /** `uses` of an earlier life go on; `onCount` is told of every attempt. */
  constructor(uses: Readonly<Record<string, KeyUse>> = {}, onCount: () => void = () => undefined) {
    for (const [name, use] of Object.entries(uses)) this.#uses.set(name, use);
    this.#onCount = onCount;
  }

  /** Counts one attempt and judges it. */
  count(name: string, limits: QuotaLimits, now: EpochMs): QuotaVerdict {
    const before = this.#uses.get(name);
    const use = { minute: counted("minute", before, now), day: counted("day", before, now) };
    this.#uses.set(name, use);
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
      if (use) uses[name] = use;
    }
    return uses;
  }
}

function counted(window: QuotaWindow, before: KeyUse | undefined, now: EpochMs): Counted {
  const start = Math.floor(now / WINDOW_MS[window]) * WINDOW_MS[window];
  const known = before?.[window];
  return { start, count: known?.start === start ? known.count + 1 : 1 };
}

function standingOf(window: QuotaWindow, use: KeyUse, limits: QuotaLimits): WindowStanding {
  const { start, count } = use[window];
  const limit = limits[window];
  return { limit, remaining: Math.max(0, limit - count), resetSec: (start + WINDOW_MS[window]) / SECOND_MS };
}
