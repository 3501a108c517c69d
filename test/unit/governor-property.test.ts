/**
 * The governor against a strict model of the service: whatever happens to the process, the machine, its clocks and its
 * requests, no fixed window of the service is ever overrun.
 *
 * 2,000 random lives in `npm test`; 200,000 with ELBRO_NIGHTLY=1.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shares } from "../../src/core/quota.ts";
import { openDatabase } from "../../src/store/database.ts";
import { GovernedWorld, type Mutant } from "../support/governed-world.ts";
import { mutants } from "../support/governor-mutants.ts";
import { live, type Schedule, schedules } from "../support/quota-schedules.ts";

const NIGHTLY = process.env.ELBRO_NIGHTLY === "1";
const LIVES = NIGHTLY ? 200_000 : 2_000;
const TEST_TIMEOUT_MS = NIGHTLY ? 3_600_000 : 60_000;
/** The longest any ceiling or window lasts, and a little. */
const IDLE_DAY_MS = 25 * 3_600_000;

/** One database for all lives: each begins with an empty ledger. */
const database = openDatabase(":memory:");

function lived({ limits, startAt, actions }: Schedule, mutant: Mutant = {}): GovernedWorld {
  database.exec("delete from attempt");
  const world = new GovernedWorld({ database, account: "a", limits, startAt, mutant });
  live(world, actions);
  return world;
}

describe("the governor in a world that misbehaves", () => {
  test(
    `no window of the service is overrun in ${LIVES} lives, and after an idle day all is free again`,
    () => {
      let granted = 0;
      fc.assert(
        fc.property(schedules, (schedule) => {
          const world = lived(schedule);
          granted += world.granted;
          expect(world.service.violations).toEqual([]);
          world.advance(IDLE_DAY_MS);
          for (const share of shares) expect(world.earliest(share), share).toBe(world.monotonicMs);
        }),
        { numRuns: LIVES },
      );
      expect(granted / LIVES, "a life without requests proves nothing").toBeGreaterThan(20);
    },
    TEST_TIMEOUT_MS,
  );

  test.each(Object.entries(mutants))("it would notice %s", (_, mutant) => {
    const caught = fc.check(
      fc.property(schedules, (schedule) => lived(schedule, mutant).service.violations.length === 0),
      { numRuns: 2_000, endOnFailure: true },
    );
    expect(caught.failed).toBe(true);
  });
});
