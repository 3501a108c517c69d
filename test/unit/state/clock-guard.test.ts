import { describe, expect, test } from "vitest";
import { textIn } from "../../../src/core/language/text.ts";
import { type Problem, Problems } from "../../../src/core/status/problem.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/core/time/interval.ts";
import { ClockGuard } from "../../../src/state/clock-guard.ts";

const RELEASED = Date.UTC(2026, 10, 1);
const NOW = Date.UTC(2026, 11, 24, 18);

/** Machine that has been up since NOW, by its monotonic clock. */
function machine(lastServerMs: number | null = null) {
  let upMs = 5_000;
  const trust = new ClockGuard({ releasedAt: RELEASED, lastServerMs, clock: { monotonicMs: () => upMs } });
  return {
    trust,
    pass: (ms: number) => {
      upMs += ms;
    },
  };
}

/** Returns the English reason why the clock is not trusted; null if it is trusted. */
function whyIn(trust: ClockGuard, now: number): string | null {
  const why = trust.why(now);
  return why === null ? null : textIn("en", why);
}

describe("before the first response of the service", () => {
  test("any time after the release is trusted", () => {
    expect(machine().trust.trusted(NOW)).toBe(true);
    expect(machine().trust.trusted(RELEASED)).toBe(true);
  });

  test.each([0, Date.UTC(2026, 9, 31, 23, 59, 59)])("a time before the release is not trusted: %d", (now) => {
    const { trust } = machine();
    expect(trust.trusted(now)).toBe(false);
    expect(whyIn(trust, now)).toContain("before this version was released");
  });

  test("a time before the service's last time in an earlier run is not trusted", () => {
    const { trust } = machine(NOW);
    expect(trust.trusted(NOW - MINUTE_MS)).toBe(true);
    expect(whyIn(trust, NOW - HOUR_MS)).toBe(
      "it shows 2026-12-24T17:00:00Z, but before the start it already showed 2026-12-24T18:00:00Z",
    );
  });
});

test("the service's time from before a restart applies within a boot, so that a changed clock is detected", () => {
  const clock = { monotonicMs: () => 5 * HOUR_MS };
  const serverTimeInBoot = { serverMs: NOW - HOUR_MS, monotonicMs: 4 * HOUR_MS };
  const trust = new ClockGuard({ releasedAt: NOW - DAY_MS, lastServerMs: NOW - HOUR_MS, serverTimeInBoot, clock });
  expect([NOW, NOW + HOUR_MS].map((now) => trust.trusted(now))).toEqual([true, false]);
});

describe("after the first response of the service", () => {
  test.each([-2 * MINUTE_MS, -SECOND_MS, 0, 2 * MINUTE_MS])(
    "a clock with a difference of %d ms is trusted",
    (apart) => {
      const { trust } = machine();
      trust.note(NOW);
      expect(trust.trusted(NOW + apart)).toBe(true);
    },
  );

  test.each([
    [-2 * MINUTE_MS - 1, "it shows 2026-12-24T17:57:59Z, 2 min behind the service's clock"],
    [2 * MINUTE_MS + 1, "it shows 2026-12-24T18:02:00Z, 2 min ahead of the service's clock"],
    [2 * HOUR_MS, "it shows 2026-12-24T20:00:00Z, 2 h ahead of the service's clock"],
    [2 * HOUR_MS - SECOND_MS, "it shows 2026-12-24T19:59:59Z, 120 min ahead of the service's clock"],
    [2 * DAY_MS - SECOND_MS, "it shows 2026-12-26T17:59:59Z, 48 h ahead of the service's clock"],
    [2 * DAY_MS, "it shows 2026-12-26T18:00:00Z, 2 days ahead of the service's clock"],
    [3 * HOUR_MS, "it shows 2026-12-24T21:00:00Z, 3 h ahead of the service's clock"],
    [43 * 365 * DAY_MS, "it shows 2069-12-13T18:00:00Z, 15695 days ahead of the service's clock"],
  ])("a clock with a difference of %d ms is not trusted, and the reason contains the difference", (apart, why) => {
    const { trust } = machine();
    trust.note(NOW);
    expect(whyIn(trust, NOW + apart)).toBe(why);
  });

  test("one deviating response does not change the trust in a clock, but two do", () => {
    const { trust } = machine();
    trust.note(NOW);
    trust.note(NOW - 40 * DAY_MS);
    expect(whyIn(trust, NOW)).toBeNull();
    trust.note(NOW);
    trust.note(NOW + HOUR_MS);
    expect(whyIn(trust, NOW)).toBeNull();
    trust.note(NOW + HOUR_MS);
    expect(whyIn(trust, NOW)).toContain("1 h behind the service's clock".replace("1 h", "60 min"));
  });

  test("its time continues with the monotonic clock", () => {
    const { trust, pass } = machine();
    trust.note(NOW);
    pass(5 * HOUR_MS);
    expect([trust.trusted(NOW), trust.trusted(NOW + 5 * HOUR_MS)]).toEqual([false, true]);
  });

  test("a corrected clock is trusted immediately, and a wrongly set clock is not", () => {
    const { trust, pass } = machine();
    trust.note(NOW);
    pass(MINUTE_MS);
    expect(trust.trusted(NOW - DAY_MS + MINUTE_MS)).toBe(false);
    expect(trust.trusted(NOW + MINUTE_MS)).toBe(true);
    expect(trust.trusted(NOW + DAY_MS + MINUTE_MS)).toBe(false);
  });

  test("the latest response counts", () => {
    const { trust } = machine();
    trust.note(NOW + DAY_MS);
    trust.note(NOW);
    expect(trust.trusted(NOW)).toBe(true);
  });

  test("its time from an earlier run no longer counts", () => {
    const { trust } = machine(Date.UTC(2069, 0, 1));
    expect(trust.trusted(NOW)).toBe(false);
    trust.note(NOW);
    expect(trust.trusted(NOW)).toBe(true);
  });

  test("a service with a time before the release is not used", () => {
    const { trust } = machine();
    trust.note(RELEASED - DAY_MS);
    expect(trust.trusted(RELEASED - DAY_MS)).toBe(false);
  });
});

