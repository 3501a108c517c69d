/** Tests accounts, opened from a configuration, with the simulator. */

import { describe, expect, test } from "vitest";
import { configSchema } from "../../../src/config/schema/schema.ts";
import type { FetchRequest } from "../../../src/core/fetching/fetch-types.ts";
import { type SeriesKey, WHOLE } from "../../../src/core/series/series.ts";
import type { Shard } from "../../../src/core/sharding/shard.ts";
import { type Problem, Problems } from "../../../src/core/status/problem.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../src/core/time/interval.ts";
import type { Account } from "../../../src/service/client/account.ts";
import { openService } from "../../../src/service/client/open-service.ts";
import { seriesOf } from "../../../src/service/contract/series-mapping.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { type SimulatorOptions, startSimulator } from "../../../src/simulator/simulator.ts";
import { openAccounts } from "../../../src/state/accounts/accounts.ts";
import { SharedAccounts } from "../../../src/state/accounts/shared-accounts.ts";
import { requestOf } from "../../../src/state/collector.ts";
import { SeriesRepository } from "../../../src/state/series-repository.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { ManualMachine } from "../../support/clock/manual-machine.ts";
import { CANARY_KEY, CANARY_PARTNER } from "../../support/service/asking-client.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

const MIDNIGHT = Date.UTC(2026, 5, 10);

const CONSUMER = { consumer: { api_key: CANARY_KEY } };
const PARTNER = { third_party: { api_key: CANARY_PARTNER.apiKey, api_secret: CANARY_PARTNER.apiSecret } };

async function openWorld({
  config = { ...CONSUMER, ...PARTNER },
  simulator = {},
}: Readonly<{ config?: Readonly<Record<string, unknown>>; simulator?: Partial<SimulatorOptions> }> = {}) {
  const machine = new ManualMachine(MIDNIGHT + 10 * HOUR_MS);
  const clock = Object.assign(machine.clock, { sleepUntil: () => Promise.resolve() });
  const keys = { consumerKey: CANARY_KEY, thirdParty: CANARY_PARTNER };
  const service = await startSimulator({ now: () => clock.now(), keys, ...simulator });
  const database = openDatabase(":memory:");
  const repository = new SeriesRepository(database, serviceCalendar(), () => clock.now());
  const problems: Problem[] = [];
  const stop = new AbortController();
  const connection = openService({ config: { service: { base_url: service.url } } });
  const open = (changed: Readonly<Record<string, unknown>> = {}) =>
    openAccounts({
      service: connection,
      ...{ repository, clock, random: () => 0, settings: new KeyValueStore(database), signal: stop.signal },
      config: configSchema.parse({ service: { base_url: service.url }, ...config, ...changed }),
      calendar: serviceCalendar(),
      problems: new Problems((problem) => problems.push(problem)),
      onServerTime: () => undefined,
      onSpent: () => undefined,
    });
  const accounts = open();
  return {
    ...{ machine, clock, service, repository, problems, accounts, database },
    /** Reopens the same data directory with a changed configuration. */
    reopen: open,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await connection.close();
      await service.close();
    },
  };
}

function stepOf(account: string, place: string, priority: FetchRequest["priority"], day = 0): FetchRequest {
  const series: SeriesKey = { account, place, operation: "prices", unit: "hour" };
  const start = MIDNIGHT - 2 * HOUR_MS - day * DAY_MS;
  return { kind: "request", series, priority, range: { start, end: start + DAY_MS } };
}

function send(
  account: Account,
  { repository }: Pick<Awaited<ReturnType<typeof openWorld>>, "repository">,
  step: FetchRequest,
) {
  return account.ask(requestOf(step, repository));
}

function first<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined) throw new RangeError("nothing there");
  return item;
}

describe("the quota of a consumer account", () => {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `5d0c9f0e-6a1b-4c5e-9b64-1f1f4a7e2d0${i}`);

  /** Returns the problems of the account after it has answered, with `day` as its limit. */
  async function problemsAt(day: number, world: Awaited<ReturnType<typeof openWorld>>, accounts = world.accounts) {
    const account = first(accounts.consumers);
    await send(account, world, stepOf(account.name, world.service.addressIds.danish, "today"));
    account.rest(null, world.clock.now());
    return world.problems.filter(({ code }) => code === "quota_too_small").map(({ detail }) => `${day}: ${detail}`);
  }

  async function withAddresses(count: number, config: Readonly<Record<string, unknown>> = {}, day = 100) {
    const world = await openWorld({ config: { ...CONSUMER, ...config }, simulator: { limits: { minute: 60, day } } });
    const rows = ids(count).map((id) => ({ id, label: "Home", capabilities: {} }));
    await world.repository.keep(seriesOf("consumer", "addresses", {}), WHOLE, {
      rows,
      envelope: {},
      at: world.clock.now(),
    });
    return world;
  }

  test.each([
    [2, 100, []],
    [3, 100, ["100: 100 requests per day; a day with retries may need 135"]],
    [9, 404, ["404: 404 requests per day; a day with retries may need 405"]],
  ])("of %i addresses and %i requests a day is reported if it is too small", async (count, day, expected) => {
    await using world = await withAddresses(count, {}, day);
    expect(await problemsAt(day, world)).toEqual(expected);
  });

  test("the quota of a consumer account counts the addresses that the configuration selects", async () => {
    const homes = ids(2).map((address_id) => ({ address_id: address_id.toUpperCase() }));
    await using world = await withAddresses(3, { homes });
    expect(await problemsAt(100, world)).toEqual([]);
    world.accounts.configure(configSchema.parse({ ...CONSUMER }));
    expect(await problemsAt(100, world)).toHaveLength(1);
  });
});

