import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { RELEASED_AT } from "../../../src/core/status/version.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { planEntry } from "../../support/plans/plan-topics.ts";
import { RawServer, rawAnswer } from "../../support/service/raw-server.ts";

const MORNING = RELEASED_AT + 30 * DAY_MS + 8 * HOUR_MS;

function problems(daemon: TestDaemon): unknown[] {
  const list = daemon.watcher.json("elbro/info").problems;
  return Array.isArray(list) ? list : [];
}

/** Returns the changes of the signal in order, since the log was last cleared. */
function signals(daemon: TestDaemon): string[] {
  return daemon.watcher.seen.filter(({ topic }) => topic === "elbro/home/cheap").map(({ payload }) => String(payload));
}

test("with a wrong clock no signal is ON, and it is a problem; a corrected clock works again", async () => {
  await using daemon = await TestDaemon.start({
    start: MORNING,
    serviceAheadMs: 10 * MINUTE_MS,
    simulator: { homes: ["danish"] },
  });
  await daemon.clock.runUntil(MORNING + DAY_MS);
  const { watcher } = daemon;
  await watcher.until(() => problems(daemon).length > 0, "a problem");
  expect(problems(daemon)).toMatchObject([
    { code: "clock_wrong", detail: expect.stringContaining("10 min behind the service's clock") },
  ]);
  expect(watcher.payload("elbro/home/price")).not.toBeNull();
  expect(new Set(signals(daemon))).toEqual(new Set(["OFF"]));

  daemon.serviceAheadMs = 0;
  await daemon.clock.runUntil(MORNING + DAY_MS + 4 * HOUR_MS);
  await watcher.until(() => problems(daemon).length === 0, "no problem");
  await daemon.clock.runUntil(MORNING + 2 * DAY_MS);
  await watcher.until(() => signals(daemon).includes("ON"), "a cheap hour");
});

test("before the release date no signal is ON, even if the service has the same time", async () => {
  await using daemon = await TestDaemon.start({
    start: RELEASED_AT - 9 * DAY_MS,
    serviceAheadMs: 0,
    simulator: { homes: ["danish"] },
  });
  await daemon.clock.runUntil(RELEASED_AT - 8 * DAY_MS);
  await daemon.watcher.until(() => problems(daemon).length > 0, "a problem");
  expect(problems(daemon)).toMatchObject([{ code: "clock_wrong" }]);
  expect(new Set(signals(daemon))).toEqual(new Set(["OFF"]));
});

test("the Date header of a captive portal does not affect the trust in the clock", async () => {
  const odd = ["Date: Tue, 19 Jan 2038 03:14:07 GMT", "Content-Type: text/html"];
  const answer = (socket: Socket) => void socket.end(rawAnswer("<html>terms</html>", odd));
  await using daemon = await TestDaemon.start({ start: MORNING, serviceAheadMs: 0, simulator: { homes: ["danish"] } });
  await daemon.clock.runUntil(MORNING + HOUR_MS);
  await daemon.stop();
  await daemon.simulator.close();
  // The portal answers at the address of the service.
  await using portal = await RawServer.start(answer, undefined, Number(new URL(daemon.simulator.url).port));
  await daemon.restart();
  await daemon.clock.runUntil(MORNING + 9 * HOUR_MS);
  expect(portal.requests.length).toBeGreaterThan(3);
  expect(problems(daemon)).not.toContainEqual(expect.objectContaining({ code: "clock_wrong" }));
  expect(daemon.watcher.payload("elbro/home/price")).not.toBeNull();
});

test.each([
  ["in 1970", 0],
  ["in 1970, an hour after midnight", HOUR_MS],
  ["in 2038", Date.UTC(2038, 0, 19, 3, 14)],
  ["in 2100", Date.UTC(2100, 1, 28, 23)],
  ["on the last day of the calendar", Date.UTC(2199, 11, 31, 23)],
  ["beyond 2209", Date.UTC(2209, 11, 31, 20)],
  ["where the clock of Linux ends", Date.UTC(2262, 3, 11)],
])("a start %s works, with retention of a hundred years", async (_, start) => {
  await using daemon = await TestDaemon.start({
    start,
    serviceAheadMs: MORNING - start,
    simulator: { homes: ["danish"] },
    config: { retention: { years: 100 }, history: { months: 60 } },
  });
  await daemon.clock.runUntil(start + 10 * MINUTE_MS);
  await daemon.watcher.until(() => problems(daemon).length > 0, "a problem");
  expect(problems(daemon)).toMatchObject([{ code: "clock_wrong" }]);
  expect(signals(daemon)).not.toContain("ON");
});

describe("a machine that was paused for six minutes during a run", () => {
  const STARTS = Date.parse("2026-12-10T21:30:00Z");
  const PAUSE_MS = 6 * MINUTE_MS;

  /** Starts a daemon with a plan that runs from 22:30 to 01:30, and pauses the machine half an hour after its start. */
  async function pausedInRun(): Promise<TestDaemon> {
    const daemon = await TestDaemon.start({
      start: STARTS - 5 * HOUR_MS,
      serviceAheadMs: 0,
      simulator: { homes: ["danish"], publicationDelayMinutes: () => 0 },
      config: { plans: [planEntry({ kind: "window", hours: 3, from: "22:30", ready_by: "01:30", kwh: 1.2 })] },
    });
    await daemon.clock.runUntil(STARTS + 30 * MINUTE_MS);
    await daemon.watcher.until(() => daemon.watcher.payload(SIGNAL) === "ON", "the run");
    daemon.watcher.seen.length = 0;
    return daemon;
  }

  const SIGNAL = "elbro/home/plan/washer";
  const plan = (daemon: TestDaemon) =>
    daemon.watcher.seen.filter(({ topic }) => topic === SIGNAL).map(({ payload }) => String(payload));

  test("a machine that was paused for six minutes during a run keeps the run, and asks the service for the time at once", async () => {
    await using daemon = await pausedInRun();
    const before = daemon.simulator.answered().length;
    daemon.clock.pauseMachine(PAUSE_MS);
    await daemon.clock.runUntil(daemon.clock.now() + 16 * MINUTE_MS);
    expect(
      daemon.simulator
        .answered()
        .slice(before)
        .map(({ operation }) => operation),
    ).toEqual(["addresses"]);
    expect(plan(daemon)).not.toContain("OFF");
    expect(problems(daemon)).toEqual([]);
    await daemon.clock.runUntil(STARTS + 2 * HOUR_MS);
    expect([daemon.watcher.payload(SIGNAL), plan(daemon)]).toEqual(["ON", expect.not.arrayContaining(["OFF"])]);
    expect(String(daemon.watcher.json(`${SIGNAL}/state`).reason)).not.toContain("not running");
  });

  test("a machine that was paused for six minutes during a run keeps the run for ten minutes if the service does not answer, and then reports the clock", async () => {
    await using daemon = await pausedInRun();
    daemon.simulator.setFaults([{ operation: "*", fault: "lostConnection" }]);
    daemon.clock.pauseMachine(PAUSE_MS);
    const paused = daemon.clock.now();
    await daemon.clock.runUntil(paused + 9 * MINUTE_MS);
    expect(plan(daemon)).not.toContain("OFF");
    await daemon.clock.runUntil(paused + 40 * MINUTE_MS);
    await daemon.watcher.until(() => daemon.watcher.payload(SIGNAL) === "OFF", "the end of the run");
    expect(problems(daemon)).toContainEqual(expect.objectContaining({ code: "clock_wrong" }));
  });
});
