import { describe, expect, test } from "vitest";
import { shardOf } from "../../../src/core/sharding/shard.ts";
import { TestFleet } from "../../support/processes/test-fleet.ts";
import { lacks } from "../../support/runner/needs.ts";

const START = Date.parse("2026-03-10T09:00:00Z");
const ACCOUNTS = 8;
const numbers = Array.from({ length: ACCOUNTS }, (_, i) => i + 1);
/** A minute of the service plus the duration of a request. After it, unknown attempts no longer count. */
const MINUTE_OVER_MS = 92_000;

const statusOf = (number: number, count: number) => `elbro/shard-${shardOf(`a${number}`, count)}/status`;

describe.skipIf(lacks("Mosquitto"))("shards with one Mosquitto (skipped if it is not installed)", () => {
  test("share the accounts, publish each home once, and send requests without a denied one", async () => {
    await using fleet = await TestFleet.open({ start: START, accounts: ACCOUNTS });
    const { watcher, simulator } = fleet;
    // Another process used the keys in this minute. Its attempts are not in any request log here.
    for (const number of numbers)
      for (let i = 0; i < 3; i++)
        await fetch(`${simulator.url}/consumer/v1/me/addresses`, {
          headers: { authorization: `Bearer ${fleet.account(number).api_key}` },
        });
    const before = simulator.answered().length;
    await fleet.start(2);
    // A LAN request in the same minute is not sent either.
    expect((await fleet.request("/consumer/v1/me/addresses")).status).not.toBe(200);
    expect(simulator.answered()).toHaveLength(before);
    const priced = () => numbers.filter((number) => watcher.payload(`elbro/house-${number}/price`) !== null);
    await fleet.until(() => priced().length === ACCOUNTS, "the prices of all homes");
    await fleet.until(() => numbers.every((number) => fleet.shardOfHome(number) !== null), "their documents");

    const asked = simulator.answered().slice(before);
    expect(Math.min(...asked.map(({ at }) => at))).toBeGreaterThanOrEqual(START + MINUTE_OVER_MS);
    expect(asked.filter(({ status }) => status !== 200)).toEqual([]);

    for (const number of numbers) expect(fleet.shardOfHome(number)).toBe(statusOf(number, 2));
    const accounts = [0, 1].map((index) => Object.keys(watcher.json(`elbro/shard-${index}/info`).interfaces ?? {}));
    expect(accounts.flat().sort()).toEqual(numbers.map((number) => `a${number}`));
    expect(accounts.map((own) => own.every((name) => shardOf(name, 2) === accounts.indexOf(own)))).toEqual([
      true,
      true,
    ]);
    for (const number of numbers) {
      // An empty one clears the topic before prices are known, also when a connection begins.
      const payloads = watcher.seen.filter(
        ({ topic, payload }) => topic === `elbro/house-${number}/price` && payload !== "",
      );
      expect(payloads.filter(({ payload }, i) => payload === payloads[i - 1]?.payload)).toEqual([]);
    }
    expect(watcher.payload("elbro/shard-0/status")).toBe("online");
    expect(watcher.topics().filter((topic) => /^elbro\/(status|info|problems|state)$/.test(topic))).toEqual([]);
    expect(fleet.broker.said()).toMatch(/as elbro_shard-1_[0-9a-f]+ /);
  });

  test("respond to a command once, by the shard of its home; a home of no shard gets no response", async () => {
    await using fleet = await TestFleet.open({ start: START, accounts: 4 });
    const { watcher } = fleet;
    await fleet.start(2);
    await fleet.until(() => watcher.payload("elbro/house-4/plan/car-4/state") !== null, "the plan");
    const answers = () => watcher.seen.filter(({ topic }) => topic === "elbro/response");
    await watcher.publish("elbro/nobody/plan/car-4/hours/set", "3");
    await watcher.publish("elbro/house-4/plan/car-4/hours/set", "3");
    await watcher.until(() => answers().length > 0, "an answer");
    await fleet.clock.runUntil(fleet.clock.now() + 60_000);
    expect(answers().map(({ payload }) => JSON.parse(payload))).toEqual([
      { topic: "elbro/house-4/plan/car-4/hours/set", ok: true, reason: null },
    ]);
  });

  test("prepare the next quarter-hour without deciding its plans early", async () => {
    const accounts = 10;
    await using fleet = await TestFleet.open({ start: START, accounts });
    const { watcher, clock } = fleet;
    const plan = { name: "Car", id: "car", kind: "window", hours: 2, from: "11:00", ready_by: "13:00" };
    for (let i = 1; i <= accounts; i++)
      fleet.writeAccount(i, { plans: [{ ...plan, id: `car-${i}`, home: `house-${i}` }] });
    await fleet.start(1);
    const stateOf = (i: number) => watcher.json(`elbro/house-${i}/plan/car-${i}/state`).state;
    const signals = () =>
      Array.from({ length: accounts }, (_, i) => watcher.payload(`elbro/house-${i + 1}/plan/car-${i + 1}`));
    await fleet.until(() => stateOf(accounts) === "scheduled", "the plans");
    const begin = Date.parse("2026-03-10T10:00:00Z");
    await clock.runUntil(begin - 100);
    expect(await (await fleet.request("/metrics")).text()).toMatch(/^elbro_plan_on\{[^}]*car-4[^}]*\} 0$/m);
    expect(await (await fleet.request("/local/v1/plans/car-4")).json()).toMatchObject({
      state: "scheduled",
      on: false,
    });
    expect(new Set(signals())).toEqual(new Set(["OFF"]));
    await clock.runUntil(begin + 1_000);
    await watcher.until(() => signals().every((signal) => signal === "ON"), "all signals");
    await watcher.until(() => stateOf(4) === "running", "the state of a plan");
  });

  test("add accounts, remove deleted ones with their topics, and report an invalid file with its line", async () => {
    await using fleet = await TestFleet.open({ start: START, accounts: 5 });
    const { watcher } = fleet;
    const added = fleet.account(5);
    fleet.removeAccount(5);
    await fleet.start(2);
    const has = (number: number) => watcher.payload(`elbro/house-${number}/price`) !== null;
    await fleet.until(() => [1, 2, 3, 4].every(has), "four homes");
    expect(has(5)).toBe(false);

    fleet.writeAccount(5, added);
    fleet.removeAccount(4);
    fleet.writeAccount(3, 'api_key: key-of-three\nhomes:\n - { address_id: none, id: "House 3" }\n');
    fleet.writeAccount(2, { homes: fleet.account(1).homes, plans: [] });
    await fleet.reload();
    await fleet.until(() => has(5) && !has(4), "the fifth and not the fourth");
    await fleet.until(
      () => watcher.payload("homeassistant/device/elbro_house-4_plan_car-4/config") === null,
      "no plan",
    );
    expect(watcher.topics().filter((topic) => topic.includes("house-4"))).toEqual([]);
    expect([1, 2, 3].filter(has)).toEqual([1, 2, 3]);

    const refusals = fleet.log.filter((line) => line.includes("account_refused")).join("\n");
    expect(refusals).toContain("a3.yaml: homes[0].address_id: expected a UUID");
    expect(refusals).toContain("(line 3)");
    expect(refusals).toMatch(/a2\.yaml: homes\[0\]\.id: is used by a1\.yaml already; each needs its own \(line \d+\)/);
    expect(refusals).not.toContain("key-of-three");

    fleet.writeAccount(3);
    fleet.writeAccount(2);
    await fleet.reload();
    await fleet.clock.runUntil(fleet.clock.now() + 60_000);
    expect(fleet.log.filter((line) => line.includes("problem ended") && line.includes("account_refused"))).toHaveLength(
      4,
    );
  });
});
