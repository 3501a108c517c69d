/**
 * Implements the service's quota as documented: fixed UTC windows that count every attempt. Checks the attempts of each
 * installation that uses the key, and records violations.
 */

import { consumerRateLimits, FLIGHT_MS, type Share } from "../../../src/core/fetching/rate-limit.ts";
import type { QuotaStanding, WindowStanding } from "../../../src/service/contract/quota-headers.ts";

export type Limits = Readonly<Record<"minute" | "day", number>>;
type WindowName = keyof Limits;

const WINDOWS = ["minute", "day"] as const;
/** Resolution of the `Date` header, which shows an installation the service's time. */
const DATE_MS = 1_000;
const LENGTH_MS: Limits = { minute: 60_000, day: 86_400_000 };

/** Limits that apply from the instant `from`. A window keeps the limits that applied at its start. */
interface Epoch {
  readonly from: number;
  readonly limits: Limits;
  /** Time at which each installation first received a response with these limits. */
  readonly heardAt: Map<string, number>;
}

/** Bound from one response: at most `most` attempts of the installation in its window. */
type Word = { readonly heardAt: number; readonly most: number };

/** Attempts of one installation in a window. `denied`: number of denials that it heard of, of attempts made while it knew of others. */
interface Used {
  ours: number;
  /** When the last committed of the attempts was committed. */
  spentAt: number;
  readonly byShare: Record<Share, number>;
  readonly words: Word[];
  denied: number;
}

/** Attempt of an installation, committed at `spentAt` and counted at `at`. */
interface CountedAttempt {
  readonly by: string;
  readonly at: number;
  readonly share: Share;
  readonly spentAt: number;
  /** Returns how many attempts the installation may have committed since a time, by its log, also those not sent. */
  readonly committed: (since: number) => number;
}

/** Response to one counted attempt. */
export interface CountedAnswer {
  readonly at: number;
  readonly quota: QuotaStanding;
  /** Function to call when the response reaches the daemon. */
  readonly heard: (at: number) => void;
}

export class StrictService {
  readonly violations: string[] = [];
  /** Number of denied attempts. */
  denials = 0;
  readonly #reserve: number;
  readonly #epochs: Epoch[];
  readonly #all = new Map<string, number>();
  readonly #used = new Map<string, Used>();
  /** When installations heard that the service counts more attempts in a day than theirs. */
  readonly #sharing: { readonly by: string; readonly heardAt: number }[] = [];

  /** `reserve` is the part of a day that each installation keeps for prices. */
  constructor(limits: Limits, reserve = 0) {
    this.#reserve = reserve;
    this.#epochs = [{ from: Number.NEGATIVE_INFINITY, limits, heardAt: new Map() }];
  }

  /** Changes the configured limits. Each window keeps the limits of its start. */
  configure(at: number, limits: Limits): void {
    this.#epochs.push({ from: at, limits, heardAt: new Map() });
  }

  /** Counts attempts of other programs with the same key. */
  countOthers(at: number, count: number): void {
    for (const name of WINDOWS) this.#add(name, at, count);
  }

  count(attempt: CountedAttempt): CountedAnswer {
    const { by, at, spentAt, committed } = attempt;
    const epoch = this.#epochOf(at);
    const standing = (name: WindowName) => this.#countIn(name, attempt, epoch.limits[name]);
    const quota = { minute: standing("minute"), day: standing("day") };
    const words = WINDOWS.map((name) => {
      const used = this.#usedIn(name, at, by);
      return { name, used, most: used.ours + quota[name].remaining, isDenied: this.#isDenied(name, at) };
    });
    if (words.some(({ isDenied }) => isDenied)) this.denials++;
    const isShared = this.#add("day", at, 0) > committed(startOf("day", at) - FLIGHT_MS - DATE_MS);
    const knew = this.#sharing.some(
      (each) => each.by === by && each.heardAt < spentAt && spentAt - each.heardAt < LENGTH_MS.day,
    );
    const heard = (heardAt: number) => {
      if (!epoch.heardAt.has(by)) epoch.heardAt.set(by, heardAt);
      if (isShared) this.#sharing.push({ by, heardAt });
      for (const { name, used, most, isDenied } of words) {
        used.words.push({ heardAt, most });
        if (isDenied && knew && ++used.denied > 1) this.#violate(at, name, `denial ${used.denied} of ${by}`);
      }
    };
    return { at, quota, heard };
  }

