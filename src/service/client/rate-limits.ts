/** Sources of the rate limits of both interfaces. */

import * as z from "zod/mini";
import {
  consumerRateLimits,
  FLIGHT_MS,
  type MonotonicMs,
  PRICES_PER_PLACE,
  type PriceReserve,
  type RateLimit,
  RESERVE_PER_ADDRESS,
  thirdPartyRateLimits,
  UNKNOWN_LIMITS,
} from "../../core/fetching/rate-limit.ts";
import { message, type Text } from "../../core/language/text.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import { DAY_MS, type EpochMs, HOUR_MS } from "../../core/time/interval.ts";
import { type QuotaWindow, quotaWindows } from "../contract/limits.ts";
import type { WindowStanding } from "../contract/quota-headers.ts";
import type { AnswerNotes } from "./answer-notes.ts";
import type { RateLimitSource } from "./rate-limiter.ts";
import { windowRestMs } from "./shared-quota.ts";

type Limits = Readonly<Record<QuotaWindow, number>>;

/** Higher limit from the next window on: `resetSec` in service time, `from` in monotonic time or null. */
const storedRaise = z.object({ limit: z.int(), resetSec: z.int(), from: z._default(z.nullable(z.number()), null) });
const storedLimit = z.object({ limit: z.int().check(z.positive()), raise: z.nullable(storedRaise) });
const storedLimits = z.object({ minute: z.optional(storedLimit), day: z.optional(storedLimit) });
type Learned = z.infer<typeof storedLimit>;

/**
 * Limits of the consumer interface, learned from its headers and stored. A lower limit applies immediately. A higher
 * one applies from the next window on, because the service reports the configured limit, not the one in force.
 */
export class LearnedRateLimits implements RateLimitSource {
  readonly #name: string;
  readonly #memory: KeyValue;
  readonly #addresses: () => number;
  readonly #reserve: (() => PriceReserve) | undefined;
  readonly #learned: z.infer<typeof storedLimits>;
  /** Service time of the newest response. */
  #newestMs: EpochMs | null = null;

  /** `addresses` returns the number of polled addresses, `reserve` what their prices may still need today. */
  constructor(account: string, memory: KeyValue, addresses: () => number, reserve?: () => PriceReserve) {
    this.#name = `limits/${account}`;
    this.#memory = memory;
    this.#addresses = addresses;
    this.#reserve = reserve;
    const stored = readJson(memory, this.#name, storedLimits);
    this.#learned = stored ?? {};
  }

  /** Returns the limits in force, or the assumed limits before the first response. */
  limits(now: MonotonicMs): Limits {
    for (const window of quotaWindows) {
      const raise = this.#learned[window]?.raise;
      if (raise && raise.from !== null && now >= raise.from) this.#set(window, { limit: raise.limit, raise: null });
    }
    const { minute, day } = this.#learned;
    return { minute: minute?.limit ?? UNKNOWN_LIMITS.minute, day: day?.limit ?? UNKNOWN_LIMITS.day };
  }

  budget(now: MonotonicMs): readonly RateLimit[] {
    return consumerRateLimits(this.limits(now), this.#addresses(), this.#reserve?.());
  }

  shortage(): Text | null {
    const wanted = RESERVE_PER_ADDRESS * this.#addresses();
    const limit = this.#learned.day?.limit ?? wanted;
    return limit < wanted ? message("found.quota", { limit, wanted }) : null;
  }

  learn(notes: AnswerNotes, now: MonotonicMs): void {
    const isNewest = this.#isNewest(notes.serverMs);
    for (const window of quotaWindows) {
      const standing = notes.quota[window];
      if (standing) this.#learnWindow(window, standing, { isNewest, serverMs: notes.serverMs, now });
    }
  }

  /** Returns true if a response is later than all others. A clock set back by more than the time in flight starts again. */
  #isNewest(serverMs: EpochMs | null): boolean {
    const newest = this.#newestMs;
    if (serverMs === null) return true;
    if (newest !== null && serverMs <= newest && newest - serverMs <= FLIGHT_MS) return false;
    this.#newestMs = serverMs;
    return true;
  }

  #learnWindow(
    window: QuotaWindow,
    reported: WindowStanding,
    { isNewest, serverMs, now }: { isNewest: boolean; serverMs: EpochMs | null; now: MonotonicMs },
  ): void {
    const known = this.#learned[window];
    // A response from a later window shows that the higher limit is in force.
    const raised = known?.raise;
    const holds = raised && reported.resetSec > raised.resetSec;
    const { limit, raise } = (holds ? { limit: raised.limit, raise: null } : known) ?? { ...reported, raise: null };
    if (reported.limit <= limit) this.#set(window, { limit: reported.limit, raise: null });
    // Of responses in an unknown or reversed order, the lower limit counts.
    else if (!isNewest)
      this.#set(window, { limit, raise: raise && { ...raise, limit: Math.min(raise.limit, reported.limit) } });
    else {
      const pending = raise?.resetSec === reported.resetSec ? raise.from : null;
      const from = pending ?? now + windowRestMs(window, reported.resetSec, serverMs) + FLIGHT_MS;
      this.#set(window, { limit, raise: { limit: reported.limit, resetSec: reported.resetSec, from } });
    }
  }

