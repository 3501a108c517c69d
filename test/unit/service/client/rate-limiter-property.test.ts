/**
 * The governor against a strict model of the service: whatever happens to the process, the machine, its clocks and its
 * requests, no fixed window of the service is ever overrun.
 *
 * 2,000 random lives in `npm test`; 200,000 with ELBRO_NIGHTLY=1.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { consumerRateLimits, type Share, shares } from "../../../../src/core/fetching/rate-limit.ts";
import { openDatabase } from "../../../../src/storage/database.ts";
import { live, quietSchedules, type Schedule, schedules } from "../../../support/service/quota-schedules.ts";
import { type Mutant, RateLimiterModel } from "../../../support/service/rate-limiter-model.ts";
import { mutants } from "../../../support/service/rate-limiter-mutants.ts";
import type { Limits } from "../../../support/service/strict-service.ts";

const NIGHTLY = process.env.ELBRO_NIGHTLY === "1";
const LIVES = NIGHTLY ? 200_000 : 2_000;
const TEST_TIMEOUT_MS = NIGHTLY ? 3_600_000 : 60_000;
/** The longest any ceiling or window lasts, and a little. */
const IDLE_DAY_MS = 25 * 3_600_000;

/** One database for all lives: each begins with an empty ledger. */
const database = openDatabase(":memory:");

function lived({ limits, startAt, actions }: Schedule, mutant: Mutant = {}): RateLimiterModel {
  database.exec("delete from attempt");
  const world = new RateLimiterModel({ database, account: "a", limits, startAt, mutant });
  live(world, actions);
  return world;
}

/** Whether a share has no attempt left in the last minute or day, each with the time a request may be on its way. */
function usedUp(world: RateLimiterModel, share: Share, limits: Limits): boolean {
  return consumerRateLimits(limits, 1).some((window) => {
    const used = (...counted: Share[]) =>
      world.spends.filter(({ share: by, at }) => counted.includes(by) && at > world.now - window.lengthMs).length;
    if (used(...shares) >= window.limit) return true;
    if (share === "prices") return false;
    if (share === "lan") return used("lan") >= window.shares.lan;
    const polled = used("poll", "backfill") >= window.shares.poll;
    return polled || (share === "backfill" && used("backfill") >= window.shares.backfill);
  });
}

describe("the governor in a world that misbehaves", () => {
  test(
    `no window of the service is overrun in ${LIVES} lives, and after an idle day all is free again`,
    () => {
      let granted = 0;
      fc.assert(
        fc.property(schedules, (schedule) => {
          const world = lived(schedule);
          granted += world.spends.length;
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

  test("no share is starved: one that is refused has used up its own part", { timeout: TEST_TIMEOUT_MS }, () => {
    fc.assert(
      fc.property(quietSchedules, fc.constantFrom(...shares), (schedule, share) => {
        const world = lived(schedule);
        if (!world.heardFrom || world.earliest(share) <= world.monotonicMs) return;
        expect(usedUp(world, share, schedule.limits), share).toBe(true);
      }),
      { numRuns: LIVES },
    );
  });

  test.each(Object.entries(mutants))("it would notice %s", (_, mutant) => {
    const caught = fc.check(
      fc.property(schedules, (schedule) => lived(schedule, mutant).service.violations.length === 0),
      { numRuns: 2_000, endOnFailure: true },
    );
    expect(caught.failed).toBe(true);
  });
});
