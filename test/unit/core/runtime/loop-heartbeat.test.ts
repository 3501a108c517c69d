import { describe, expect, test } from "vitest";
import { LoopHeartbeat } from "../../../../src/core/runtime/loop-heartbeat.ts";
import { MINUTE_MS } from "../../../../src/core/time/interval.ts";
import { ManualMachine } from "../../../support/clock/manual-machine.ts";

const HOUR_MS = 60 * MINUTE_MS;

function asleepFor(ms: number) {
  const machine = new ManualMachine();
  const heartbeat = new LoopHeartbeat("a loop", machine.clock);
  heartbeat.sleep(machine.wallMs + ms);
  return { machine, heartbeat };
}

describe("a sleeping loop", () => {
  test("a sleeping loop is late two minutes after it should have woken up", () => {
    const { machine, heartbeat } = asleepFor(HOUR_MS);
    machine.advance(HOUR_MS + 2 * MINUTE_MS);
    expect(heartbeat.lateMs).toBe(0);
    machine.advance(7_000);
    expect(heartbeat.lateMs).toBe(7_000);
    heartbeat.turn();
    expect(heartbeat.lateMs).toBe(0);
  });

  test("a sleeping loop is not late after the clock was set ahead, because it wakes up some seconds later", () => {
    const { machine, heartbeat } = asleepFor(HOUR_MS);
    machine.wallMs += 50 * 365 * 24 * HOUR_MS;
    machine.advance(15_000);
    expect(heartbeat.lateMs).toBe(0);
  });

  test("a sleeping loop is late by the monotonic clock if it does not notice that the clock was set ahead", () => {
    const { machine, heartbeat } = asleepFor(HOUR_MS);
    machine.wallMs += 24 * HOUR_MS;
    machine.advance(HOUR_MS + 3 * MINUTE_MS);
    expect(heartbeat.lateMs).toBe(MINUTE_MS);
  });

  test("a sleeping loop is not late after the clock was set back", () => {
    const { machine, heartbeat } = asleepFor(HOUR_MS);
    machine.wallMs -= 24 * HOUR_MS;
    machine.advance(2 * HOUR_MS);
    expect(heartbeat.lateMs).toBe(0);
  });
});

test("a working loop is late five minutes after the start of its iteration", () => {
  const machine = new ManualMachine();
  const heartbeat = new LoopHeartbeat("a loop", machine.clock);
  machine.advance(5 * MINUTE_MS);
  expect(heartbeat.lateMs).toBe(0);
  heartbeat.turn();
  machine.advance(6 * MINUTE_MS);
  expect(heartbeat.lateMs).toBe(MINUTE_MS);
});
