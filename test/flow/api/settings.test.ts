import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { SavedSettings } from "../../../src/api/settings/settings.ts";
import { keysOf } from "../../../src/config/config-change.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { EmulatedNtfy } from "../../support/notify/emulated-ntfy.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const OWN = `# My house
language: da # as we speak
log:
  # less than this is noise
  level: info
`;

const textOf = (daemon: TestDaemon, name = "elbro.yaml") => readFileSync(path.join(daemon.dir.path, name), "utf8");
const pageOf = (daemon: TestDaemon) => parse(textOf(daemon, "page.yaml"));

async function settingsOf(daemon: TestDaemon): Promise<SavedSettings> {
  return (await (await daemon.request("/local/v1/settings")).json()) as SavedSettings;
}

function keyIn({ settings }: SavedSettings, wanted: string) {
  return settings.flatMap(({ keys }) => keys).find(({ key }) => key === wanted);
}

const NOTHING = Object.fromEntries(keysOf("notify").map((key) => [key, null]));

async function put(daemon: TestDaemon, name: string, keys: object, headers: Record<string, string> = {}) {
  const answer = await daemon.send("PUT", `/local/v1/settings/${name}`, { keys }, headers);
  return [answer.status, (await answer.json()) as Record<string, unknown>] as const;
}

test("settings are read, changed in page.yaml alone, say what needs a restart, and can be as in the file again", async () => {
  await using daemon = await TestDaemon.start({ start: MORNING, yaml: OWN });
  const before = await settingsOf(daemon);
  expect(before).toMatchObject({ source: "page.yaml", fixed: null, waiting: [] });
  const fact = (settings: SavedSettings, of: "restart" | "overrides" | "is_set") =>
    settings.settings
      .filter(({ is_connection }) => !is_connection)
      .flatMap(({ keys }) => keys.flatMap((each) => (each[of] ? each.key : [])));
  expect(before.settings.map(({ name }) => name)).toEqual([
    ...["service", "mqtt", "home_assistant", "language", "levels", "notify", "mdns", "log", "history", "retention"],
  ]);
  expect(fact(before, "restart")).toEqual(["language", "mdns", "log.format", "history.months", "retention.years"]);
  expect([fact(before, "is_set"), fact(before, "overrides")]).toEqual([["language", "history.months"], []]);
  expect(keyIn(before, "language")).toMatchObject({ value: "da", is_secret: false, outside: false });
  expect(keyIn(before, "levels.cheap")).toMatchObject({ value: 0.9, is_set: false });

  const file = textOf(daemon);
  expect(await put(daemon, "levels", { "levels.cheap": 0.8 })).toMatchObject([
    200,
    { source: "page.yaml", restart: [] },
  ]);
  expect(await put(daemon, "log", { "log.level": "warn" })).toMatchObject([200, { restart: [] }]);
  expect(await put(daemon, "language", { language: "sv" })).toMatchObject([200, { restart: ["language"] }]);
  expect(await put(daemon, "mdns", { mdns: "elbro" })).toMatchObject([
    200,
    { restart: expect.arrayContaining(["mdns"]) },
  ]);
  expect(pageOf(daemon).settings).toEqual({
    ...{ levels: { cheap: 0.8 }, log: { level: "warn" }, language: "sv", mdns: "elbro" },
  });
  expect(await put(daemon, "mdns", { mdns: null })).toMatchObject([200, { restart: ["language"] }]);
  expect(pageOf(daemon).settings).not.toHaveProperty("mdns");
  expect(textOf(daemon)).toBe(file);
  expect(statSync(path.join(daemon.dir.path, "page.yaml")).mode & 0o777).toBe(0o600);
  const states = path.join(daemon.dir.path, "configuration-backups");
  const [, second = ""] = readdirSync(states).sort();
  expect(parse(readFileSync(path.join(states, second), "utf8")).settings).toEqual({ levels: { cheap: 0.8 } });
  expect(await settingsOf(daemon)).toMatchObject({ waiting: ["language"] });

  await daemon.restart();
  const after = await settingsOf(daemon);
  expect(after.waiting).toEqual([]);
  expect(["language", "levels.cheap"].map((key) => keyIn(after, key)?.value)).toEqual(["sv", 0.8]);
  expect(await put(daemon, "levels", { "levels.cheap": null })).toMatchObject([200, {}]);
  const reset = await daemon.send("DELETE", "/local/v1/settings/language");
  expect([reset.status, await reset.json()]).toMatchObject([200, { id: "language", restart: ["language"] }]);
  expect(pageOf(daemon).settings).toEqual({ log: { level: "warn" } });
  expect(fact(await settingsOf(daemon), "overrides")).toEqual(["log.level"]);
});

