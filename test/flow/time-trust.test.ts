import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { RELEASED_AT } from "../../src/core/status/version.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/core/time/interval.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { RawServer, rawAnswer } from "../support/service/raw-server.ts";

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
