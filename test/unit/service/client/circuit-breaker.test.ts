import { describe, expect, test } from "vitest";
import type { FetchFailure } from "../../../../src/core/fetching/fetch-outcome.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../../src/core/time/interval.ts";
import { CircuitBreaker, type Scopes } from "../../../../src/service/client/circuit-breaker.ts";
import { ManualMachine } from "../../../support/clock/manual-machine.ts";
import { malformed, refused, unreachable, unsent } from "../../../support/service/fetch-failures.ts";

const ADDRESS = "a".repeat(8);

function scopes(series: string, place = ADDRESS): Scopes {
  return { request: `${series} poll`, series, place, account: "consumer" };
}
const prices = scopes("prices");
const costs = scopes("costs");
const otherHome = scopes("prices there", "another address");

function breakerOf(machine: ManualMachine, { keyMark = "key", dice = 1 } = {}): CircuitBreaker {
  const { clock, memory } = machine;
  return new CircuitBreaker({ account: "consumer", memory, clock, random: () => dice, keyMark });
}

function opened(options: { readonly keyMark?: string; readonly dice?: number } = {}) {
  const machine = new ManualMachine();
  return { machine, breaker: breakerOf(machine, options) };
}

/** Returns the remaining pause of scopes in ms; 0 without a pause. */
function silence(breaker: CircuitBreaker, machine: ManualMachine, of: Scopes = prices): number {
  return Math.max(0, breaker.pausedUntil(of) - machine.upMs);
}

/** Waits for the end of the pause, then reports a failure. */
function meet(breaker: CircuitBreaker, machine: ManualMachine, failure: FetchFailure, of: Scopes = prices) {
  machine.advance(silence(breaker, machine, of));
  const sentAt = machine.upMs;
  machine.advance(200);
  return breaker.failure(of, failure, sentAt);
}

describe("a failure pauses its scope:", () => {
  test.each([
    ["400", refused(400, "invalid_range"), { prices: DAY_MS, costs: 0, otherHome: 0 }],
    ["401", refused(401, "invalid_token"), { prices: 2 * MINUTE_MS, costs: 2 * MINUTE_MS, otherHome: 2 * MINUTE_MS }],
    ["401 expired", refused(401, "credential_expired"), { prices: DAY_MS, costs: DAY_MS, otherHome: DAY_MS }],
    ["403 plus_required", refused(403, "plus_required"), { prices: HOUR_MS, costs: HOUR_MS, otherHome: HOUR_MS }],
    ["403 forbidden", refused(403, "forbidden"), { prices: DAY_MS, costs: 0, otherHome: 0 }],
    ["404", refused(404, "resource_not_found"), { prices: 2 * HOUR_MS, costs: 0, otherHome: 0 }],
    ["422", refused(422, "feature_unavailable"), { prices: DAY_MS, costs: 0, otherHome: 0 }],
    ["429", refused(429, "rate_limited", 30_000), { prices: 35_000, costs: 35_000, otherHome: 35_000 }],
    ["500", refused(500, "internal_error"), { prices: 120_000, costs: 0, otherHome: 0 }],
    ["502", refused(502, "upstream_unavailable"), { prices: 2 * MINUTE_MS, costs: 0, otherHome: 0 }],
    ["503", refused(503, "entitlement_unavailable"), { prices: 300_000, costs: 300_000, otherHome: 300_000 }],
    ["no answer", unreachable(), { prices: 15_000, costs: 15_000, otherHome: 15_000 }],
    ["nonsense", malformed(), { prices: 2 * MINUTE_MS, costs: 0, otherHome: 0 }],
  ])("%s", (_, failure, expected) => {
    const { machine, breaker } = opened();
    meet(breaker, machine, failure);
    expect({
      prices: silence(breaker, machine),
      costs: silence(breaker, machine, costs),
      otherHome: silence(breaker, machine, otherHome),
    }).toEqual(expected);
  });

  test("a 400 pauses the request but not its series", () => {
    const { machine, breaker } = opened();
    meet(breaker, machine, refused(400, "range_too_large"), { ...prices, request: "prices backfill" });
    expect(silence(breaker, machine, { ...prices, request: "prices backfill" })).toBe(DAY_MS);
    expect(silence(breaker, machine, prices)).toBe(0);
  });
});

