/** Where the budgets of the two interfaces come from. */

import * as z from "zod/mini";
import {
  consumerRateLimits,
  FLIGHT_MS,
  type MonotonicMs,
  PRICES_PER_PLACE,
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
import type { AnswerNotes } from "./client.ts";
import type { RateLimitSource } from "./rate-limiter.ts";
import { windowRestMs } from "./shared-quota.ts";

type Limits = Readonly<Record<QuotaWindow, number>>;

/** A higher limit that holds from the next window on; by the service's clock, and by ours where that is known. */
const keptRaise = z.object({
  limit: z.int(),
  resetSec: z.int(),
  from: z._default(z.nullable(z.number()), null),
});
const keptLimit = z.object({ limit: z.int().check(z.positive()), raise: z.nullable(keptRaise) });
/** What outlives a restart. */
const keptLimits = z.object({ minute: z.optional(keptLimit), day: z.optional(keptLimit) });
type Learned = z.infer<typeof keptLimit>;

/**
 * The consumer interface's limits, learned from its headers: a lower one counts at once, a higher one from the next
 * window on, for the service names the configured limit and not the one in force. What is learned outlives a restart.
 */
export class LearnedRateLimits implements RateLimitSource {
  readonly #name: string;
  readonly #memory: KeyValue;
  readonly #addresses: () => number;
  readonly #learned: z.infer<typeof keptLimits>;
  /** The service's time of the newest answer: what was said before it counts no more. */
  #newestMs: EpochMs | null = null;

  /** `addresses` tells how many are polled: back-fill leaves room for each. */
  constructor(account: string, memory: KeyValue, addresses: () => number) {
    this.#name = `limits/${account}`;
    this.#memory = memory;
    this.#addresses = addresses;
    const kept = readJson(memory, this.#name, keptLimits);
    this.#learned = kept ?? {};
  }

  /** The limits in force, or those assumed before the first answer. */
  limits(now: MonotonicMs): Limits {
    for (const window of quotaWindows) {
      const raise = this.#learned[window]?.raise;
      if (raise && raise.from !== null && now >= raise.from) this.#set(window, { limit: raise.limit, raise: null });
    }
    const { minute, day } = this.#learned;
    return { minute: minute?.limit ?? UNKNOWN_LIMITS.minute, day: day?.limit ?? UNKNOWN_LIMITS.day };
  }

  budget(now: MonotonicMs): readonly RateLimit[] {
    return consumerRateLimits(this.limits(now), this.#addresses());
  }

  shortage(): Text | null {
    const wanted = RESERVE_PER_ADDRESS * this.#addresses();
    const limit = this.#learned.day?.limit ?? wanted;
    return limit < wanted ? message("found_quota", { limit, wanted }) : null;
  }

  learn(notes: AnswerNotes, now: MonotonicMs): void {
    const order = this.#orderOf(notes.serverMs);
    if (order === "older") return;
    for (const window of quotaWindows) {
      const standing = notes.quota[window];
      if (standing) this.#learnWindow(window, standing, { order, serverMs: notes.serverMs, now });
    }
  }

  /** Answers overtake each other by the time they may be on their way; a clock set further back is a new start. */
  #orderOf(serverMs: EpochMs | null): "newer" | "same" | "older" {
    const newest = this.#newestMs;
    if (serverMs === null) return "newer";
    if (newest !== null && serverMs < newest && newest - serverMs <= FLIGHT_MS) return "older";
    this.#newestMs = serverMs;
    return serverMs === newest ? "same" : "newer";
  }

  #learnWindow(
    window: QuotaWindow,
    told: WindowStanding,
    { order, serverMs, now }: { order: "newer" | "same"; serverMs: EpochMs | null; now: MonotonicMs },
  ): void {
    const known = this.#learned[window];
    // An answer out of a later window shows that the raise holds.
    const raised = known?.raise;
    const holds = raised && told.resetSec > raised.resetSec;
    const { limit, raise } = (holds ? { limit: raised.limit, raise: null } : known) ?? { ...told, raise: null };
    if (told.limit <= limit) this.#set(window, { limit: told.limit, raise: null });
    // Two answers of one second: which came first cannot be told, so the lower one counts.
    else if (order === "same")
      this.#set(window, { limit, raise: raise && { ...raise, limit: Math.min(raise.limit, told.limit) } });
    else {
      const pending = raise?.resetSec === told.resetSec ? raise.from : null;
      const from = pending ?? now + windowRestMs(window, told.resetSec, serverMs) + FLIGHT_MS;
      this.#set(window, { limit, raise: { limit: told.limit, resetSec: told.resetSec, from } });
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
/**
 * A gap between two answers counts towards a clean day up to this: a silent daemon proves nothing. A place is asked in the
 * early morning and from 13:00 on.
 */
const MAX_CLEAN_GAP_MS = 18 * HOUR_MS;
/** Clean time is written down in steps, for the sake of the card. */
const CLEAN_STEP_MS = HOUR_MS;

/** The third-party interface names no quota: a hundred a day, halved on a 429, a hundred again after a clean day and a tenth more after each other. */
export class AdaptiveRateLimits implements RateLimitSource {
  readonly #name: string;
  readonly #memory: KeyValue;
  readonly #places: number;
  #perDay: number;
  #cleanMs: number;
  #keptCleanMs: number;
  #answeredAt: MonotonicMs | null = null;
  #halvedAt: MonotonicMs | null = null;

  constructor(account: string, memory: KeyValue, places = 1) {
    this.#places = places;
    this.#name = `per-day/${account}`;
    this.#memory = memory;
    const [perDay, cleanMs] = readJson(memory, this.#name, z.array(z.int())) ?? [];
    this.#perDay = Math.min(THIRD_PARTY_MOST, Math.max(THIRD_PARTY_LEAST, perDay ?? THIRD_PARTY_FIRST));
    this.#cleanMs = Math.max(0, cleanMs ?? 0);
    this.#keptCleanMs = this.#cleanMs;
  }

  budget(now: MonotonicMs = Number.NEGATIVE_INFINITY): readonly RateLimit[] {
    // A day of clean answers is over when it is, and not at the next answer: that may wait for the budget.
    if (this.#perDay < THIRD_PARTY_FIRST && this.#cleanMs > 0 && this.#cleanAt(now) >= DAY_MS) {
      this.#grow();
      this.#answeredAt = now;
    }
    return thirdPartyRateLimits(this.#perDay, this.#places);
  }

  shortage(): Text | null {
    const wanted = PRICES_PER_PLACE * this.#places;
    return this.#perDay < wanted ? message("found_quota_halved", { limit: this.#perDay, wanted }) : null;
  }

  learn(notes: AnswerNotes, now: MonotonicMs): void {
    if (notes.status === 429) this.#halve(now);
    else this.#cleanMs = this.#cleanAt(now);
    this.#answeredAt = now;
    if (this.#cleanMs >= DAY_MS) this.#grow();
    else if (this.#cleanMs - this.#keptCleanMs >= CLEAN_STEP_MS) this.#keep();
  }

  /** The clean time behind a moment. Unit: ms. */
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

  /** Once for all the requests that were on their way when the first was denied. */
  #halve(now: MonotonicMs): void {
    this.#cleanMs = 0;
    if (this.#halvedAt !== null && now - this.#halvedAt < FLIGHT_MS) return;
    this.#halvedAt = now;
    this.#perDay = Math.max(THIRD_PARTY_LEAST, Math.floor(this.#perDay / 2));
    this.#keep();
  }

  #keep(): void {
    this.#keptCleanMs = this.#cleanMs;
    this.#memory.write(this.#name, JSON.stringify([this.#perDay, Math.round(this.#cleanMs)]));
  }
}
