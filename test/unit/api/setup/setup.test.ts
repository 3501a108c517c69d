import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { finishSetup, type SetupOptions, type WantedSetup } from "../../../../src/api/setup/setup.ts";
import { setupRoutes } from "../../../../src/api/setup/setup-routes.ts";
import { readConfiguration } from "../../../../src/config/reading/load-config-file.ts";
import { configSchema } from "../../../../src/config/schema/schema.ts";
import type { LocalRequest } from "../../../../src/http/route.ts";
import { KeyFile } from "../../../../src/storage/api-key-file.ts";
import { TempDir } from "../../../support/runner/temp-dir.ts";
import { RawServer, rawAnswer } from "../../../support/service/raw-server.ts";
import { trialDeps } from "../../../support/service/trial-deps.ts";

const NOW = Date.parse("2026-11-23T09:00:00Z");
const ADDRESS = "11111111-2222-4333-8444-555555555555";

/** Body of a test of a key. */
const KEY = { connection: "service", keys: { "consumer.api_key": "k" } };

function optionsIn(folder: string, environment: Record<string, string> = {}): SetupOptions {
  const all = { ELBRO_DATA_DIR: path.join(folder, "data"), ...environment };
  return {
    path: path.join(folder, "data/page.yaml"),
    config: configSchema.parse({}),
    proxy: null,
    readWith: (texts) => readConfiguration(null, all, texts),
    onCode: () => undefined,
    failure: null,
    demoKey: null,
    onDone: () => undefined,
  };
}

const WANTED: WantedSetup = {
  keys: { "consumer.api_key": 'key:with"quotes"#and-more', homes: [{ address_id: ADDRESS }], language: "da" },
  key_name: "phone",
};