describe("repeated failures", () => {
  test("with status 401 are confirmed after two minutes, then repeated every six hours", () => {
    const { machine, breaker } = opened();
    const waits = [0, 1, 2].map(() => meet(breaker, machine, refused(401, "invalid_token")).waitMs);
    expect(waits).toEqual([2 * MINUTE_MS, 6 * HOUR_MS, 6 * HOUR_MS]);
  });

  test("with status 401 of simultaneous requests do not confirm each other", () => {
    const { machine, breaker } = opened();
    const sentAt = machine.upMs;
    machine.advance(200);
    expect(breaker.failure(prices, refused(401, "invalid_token"), sentAt).waitMs).toBe(2 * MINUTE_MS);
    machine.advance(50);
    expect(breaker.failure(costs, refused(401, "invalid_token"), sentAt).waitMs).toBe(2 * MINUTE_MS);
  });

  test("with status 404, three in a day for one address, pause the address except for one request a day", () => {
    const { machine, breaker } = opened();
    expect(meet(breaker, machine, refused(404, "resource_not_found")).waitMs).toBe(2 * HOUR_MS);
    expect(meet(breaker, machine, refused(404, "resource_not_found"), costs).waitMs).toBe(2 * HOUR_MS);
    expect(meet(breaker, machine, refused(404, "resource_not_found"), scopes("export")).problem).toBe("address_gone");
    expect(silence(breaker, machine, scopes("anything else"))).toBe(DAY_MS);
    expect(silence(breaker, machine, otherHome)).toBe(0);
    expect(meet(breaker, machine, refused(404, "resource_not_found")).problem).toBe("address_gone");
    expect(silence(breaker, machine)).toBe(DAY_MS);
  });

  test("with status 404 are counted from zero after a success and after a day", () => {
    const { machine, breaker } = opened();
    meet(breaker, machine, refused(404, "resource_not_found"));
    meet(breaker, machine, refused(404, "resource_not_found"));
    breaker.success(prices);
    expect(meet(breaker, machine, refused(404, "resource_not_found")).scope).toBe("series");
    meet(breaker, machine, refused(404, "resource_not_found"));
    machine.advance(DAY_MS);
    expect(meet(breaker, machine, refused(404, "resource_not_found")).scope).toBe("series");
  });

  test("with status 502 double the wait from 2 to 30 min, until a success", () => {
    const { machine, breaker } = opened();
    const waits = [0, 1, 2, 3, 4, 5].map(() => meet(breaker, machine, refused(502, null)).waitMs / MINUTE_MS);
    expect(waits).toEqual([2, 4, 8, 16, 30, 30]);
    breaker.success(prices);
    expect(silence(breaker, machine)).toBe(0);
    expect(meet(breaker, machine, refused(502, null)).waitMs).toBe(2 * MINUTE_MS);
  });
});

