import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { openService } from "../../../src/service/client/open-service.ts";
import { ChangeBus } from "../../../src/state/change-bus.ts";
import { openState } from "../../../src/state/open-state.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { ManualMachine } from "../../support/clock/manual-machine.ts";
import { HOME } from "../../support/home/price-days.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined };

test("daemonState reads accounts in slices, and again only after a change of their answers or homes", async () => {
  using dir = new TempDir();
  const consumer = Array.from({ length: 50 }, (_, i) => ({ name: `account-${i}`, api_key: `key-${i}` }));
  const config = configSchema.parse({ data_dir: dir.path, consumer });
  const clock = Object.assign(new ManualMachine(NOON).clock, { sleepUntil: () => Promise.resolve() });
  const { signal } = new AbortController();
  const options = { config, clock, log: LOG, random: () => 0, simulatedTime: true, signal };
  const storage = openStorage(options);
  const state = openState(options, storage, openService(options), new ChangeBus());
  const read: string[] = [];
  state.homes.targets = (account) => {
    read.push(account);
    for (const began = performance.now(); performance.now() - began < 1; );
    return [];
  };
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns++) await nextTurn();
  })();
  const { interfaces } = await state.daemonState(NOON);
  isDone = true;
  await others;
  expect(interfaces.map(({ account }) => account)).toEqual(consumer.map(({ name }) => name));
  expect(new Set(interfaces.map((each) => each.interface))).toEqual(new Set(["consumer"]));
  expect(turns).toBeGreaterThanOrEqual(4);
  expect(read).toHaveLength(50);
  await state.daemonState(NOON);
  expect(read).toHaveLength(50);
  // A home with another id is another owner of its series, also if no answer has arrived since.
  state.homes.of = (account) => (account === "account-7" ? [{ ...HOME, account, id: "villa" }] : []);
  await state.daemonState(NOON);
  expect(read.slice(50)).toEqual(["account-7"]);
  storage.close();
});