test("a wrong clock is reported once with a remedy, and once when it is corrected", () => {
  const changes: [string, Problem][] = [];
  const problems = new Problems((problem, state) => void changes.push([state, problem]));
  const { trust } = machine();
  for (const now of [NOW, 0, 1_000, NOW, NOW]) trust.report(problems, now);
  expect(changes.map(([state, { code, subject }]) => [state, code, subject])).toEqual([
    ["started", "clock_wrong", "clock"],
    ["ended", "clock_wrong", "clock"],
  ]);
  expect(changes[0]?.[1]).toMatchObject({ since: 0, advice: expect.stringContaining("NTP"), requestId: null });
});

describe("a clock that agreed with the service and then went on without the monotonic clock", () => {
  /** Returns a machine whose clock has agreed with the service, and was then paused for `pausedMs`. */
  function paused(pausedMs: number) {
    let upMs = 5_000;
    let asked = 0;
    const trust = new ClockGuard({
      ...{ releasedAt: RELEASED, lastServerMs: null, clock: { monotonicMs: () => upMs } },
      onDoubt: () => void asked++,
    });
    const problems = new Problems(() => undefined);
    trust.note(NOW, NOW);
    const now = () => NOW + pausedMs + upMs - 5_000;
    return {
      trust,
      now,
      asked: () => asked,
      look: () => trust.report(problems, now()) - now(),
      pass: (ms: number) => {
        upMs += ms;
      },
      codes: () => problems.list().map(({ code }) => code),
    };
  }

  test("a clock that agreed with the service and then went on without the monotonic clock stays trusted for ten minutes and asks the service at once, then every 30 s", () => {
    const it = paused(3 * HOUR_MS);
    expect(it.trust.trusted(it.now())).toBe(true);
    expect([it.look(), it.asked(), it.codes()]).toEqual([30 * SECOND_MS, 1, []]);
    it.pass(29 * SECOND_MS);
    it.look();
    expect(it.asked()).toBe(1);
    it.pass(SECOND_MS);
    it.look();
    expect(it.asked()).toBe(2);
    it.pass(10 * MINUTE_MS);
    expect([it.trust.trusted(it.now()), it.look(), it.codes()]).toEqual([false, 5 * MINUTE_MS, ["clock_wrong"]]);
    it.trust.note(it.now(), it.now());
    expect([it.trust.trusted(it.now()), it.look(), it.codes()]).toEqual([true, Number.POSITIVE_INFINITY, []]);
  });

  test("a clock that agreed with the service and then went on without the monotonic clock is not trusted any more as soon as the service disagrees", () => {
    const it = paused(3 * HOUR_MS);
    it.look();
    it.trust.note(NOW, it.now());
    expect([it.trust.trusted(it.now()), it.look(), it.codes()]).toEqual([
      false,
      Number.POSITIVE_INFINITY,
      ["clock_wrong"],
    ]);
  });

  test.each([-HOUR_MS, 2 * DAY_MS])(
    "a clock that agreed with the service and then went on without the monotonic clock is not trusted after a step of %d ms, and asks the service at once",
    (stepMs) => {
      const it = paused(stepMs);
      expect([it.trust.trusted(it.now()), it.look(), it.asked()]).toEqual([false, 30 * SECOND_MS, 1]);
    },
  );
});