test("a scheduled request stores rows, an envelope and a row in the request log", async () => {
  await using world = await openWorld();
  const account = first(world.accounts.consumers);
  const asked = await send(account, world, stepOf(account.name, world.service.addressIds.danish, "today"));
  expect(asked).toMatchObject({ kind: "ok", body: { currency: "DKK", resolution: "hour" } });
  expect(asked.kind === "ok" && "data" in asked.body && asked.body.data).toHaveLength(24);
  expect(world.repository.requestLog.recent("consumer", 5)).toMatchObject([{ share: "prices" }]);
});

test("back-fill stops at two thirds of the minute's polling, and other polling continues", async () => {
  await using world = await openWorld();
  const account = first(world.accounts.consumers);
  const ask = (day: number, priority: FetchRequest["priority"]) =>
    send(account, world, stepOf(account.name, world.service.addressIds.danish, priority, day));
  const kinds: string[] = [];
  for (let day = 1; day <= 12; day++) kinds.push((await ask(day, "backfill")).kind);
  expect(kinds).toEqual([...Array(10).fill("ok"), "deferred", "deferred"]);
  const { params } = requestOf(stepOf(account.name, world.service.addressIds.danish, "today"), world.repository);
  const now = world.clock.now();
  expect(account.notBefore({ operation: "prices", params, share: "backfill" }, now)).toBe(now + 92 * SECOND_MS);
  expect(account.notBefore({ operation: "prices", params, share: "poll" }, now)).toBe(now);
  for (let day = 20; day < 25; day++) expect((await ask(day, "usage")).kind).toBe("ok");
  expect((await ask(30, "usage")).kind).toBe("deferred");
  expect((await ask(30, "today")).kind).toBe("ok");
});

test("a third-party key or a consumer key alone is enough", async () => {
  await using world = await openWorld({ config: PARTNER });
  expect(world.accounts.consumers).toEqual([]);
  const reply = await world.accounts.thirdParty?.ask({
    ...{ operation: "regionPrices", params: { region: "DK1" }, share: "poll", seriesId: null, range: null },
  });
  expect(reply?.kind).toBe("ok");
  await using consumer = await openWorld({ config: CONSUMER });
  expect(consumer.accounts.thirdParty).toBe(null);
});

test("an account keeps its quota and pauses when the configuration changes elsewhere, and is another one with another key", async () => {
  await using world = await openWorld();
  const { accounts } = world;
  const { consumers, thirdParty } = accounts;
  const configure = (config: object) =>
    accounts.configure(configSchema.parse({ service: { base_url: world.service.url }, ...config }));
  configure({ ...CONSUMER, ...PARTNER, log: { level: "debug" } });
  expect(accounts.consumers[0]).toBe(consumers[0]);
  expect(accounts.thirdParty).toBe(thirdParty);
  configure({ consumer: { api_key: "another-key" }, ...PARTNER });
  expect(accounts.consumers[0]).not.toBe(consumers[0]);
  expect(accounts.all).toEqual([accounts.named("consumer"), thirdParty]);
  expect([accounts.named("consumer") === accounts.consumers[0], accounts.named("third_party")]).toEqual([true, null]);
});

test("an account that comes from another shard is new once; with one process for all accounts none is", () => {
  const memory = new TestMemory();
  const open = (shard: Shard | null) => new SharedAccounts(shard, memory);
  const shard = { index: 0, count: 2 };
  open(shard).keep([{ name: "first" }]);
  expect(["first", "second"].map((name) => open(shard).isNew(name))).toEqual([false, true]);
  expect(open(null).isNew("second")).toBe(false);
  open(shard).keep([{ name: "second" }]);
  expect(["first", "second"].map((name) => open(shard).isNew(name))).toEqual([true, false]);
});

test("no key is written to the database", async () => {
  await using world = await openWorld();
  const home = world.service.addressIds.danish;
  await send(first(world.accounts.consumers), world, stepOf("consumer", home, "today"));
  world.service.account.setEntitlement("plusEnded");
  await send(first(world.accounts.consumers), world, stepOf("consumer", home, "today", 1));
  const tables = ["setting", "series", "attempt", "chunk"];
  const rows = tables.map((table) => world.database.prepare(`select * from ${table}`).all());
  expect(JSON.stringify(rows)).toContain("403 plus_required");
  expect(JSON.stringify(rows)).not.toContain("canary");
});
