import { readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { keyDigest } from "../../../../src/api/auth/api-keys.ts";
import { openKeyStore, pairDigest } from "../../../../src/api/auth/key-store.ts";
import { requireKeys } from "../../../../src/api/auth/require-key.ts";
import { type Config, configSchema } from "../../../../src/config/schema/schema.ts";
import { Problems } from "../../../../src/core/status/problem.ts";
import type { AuthResult } from "../../../../src/http/route.ts";
import { thirdPartyToken } from "../../../../src/service/third-party-token.ts";
import { type KeptKey, KeyFile } from "../../../../src/storage/api-key-file.ts";
import { ManualClock } from "../../../support/clock/manual-clock.ts";
import { TempDir } from "../../../support/runner/temp-dir.ts";

const EVENING = Date.parse("2026-03-10T23:30:00Z");
const commandHint = (command: string) => `npm start -- ${command}`;
const MIDNIGHT = Date.parse("2026-03-11T00:00:00Z");

/** API access in a folder that survives a restart. */
function livingIn(dir: TempDir, clock: ManualClock, api: Partial<Config["api"]> = {}) {
  const problems = new Problems(() => undefined);
  const config = configSchema.parse({ api: { host: "127.0.0.1", ...api }, data_dir: dir.path });
  const warnings: string[] = [];
  const log = { info: () => undefined, warn: (_facts: object, text: string) => void warnings.push(text) };
  const access = openKeyStore({ config, clock, problems, log, commandHint });
  const ask = (token: string, face: "consumer" | "thirdParty" = "consumer"): AuthResult => {
    const authorization = `Bearer ${token}`;
    return access.keys.admit({ permission: face, authorization, remoteAddress: "127.0.0.1", now: clock.now() });
  };
  return { ...access, problems, warnings, ask, leftToday: (token: string) => ask(token).quota?.day.remaining };
}

const kitchen: KeptKey = {
  ...{ name: "kitchen", kind: "bearer", scopes: ["read"], created: "2026-03-10" },
  sha256: Buffer.from(keyDigest("from-the-file")).toString("hex"),
};

function keep(dir: TempDir, ...keys: KeptKey[]): Promise<void> {
  return new KeyFile(dir.path).change(() => keys, Date.now);
}

const configured = { keys: [{ name: "garage", key: "from-the-configuration" }] };

describe("a daily quota", () => {
  test("a daily quota is reset at midnight UTC, and its day is that of the last use", async () => {
    using dir = new TempDir();
    const clock = new ManualClock(MIDNIGHT - 1);
    const access = livingIn(dir, clock, { ...configured, requests_per_day: 10 });
    expect([1, 2, 3].map(() => access.leftToday("from-the-configuration"))).toEqual([9, 8, 7]);
    await clock.runUntil(MIDNIGHT);
    expect(access.leftToday("from-the-configuration")).toBe(9);
    expect([access.lastUse("garage"), access.lastUse("attic")]).toEqual([MIDNIGHT, null]);
  });

  test("a daily quota can be set for a key", async () => {
    using dir = new TempDir();
    await keep(dir, { ...kitchen, requests_per_day: 1 });
    const own = { name: "garage", key: "from-the-configuration", requests_per_minute: 2 };
    const access = livingIn(dir, new ManualClock(EVENING), { keys: [own], requests_per_day: 50 });
    expect(access.ask("from-the-file").kind).toBe("admitted");
    expect(access.ask("from-the-file")).toMatchObject({ error: { reason: "the quota of the key kitchen is used up" } });
    expect(access.ask("from-the-configuration").quota).toMatchObject({ minute: { limit: 2 }, day: { limit: 50 } });
  });
});

describe("keys of the command line", () => {
  test("keys of the command line are not required if Home Assistant forwards requests of its users", async () => {
    using dir = new TempDir();
    const config = configSchema.parse({ data_dir: dir.path });
    const warnings: string[] = [];
    openKeyStore({
      ...{
        config,
        clock: new ManualClock(EVENING),
        problems: new Problems(() => undefined),
        ingress: true,
        commandHint,
      },
      log: { info: () => undefined, warn: (_facts, text) => void warnings.push(text) },
    });
    expect(warnings).toEqual([]);
  });

  test("with the name of a configured key are not valid, and become it when that name is free", async () => {
    using dir = new TempDir();
    await keep(dir, { ...kitchen, name: "Garage" });
    const access = livingIn(dir, new ManualClock(EVENING), configured);
    expect([access.ask("from-the-file").kind, access.ask("from-the-configuration")]).toMatchObject([
      "refused",
      { kind: "admitted", caller: "garage" },
    ]);
    expect(access.warnings).toContain("keys with the name of a configured key are not valid");
    access.configure(configSchema.parse({ data_dir: dir.path }).api);
    expect(access.ask("from-the-file")).toMatchObject({ kind: "admitted", caller: "Garage" });
  });

  test("that cannot be read stay valid as last read, and are reported as a problem", async () => {
    using dir = new TempDir();
    const clock = new ManualClock(EVENING);
    await keep(dir, kitchen);
    const access = livingIn(dir, clock);
    const file = path.join(dir.path, "keys.json");
    const good = readFileSync(file, "utf8");
    for (const [i, text] of ["", "{", "[]", '{"keys":1}', '{"keys":[{"name":"x","sha256":"00"}]}'].entries()) {
      writeFileSync(file, text);
      await clock.runUntil(EVENING + (i + 1) * 1_000);
      expect(access.ask("from-the-file").kind, text).toBe("admitted");
      expect(access.problems.list(), text).toMatchObject([{ code: "keys_unreadable", subject: "keys" }]);
    }
    truncateSync(file, 1024 ** 3);
    expect(new KeyFile(dir.path).read()).toEqual({ kind: "unreadable", why: "EFBIG" });
    rmSync(file);
    symlinkSync("/dev/zero", file);
    expect(new KeyFile(dir.path).read()).toEqual({ kind: "unreadable", why: "EFBIG" });
    await clock.runUntil(EVENING + 9_000);
    expect(access.ask("from-the-file").kind).toBe("admitted");
    rmSync(file);
    writeFileSync(file, good);
    await clock.runUntil(EVENING + 10_000);
    expect(access.ask("from-the-file").kind).toBe("admitted");
    expect(access.problems.list()).toEqual([]);
  });

  test("with a flipped bit are either unchanged or rejected", async () => {
    using dir = new TempDir();
    await keep(dir, { ...kitchen, requests_per_day: 100 });
    const file = path.join(dir.path, "keys.json");
    const bytes = readFileSync(file);
    const sound = new KeyFile(dir.path).read();
    expect(sound).toMatchObject({ kind: "keys", keys: [{ requests_per_day: 100 }] });
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(file, damaged);
      const reading = new KeyFile(dir.path).read();
      expect(reading.kind === "keys" ? [bit, reading] : [bit, sound]).toEqual([bit, sound]);
    }
  });

  test("keys of the command line can be created by simultaneous commands; an abandoned lock does not block them", async () => {
    using dir = new TempDir();
    const file = new KeyFile(dir.path);
    await Promise.all(["a", "b", "c"].map((name) => file.change((keys) => [...keys, { ...kitchen, name }], Date.now)));
    const reading = file.read();
    expect(reading.kind === "keys" ? reading.keys.map(({ name }) => name).sort() : reading).toEqual(["a", "b", "c"]);
    writeFileSync(path.join(dir.path, "keys.lock"), "");
    await file.change(
      () => [],
      () => Date.now() + 60_000,
    );
    expect(file.read()).toEqual({ kind: "keys", keys: [] });
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
  });
});

