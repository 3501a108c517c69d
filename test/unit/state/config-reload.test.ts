import { describe, expect, test } from "vitest";
import { changeBetween, takenOver } from "../../../src/config/config-change.ts";
import { type Config, configSchema } from "../../../src/config/schema/schema.ts";
import type { Problem } from "../../../src/core/status/problem.ts";
import { Problems } from "../../../src/core/status/problem.ts";
import { StartError } from "../../../src/core/status/start-error.ts";
import { ConfigReload } from "../../../src/state/config-reload.ts";

const plan = { name: "Car", home: "home", kind: "slots", hours: 2 };
const base = { consumer: { api_key: "abc" }, api: { keys: [{ name: "a", key: "b" }] } };

function config(over: object = {}): Config {
  return configSchema.parse({ ...base, ...over });
}

describe("changeBetween", () => {
  test.each([
    [{}, [], []],
    [{ log: { level: "debug" } }, ["log.level"], []],
    [{ plans: [plan] }, ["plans"], []],
    [{ api: { keys: [] } }, ["api.keys"], []],
    [
      { api: { ...base.api, requests_per_minute: 5, hosts: ["elbro.lan"] } },
      ["api.requests_per_minute", "api.hosts"],
      [],
    ],
    [{ api: { ...base.api, port: 8081, host: "127.0.0.1" } }, [], ["api.host", "api.port"]],
    [{ mqtt: { url: "mqtt://host", username: "me" } }, [], ["mqtt.url", "mqtt.username"]],
    [{ consumer: { api_key: "def" } }, ["consumer.api_key"], []],
    [{ consumer: [{ api_key: "abc" }] }, ["consumer"], []],
    [{ service: { base_url: "https://other.example" } }, [], ["service.base_url"]],
    [{ levels: { cheap: 0.8 } }, ["levels.cheap"], []],
    [{ homes: [{ address_id: "11111111-2222-4333-8444-555555555555", id: "cabin" }] }, ["homes"], []],
    [
      { third_party: { api_key: "a", api_secret: "b", places: [{ name: "Region", region: "DK1" }] } },
      ["third_party.api_key", "third_party.api_secret", "third_party.hash_encoding"],
      ["third_party.places"],
    ],
    [{ broker: { users: [{ name: "a", password: "b" }] } }, [], ["broker.users"]],
    [{ history: { months: 3 }, retention: { years: 3 } }, [], ["history.months", "retention.years"]],
    [{ plugs: [{ name: "A", family: "tasmota", topic: "a", signal_topic: "b" }] }, ["plugs"], []],
    [{ plans: [plan], data_dir: "/elsewhere" }, ["plans"], ["data_dir"]],
  ])("%j", (over, live, later) => {
    expect(changeBetween(config(), config(over))).toEqual({ live, later });
  });

  test("a new certificate applies at once; the first and the last one need a restart", () => {
    const tls = { cert: "a", key: "b" };
    const using = (server: "api" | "broker", value?: object) =>
      ({ ...config(), [server]: { ...config()[server], ...(value && { tls: value }) } }) as Config;
    for (const server of ["api", "broker"] as const) {
      const [without, before, after] = [using(server), using(server, tls), using(server, { ...tls, cert: "c" })];
      expect(changeBetween(before, after)).toEqual({ live: [`${server}.tls.cert`], later: [] });
      expect(takenOver(before, after)[server].tls).toEqual({ cert: "c", key: "b" });
      for (const [from, to] of [
        [without, after],
        [after, without],
      ] as const) {
        expect(changeBetween(from, to)).toMatchObject({ live: [] });
        expect(takenOver(from, to)[server].tls).toEqual(from[server].tls);
      }
    }
  });

  test("takenOver excludes changes that need a restart", () => {
    const next = config({ plans: [plan], mqtt: { url: "mqtt://host" }, api: { port: 1, keys: [] } });
    const used = takenOver(config(), next);
    expect(used).toMatchObject({ plans: [{ name: "Car" }], mqtt: config().mqtt, api: { port: 8080, keys: [] } });
    expect(changeBetween(used, next)).toEqual({ live: [], later: ["mqtt.url", "api.port"] });
  });
});

describe("a reload", () => {
  function reloading(apply: (next: Config) => void = () => undefined) {
    const said: string[] = [];
    const changes: [string, Problem][] = [];
    const note = (facts: object, text: string) => void said.push(`${text} ${JSON.stringify(facts)}`);
    const problems = new Problems((problem, state) => void changes.push([state, problem]));
    const parts = { clock: { now: () => 1 }, problems, log: { info: note, warn: note } };
    return { said, changes, problems, parts, it: new ConfigReload(config(), parts, apply) };
  }

  test("a reload applies live changes and names those that need a restart", async () => {
    const applied: Config[] = [];
    const { it, said } = reloading((next) => void applied.push(next));
    const used = await it.reload(async () => config({ plans: [plan], mqtt: { base_topic: "house" } }));
    expect(applied).toEqual([used]);
    expect(used).toMatchObject({ plans: [{ name: "Car" }], mqtt: { base_topic: "elbro" } });
    expect(said).toEqual([
      "mqtt.base_topic has changed; restart elbro to use it {}",
      'configuration reloaded {"by":"API","changed":["plans"]}',
    ]);
  });

  test("of an unchanged configuration changes nothing and says so", async () => {
    const applied: Config[] = [];
    const { it, said } = reloading((next) => void applied.push(next));
    await it.reload(async () => config());
    expect(applied).toEqual([]);
    expect(said).toEqual(['configuration reloaded: nothing has changed {"by":"API","changed":[]}']);
  });

  test("of an invalid configuration changes nothing and is a problem until a valid one follows", async () => {
    const { it, changes, problems } = reloading();
    const bad = async () => {
      throw new StartError("cannot be used:\n  api.port: expected a number");
    };
    expect(await it.reload(bad)).toEqual(config());
    expect(problems.list()).toMatchObject([
      {
        code: "configuration_refused",
        subject: "configuration",
        detail: "cannot be used:\n  api.port: expected a number",
      },
    ]);
    await it.reload(async () => config());
    expect(problems.list()).toEqual([]);
    expect(changes.map(([state]) => state)).toEqual(["started", "ended"]);
  });

  test("that fails to apply changes nothing", async () => {
    const { it, problems } = reloading(() => {
      throw new StartError("no key");
    });
    expect(await it.reload(async () => config({ api: { keys: [] } }))).toEqual(config());
    expect(problems.list()).toMatchObject([{ detail: "no key" }]);
  });

  test("that fails unexpectedly is a problem without the error's message, and the old configuration stays", async () => {
    const { it, problems } = reloading();
    const failing = async () => {
      throw new TypeError("Invalid URL: canary");
    };
    expect(await it.reload(failing)).toEqual(config());
    expect(problems.list()).toMatchObject([
      { detail: expect.stringMatching(/^the configuration cannot be used: internal error.*TypeError/) },
    ]);
    expect(JSON.stringify(problems.list())).not.toContain("canary");
  });

  test("that a module cannot apply is taken back in all modules", async () => {
    const { it, problems } = reloading();
    const first: string[] = [];
    it.applied.subscribe(({ log }) => void first.push(log.level));
    it.applied.subscribe(({ log }) => {
      if (log.level === "debug") throw new TypeError("cannot");
    });
    expect(await it.reload(async () => config({ log: { level: "debug" } }))).toEqual(config());
    expect(first).toEqual(["debug", "info"]);
    expect(problems.list()).toMatchObject([{ code: "configuration_refused" }]);
  });
});
