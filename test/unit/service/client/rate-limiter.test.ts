import { describe, expect, test } from "vitest";
import type { Share } from "../../../../src/core/fetching/rate-limit.ts";
import { InvariantError } from "../../../../src/core/invariant.ts";
import { message } from "../../../../src/core/language/text.ts";
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../../src/core/time/interval.ts";
import type { AnswerNotes } from "../../../../src/service/client/answer-notes.ts";
import { type Permit, RateLimiter } from "../../../../src/service/client/rate-limiter.ts";
import { LearnedRateLimits } from "../../../../src/service/client/rate-limits.ts";
import type { QuotaStanding } from "../../../../src/service/contract/quota-headers.ts";
import { openDatabase } from "../../../../src/storage/database.ts";
import { RequestLog } from "../../../../src/storage/request-log.ts";
import { ManualMachine } from "../../../support/clock/manual-machine.ts";

/** Rate limiter on a machine that the test moves, with a real request log. */
class Governed extends ManualMachine {
  readonly #database = openDatabase(":memory:");
  rateLimiter: RateLimiter = this.#open();

  /** Kills and restarts the process. */
  restart({ isLogIncomplete = false } = {}): void {
    this.rateLimiter = this.#open(isLogIncomplete);
  }

  #open(isLogIncomplete = false): RateLimiter {
    const { clock, memory } = this;
    const source = new LearnedRateLimits("consumer", memory, () => 1);
    const requestLog = new RequestLog(this.#database);
    return new RateLimiter({ account: "consumer", requestLog, memory, clock, source, isLogIncomplete });
  }

  waitMs(share: Share = "poll"): number {
    return this.rateLimiter.earliest(share, this.upMs) - this.upMs;
  }

  take(share: Share = "poll"): Permit {
    const verdict = this.rateLimiter.acquire(share, null, null);
    if (verdict.kind === "wait") throw new Error(`not before ${verdict.until - this.upMs} ms`);
    return verdict.permit;
  }

  /** Makes one request with a response after 200 ms. */
  askAndHear(quota: Partial<QuotaStanding> = standing(this.wallMs, 1), share: Share = "poll"): void {
    const leave = this.take(share);
    this.advance(200);
    leave.note(notes(quota, this.wallMs));
    leave.settle();
  }
}

function notes(quota: Partial<QuotaStanding>, serverMs: EpochMs | null, requestId: string | null = "id"): AnswerNotes {
  return { status: 200, requestId, quota, serverMs };
}

/** Returns the service's quota after `used` attempts, with limits of 60 and 2,000. */
function standing(serverMs: EpochMs, used: number, limits = { minute: 60, day: 2_000 }): QuotaStanding {
  const reset = (lengthMs: number) => (Math.floor(serverMs / lengthMs) * lengthMs + lengthMs) / SECOND_MS;
  const left = (limit: number) => Math.max(0, limit - used);
  return {
    minute: { limit: limits.minute, remaining: left(limits.minute), resetSec: reset(MINUTE_MS) },
    day: { limit: limits.day, remaining: left(limits.day), resetSec: reset(DAY_MS) },
  };
}

/** Returns the same quota without other attempts in the minute. */
function withDayUsed(serverMs: EpochMs, used: number): QuotaStanding {
  return { minute: standing(serverMs, 1).minute, day: standing(serverMs, used).day };
}

describe("a permit", () => {
  test("a permit is for one request of its own account, while it is open", () => {
    const machine = new Governed();
    const leave = machine.take();
    expect(() => leave.use("third_party")).toThrow("a permit of its own account");
    leave.use("consumer");
    expect(() => leave.use("consumer")).toThrow("open and unused");
    leave.settle();
    expect(() => leave.note(notes({}, null))).toThrow("a response belongs to an open permit");
    machine.advance(2 * MINUTE_MS);
    const settled = machine.take();
    settled.settle();
    expect(() => settled.use("consumer")).toThrow(InvariantError);
  });

  test("a permit is granted to one request until the process has its first response; others retry after one second", () => {
    const machine = new Governed();
    const leave = machine.take();
    expect(machine.waitMs("lan")).toBe(SECOND_MS);
    leave.settle();
    expect(machine.waitMs("lan")).toBe(0);
  });
});

