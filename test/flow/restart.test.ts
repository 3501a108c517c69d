import { expect, test } from "vitest";
import { HOUR_MS } from "../../src/core/interval.ts";
import { TestDaemon } from "../support/test-daemon.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");

/**
 * Waits until what is due is asked, answered and kept: a request that a stop cuts off is asked again, as it should be.
 * Seen twice in a row, since one answer is followed by the next request.
 */
async function untilAllIsKept(house: TestDaemon): Promise<void> {
  for (let open = true, before = -1; open || before !== house.simulator.answered().length; ) {
    before = house.simulator.answered().length;
    await house.clock.settle();
    const { interfaces } = (await (await house.ask("/local/v1/system")).json()) as {
      interfaces: { today: { by_outcome: Record<string, number> } }[];
    };
    open = interfaces.some(({ today }) => "open" in today.by_outcome);
  }
}

test("a restart asks nothing again, and shows the price from the shelf before it asks at all", async () => {
  await using house = await TestDaemon.start({ start: MORNING });
  await house.clock.runUntil(MORNING + 2 * HOUR_MS);
  await untilAllIsKept(house);
  const asked = house.simulator.answered().length;
  await house.watcher.until(
    () => house.watcher.json("elbro/home/price/state").start === "2026-03-10T11:00:00Z",
    "11:00",
  );
  const { price } = house.watcher.json("elbro/home/price/state");

  await house.stopDaemon();
  house.simulator.setFaults([{ operation: "*", fault: "lostConnection" }]);
  await house.startDaemon();
  await house.watcher.until(() => house.watcher.json("elbro/home/price/state").price === price, "the same price");
  await house.clock.settle();
  expect(house.simulator.answered().length).toBe(asked);

  house.simulator.setFaults([]);
  await house.clock.runUntil(MORNING + 6 * HOUR_MS);
  const later = house.simulator.answered().slice(asked);
  expect(later.map(({ operation }) => operation)).toContain("prices");
  expect(house.watcher.json("elbro/home/prices").tomorrow_valid).toBe(true);
});

test("with the service down, prices go on from the shelf to the last one known, and then there is none", async () => {
  await using house = await TestDaemon.start({ start: MORNING, simulator: { homes: ["danish"] } });
  await house.clock.runUntil(MORNING + HOUR_MS);
  house.simulator.setFaults([
    { operation: "prices", fault: "status", status: 502 },
    { operation: "forecastPrices", fault: "status", status: 502 },
  ]);
  const { clock, watcher } = house;
  const lastQuarter = Date.parse("2026-03-10T22:45:00Z");
  await clock.runUntil(lastQuarter);
  await watcher.until(
    () => watcher.json("elbro/home/price/state").start === "2026-03-10T22:45:00Z",
    "the last quarter",
  );
  expect(watcher.json("elbro/home/price/state")).toMatchObject({ estimate: false });

  const answer = await house.ask(
    `/consumer/v1/me/addresses/${house.simulator.addressIds.danish}/prices?from=2026-03-10T00:00:00Z&to=2026-03-10T20:00:00Z&resolution=fifteenMinutes`,
  );
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-elbro-source")).toBe("shelf");
});

test("a home without a price for the moment shows none: not the last one, and no cheap signal", async () => {
  await using house = await TestDaemon.start({ start: MORNING, simulator: { homes: ["danish"] } });
  await house.clock.runUntil(MORNING + HOUR_MS);
  house.simulator.setFaults([{ operation: "*", fault: "lostConnection" }]);
  const { clock, watcher } = house;
  await clock.runUntil(MORNING + 9 * 24 * HOUR_MS);
  await watcher.until(() => watcher.json("elbro/home/price/state").price === null, "no price");
  expect(watcher.payload("elbro/home/price")).toBeNull();
  expect(watcher.payload("elbro/home/price/level")).toBeNull();
  expect(watcher.payload("elbro/home/cheap")).toBe("OFF");
});
