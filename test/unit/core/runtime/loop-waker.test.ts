import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { LoopWaker } from "../../../../src/core/runtime/loop-waker.ts";
import { StateLoop } from "../../../../src/core/runtime/state-loop.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import { SingleLoopClock } from "../../../support/daemon/single-loop-clock.ts";

const START = Date.parse("2026-03-10T09:00:00Z");

/** Sleeps until its signal fires. */
function untilWoken(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

describe("a sleeper", () => {
  test("is woken by whoever wakes it", async () => {
    const waker = new LoopWaker();
    const sleep = waker.sleep(untilWoken, new AbortController().signal);
    waker.wake();
    await sleep;
  });

  test("that was woken while awake does not fall asleep, once", async () => {
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

  test("sleeps no more when it is to stop, and is woken by that", async () => {
    const waker = new LoopWaker();
    const stop = new AbortController();
    const sleep = waker.sleep(untilWoken, stop.signal);
    stop.abort();
    await sleep;
    await waker.sleep(() => new Promise(() => undefined), stop.signal);
  });

  test("leaves no listener at the stop signal, however often it sleeps", async () => {
    const waker = new LoopWaker();
    const stop = new AbortController();
    for (let i = 0; i < 1_000; i++) await waker.sleep(async () => undefined, stop.signal);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
  });
});

describe("edges", () => {
  function edges(clock: SingleLoopClock, nextAfter: (now: number) => number) {
    const shown: number[] = [];
    const loop = new StateLoop(clock, (now) => {
      shown.push(now - START);
      return nextAfter(now);
    });
    const stop = new AbortController();
    return { shown, loop, stop, ended: loop.run(stop.signal) };
  }

  test("show the state at once, and again at each moment it named", async () => {
    const clock = new SingleLoopClock(START);
    const { shown, stop, ended } = edges(clock, (now) => now + 15 * MINUTE_MS);
    await clock.runUntil(START + HOUR_MS);
    expect(shown).toEqual([0, 15, 30, 45, 60].map((minutes) => minutes * MINUTE_MS));
    stop.abort();
    await ended;
  });

  test("show it when data has changed, also while it is shown, and at the moment all the same", async () => {
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

  test("many changes at once are shown once", async () => {
    const clock = new SingleLoopClock(START);
    const { shown, loop, stop, ended } = edges(clock, () => START + HOUR_MS);
    for (let i = 0; i < 100; i++) loop.wake();
    await clock.runUntil(START + MINUTE_MS);
    expect(shown).toEqual([0, 0]);
    stop.abort();
    await ended;
  });

  test("do not spin where the named moment is over", async () => {
    const clock = new SingleLoopClock(START);
    const { shown, stop, ended } = edges(clock, () => START - HOUR_MS);
    await clock.runUntil(START + 10_000);
    expect(shown).toHaveLength(11);
    stop.abort();
    await ended;
  });
});