  #set(window: QuotaWindow, learned: Learned): void {
    this.#learned[window] = learned;
    const text = JSON.stringify(this.#learned, (name, value) => (name === "from" ? undefined : value));
    if (text !== this.#memory.read(this.#name)) this.#memory.write(this.#name, text);
  }
}

const THIRD_PARTY_FIRST = 100;
const THIRD_PARTY_LEAST = 4;
const THIRD_PARTY_MOST = 1_000;
const CLEAN_DAY_GROWTH = 1.1;
/** Longest gap without a response that counts as time without a 429; a place is asked from 13:00 until the morning. */
const MAX_CLEAN_GAP_MS = 18 * HOUR_MS;
/** Step in which the time without a 429 is stored, to save writes to the card. */
const CLEAN_STEP_MS = HOUR_MS;

/**
 * Limits of the third-party interface, which publishes no quota: 100 requests per day. A 429 halves them. A day without
 * a 429 restores 100, and each further one adds 10 %.
 */
export class AdaptiveRateLimits implements RateLimitSource {
  readonly #name: string;
  readonly #memory: KeyValue;
  readonly #places: number;
  #perDay: number;
  #cleanMs: number;
  #storedCleanMs: number;
  #answeredAt: MonotonicMs | null = null;
  #halvedAt: MonotonicMs | null = null;

  constructor(account: string, memory: KeyValue, places = 1) {
    this.#places = places;
    this.#name = `per-day/${account}`;
    this.#memory = memory;
    const [perDay, cleanMs] = readJson(memory, this.#name, z.array(z.int())) ?? [];
    this.#perDay = Math.min(THIRD_PARTY_MOST, Math.max(THIRD_PARTY_LEAST, perDay ?? THIRD_PARTY_FIRST));
    this.#cleanMs = Math.max(0, cleanMs ?? 0);
    this.#storedCleanMs = this.#cleanMs;
  }

  budget(now: MonotonicMs = Number.NEGATIVE_INFINITY): readonly RateLimit[] {
    // The day ends at its time and not at the next response, which may be waiting for the limit.
    if (this.#perDay < THIRD_PARTY_FIRST && this.#cleanMs > 0 && this.#cleanAt(now) >= DAY_MS) {
      this.#grow();
      this.#answeredAt = now;
    }
    return thirdPartyRateLimits(this.#perDay, this.#places);
  }

  shortage(): Text | null {
    const wanted = PRICES_PER_PLACE * this.#places;
    return this.#perDay < wanted ? message("found.quota_halved", { limit: this.#perDay, wanted }) : null;
  }

  learn(notes: AnswerNotes, now: MonotonicMs): void {
    if (notes.status === 429) this.#halve(now);
    else this.#cleanMs = this.#cleanAt(now);
    this.#answeredAt = now;
    if (this.#cleanMs >= DAY_MS) this.#grow();
    else if (this.#cleanMs - this.#storedCleanMs >= CLEAN_STEP_MS) this.#keep();
  }

  /** Returns the time without a 429 up to `now`. Unit: ms. */
  #cleanAt(now: MonotonicMs): number {
    const gapMs = this.#answeredAt === null ? 0 : Math.max(0, now - this.#answeredAt);
    return this.#cleanMs + Math.min(MAX_CLEAN_GAP_MS, gapMs);
  }

  #grow(): void {
    this.#cleanMs = 0;
    const grown = Math.max(THIRD_PARTY_FIRST, Math.round(this.#perDay * CLEAN_DAY_GROWTH));
    this.#perDay = Math.min(THIRD_PARTY_MOST, grown);
    this.#keep();
  }

  /** Halves the limit once for all requests that were in flight at the first 429. */
  #halve(now: MonotonicMs): void {
    this.#cleanMs = 0;
    if (this.#halvedAt !== null && now - this.#halvedAt < FLIGHT_MS) return;
    this.#halvedAt = now;
    this.#perDay = Math.max(THIRD_PARTY_LEAST, Math.floor(this.#perDay / 2));
    this.#keep();
  }

  #keep(): void {
    this.#storedCleanMs = this.#cleanMs;
    this.#memory.write(this.#name, JSON.stringify([this.#perDay, Math.round(this.#cleanMs)]));
  }
}
