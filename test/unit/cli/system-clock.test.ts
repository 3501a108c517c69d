import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { machineClock, simulatedClock, type TimeSource } from "../../../src/cli/system-clock.ts";
import type { Clock } from "../../../src/core/runtime/clock.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/core/time/interval.ts";

const START = Date.parse("2026-03-10T09:00:00Z");
/** The longest time in which a clock that was set is noticed. */
const NOTICED_MS = 15 * SECOND_MS;

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ["setTimeout", "clearTimeout", "Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A machine whose wall clock can be set; its timers and its monotonic clock go on. */
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

/** A sleep that tells when it has ended. */
function asleep(clock: Clock, at: number, signal = new AbortController().signal) {
  const sleep = { endedAt: null as number | null };
  void clock.sleepUntil(at, signal).then(() => {
    sleep.endedAt = clock.now();
  });
  return sleep;
}

describe("the machine's clock", () => {
  test("sleeps until a time, not a moment less", async () => {
    const { clock } = machine();
    const sleep = asleep(clock, START + HOUR_MS + 1);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(sleep.endedAt).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(sleep.endedAt).toBe(START + HOUR_MS + 1);
  });

  test("shows whole milliseconds, and has reached a time only when it is there", async () => {
    const { source } = machine();
    const clock = machineClock({ ...source, wallMs: () => source.wallMs() - 0.4 });
    expect(clock.now()).toBe(START - 1);
    const sleep = asleep(clock, START + 10);
    await vi.advanceTimersByTimeAsync(20);
    expect(sleep.endedAt).toBe(START + 10);
  });

  test("does not sleep for what is past, nor when it is to stop", async () => {
    const { clock } = machine();
    await clock.sleepUntil(START, new AbortController().signal);
    await clock.sleepUntil(START + HOUR_MS, AbortSignal.abort());
    expect(vi.getTimerCount()).toBe(0);
  });

  test("notices within a quarter of a minute that it was set forwards", async () => {
    const { clock, set } = machine();
    const sleep = asleep(clock, START + HOUR_MS);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    set(2 * HOUR_MS);
    await vi.advanceTimersByTimeAsync(NOTICED_MS);
    expect(sleep.endedAt).not.toBeNull();
  });

  test.each([MINUTE_MS, 2 * DAY_MS, 43 * 365 * DAY_MS])("notices so that it was set back by %d ms", async (byMs) => {
    const { clock, set } = machine();
    const sleep = asleep(clock, START + HOUR_MS);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    set(-byMs);
    await vi.advanceTimersByTimeAsync(NOTICED_MS);
    expect(sleep.endedAt).not.toBeNull();
  });

  test("is not disturbed by a time service that slows it", async () => {
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

  test("is woken by the signal, and leaves neither timer nor listener behind", async () => {
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

describe("a simulated clock", () => {
  const THEN = Date.parse("2025-10-25T20:00:00Z");

  test("starts where it is told, and runs as fast as it is told", async () => {
    const { source } = machine();
    const clock = simulatedClock(source, THEN, 60);
    expect([clock.now(), clock.monotonicMs()]).toEqual([THEN, 0]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect([clock.now(), clock.monotonicMs()]).toEqual([THEN + HOUR_MS, HOUR_MS]);
  });

  test("sleeps as much shorter", async () => {
    const clock = simulatedClock(machine().source, THEN, 3_600);
    const sleep = asleep(clock, THEN + DAY_MS);
    await vi.advanceTimersByTimeAsync(24 * SECOND_MS - 1);
    expect(sleep.endedAt).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(sleep.endedAt).toBe(THEN + DAY_MS);
  });

  test("runs slowly as well", async () => {
    const clock = simulatedClock(machine().source, THEN, 0.5);
    const sleep = asleep(clock, THEN + MINUTE_MS);
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS - 1);
    expect(sleep.endedAt).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(sleep.endedAt).toBe(THEN + MINUTE_MS);
  });

  test("knows nothing of the machine's wall clock", async () => {
    const { source, set } = machine();
    const clock = simulatedClock(source, THEN, 1);
    const sleep = asleep(clock, THEN + HOUR_MS);
    set(-DAY_MS);
    set(3 * DAY_MS);
    await vi.advanceTimersByTimeAsync(30 * MINUTE_MS);
    expect([clock.now(), sleep.endedAt]).toEqual([THEN + 30 * MINUTE_MS, null]);
  });

  test("is a boot of its own each time", async () => {
    const { source } = machine();
    const first = simulatedClock(source, THEN, 1);
    await vi.advanceTimersByTimeAsync(1);
    const second = simulatedClock(source, THEN, 1);
    expect(new Set([source.boot, first.boot, second.boot]).size).toBe(3);
  });
});
