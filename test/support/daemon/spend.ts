import type { Spend } from "../../../src/storage/request-log.ts";

/** A spend of no importance, but for what the test says. */
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