describe("the breaker", () => {
  test("the breaker opens after five failures of any series for 5 min, doubling to 60 min", () => {
    const { machine, breaker } = opened({ dice: 0 });
    const open = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((i) => {
      meet(breaker, machine, refused(500, null), scopes(`series ${i}`));
      return silence(breaker, machine, scopes("one never asked")) / MINUTE_MS;
    });
    expect(open).toEqual([0, 0, 0, 0, 5, 10, 20, 40, 60, 60, 60]);
  });

  test("the breaker does not count requests that were not sent, which cost no quota", () => {
    const { machine, breaker } = opened({ dice: 0 });
    const waits = Array.from({ length: 12 }, () => meet(breaker, machine, unsent()).waitMs / MINUTE_MS);
    expect(waits).toEqual([1, 2, ...Array<number>(10).fill(5)]);
    expect(silence(breaker, machine)).toBe(5 * MINUTE_MS);
    expect(breakerOf(machine).cause(prices)).toMatchObject({ kind: "unreachable", isUnsent: true });
  });

  test("the breaker holds a request with times of its own until its next time, but not after a 429 or 401", () => {
    const { machine, breaker } = opened();
    for (let i = 0; i < 9; i++) meet(breaker, machine, unreachable());
    const failedAt = machine.upMs;
    expect(silence(breaker, machine)).toBe(HOUR_MS);
    expect(breaker.pausedUntil(prices, (since) => since + MINUTE_MS)).toBe(failedAt + MINUTE_MS);
    meet(breaker, machine, refused(429, "rate_limited", HOUR_MS));
    expect(breaker.pausedUntil(prices, () => 0)).toBeGreaterThan(machine.upMs);
  });

  test("the breaker counts simultaneous failures once", () => {
    const { machine, breaker } = opened({ dice: 0 });
    const sentAt = machine.upMs;
    for (let i = 0; i < 10; i++) {
      machine.advance(5);
      breaker.failure(scopes(`series ${i}`), unreachable(), sentAt);
    }
    expect(silence(breaker, machine)).toBeLessThanOrEqual(SECOND_MS);
  });

  test("closes and resets its count after a success", () => {
    const { machine, breaker } = opened({ dice: 0 });
    for (let i = 0; i < 6; i++) meet(breaker, machine, refused(500, null), scopes(`series ${i}`));
    breaker.success(costs);
    expect(silence(breaker, machine, scopes("one never asked"))).toBe(0);
    meet(breaker, machine, refused(500, null));
    expect(silence(breaker, machine, costs)).toBe(0);
  });

  test("the breaker does not open for rejections that are not caused by a service fault", () => {
    const { machine, breaker } = opened({ dice: 0 });
    for (let i = 0; i < 20; i++) meet(breaker, machine, refused(422, "feature_unavailable"), scopes(`series ${i}`));
    expect(silence(breaker, machine, costs)).toBe(0);
  });

  test("the breaker stays open after a restart", () => {
    const { machine, breaker } = opened({ dice: 0 });
    for (let i = 0; i < 6; i++) meet(breaker, machine, refused(500, null), scopes(`series ${i}`));
    machine.advance(MINUTE_MS);
    const restarted = breakerOf(machine, { dice: 0 });
    expect(silence(restarted, machine, costs)).toBe(9 * MINUTE_MS);
    meet(restarted, machine, refused(500, null));
    expect(silence(restarted, machine, costs)).toBe(20 * MINUTE_MS);
  });
});

describe("a pause after a 429", () => {
  const limited = refused(429, "rate_limited", HOUR_MS);

  test("a pause after a 429 does not end when a request in flight succeeds", () => {
    const { machine, breaker } = opened({ dice: 0 });
    meet(breaker, machine, limited);
    breaker.success(costs);
    expect(silence(breaker, machine)).toBe(HOUR_MS);
  });

  test("a pause after a 429 is not shortened by another failure", () => {
    const { machine, breaker } = opened({ dice: 0 });
    meet(breaker, machine, limited);
    breaker.failure(costs, unreachable(), machine.upMs);
    breaker.failure(costs, refused(429, "rate_limited", SECOND_MS), machine.upMs);
    expect(silence(breaker, machine)).toBe(HOUR_MS);
  });

  test("a pause after a 429 survives a restart exactly, for any wall clock", () => {
    const machine = new ManualMachine();
    meet(breakerOf(machine, { dice: 0 }), machine, limited);
    machine.advance(MINUTE_MS);
    for (const wall of [0, Date.UTC(2069, 0, 1), machine.wallMs]) {
      machine.wallMs = wall;
      expect(silence(breakerOf(machine), machine)).toBe(59 * MINUTE_MS);
    }
  });

  test("that has ended does not resume after a reboot", () => {
    const { machine, breaker } = opened({ dice: 0 });
    meet(breaker, machine, refused(429, "rate_limited", HOUR_MS));
    expect(breakerOf(machine).restored()).toMatchObject([{ name: "consumer", verdict: { problem: "rate_limited" } }]);
    machine.advance(2 * HOUR_MS);
    breaker.success(prices);
    machine.reboot(MINUTE_MS, machine.clock.now());
    expect(silence(breakerOf(machine), machine)).toBe(0);
    expect(breakerOf(machine).restored()).toEqual([]);
  });

  test("a pause after a 429 survives a reboot with any wall clock", () => {
    for (const wall of [0, Date.UTC(2069, 0, 1)]) {
      const machine = new ManualMachine();
      meet(breakerOf(machine, { dice: 0 }), machine, limited);
      machine.reboot(MINUTE_MS, wall);
      const rest = silence(breakerOf(machine), machine);
      expect(rest).toBeGreaterThan(59 * MINUTE_MS);
      expect(rest).toBeLessThanOrEqual(HOUR_MS);
    }
  });

  test("also applies to a new key", () => {
    const machine = new ManualMachine();
    meet(breakerOf(machine, { dice: 0 }), machine, limited);
    expect(silence(breakerOf(machine, { keyMark: "another key" }), machine)).toBe(HOUR_MS);
  });
});