describe("after a reboot", () => {
  /** Uses the daily share of polling with the initial limits. */
  function spendTheDay(machine: Governed): void {
    for (let used = 1; used <= 15; used++)
      machine.askAndHear(standing(machine.wallMs, used, { minute: 1_000, day: 50 }));
    expect(machine.waitMs()).toBeGreaterThan(11 * HOUR_MS);
  }

  test("the service's time determines the age of attempts", () => {
    const machine = new Governed();
    spendTheDay(machine);
    machine.reboot(2 * DAY_MS);
    machine.restart();
    expect(machine.waitMs("poll")).toBeGreaterThan(11 * HOUR_MS);
    machine.askAndHear(standing(machine.wallMs, 1, { minute: 1_000, day: 50 }), "lan");
    expect(machine.waitMs("poll")).toBe(0);
  });

  test("the time in a response to an earlier request is not used", () => {
    const machine = new Governed();
    spendTheDay(machine);
    machine.reboot(MINUTE_MS);
    machine.restart();
    const leave = machine.take("lan");
    leave.note(notes({}, Date.UTC(2069, 0, 1), null));
    leave.settle();
    expect(machine.waitMs("poll")).toBeGreaterThan(11 * HOUR_MS);
  });

  test("a machine that reboots every night eventually gets a permit", () => {
    const machine = new Governed();
    spendTheDay(machine);
    let hours = 0;
    while (machine.waitMs() > 0 && hours < 200) {
      machine.advance(HOUR_MS);
      if (++hours % 20 !== 0) continue;
      machine.reboot(4 * HOUR_MS);
      machine.restart();
    }
    // 12 h and 32 s of uptime until the end of the service's day.
    expect(hours).toBe(13);
  });

  test("the idle time is stored only while the next request waits for more than ten minutes", () => {
    const usual = new Governed();
    usual.askAndHear();
    usual.advance(HOUR_MS);
    expect([usual.waitMs(), usual.memory.read("idle/consumer")]).toEqual([0, null]);
    const machine = new Governed();
    spendTheDay(machine);
    machine.advance(HOUR_MS);
    expect([machine.waitMs() > 10 * MINUTE_MS, machine.memory.read("idle/consumer")]).toEqual([
      true,
      expect.stringContaining('"idleMs":'),
    ]);
  });
});

test("requests that prices may still need today are kept from all others, and the reason says so", () => {
  const { clock, memory, upMs } = new ManualMachine();
  const reserve = { count: 21, until: upMs + HOUR_MS };
  const source = new LearnedRateLimits(
    "consumer",
    memory,
    () => 1,
    () => reserve,
  );
  const requestLog = new RequestLog(openDatabase(":memory:"));
  const limiter = new RateLimiter({ account: "consumer", requestLog, memory, clock, source });
  for (let i = 0; i < 29; i++) limiter.count(i, "prices", upMs - DAY_MS / 2);
  for (const share of ["poll", "backfill", "lan"] as const)
    expect(limiter.hold(share, upMs)).toMatchObject({
      until: reserve.until,
      why: message("held.prices", { count: 21, limit: 50 }),
    });
  expect(limiter.earliest("prices", upMs)).toBe(upMs);
});

describe("other programs with the same key", () => {
  test("leave three requests: two for polling, one for the LAN that had one, none for back-fill", () => {
    const machine = new Governed();
    machine.askAndHear(withDayUsed(machine.wallMs, 1_997), "lan");
    expect(machine.waitMs("backfill")).toBeGreaterThan(HOUR_MS);
    machine.take("lan").settle();
    expect(machine.waitMs("lan")).toBeGreaterThan(HOUR_MS);
    expect(machine.waitMs("poll")).toBe(0);
    machine.take("poll").settle();
    machine.take("poll").settle();
    expect(machine.waitMs("poll")).toBeGreaterThan(HOUR_MS);
  });

  test("leave the remaining quota valid for a whole window without a Date header", () => {
    const machine = new Governed();
    machine.askAndHear();
    const leave = machine.take();
    leave.note(notes(standing(machine.wallMs, 60), null));
    leave.settle();
    expect(machine.waitMs()).toBe(92 * SECOND_MS);
  });
});

describe("after the database was lost", () => {
  /** Limits are 5 and 50: 12 for polling, 25 for the LAN, 13 that are never used. */
  const lost = () => {
    const house = new Governed();
    house.restart({ isLogIncomplete: true });
    return house;
  };
  const takenIn = (house: Governed, hours: number) => {
    let taken = 0;
    for (let i = 0; i < hours * 60; i++) {
      for (const share of ["poll", "lan"] as const) {
        if (house.waitMs(share) > 0) continue;
        house.take(share).settle();
        taken++;
      }
      house.advance(MINUTE_MS);
    }
    return taken;
  };

  test("all shares count as used for a day except the unused part, also after restarts", () => {
    const house = lost();
    expect(house.waitMs("lan")).toBe(92_000);
    let taken = takenIn(house, 12);
    house.restart();
    taken += takenIn(house, 11);
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThanOrEqual(13);
    house.advance(DAY_MS);
    expect(takenIn(house, 12)).toBeGreaterThan(13);
  });

  test("this ends with the first response that contains the day's remaining quota", () => {
    const house = lost();
    house.advance(92_000);
    house.askAndHear(standing(house.wallMs, 1));
    expect(takenIn(house, 20)).toBeGreaterThan(13);
  });
});