describe("finishSetup", () => {
  test("finishSetup writes page.yaml with mode 600, and stores only the digest of the key", async () => {
    using dir = new TempDir();
    const options = optionsIn(dir.path);
    const result = await finishSetup(options, WANTED, NOW);
    if (result.kind !== "done") throw new Error(JSON.stringify(result));
    const text = readFileSync(options.path, "utf8");
    expect(statSync(options.path).mode & 0o777).toBe(0o600);
    const reading = options.readWith({ file: null, overlay: text });
    if (reading.kind === "mistakes") throw new Error(JSON.stringify(reading));
    expect(reading.config).toMatchObject({
      consumer: { api_key: WANTED.keys["consumer.api_key"] },
      homes: [{ address_id: ADDRESS }],
      language: "da",
      broker: { users: [{ name: result.broker?.username, password: result.broker?.password, commands: true }] },
    });
    const keys = new KeyFile(path.join(dir.path, "data")).read();
    expect(keys).toMatchObject({ kind: "keys", keys: [{ name: "phone", scopes: ["read", "control", "admin"] }] });
    expect(JSON.stringify(keys)).not.toContain(result.key);
    expect(text).not.toContain(result.key);
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  });

  test("finishSetup writes the broker and Home Assistant of the owner without a broker user, and a third-party key with its place", async () => {
    using dir = new TempDir();
    const options = optionsIn(dir.path);
    const mqtt = { url: "mqtt://192.168.1.10:1883", username: "elbro", password: "secret" };
    const home_assistant = { url: "http://homeassistant.local:8123", token: "a-token" };
    const third_party = { api_key: "k", api_secret: "s", places: [{ name: "Flat", address: "Algade 1, 1. tv" }] };
    const keys = Object.entries({ mqtt, home_assistant, third_party }).flatMap(([section, values]) =>
      Object.entries(values).map(([key, value]) => [`${section}.${key}`, value]),
    );
    const wanted = { ...WANTED, keys: Object.fromEntries(keys) };
    expect(await finishSetup(options, wanted, NOW)).toMatchObject({ kind: "done", broker: null });
    const reading = options.readWith({ file: null, overlay: readFileSync(options.path, "utf8") });
    const written = {
      mqtt,
      home_assistant,
      broker: { users: [] },
      third_party: { ...third_party, hash_encoding: "hex" },
    };
    expect(reading).toMatchObject({ config: written });
    expect(reading.kind === "config" && [reading.config.homes, reading.config.consumer]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("finishSetup keeps what page.yaml has, and undoes what it wrote", async () => {
    using dir = new TempDir();
    const options = optionsIn(dir.path);
    mkdirSync(path.dirname(options.path));
    const before = "version: 2\nsettings: { log: { level: warn } }\nplans: {}\n";
    writeFileSync(options.path, before);
    const result = await finishSetup(options, WANTED, NOW);
    const reading = options.readWith({ file: null, overlay: readFileSync(options.path, "utf8") });
    expect(reading).toMatchObject({ config: { log: { level: "warn" }, language: "da" } });
    if (result.kind !== "done") throw new Error(JSON.stringify(result));
    await result.undo();
    expect(readFileSync(options.path, "utf8")).toBe(before);
    expect(new KeyFile(path.join(dir.path, "data")).read()).toMatchObject({ keys: [] });
  });

  test("finishSetup returns mistakes and writes nothing", async () => {
    using dir = new TempDir();
    const options = optionsIn(dir.path);
    const { "consumer.api_key": _, ...keyless } = WANTED.keys;
    for (const [keys, path] of [
      [{ ...WANTED.keys, "mqtt.url": "http://not-a-broker" }, "mqtt.url"],
      [{ ...WANTED.keys, "consumer.api_key_file": "/etc/hostname" }, "consumer.api_key_file"],
      [{ ...WANTED.keys, data_dir: "/tmp" }, "data_dir"],
      [keyless, "consumer.api_key"],
    ] as const)
      expect(await finishSetup(options, { ...WANTED, keys }, NOW)).toMatchObject({
        kind: "mistakes",
        mistakes: [{ path }],
      });
    expect([existsSync(options.path), existsSync(path.join(dir.path, "data"))]).toEqual([false, false]);
  });
});

describe("the routes of the set-up", () => {
  const page = { "x-elbro-page": "1", host: "localhost:8080" };
  const request = (body: unknown, more: Partial<LocalRequest> = {}) =>
    ({
      remoteAddress: "127.0.0.1",
      headers: page,
      now: NOW,
      body,
      signal: () => AbortSignal.abort(),
      url: "/local/v1/setup",
      report: () => undefined,
      ...more,
    }) as LocalRequest;
  const routeOf = (options: SetupOptions | null, route: string, method = "POST") => {
    const found = setupRoutes(options, trialDeps()).find(
      (each) => each.path === `/local/v1/setup${route}` && each.method === method,
    );
    if (!found) throw new Error(`no route ${route}`);
    return found;
  };

  test("refuse everything after the set-up of a home", async () => {
    expect(await routeOf(null, "", "GET").handle(request(undefined))).toMatchObject({ body: { state: "done" } });
    for (const route of ["", "/code", "/test"])
      expect(await routeOf(null, route).handle(request({}))).toMatchObject({ code: "conflict" });
  });

  test("refuse every step without access, and invalid bodies", async () => {
    using dir = new TempDir();
    const options = optionsIn(dir.path);
    for (const route of ["", "/test"]) {
      const elsewhere = request({}, { remoteAddress: "192.168.1.20" });
      expect(await routeOf(options, route).handle(elsewhere)).toMatchObject({ code: "invalid_token" });
      for (const body of [undefined, null, [], {}, { keys: 7 }, { connection: "mqtt", keys: { "mqtt.url": 7 } }])
        expect(await routeOf(options, route).handle(request(body))).toMatchObject({ code: "invalid_parameter" });
    }
    for (const key of ["mqtt.url", "mqtt.password_file", "consumer.api_key"])
      expect(
        await routeOf(options, "/test").handle(request({ connection: "mqtt", keys: { [key]: "http://x" } })),
      ).toMatchObject({ code: "invalid_parameter", mistakes: [{ path: key }] });
  });

  test("need a place that can be sent", async () => {
    using dir = new TempDir();
    const tried = { connection: "service", keys: { "consumer.api_key": "k" }, place: { address: "Algade \ud800" } };
    expect(await routeOf(optionsIn(dir.path), "/test").handle(request(tried))).toMatchObject({
      code: "invalid_parameter",
      mistakes: [{ path: "place.address" }],
    });
  });

  test("tell two flats of one street apart", async () => {
    using dir = new TempDir();
    const flat = (digit: number, floor: string) => ({
      ...{ id: `${digit}${ADDRESS.slice(1)}`, label: "Home", region: "DK2", timeZone: "Europe/Copenhagen" },
      ...{ formattedAddress: `Algade 12, ${floor}, 4000 Roskilde`, capabilities: { prices: true } },
    });
    const body = JSON.stringify({ data: [flat(1, "1. tv"), flat(2, "2. th")] });
    await using service = await RawServer.start((socket) =>
      socket.end(rawAnswer(body, ["Content-Type: application/json"])),
    );
    const config = configSchema.parse({ service: { base_url: service.url } });
    const tried = await routeOf({ ...optionsIn(dir.path), config }, "/test").handle(request(KEY));
    expect(tried).toMatchObject({
      body: {
        works: true,
        addresses: [{ address: "Algade 12, 1. tv, 4000 Roskilde" }, { address: "Algade 12, 2. th, 4000 Roskilde" }],
      },
    });
  });

  test("describe the mistake in the language of the page", async () => {
    using dir = new TempDir();
    const headers = { ...page, "accept-language": "da" };
    const broker = { connection: "mqtt", keys: { "mqtt.url": "mqtt://127.0.0.1:1" } };
    expect(await routeOf(optionsIn(dir.path), "/test").handle(request(broker, { headers }))).toMatchObject({
      body: { works: false, detail: "der lyttes ikke på denne adresse og port; tjek, at brokeren kører, og porten" },
    });
    const options = {
      ...optionsIn(dir.path),
      config: configSchema.parse({ service: { base_url: "http://127.0.0.1:1" } }),
    };
    expect(await routeOf(options, "/test").handle(request(KEY, { headers }))).toMatchObject({
      body: { works: false, problem: "unreachable", detail: "den afviser forbindelsen" },
    });
  });

  test("end the demo after the response, also if the page has left before it", async () => {
    using dir = new TempDir();
    const done: string[] = [];
    const finish = (name: string, signal: AbortSignal) => {
      const options = { ...optionsIn(dir.file(name)), onDone: () => void done.push(name) };
      return routeOf(options, "").handle(request(WANTED, { signal: () => signal }));
    };
    expect(await finish("left", AbortSignal.abort())).toMatchObject({ status: 201 });
    expect(done).toEqual(["left"]);
    const end = new AbortController();
    await finish("stays", end.signal);
    expect(done).toEqual(["left"]);
    end.abort();
    expect(done).toEqual(["left", "stays"]);
  });

  test("allow at most 20 requests per minute", async () => {
    using dir = new TempDir();
    const route = routeOf(optionsIn(dir.path), "/test");
    const tried = async (now: number) => (await route.handle(request({}, { now }))) as { readonly code?: string };
    for (let i = 0; i < 20; i++) expect(await tried(NOW + i)).toMatchObject({ code: "invalid_parameter" });
    expect(await tried(NOW + 59_000)).toMatchObject({ code: "rate_limited", retryAfterSec: 60 });
    expect(await tried(NOW + 60_000)).toMatchObject({ code: "invalid_parameter" });
  });
});