test("a mistake, a stale revision and an unknown setting change nothing", async () => {
  await using daemon = await TestDaemon.start({ start: MORNING, yaml: OWN });
  const { revision } = await settingsOf(daemon);
  const file = textOf(daemon);
  expect(await put(daemon, "levels", { "levels.cheap": 0.5 })).toMatchObject([
    400,
    { mistakes: [{ path: "levels", text: expect.stringContaining("very_cheap < cheap") }] },
  ]);
  expect(await put(daemon, "log", { "log.level": "loud" })).toMatchObject([
    400,
    { mistakes: [{ path: "log.level", text: expect.stringContaining("expected one of debug") }] },
  ]);
  expect(await put(daemon, "log", { "log.level": ["warn"] })).toMatchObject([400, {}]);
  expect(await put(daemon, "notify", { "notify.topic_url": "ntfy.sh/my-topic" })).toMatchObject([
    400,
    { mistakes: [{ path: "notify.topic_url", text: expect.stringContaining("expected the URL of a topic") }] },
  ]);
  expect(await put(daemon, "plans", {})).toMatchObject([404, {}]);
  expect(await put(daemon, "language", { language: "nb" }, { "if-match": '"old"' })).toMatchObject([412, {}]);
  expect((await daemon.send("PUT", "/local/v1/settings/language", { language: "nb" })).status).toBe(400);
  expect([textOf(daemon), existsSync(path.join(daemon.dir.path, "page.yaml"))]).toEqual([file, false]);
  expect(await put(daemon, "language", { language: "nb" }, { "if-match": `"${revision}"` })).toMatchObject([200, {}]);
});

test("notifications are set up, tested and changed without a restart, and a secret is neither shown nor sent elsewhere", async () => {
  await using ntfy = await EmulatedNtfy.start({ authorization: "Bearer tk_secret" });
  await using other = await EmulatedNtfy.start();
  await using daemon = await TestDaemon.start({ start: MORNING, yaml: OWN });
  const topic_url = `${ntfy.origin}/my-secret-topic`;
  const test = async () => (await daemon.post("/local/v1/notifications/test", {})).status;
  expect(await test()).toBe(409);
  const [status, edited] = await put(daemon, "notify", { "notify.topic_url": topic_url, "notify.token": "tk_secret" });
  expect([status, edited.restart]).toEqual([200, []]);
  expect(await test()).toBe(200);
  expect(ntfy.messages).toMatchObject([{ topic: "my-secret-topic", title: expect.any(String) }]);

  const shown = await (await daemon.request("/local/v1/settings")).text();
  expect(shown).not.toMatch(/tk_secret|my-secret-topic/);
  for (const key of ["notify.topic_url", "notify.token"])
    expect(keyIn(await settingsOf(daemon), key)).toMatchObject({ value: null, is_secret: true, is_set: true });

  // Keys that are not sent stay: another key changes, and the secrets are still there.
  expect(await put(daemon, "notify", { "notify.quiet_hours": "22:00-07:00" })).toMatchObject([200, {}]);
  expect(await test()).toBe(200);
  expect(await put(daemon, "notify", { "notify.topic_url": `${other.origin}/mine` })).toMatchObject([
    200,
    { note: expect.stringContaining("notify.token: is needed again") },
  ]);
  expect(await test()).toBe(200);
  expect(other.messages).toMatchObject([{ topic: "mine" }]);
  expect(await put(daemon, "notify", NOTHING)).toMatchObject([200, {}]);
  expect(await test()).toBe(409);
  expect(pageOf(daemon).settings).toEqual({});
});

test("notifications start and end with their setting, without a restart", async () => {
  await using ntfy = await EmulatedNtfy.start();
  await using daemon = await TestDaemon.start({
    ...{ start: Date.parse("2026-03-10T14:20:00Z"), simulator: { homes: ["danish"] }, yaml: OWN },
  });
  await daemon.untilTomorrow();
  expect(ntfy.requests).toBe(0);
  expect(await put(daemon, "notify", { "notify.topic_url": `${ntfy.origin}/house` })).toMatchObject([
    200,
    { restart: [] },
  ]);
  await daemon.clock.runUntil(daemon.clock.now() + 5 * 60_000);
  const titles = () => ntfy.messages.map(({ title }) => title);
  await expect.poll(titles).toContain("Home: morgendagens priser");
  expect(await put(daemon, "notify", NOTHING)).toMatchObject([200, {}]);
  const count = ntfy.requests;
  await daemon.clock.runUntil(Date.parse("2026-03-11T15:00:00Z"));
  expect(ntfy.requests).toBe(count);
});

