import { expect, test } from "vitest";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");

/**
 * Waits until all due requests are sent, answered and stored. A request that a stop interrupts would be sent again.
 * Must be true twice in a row, because a response can be followed by the next request.
 */
async function untilAllIsKept(daemon: TestDaemon): Promise<void> {
  for (let open = true, before = -1; open || before !== daemon.simulator.answered().length; ) {
    before = daemon.simulator.answered().length;
    await daemon.clock.settle();
    const { interfaces } = (await (await daemon.request("/local/v1/system")).json()) as {
      interfaces: { today: { by_outcome: Record<string, number> } }[];
    };
    open = interfaces.some(({ today }) => "open" in today.by_outcome);
  }
}

test("a restart repeats no requests, and publishes the stored price before any request", async () => {
  await using daemon = await TestDaemon.start({ start: MORNING });
  await daemon.clock.runUntil(MORNING + 2 * HOUR_MS);
  await untilAllIsKept(daemon);
  const asked = daemon.simulator.answered().length;
  await daemon.watcher.until(
    () => daemon.watcher.json("elbro/home/price/state").start === "2026-03-10T11:00:00Z",
    "11:00",
  );
  const { price } = daemon.watcher.json("elbro/home/price/state");

  await daemon.stop();
  daemon.simulator.setFaults([{ operation: "*", fault: "lostConnection" }]);
  await daemon.restart();
  await daemon.watcher.until(() => daemon.watcher.json("elbro/home/price/state").price === price, "the same price");
  await daemon.clock.settle();
  expect(daemon.simulator.answered().length).toBe(asked);

  daemon.simulator.setFaults([]);
  await daemon.clock.runUntil(MORNING + 6 * HOUR_MS);
  const later = daemon.simulator.answered().slice(asked);
  expect(later.map(({ operation }) => operation)).toContain("prices");
  expect(daemon.watcher.json("elbro/home/prices").tomorrow_valid).toBe(true);
});

test("without the service, stored prices are used until the last one, then no price is published", async () => {
  await using daemon = await TestDaemon.start({ start: MORNING, simulator: { homes: ["danish"] } });
  await daemon.clock.runUntil(MORNING + HOUR_MS);
  daemon.simulator.setFaults([
    { operation: "prices", fault: "status", status: 502 },
    { operation: "forecastPrices", fault: "status", status: 502 },
  ]);
  const { clock, watcher } = daemon;
  const lastQuarter = Date.parse("2026-03-10T22:45:00Z");
  await clock.runUntil(lastQuarter);
  await watcher.until(
    () => watcher.json("elbro/home/price/state").start === "2026-03-10T22:45:00Z",
    "the last quarter",
  );
  expect(watcher.json("elbro/home/price/state")).toMatchObject({ estimate: false });

  const answer = await daemon.request(
    `/consumer/v1/me/addresses/${daemon.simulator.addressIds.danish}/prices?from=2026-03-10T00:00:00Z&to=2026-03-10T20:00:00Z&resolution=fifteenMinutes`,
  );
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-elbro-source")).toBe("shelf");
});

test("a home without a current price publishes neither an earlier price nor the signal cheap", async () => {
  await using daemon = await TestDaemon.start({ start: MORNING, simulator: { homes: ["danish"] } });
  await daemon.clock.runUntil(MORNING + HOUR_MS);
  daemon.simulator.setFaults([{ operation: "*", fault: "lostConnection" }]);
  const { clock, watcher } = daemon;
  await clock.runUntil(MORNING + 9 * 24 * HOUR_MS);
  await watcher.until(() => watcher.json("elbro/home/price/state").price === null, "no price");
  expect(watcher.payload("elbro/home/price")).toBeNull();
  expect(watcher.payload("elbro/home/price/level")).toBeNull();
  expect(watcher.payload("elbro/home/cheap")).toBe("OFF");
});