  /** A limit that was raised during the window is not in force yet, which no response says. */
  #isDenied(name: WindowName, at: number): boolean {
    const known = [startOf(name, at), at].map((from) => this.#epochOf(from).limits[name]);
    return this.#add(name, at, 0) > Math.max(...known);
  }

  #countIn(name: WindowName, attempt: CountedAttempt, shown: number): WindowStanding {
    const { at, by } = attempt;
    const all = this.#add(name, at, 1);
    const used = this.#usedIn(name, at, by);
    used.ours++;
    used.byShare[attempt.share]++;
    this.#check(name, used, attempt);
    const resetSec = (startOf(name, at) + LENGTH_MS[name]) / 1_000;
    return { limit: shown, remaining: Math.max(0, shown - all), resetSec };
  }

  #check(name: WindowName, used: Used, { by, at, share, spentAt }: CountedAttempt) {
    const start = startOf(name, at);
    const limit = this.#epochOf(start).limits[name];
    if (this.#knewOf(limit, start, name, { by, spentAt })) {
      if (used.ours > limit) this.#violate(at, name, `attempt ${used.ours} of ${limit}`);
      const counted = share === "lan" ? "lan" : "poll";
      const { lan, poll, backfill } = used.byShare;
      const spent = counted === "lan" ? lan : poll + backfill;
      const shares = consumerRateLimits({ minute: limit, day: limit }, 1).find((each) => each.name === name)?.shares;
      const cap = shares?.[counted] ?? 0;
      // Prices may use the whole limit, so they are not checked.
      if (share !== "prices" && spent > cap) this.#violate(at, name, `attempt ${spent} of ${cap} for ${counted}`);
    }
    // Requests for prices that overtake another one were not in its way when it was committed.
    const isOvertaken = used.spentAt >= spentAt;
    used.spentAt = Math.max(used.spentAt, spentAt);
    const kept = share === "prices" || name === "minute" || isOvertaken ? 0 : this.#reserve;
    for (const { heardAt, most } of used.words) {
      if (heardAt < spentAt && used.ours > Math.max(0, most - kept))
        this.#violate(at, name, `attempt ${used.ours} for ${share}, though ${most} are the announced maximum`);
    }
  }

  /** Returns true if the installation has received this limit or a lower one since it was configured. */
  #knewOf(limit: number, windowStart: number, name: WindowName, { by, spentAt }: { by: string; spentAt: number }) {
    const inForce = this.#epochs.findLastIndex(({ from }) => from <= windowStart);
    return this.#epochs.some(({ limits, heardAt }, i) => {
      // The limits assumed before the first response are within the first ones, which count as known from the start.
      const since = i === 0 ? Number.NEGATIVE_INFINITY : (heardAt.get(by) ?? Number.POSITIVE_INFINITY);
      return i >= inForce && limits[name] <= limit && since < spentAt;
    });
  }

  #epochOf(at: number): Epoch {
    const found = this.#epochs.findLast(({ from }) => from <= at);
    if (!found) throw new RangeError("a service without limits");
    return found;
  }

  /** Counts attempts of all. Returns the new number of the window. */
  #add(name: WindowName, at: number, count: number): number {
    const key = `${name} ${startOf(name, at)}`;
    const all = (this.#all.get(key) ?? 0) + count;
    this.#all.set(key, all);
    return all;
  }

  #usedIn(name: WindowName, at: number, by: string): Used {
    const key = `${name} ${startOf(name, at)} ${by}`;
    const known = this.#used.get(key);
    if (known) return known;
    const made = { ours: 0, spentAt: 0, byShare: { prices: 0, poll: 0, backfill: 0, lan: 0 }, words: [], denied: 0 };
    this.#used.set(key, made);
    return made;
  }

  #violate(at: number, name: WindowName, what: string): void {
    this.violations.push(`${new Date(at).toISOString()} ${name}: ${what}`);
  }
}

function startOf(name: WindowName, at: number): number {
  return Math.floor(at / LENGTH_MS[name]) * LENGTH_MS[name];
}
