/**
 * Implements the service's quota as documented: fixed UTC windows that count every attempt. Checks the attempts of one
 * daemon and records violations.
 */

import { consumerRateLimits, type Share } from "../../../src/core/fetching/rate-limit.ts";
import type { QuotaStanding, WindowStanding } from "../../../src/service/contract/quota-headers.ts";

export type Limits = Readonly<Record<"minute" | "day", number>>;
type WindowName = keyof Limits;

const WINDOWS = ["minute", "day"] as const;
const LENGTH_MS: Limits = { minute: 60_000, day: 86_400_000 };

/** Limits that apply from the instant `from`. A window keeps the limits that applied at its start. */
interface Epoch {
  readonly from: number;
  readonly limits: Limits;
  /** Time at which the daemon first received a response with these limits. */
  heardAt: number;
}

/** Bound from one response: at most `most` attempts of the daemon in its window. */
type Word = { readonly heardAt: number; readonly most: number };

type FixedWindow = { all: number; ours: number; readonly byShare: Record<Share, number>; readonly words: Word[] };

/** Response to one counted attempt. */
export interface CountedAnswer {
  readonly at: number;
  readonly quota: QuotaStanding;
  /** Function to call when the response reaches the daemon. */
  readonly heard: (at: number) => void;
}

export class StrictService {
  readonly violations: string[] = [];
  readonly #epochs: Epoch[];
  readonly #windows = new Map<string, FixedWindow>();

  constructor(limits: Limits) {
    // The limits assumed before the first response are within these, so these count as known from the start.
    this.#epochs = [{ from: Number.NEGATIVE_INFINITY, limits, heardAt: Number.NEGATIVE_INFINITY }];
  }

  /** Changes the configured limits. Each window keeps the limits of its start. */
  configure(at: number, limits: Limits): void {
    this.#epochs.push({ from: at, limits, heardAt: Number.POSITIVE_INFINITY });
  }

  /** Counts attempts of other programs with the same key. */
  countOthers(at: number, count: number): void {
    for (const name of WINDOWS) this.#window(name, at).all += count;
  }

  /** Counts one attempt of the daemon, which was committed at `spentAt`. */
  count(at: number, share: Share, spentAt: number): CountedAnswer {
    const epoch = this.#epochOf(at);
    const standing = (name: WindowName) => this.#countIn(name, { at, share, spentAt }, epoch.limits[name]);
    const quota = { minute: standing("minute"), day: standing("day") };
    const windows = WINDOWS.map((name) => {
      const window = this.#window(name, at);
      return { window, most: window.ours + quota[name].remaining };
    });
    const heard = (heardAt: number) => {
      epoch.heardAt = Math.min(epoch.heardAt, heardAt);
      for (const { window, most } of windows) window.words.push({ heardAt, most });
    };
    return { at, quota, heard };
  }

  #countIn(
    name: WindowName,
    attempt: { readonly at: number; readonly share: Share; readonly spentAt: number },
    shown: number,
  ): WindowStanding {
    const window = this.#window(name, attempt.at);
    window.all++;
    window.ours++;
    window.byShare[attempt.share]++;
    this.#check(name, window, attempt);
    const start = Math.floor(attempt.at / LENGTH_MS[name]) * LENGTH_MS[name];
    const remaining = Math.max(0, shown - window.all);
    return { limit: shown, remaining, resetSec: (start + LENGTH_MS[name]) / 1_000 };
  }

  #check(name: WindowName, window: FixedWindow, { at, share, spentAt }: { at: number; share: Share; spentAt: number }) {
    const start = Math.floor(at / LENGTH_MS[name]) * LENGTH_MS[name];
    const limit = this.#epochOf(start).limits[name];
    if (this.#knewOf(limit, start, name, spentAt)) {
      if (window.ours > limit) this.#violate(at, name, `attempt ${window.ours} of ${limit}`);
      const counted = share === "lan" ? "lan" : "poll";
      const { lan, poll, backfill } = window.byShare;
      const used = counted === "lan" ? lan : poll + backfill;
      const shares = consumerRateLimits({ minute: limit, day: limit }, 1).find((each) => each.name === name)?.shares;
      const cap = shares?.[counted] ?? 0;
      // Prices may use the whole limit, so they are not checked.
      if (share !== "prices" && used > cap) this.#violate(at, name, `attempt ${used} of ${cap} for ${counted}`);
    }
    for (const word of window.words) {
      if (word.heardAt < spentAt && window.ours > word.most)
        this.#violate(at, name, `attempt ${window.ours}, though ${word.most} are the announced maximum`);
    }
  }

  /** Returns true if the daemon has received this limit or a lower one since it was configured. */
  #knewOf(limit: number, windowStart: number, name: WindowName, spentAt: number): boolean {
    const inForce = this.#epochs.findLastIndex(({ from }) => from <= windowStart);
    return this.#epochs.some(({ limits, heardAt }, i) => i >= inForce && limits[name] <= limit && heardAt < spentAt);
  }

  #epochOf(at: number): Epoch {
    const found = this.#epochs.findLast(({ from }) => from <= at);
    if (!found) throw new RangeError("a service without limits");
    return found;
  }

  #window(name: WindowName, at: number): FixedWindow {
    const key = `${name} ${Math.floor(at / LENGTH_MS[name])}`;
    const known = this.#windows.get(key);
    if (known) return known;
    const made = { all: 0, ours: 0, byShare: { prices: 0, poll: 0, backfill: 0, lan: 0 }, words: [] };
    this.#windows.set(key, made);
    return made;
  }

  #violate(at: number, name: WindowName, what: string): void {
    this.violations.push(`${new Date(at).toISOString()} ${name}: ${what}`);
  }
}
