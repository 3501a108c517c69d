import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { LoopWaker } from "../../../../src/core/runtime/loop-waker.ts";
import { StateLoop } from "../../../../src/core/runtime/state-loop.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import { SingleLoopClock } from "../../../support/clock/single-loop-clock.ts";

const START = Date.parse("2026-03-10T09:00:00Z");

/** Sleeps until its signal fires. */
function untilWoken(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

describe("LoopWaker", () => {
  test("LoopWaker wakes a sleeping loop", async () => {
    const waker = new LoopWaker();
    const sleep = waker.sleep(untilWoken, new AbortController().signal);
    waker.wake();
    await sleep;
  });

  test("LoopWaker skips one sleep after it was called while the loop was awake", async () => {
    const waker = new LoopWaker();
    waker.wake();
    waker.wake();
    await waker.sleep(untilWoken, new AbortController().signal);
    let woken = false;
    const sleep = waker.sleep(untilWoken, new AbortController().signal).then(() => {
      woken = true;
    });
    await new Promise(setImmediate);
    expect(woken).toBe(false);
    waker.wake();
    await sleep;
  });

  test("LoopWaker ends the sleep when the stop signal fires", async () => {
    const waker = new LoopWaker();
    const stop = new AbortController();
    const sleep = waker.sleep(untilWoken, stop.signal);
    stop.abort();
    await sleep;
    await waker.sleep(() => new Promise(() => undefined), stop.signal);
  });

  test("LoopWaker leaves no listener on the stop signal after many sleeps", async () => {
    const waker = new LoopWaker();
    const stop = new AbortController();
    for (let i = 0; i < 1_000; i++) await waker.sleep(async () => undefined, stop.signal);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
  });
});

describe("StateLoop", () => {
  function edges(clock: SingleLoopClock, nextAfter: (now: number) => number) {
    const shown: number[] = [];
    const loop = new StateLoop(clock, (now) => {
      shown.push(now - START);
      return nextAfter(now);
    });
    const stop = new AbortController();
    return { shown, loop, stop, ended: loop.run(stop.signal) };
  }

  test("StateLoop shows the state at the start, and again at each time that it returned", async () => {
    const clock = new SingleLoopClock(START);
    const { shown, stop, ended } = edges(clock, (now) => now + 15 * MINUTE_MS);
    await clock.runUntil(START + HOUR_MS);
    expect(shown).toEqual([0, 15, 30, 45, 60].map((minutes) => minutes * MINUTE_MS));
    stop.abort();
    await ended;
  });

  test("StateLoop shows the state after data changed, also during a call, and again at the returned time", async () => {
    const clock = new SingleLoopClock(START);
    const { shown, loop, stop, ended } = edges(clock, () => START + HOUR_MS);
    await clock.runUntil(START + MINUTE_MS);
    loop.wake();
    await clock.runUntil(START + 2 * MINUTE_MS);
    expect(shown).toEqual([0, MINUTE_MS]);
    await clock.runUntil(START + HOUR_MS);
    expect(shown.slice(0, 3)).toEqual([0, MINUTE_MS, HOUR_MS]);
    stop.abort();
    await ended;
  });

  test("StateLoop shows many simultaneous changes once", async () => {
    const clock = new SingleLoopClock(START);
    const { shown, loop, stop, ended } = edges(clock, () => START + HOUR_MS);
    for (let i = 0; i < 100; i++) loop.wake();
    await clock.runUntil(START + MINUTE_MS);
    expect(shown).toEqual([0, 0]);
    stop.abort();
    await ended;
  });

  test("StateLoop does not spin if the returned time is in the past", async () => {
    const clock = new SingleLoopClock(START);
    const { shown, stop, ended } = edges(clock, () => START - HOUR_MS);
    await clock.runUntil(START + 10_000);
    expect(shown).toHaveLength(11);
    stop.abort();
    await ended;
  });
});
