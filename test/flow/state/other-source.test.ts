import { describe, expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { type Simulator, startSimulator } from "../../../src/simulator/simulator.ts";
import { Mosquitto } from "../../support/broker/mosquitto.ts";
import { retainedIn } from "../../support/broker/retained.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import type { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { askJson, startLocalApi } from "../../support/http/local-api.ts";
import { planEntry } from "../../support/plans/plan-topics.ts";
import { lacks } from "../../support/runner/needs.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";
import { writeEarlierDatabase } from "../../support/storage/earlier-database.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const OFFLINE = [{ operation: "*", fault: "lostConnection" }] as const;
const api = {
  ...{ host: "127.0.0.1", port: 0, requests_per_minute: 10_000, requests_per_day: 1_000_000 },
  keys: [{ name: "test", key: LAN_KEY, scopes: ["control" as const] }],
};

/** Returns the ids of the homes with a current price. */
async function pricedHomes(daemon: TestDaemon): Promise<string[]> {
  const { homes } = (await askJson(daemon, "now")) as { homes: { id: string; price: number | null }[] };
  return homes.filter(({ price }) => price !== null).map(({ id }) => id);
}

/** Returns a configuration for another simulator. */
function at(simulator: Simulator) {
  return { api, service: { base_url: simulator.url }, consumer: { api_key: String(simulator.keys.consumerKey) } };
}

describe("after a change of base_url", () => {
  test("the homes of the other service end at once, and come back with it", async () => {
    await using daemon = await startLocalApi({
      start: MORNING,
      config: { plans: [planEntry({ kind: "window", hours: 2 })] },
    });
    await using other = await startSimulator({ now: () => daemon.clock.now(), homes: ["swedish"] });
    await daemon.untilPriced();
    expect(await pricedHomes(daemon)).toEqual(["home"]);
    const address = `/consumer/v1/me/addresses/${daemon.simulator.addressIds.danish}/prices?from=2026-03-10T00:00:00Z&to=2026-03-10T20:00:00Z&resolution=fifteenMinutes`;
    expect((await daemon.request(address)).status).toBe(200);

    other.setFaults(OFFLINE);
    await daemon.restart(at(other));
    expect(await askJson(daemon, "now")).toMatchObject({ homes: [] });
    expect((await daemon.request(address)).status).not.toBe(200);
    other.setFaults([]);
    await daemon.clock.runUntil(MORNING + HOUR_MS);
    await daemon.untilPriced();
    expect(await pricedHomes(daemon)).toEqual(["stugan"]);

    daemon.simulator.setFaults(OFFLINE);
    await daemon.restart({ api });
    expect(await pricedHomes(daemon)).toEqual(["home"]);
    expect((await daemon.request(address)).status).toBe(200);
  });

  test("attempts and learned limits of the other service do not limit requests", async () => {
    const limits = { minute: 3, day: 12 };
    await using daemon = await startLocalApi({ start: MORNING, simulator: { limits } });
    await using other = await startSimulator({ now: () => daemon.clock.now(), homes: ["swedish"] });
    await daemon.clock.runUntil(MORNING + HOUR_MS);
    await daemon.restart(at(other));
    await daemon.untilPriced();
    expect(await pricedHomes(daemon)).toEqual(["stugan"]);
    expect(daemon.clock.now()).toBeLessThan(MORNING + HOUR_MS + 5 * MINUTE_MS);
  });

  test.skipIf(lacks("Mosquitto"))("no topic of the earlier homes stays at the broker", async () => {
    await using broker = await Mosquitto.start();
    const mqtt = { url: `mqtt://127.0.0.1:${broker.port}` };
    await using daemon = await startLocalApi({ start: MORNING, config: { mqtt, api } });
    await using other = await startSimulator({ now: () => daemon.clock.now(), homes: ["swedish"] });
    await daemon.untilPriced();
    const topicsOf = async (home: string) =>
      Object.keys(await retainedIn(broker.port)).filter((topic) => topic.split(/[/_]/).includes(home));
    await expect.poll(async () => (await topicsOf("home")).length).toBeGreaterThan(10);
    other.setFaults(OFFLINE);
    await daemon.restart({ ...at(other), mqtt });
    await daemon.clock.runUntil(MORNING + HOUR_MS);
    await expect.poll(() => topicsOf("home")).toEqual([]);
  });
});

describe("after a change of the key", () => {
  test("the stored homes stay until the list of addresses, which is requested at once", async () => {
    await using daemon = await startLocalApi({ start: MORNING, simulator: { accounts: 2 } });
    await daemon.untilPriced();
    const listed = () => daemon.simulator.answered().filter(({ operation }) => operation === "addresses").length;
    const before = listed();
    const consumer = { api_key: `${daemon.simulator.keys.consumerKey}-2` };
    daemon.simulator.setFaults(OFFLINE);
    await daemon.restart({ api, consumer });
    expect(await pricedHomes(daemon)).toEqual(["home"]);
    // The request is due until it is answered, also after a restart.
    await daemon.restart({ api, consumer });
    daemon.simulator.setFaults([]);
    await daemon.clock.runUntil(daemon.clock.now() + 10 * MINUTE_MS);
    await daemon.untilPriced();
    expect(await pricedHomes(daemon)).toEqual(["home_2"]);
    const answered = listed();
    expect(answered).toBeGreaterThan(before);
    await daemon.restart({ api, consumer });
    await daemon.clock.runUntil(daemon.clock.now() + 10 * MINUTE_MS);
    expect(listed()).toBe(answered);
  });
});

test("a database of a version that did not know its source belongs to the configured account until the list of addresses", async () => {
  using dir = new TempDir();
  writeEarlierDatabase(5, dir.file("elbro.db"));
  const start = Date.parse("2026-03-11T10:31:00Z");
  await using daemon = await startLocalApi({ start, dir, simulator: { homes: ["swedish"], faults: OFFLINE } });
  expect(await pricedHomes(daemon)).toEqual(["home"]);
  daemon.simulator.setFaults([]);
  await daemon.clock.runUntil(start + 10 * MINUTE_MS);
  await daemon.untilPriced();
  expect(await pricedHomes(daemon)).toEqual(["stugan"]);
});
