import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { machineClock, simulatedClock, type TimeSource } from "../../../src/cli/system-clock.ts";
import type { Clock } from "../../../src/core/runtime/clock.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/core/time/interval.ts";

const START = Date.parse("2026-03-10T09:00:00Z");
/** Maximum time until a change of the clock is noticed. */
const NOTICED_MS = 15 * SECOND_MS;

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ["setTimeout", "clearTimeout", "Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Machine whose wall clock can be set. Its timers and its monotonic clock are not affected. */
function machine() {
  let setBy = 0;
  const source: TimeSource = {
    boot: "boot",
    wallMs: () => Date.now() + setBy,
    monotonicMs: () => performance.now(),
  };
  return {
    source,
    clock: machineClock(source),
    set: (byMs: number) => {
      setBy += byMs;
    },
  };
}

/** Starts a sleep and records when it ended. */
function asleep(clock: Clock, at: number, signal = new AbortController().signal) {
  const sleep = { endedAt: null as number | null };
  void clock.sleepUntil(at, signal).then(() => {
    sleep.endedAt = clock.now();
  });
  return sleep;
}

describe("the system clock", () => {
  test("the system clock sleeps until a time, never shorter", async () => {
    const { clock } = machine();
    const sleep = asleep(clock, START + HOUR_MS + 1);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(sleep.endedAt).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(sleep.endedAt).toBe(START + HOUR_MS + 1);
  });

  test("the system clock returns whole milliseconds, and reaches a time only when it has passed", async () => {
    const { source } = machine();
    const clock = machineClock({ ...source, wallMs: () => source.wallMs() - 0.4 });
    expect(clock.now()).toBe(START - 1);
    const sleep = asleep(clock, START + 10);
    await vi.advanceTimersByTimeAsync(20);
    expect(sleep.endedAt).toBe(START + 10);
  });

  test("the system clock does not sleep until a past time, nor with an aborted signal", async () => {
    const { clock } = machine();
    await clock.sleepUntil(START, new AbortController().signal);
    await clock.sleepUntil(START + HOUR_MS, AbortSignal.abort());
    expect(vi.getTimerCount()).toBe(0);
  });

  test("the system clock has one timer for all sleeps, and wakes none of them between", async () => {
    const { clock } = machine();
    const ends = [3, 1, 2].map((hours) => START + hours * HOUR_MS);
    const sleeps = ends.map((at) => asleep(clock, at));
    for (let ended = 0; ended < 3; ended++) {
      expect(vi.getTimerCount()).toBe(1);
      await vi.advanceTimersByTimeAsync(HOUR_MS);
    }
    expect([sleeps.map(({ endedAt }) => endedAt), vi.getTimerCount()]).toEqual([ends, 0]);
  });

  test.each([2 * HOUR_MS, -6 * SECOND_MS, -MINUTE_MS, -2 * DAY_MS, -43 * 365 * DAY_MS])(
    "the system clock detects within 15 s that it was set by %d ms",
    async (byMs) => {
      const { clock, set } = machine();
      const sleep = asleep(clock, START + HOUR_MS);
      await vi.advanceTimersByTimeAsync(MINUTE_MS);
      set(byMs);
      await vi.advanceTimersByTimeAsync(NOTICED_MS);
      expect(sleep.endedAt).not.toBeNull();
    },
  );

  test("the system clock is not disturbed by a time service that slows it down", async () => {
    const { clock, set } = machine();
    const sleep = asleep(clock, START + HOUR_MS);
    for (let minute = 0; minute < 60; minute++) {
      await vi.advanceTimersByTimeAsync(MINUTE_MS);
      set(-30);
    }
    expect(sleep.endedAt).toBeNull();
    await vi.advanceTimersByTimeAsync(1_800);
    expect(sleep.endedAt).toBe(START + HOUR_MS);
  });

  test("the system clock is woken by the signal, and leaves no timer or listener", async () => {
    const { clock } = machine();
    const stop = new AbortController();
    const sleep = asleep(clock, START + HOUR_MS, stop.signal);
    await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
    stop.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(sleep.endedAt).toBe(START + 5 * MINUTE_MS);
    expect([vi.getTimerCount(), getEventListeners(stop.signal, "abort").length]).toEqual([0, 0]);
  });
});

describe("the simulated clock", () => {
  const THEN = Date.parse("2025-10-25T20:00:00Z");

  test("the simulated clock starts at the given time and runs at the given speed", async () => {
    const { source } = machine();
    const clock = simulatedClock(source, THEN, 60);
    expect([clock.now(), clock.monotonicMs()]).toEqual([THEN, 0]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect([clock.now(), clock.monotonicMs()]).toEqual([THEN + HOUR_MS, HOUR_MS]);
  });

  test("the simulated clock sleeps shorter by its speed", async () => {
    const clock = simulatedClock(machine().source, THEN, 3_600);
    const sleep = asleep(clock, THEN + DAY_MS);
    await vi.advanceTimersByTimeAsync(24 * SECOND_MS - 1);
    expect(sleep.endedAt).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(sleep.endedAt).toBe(THEN + DAY_MS);
  });

  test("the simulated clock does not depend on the wall clock", async () => {
    const { source, set } = machine();
    const clock = simulatedClock(source, THEN, 1);
    const sleep = asleep(clock, THEN + HOUR_MS);
    set(-DAY_MS);
    set(3 * DAY_MS);
    await vi.advanceTimersByTimeAsync(30 * MINUTE_MS);
    expect([clock.now(), sleep.endedAt]).toEqual([THEN + 30 * MINUTE_MS, null]);
  });

  test("the simulated clock has a different boot id each time", async () => {
    const { source } = machine();
    const first = simulatedClock(source, THEN, 1);
    await vi.advanceTimersByTimeAsync(1);
    const second = simulatedClock(source, THEN, 1);
    expect(new Set([source.boot, first.boot, second.boot]).size).toBe(3);
  });
});