describe("after a restart", () => {
  test("a disabled series stays disabled until its daily recheck", () => {
    const machine = new ManualMachine();
    meet(breakerOf(machine), machine, refused(422, "feature_unavailable"));
    machine.advance(HOUR_MS);
    const breaker = breakerOf(machine);
    expect(silence(breaker, machine)).toBe(23 * HOUR_MS);
    expect(silence(breaker, machine, costs)).toBe(0);
  });

  test("two of three 404s are still counted", () => {
    const machine = new ManualMachine();
    meet(breakerOf(machine), machine, refused(404, "resource_not_found"));
    meet(breakerOf(machine), machine, refused(404, "resource_not_found"));
    expect(meet(breakerOf(machine), machine, refused(404, "resource_not_found")).problem).toBe("address_gone");
  });

  test("by reboot, the wall clock determines the time that the machine was off", () => {
    const machine = new ManualMachine();
    meet(breakerOf(machine), machine, refused(422, "feature_unavailable"));
    machine.reboot(20 * HOUR_MS);
    expect(silence(breakerOf(machine), machine)).toBe(4 * HOUR_MS);
  });

  test("a wall clock before the start of the pause does not extend it", () => {
    const machine = new ManualMachine();
    meet(breakerOf(machine), machine, refused(401, "credential_expired"));
    machine.reboot(20 * HOUR_MS, 0);
    expect(silence(breakerOf(machine), machine)).toBeLessThanOrEqual(DAY_MS);
  });

  test("a new key is used immediately", () => {
    const machine = new ManualMachine();
    meet(breakerOf(machine), machine, refused(401, "credential_expired"));
    expect(silence(breakerOf(machine), machine)).toBe(DAY_MS);
    expect(silence(breakerOf(machine, { keyMark: "another key" }), machine)).toBe(0);
  });

  test("invalid stored pauses are ignored", () => {
    for (const text of ["", "{", "null", "[]", '{"silences":3}']) {
      const machine = new ManualMachine();
      machine.keptTexts.set("silence/consumer", text);
      expect(silence(breakerOf(machine), machine), text).toBe(0);
    }
  });
});

test("a thousand failed LAN requests do not displace the account's pause", () => {
  const { machine, breaker } = opened();
  meet(breaker, machine, refused(429, "rate_limited", HOUR_MS));
  for (let i = 0; i < 1_000; i++)
    breaker.failure(scopes(`series ${i}`, `place ${i}`), refused(400, null), machine.upMs);
  expect(silence(breaker, machine, scopes("never asked"))).toBeGreaterThan(59 * MINUTE_MS);
  expect((machine.keptTexts.get("silence/consumer") ?? "").length).toBeLessThan(60_000);
});

test("at most 500 scopes are paused, the oldest ends first, and a pause of the account stays", () => {
  const { machine, breaker } = opened();
  breaker.failure(prices, refused(401, "credential_expired"), machine.upMs);
  const others = Array.from({ length: 500 }, (_, i) => ({ ...scopes(`series ${i}`), account: "other" }));
  for (const other of others) breaker.failure(other, refused(400, "invalid_range"), machine.upMs);
  const paused = others.filter((other) => silence(breaker, machine, other) > 0);
  expect(paused).toEqual(others.slice(1));
  expect(silence(breaker, machine, costs)).toBe(DAY_MS);
});
