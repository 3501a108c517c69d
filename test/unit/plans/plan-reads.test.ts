import { expect, test } from "vitest";
import { liveWithReaders } from "../../support/plans/plan-reads.ts";

const SEED = 3;
/** Each life has about a hundred pauses between decisions. */
const LIVES = process.env.ELBRO_NIGHTLY === "1" ? 50 : 3;

test("reads at random times between decisions change nothing that is decided", () => {
  let pauses = 0;
  for (let seed = SEED; seed < SEED + LIVES; seed++) {
    const read = liveWithReaders(seed, true);
    expect(read.decisions).toEqual(liveWithReaders(seed, false).decisions);
    pauses += read.pauses;
  }
  expect(pauses).toBeGreaterThan(100 * LIVES);
});