describe("a key and secret", () => {
  const pair = { apiKey: "inverter-1", apiSecret: "a secret of some length" };

  test.each(["hex", "base64"] as const)(
    "a key and secret are accepted in the third-party interface with their token in %s",
    async (encoding) => {
      using dir = new TempDir();
      const entry = { name: "inverter", api_key: pair.apiKey, api_secret: pair.apiSecret, hash_encoding: encoding };
      const access = livingIn(dir, new ManualClock(EVENING), { third_party_keys: [entry] });
      const other = encoding === "hex" ? "base64" : "hex";
      expect(access.ask(thirdPartyToken(pair, encoding), "thirdParty")).toMatchObject({
        kind: "admitted",
        quota: { day: { remaining: 1_999 } },
      });
      for (const wrong of [thirdPartyToken(pair, other), pair.apiKey, pair.apiSecret])
        expect(access.ask(wrong, "thirdParty")).toMatchObject({ error: { code: "invalid_token" } });
      expect(access.ask(thirdPartyToken(pair, encoding))).toMatchObject({
        error: { code: "invalid_token", reason: "the key and secret inverter are valid for /thirdParty only" },
      });
    },
  );

  test("of the command line are stored as the digest of their token, without secret or token", async () => {
    using dir = new TempDir();
    const sha256 = Buffer.from(pairDigest(pair, "hex")).toString("hex");
    await keep(dir, { ...kitchen, kind: "third_party", api_key: pair.apiKey, sha256 });
    const access = livingIn(dir, new ManualClock(EVENING), configured);
    const token = thirdPartyToken(pair, "hex");
    expect(access.ask(token, "thirdParty").kind).toBe("admitted");
    const text = readFileSync(path.join(dir.path, "keys.json"), "utf8");
    for (const secret of [pair.apiSecret, token]) expect(text).not.toContain(secret);
  });

  test("a key and secret can be replaced by a bearer key in the third-party interface", async () => {
    using dir = new TempDir();
    const access = livingIn(dir, new ManualClock(EVENING), configured);
    expect(access.ask("from-the-configuration", "thirdParty").kind).toBe("admitted");
  });
});

