/**
 * The service's quota as its document has it, and nothing else: fixed UTC windows that count every attempt. It watches
 * one daemon's attempts and says when one broke the rule.
 */

import type { Share } from "../../../src/core/fetching/rate-limit.ts";
import type { QuotaStanding, WindowStanding } from "../../../src/service/contract/quota-headers.ts";

export type Limits = Readonly<Record<"minute" | "day", number>>;
type WindowName = keyof Limits;

const WINDOWS = ["minute", "day"] as const;
const LENGTH_MS: Limits = { minute: 60_000, day: 86_400_000 };

/** What the configuration said from an instant on; a window is held to what was configured as it began. */
interface Epoch {
  readonly from: number;
  readonly limits: Limits;
  /** When the daemon first heard an answer of this epoch. */
  heardAt: number;
}

/** One answer's word on a window: at most so many of the daemon's attempts may be counted in it. */
interface Word {
  readonly heardAt: number;
  readonly most: number;
}

interface FixedWindow {
  all: number;
  ours: number;
  readonly byShare: Record<Share, number>;
  readonly words: Word[];
}

/** What one counted attempt was answered, and what the model needs when the daemon hears it. */
export interface CountedAnswer {
  readonly at: number;
  readonly quota: QuotaStanding;
  /** To be called when the answer reaches the daemon. */
  readonly heard: (at: number) => void;
}

/** Most of a limit that a share may use. Source: design, quota. */
const CAPS: Readonly<Record<"poll" | "lan", number>> = { poll: 0.25, lan: 0.5 };

export class StrictService {
  readonly violations: string[] = [];
  readonly #epochs: Epoch[];
  readonly #windows = new Map<string, FixedWindow>();

  constructor(limits: Limits) {
    // The assumption made before the first answer is within these, so they are known from the start.
    this.#epochs = [{ from: Number.NEGATIVE_INFINITY, limits, heardAt: Number.NEGATIVE_INFINITY }];
  }

  /** Changes the configured limits; each window keeps those it began with. */
  configure(at: number, limits: Limits): void {
    this.#epochs.push({ from: at, limits, heardAt: Number.POSITIVE_INFINITY });
  }

  /** Counts attempts of other programs with the same key. */
  countOthers(at: number, count: number): void {
    for (const name of WINDOWS) this.#window(name, at).all += count;
  }

  /** Counts one attempt of the daemon, which it committed to at `spentAt`. */
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
      const cap = Math.max(1, Math.floor(limit * CAPS[counted]));
      // Prices may take any part, so they overrun none.
      if (share !== "prices" && used > cap) this.#violate(at, name, `attempt ${used} of ${cap} for ${counted}`);
    }
    for (const word of window.words) {
      if (word.heardAt < spentAt && window.ours > word.most)
        this.#violate(at, name, `attempt ${window.ours}, though ${word.most} were told to be the most`);
    }
  }

  /** Whether the daemon could know of a limit: it heard it, or a lower one, since it was configured. */
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