test("a key with the scope control changes no connection and moves no secret", async () => {
  const yaml = `${OWN}notify: { topic_url: 'http://127.0.0.1:9/topic' }\n`;
  await using daemon = await TestDaemon.start({ start: MORNING, yaml });
  const made = (await (await daemon.post("/local/v1/keys", { name: "phone", control: true })).json()) as {
    key: string;
  };
  await daemon.clock.runUntil(MORNING + 2_000);
  const headers = { authorization: `Bearer ${made.key}` };
  for (const name of ["service", "mqtt", "home_assistant"]) {
    expect(await put(daemon, name, {}, headers)).toMatchObject([403, {}]);
    expect((await daemon.send("DELETE", `/local/v1/settings/${name}`, undefined, headers)).status).toBe(403);
  }
  const moved = { "notify.topic_url": "http://127.0.0.2:9/topic" };
  expect(await put(daemon, "notify", moved, headers)).toMatchObject([403, {}]);
  expect(await put(daemon, "notify", { "notify.quiet_hours": "22:00-07:00" }, headers)).toMatchObject([200, {}]);
});

test("no name of a file is accepted, so that no key of the API reads a file", async () => {
  await using daemon = await TestDaemon.start({ start: MORNING, yaml: OWN });
  const file = textOf(daemon);
  const secret = path.join(daemon.dir.path, "secret");
  writeFileSync(secret, "canary-of-a-file");
  const plug = { name: "Plug", family: "custom", signal_topic: "a", on: { topic: "a", payload: "1" } };
  const bodies: [method: string, path: string, body: unknown][] = [
    ["PUT", "settings/notify", { keys: { "notify.username": "a", "notify.password_file": secret } }],
    ["PUT", "settings/notify", { keys: { notify: { topic_url_file: secret } } }],
    ["PUT", "settings/mqtt", { keys: { "mqtt.password_file": secret } }],
    ["POST", "settings/service/test", { keys: { "consumer.api_key_file": secret } }],
    ["PUT", "settings/language", { keys: { language: { language_file: secret } } }],
    ["PUT", "settings/mdns", { keys: { mdns: [{ mdns_file: secret }] } }],
    ["POST", "plans", { name_file: secret, home: "home", kind: "window", hours: 2 }],
    ["POST", "plan-preview", { name_file: secret, home: "home", kind: "window", hours: 2 }],
    ["POST", "plugs", { ...plug, off: { topic_file: secret, payload: "0" } }],
  ];
  for (const [method, where, body] of bodies) {
    const answer = await daemon.send(method, `/local/v1/${where}`, body);
    const text = await answer.text();
    expect([answer.status, text], where).toEqual([400, expect.stringContaining('"errorCode":"invalid_parameter"')]);
    expect(text).not.toContain("canary");
  }
  expect(textOf(daemon)).toBe(file);
});

test("a key that may only read, and a mistake of the owner, change nothing; a read-only file does not matter", async () => {
  await using daemon = await TestDaemon.start({ start: MORNING, yaml: OWN });
  const made = (await (await daemon.post("/local/v1/keys", { name: "guest" })).json()) as { readonly key: string };
  await daemon.clock.runUntil(MORNING + 2_000);
  const headers = { authorization: `Bearer ${made.key}` };
  expect((await fetch(`${daemon.url}/local/v1/now`, { headers })).status).not.toBe(401);
  expect((await fetch(`${daemon.url}/local/v1/settings`, { headers })).status).toBe(403);
  const file = path.join(daemon.dir.path, "elbro.yaml");
  chmodSync(file, 0o444);
  expect(await put(daemon, "language", { language: "nb" })).toMatchObject([200, {}]);
  chmodSync(file, 0o640);
  writeFileSync(file, `${textOf(daemon)}plans: 7\n`);
  expect(await put(daemon, "language", { language: "nb" })).toMatchObject([
    409,
    { reason: expect.stringContaining("already has a mistake: plans") },
  ]);
});
