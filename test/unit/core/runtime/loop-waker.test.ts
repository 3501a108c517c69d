import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { LoopWaker } from "../../../../src/core/runtime/loop-waker.ts";

/** Sleeps until its signal fires. */
function untilWoken(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

describe("LoopWaker", () => {
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

  test("LoopWaker leaves no listener on the stop signal after many sleeps", async () => {
    const waker = new LoopWaker();
    const stop = new AbortController();
    for (let i = 0; i < 1_000; i++) await waker.sleep(async () => undefined, stop.signal);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
  });
});