test("an address with repeated wrong keys is logged once", async () => {
  using dir = new TempDir();
  const access = livingIn(dir, new ManualClock(EVENING), configured);
  for (let i = 0; i < 20; i++) access.ask("guess");
  expect(access.warnings).toEqual(["repeated wrong API keys; requests from these addresses are delayed"]);
});

test("a key that others can guess is logged by its name if other machines can reach the API", async () => {
  using dir = new TempDir();
  const keys = [
    { name: "short", key: "kitchen" },
    { name: "long", key: "a-text-that-is-long" },
  ];
  for (const [host, count] of [
    ["127.0.0.1", 0],
    ["0.0.0.0", 1],
  ] as const) {
    const access = livingIn(dir, new ManualClock(EVENING), { host, keys });
    expect(access.warnings).toEqual(Array(count).fill(expect.stringContaining("short enough to be guessed")));
  }
});

describe("an API without keys", () => {
  const starting = (dir: TempDir, api: Partial<Config["api"]>) => () =>
    requireKeys(configSchema.parse({ api, data_dir: dir.path }), commandHint);

  test("an API without keys does not start if other machines can reach it, and says how to create a key", async () => {
    using dir = new TempDir();
    for (const host of ["0.0.0.0", "::", "192.168.1.5", "elbro.local"]) {
      expect(starting(dir, { host }), host).toThrow(`the API on ${host} has no key`);
      expect(starting(dir, { host }), host).toThrow(/\n {2}\S.* keys create NAME/);
    }
    expect(starting(dir, { host: "0.0.0.0", ...configured })).not.toThrow();
    expect(starting(dir, { host: "0.0.0.0", dashboard: "open" })).not.toThrow();
    await keep(dir, kitchen);
    expect(starting(dir, { host: "0.0.0.0" })).not.toThrow();
  });

  test("an API without keys starts on the loopback address, and rejects all requests until there is a key", async () => {
    using dir = new TempDir();
    for (const host of ["127.0.0.1", "127.1.2.3", "::1", "localhost"]) expect(starting(dir, { host })).not.toThrow();
    const access = livingIn(dir, new ManualClock(EVENING));
    expect(access.ask("anything")).toMatchObject({ error: { code: "invalid_token" } });
  });
});
