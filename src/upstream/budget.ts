/** Where the budgets of the two interfaces come from. */
import type { QuotaWindow } from "../contract/limits.ts";
import {
  type BudgetWindow,
  consumerBudget,
  FLIGHT_MS,
  type MonotonicMs,
  thirdPartyBudget,
  UNKNOWN_LIMITS,
} from "../core/quota.ts";
import type { AnswerNotes } from "./client.ts";
import type { BudgetSource } from "./governor.ts";

/** Remembers a small text across restarts. */
export interface Memory {
  read(name: string): string | null;
  write(name: string, value: string): void;
}

type Limits = Record<QuotaWindow, number>;

/**
 * The consumer interface's limits, learned from its headers: a lower one counts at once, a higher one from the next
 * window on. What is learned outlives a restart; the assumption made before the first answer does not.
 */
export class LearnedBudget implements BudgetSource {
  readonly #name: string;
  readonly #memory: Memory;
  #limits: Limits | null;
  readonly #raises = new Map<QuotaWindow, { readonly limit: number; readonly from: MonotonicMs }>();

  constructor(account: string, memory: Memory) {
    this.#name = `limits/${account}`;
    this.#memory = memory;
    this.#limits = parseLimits(memory.read(this.#name));
  }

  /** The limits in force, or those assumed before the first answer. */
  limits(now: MonotonicMs): Limits {
    for (const [window, raise] of this.#raises) {
      if (now < raise.from || !this.#limits) continue;
      this.#raises.delete(window);
      this.#set({ ...this.#limits, [window]: raise.limit });
    }
    return this.#limits ?? { ...UNKNOWN_LIMITS };
  }

  budget(now: MonotonicMs): readonly BudgetWindow[] {
    return consumerBudget(this.limits(now));
  }

  learn(notes: AnswerNotes, now: MonotonicMs): void {
    const { minute, day } = notes.quota;
    if (!minute || !day) return;
    const before = this.#limits;
    if (!before) return this.#set({ minute: minute.limit, day: day.limit });
    for (const window of ["minute", "day"] as const) {
      const told = window === "minute" ? minute : day;
      if (told.limit <= before[window]) {
        this.#raises.delete(window);
        if (told.limit < before[window]) this.#set({ ...(this.#limits ?? before), [window]: told.limit });
      } else if (!this.#raises.has(window) && notes.serverMs !== null) {
        const from = now + (told.resetSec * 1_000 - notes.serverMs) + FLIGHT_MS;
        this.#raises.set(window, { limit: told.limit, from });
      }
    }
  }

  #set(limits: Limits): void {
    this.#limits = limits;
    this.#memory.write(this.#name, `${limits.minute}/${limits.day}`);
  }
}

function parseLimits(text: string | null): Limits | null {
  const match = /^(\d+)\/(\d+)$/.exec(text ?? "");
  return match ? { minute: Number(match[1]), day: Number(match[2]) } : null;
}

const THIRD_PARTY_FIRST = 100;
const THIRD_PARTY_LEAST = 4;
const THIRD_PARTY_MOST = 1_000;
const CLEAN_DAY_MS = 24 * 60 * 60 * 1_000;

/** The third-party interface names no quota: a hundred a day, halved on a 429, a tenth more after each clean day. */
export class AdaptiveBudget implements BudgetSource {
  readonly #name: string;
  readonly #memory: Memory;
  #perDay: number;
  #cleanSince: MonotonicMs | null = null;

  constructor(account: string, memory: Memory) {
    this.#name = `per-day/${account}`;
    this.#memory = memory;
    this.#perDay = Number(memory.read(this.#name) ?? THIRD_PARTY_FIRST) || THIRD_PARTY_FIRST;
  }

  budget(): readonly BudgetWindow[] {
    return thirdPartyBudget(this.#perDay);
  }

  learn(notes: AnswerNotes, now: MonotonicMs): void {
    if (notes.status === 429) {
      this.#cleanSince = now;
      this.#set(Math.max(THIRD_PARTY_LEAST, Math.floor(this.#perDay / 2)));
      return;
    }
    this.#cleanSince ??= now;
    if (now - this.#cleanSince < CLEAN_DAY_MS) return;
    this.#cleanSince = now;
    this.#set(Math.min(THIRD_PARTY_MOST, Math.ceil(this.#perDay * 1.1)));
  }

  #set(perDay: number): void {
    this.#perDay = perDay;
    this.#memory.write(this.#name, String(perDay));
  }
}
