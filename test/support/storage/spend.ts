import type { Spend } from "../../../src/core/fetching/rate-limit.ts";

/** Returns an attempt with default values; `facts` override them. */
export function spendOf(facts: Partial<Spend>): Spend {
  return {
    account: "consumer",
    share: "poll",
    at: 1_000,
    boot: "boot",
    monotonicMs: 500,
    serverMs: null,
    seriesId: null,
    range: null,
    ...facts,
  };
}
