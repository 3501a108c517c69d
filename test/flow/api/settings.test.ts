import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { PageState } from "../../../src/api/settings/history.ts";
import type { SavedSettings } from "../../../src/api/settings/settings.ts";
import { keysOf } from "../../../src/config/config-change.ts";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { startSimulator } from "../../../src/simulator/simulator.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { MACHINE, openPort } from "../../support/http/machine.ts";
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

const PLAN = { name: "Washer", home: "home", kind: "window", hours: 2 };

const started = () => TestDaemon.start({ start: MORNING, simulator: { homes: ["danish"] }, yaml: "language: en\n" });

/** Returns the texts of the earlier states of page.yaml. */
function statesIn(daemon: TestDaemon): string[] {
  const folder = path.join(daemon.dir.path, "configuration-backups");
  return readdirSync(folder).map((name) => readFileSync(path.join(folder, name), "utf8"));
}

async function answerOf(asked: Promise<Response>) {
  const answer = await asked;
  return [answer.status, (await answer.json()) as Record<string, never>] as const;
}

const put = (daemon: TestDaemon, name: string, keys: object, headers: Record<string, string> = {}) =>
  answerOf(daemon.send("PUT", `/local/v1/settings/${name}`, { keys }, headers));
const restore = (daemon: TestDaemon, id: unknown, headers: Record<string, string> = {}) =>
  answerOf(daemon.send("POST", `/local/v1/history/${id}`, {}, headers));

async function statesOf(daemon: TestDaemon): Promise<readonly PageState[]> {
  const [, { states }] = await answerOf(daemon.request("/local/v1/history"));
  return states as unknown as readonly PageState[];
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
  expect(await put(daemon, "notify", { "notify.topic_url": "ftp://ntfy.sh/my-topic" })).toMatchObject([
    400,
    { mistakes: [{ path: "notify.topic_url", text: expect.stringContaining("expected the URL of a topic") }] },
  ]);
  expect(await put(daemon, "plans", {})).toMatchObject([404, {}]);
  expect(await put(daemon, "language", { language: "nb" }, { "if-match": '"old"' })).toMatchObject([412, {}]);
  expect((await daemon.send("PUT", "/local/v1/settings/language", { language: "nb" })).status).toBe(400);
  expect([textOf(daemon), existsSync(path.join(daemon.dir.path, "page.yaml"))]).toEqual([file, false]);
  expect(await put(daemon, "language", { language: "nb" }, { "if-match": `"${revision}"` })).toMatchObject([200, {}]);
});

test("tests of the connection are counted like every request: with the key in use, another key and another service", async () => {
  const limits = { minute: 60, day: 2_000 };
  await using other = await startSimulator({
    now: () => MORNING,
    limits,
    keys: { consumerKey: "key-of-another-service" },
  });
  await using daemon = await TestDaemon.start({ start: MORNING, simulator: { limits }, yaml: "language: en\n" });
  await daemon.untilPriced();
  const trialsOf = async (keys: object) => {
    const found = new Map<unknown, number>();
    for (let i = 0; i < 80; i++) {
      const [, { problem }] = await answerOf(daemon.send("POST", "/local/v1/settings/service/test", { keys }));
      found.set(problem, (found.get(problem) ?? 0) + 1);
    }
    return found;
  };
  for (const keys of [
    {},
    { "consumer.api_key": "not-the-key" },
    { "consumer.api_key": other.keys.consumerKey, "service.base_url": other.url },
  ]) {
    const found = await trialsOf(keys);
    expect(found.get("waiting_for_quota"), JSON.stringify(keys)).toBeGreaterThan(20);
    expect(found.get("rate_limited")).toBeUndefined();
    await daemon.clock.runUntil(daemon.clock.now() + 2 * MINUTE_MS);
  }
  const answers = [...daemon.simulator.answered(), ...other.answered()];
  expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThan(0);
  expect(answers.filter(({ status }) => status === 429)).toEqual([]);
  // The database is locked while the daemon runs.
  await daemon.stop();
  const log = new DatabaseSync(path.join(daemon.dir.path, "elbro.db"), { readOnly: true });
  const at = (account: string) => log.prepare("select count(*) as n from attempt where account = ?").get(account)?.n;
  expect(at("consumer")).toBe(daemon.simulator.answered().length);
  expect(at(`${encodeURIComponent(other.url)}/consumer`)).toBe(other.answered().length);
  log.close();
});

test("a changed key applies at once, is in page.yaml alone, leaves the history when it is replaced, and can be undone", async () => {
  await using daemon = await started();
  const first = await put(daemon, "service", { "consumer.api_key": "first-secret-key" });
  expect(first).toMatchObject([200, { id: "service", restart: [], undo: "000001" }]);
  expect(await put(daemon, "service", { "consumer.api_key": "second-secret-key" })).toMatchObject([
    200,
    { undo: "000002" },
  ]);
  expect(pageOf(daemon).settings).toEqual({ consumer: { api_key: "second-secret-key" } });
  expect(statesIn(daemon).join()).not.toContain("first-secret-key");
  const shown = await (await daemon.request("/local/v1/history")).text();
  expect(shown).not.toMatch(/secret-key/);
  expect((await statesOf(daemon))[0]).toMatchObject({
    id: "000002",
    until: expect.stringMatching(/^2026-03-10T09:00/),
    differences: [{ path: "consumer.api_key", before: "(set)", after: "(set)" }],
  });
  expect(keyIn(await settingsOf(daemon), "consumer.api_key")).toMatchObject({ overrides: true });

  const reset = await answerOf(daemon.send("DELETE", "/local/v1/settings/service"));
  expect(reset).toMatchObject([200, { restart: [] }]);
  expect(pageOf(daemon).settings).toEqual({});
  expect(
    await put(daemon, "mqtt", { "mqtt.url": "mqtt://127.0.0.1:9", "mqtt.password": "word-of-broker" }),
  ).toMatchObject([200, { restart: ["mqtt.url", "mqtt.password"] }]);
});

test("only a key that may change connections makes elbro look for the port of a machine", async () => {
  await using daemon = await started();
  await using plain = await openPort(1883);
  await using secure = await openPort(8883);
  const { key } = (await answerOf(daemon.post("/local/v1/keys", { name: "tablet", control: true })))[1];
  await daemon.clock.runUntil(MORNING + 1_000);
  const headers = { authorization: `Bearer ${key}` };
  const url = { "mqtt.url": MACHINE };
  expect((await put(daemon, "mqtt", url, headers))[0]).toBe(403);
  const plug = { name: "Pump", family: "tasmota", url: "192.168.1.40", plan: "washer" };
  await daemon.post("/local/v1/plans", PLAN);
  expect((await daemon.send("POST", "/local/v1/plugs", plug, headers)).status).toBe(201);
  expect(pageOf(daemon).plugs).toMatchObject({ pump: { url: "http://192.168.1.40" } });
  expect([plain.asked(), secure.asked()]).toEqual([0, 0]);

  await plain.close();
  const tried = await answerOf(daemon.post("/local/v1/settings/mqtt/test", { keys: url }));
  const found = `mqtts://${MACHINE}:8883`;
  expect(tried).toMatchObject([200, { works: false, completed: { "mqtt.url": found } }]);
  expect((await put(daemon, "mqtt", url))[0]).toBe(200);
  expect(pageOf(daemon).settings.mqtt).toEqual({ url: found });
  await secure.close();
  expect(await put(daemon, "mqtt", url)).toMatchObject([
    400,
    { mistakes: [{ path: "mqtt.url", text: expect.stringContaining(`${MACHINE} on port 1883, 8883; check`) }] },
  ]);
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

test("a mistake of the owner changes nothing, and a read-only file does not matter", async () => {
  await using daemon = await TestDaemon.start({ start: MORNING, yaml: OWN });
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
test("the history has the last 20 changes, says what each changed, and restores plans, plugs and settings", async () => {
  await using daemon = await started();
  expect(await statesOf(daemon)).toEqual([]);
  expect(await answerOf(daemon.post("/local/v1/plans", PLAN))).toMatchObject([201, { undo: "000001" }]);
  expect(await answerOf(daemon.send("PUT", "/local/v1/plans/washer", { ...PLAN, hours: 3 }))).toMatchObject([200, {}]);
  const deleted = await answerOf(daemon.send("DELETE", "/local/v1/plans/washer"));
  const states = await statesOf(daemon);
  expect(states).toMatchObject([
    { differences: [{ path: "plans.washer", before: { hours: 3 }, after: null }] },
    { differences: [{ path: "plans.washer.hours", before: 2, after: 3 }] },
    { differences: [{ path: "plans.washer", before: null, after: { hours: 2 } }] },
  ]);

  expect(states.map(({ by }) => by)).toEqual(["test", "test", "test"]);

  // Undo: nothing was changed in between.
  const headers = { "if-match": `"${deleted[1].revision}"` };
  expect(await restore(daemon, deleted[1].undo, headers)).toMatchObject([200, { undo: "000004" }]);
  expect(pageOf(daemon).plans.washer).toMatchObject({ hours: 3 });
  expect(await restore(daemon, "000001", headers)).toMatchObject([412, {}]);
  expect(await restore(daemon, "000001")).toMatchObject([200, {}]);
  expect(pageOf(daemon)).toMatchObject({ settings: {}, plans: {} });

  await daemon.post("/local/v1/plans", PLAN);
  await daemon.untilPriced();
  const later = () => daemon.clock.runUntil(daemon.clock.now() + MINUTE_MS);
  await later();
  await daemon.post("/local/v1/plans/washer", { hours: 1 });
  await daemon.post("/local/v1/plans", { once: true, plan: "washer", within: 8 });
  expect((await statesOf(daemon)).slice(0, 2)).toMatchObject([
    {
      id: null,
      by: "test",
      differences: [{ path: "plans.washer_once", before: null, after: { name: "Washer once" } }],
    },
    { id: null, by: "test", differences: [{ path: "plans.washer.hours", before: 2, after: 1 }] },
  ]);
  await later();

  for (let i = 0; i < 20; i++)
    await daemon.send("PUT", "/local/v1/settings/levels", { keys: { "levels.cheap": (64 + i) / 100 } });
  const last = await statesOf(daemon);
  expect([last.length, statesIn(daemon).length, last[0]?.differences]).toEqual([
    ...[20, 20],
    [{ path: "levels.cheap", before: 0.82, after: 0.83 }],
  ]);
});

test("a damaged page.yaml is a problem, ends no start, loses nothing, and is restored from the history", async () => {
  await using daemon = await started();
  const problems = async () => {
    const answer = await daemon.request("/local/v1/system");
    const { problems: found } = (await answer.json()) as {
      problems: { code: string; detail: string; ended_at: string | null }[];
    };
    return found
      .filter(({ code, ended_at }) => code === "page_file_refused" && ended_at === null)
      .map(({ detail }) => detail);
  };
  await daemon.post("/local/v1/plans", PLAN);
  await daemon.send("PUT", "/local/v1/settings/levels", { keys: { "levels.cheap": 0.8 } });
  expect(await problems()).toEqual([]);
  writeFileSync(path.join(daemon.dir.path, "page.yaml"), "settings: [\n");
  await daemon.restart();
  expect(await problems()).toEqual([expect.stringContaining("page.yaml")]);
  expect(await answerOf(daemon.post("/local/v1/plans", PLAN))).toMatchObject([
    409,
    { reason: expect.stringContaining("history") },
  ]);
  expect(await restore(daemon, "000002")).toMatchObject([200, {}]);
  expect(await problems()).toEqual([]);
  expect(pageOf(daemon).plans).toMatchObject({ washer: { hours: 2 } });

  writeFileSync(path.join(daemon.dir.path, "page.yaml"), "version: 2\nsettings: {}\nplans: { boiler: null }\n");
  await daemon.restart();
  expect(await problems()).toEqual([expect.stringContaining("plans.boiler: removes an entry that does not exist")]);
});

test("the password of a plug is not shown, stays if it is left out, and is not sent to another device", async () => {
  await using daemon = await started();
  const plug = { name: "Heater", family: "shelly_gen2", url: "http://127.0.0.1:9", signal_topic: "a/b" };
  const put = (entry: object) => answerOf(daemon.send("PUT", "/local/v1/plugs/heater", entry));
  expect(await answerOf(daemon.post("/local/v1/plugs", { ...plug, password: "word-of-plug" }))).toMatchObject([
    201,
    {},
  ]);
  const shown = await answerOf(daemon.request("/local/v1/plugs/heater/configuration"));
  expect(shown).toMatchObject([200, { secrets: ["password"], entry: plug }]);
  expect(JSON.stringify(shown)).not.toContain("word-of-plug");
  expect(await put({ ...plug, min_on: 5 })).toMatchObject([200, {}]);
  expect(pageOf(daemon).plugs.heater).toMatchObject({ password: "word-of-plug", min_on: 5 });
  const moved = await put({ ...plug, url: "http://127.0.0.2:9" });
  expect(moved).toMatchObject([200, { note: expect.stringContaining("plugs.heater.password: is needed again") }]);
  expect(pageOf(daemon)).toMatchObject({ plugs: { heater: { url: "http://127.0.0.2:9" } }, servers: {} });
  expect(pageOf(daemon).plugs.heater).not.toHaveProperty("password");
  expect(await restore(daemon, moved[1].undo)).toMatchObject([200, { note: null }]);
  expect(pageOf(daemon).plugs.heater).toMatchObject({ password: "word-of-plug" });
  expect(await put({ ...plug, password: null })).toMatchObject([200, {}]);
  expect(pageOf(daemon).plugs.heater).not.toHaveProperty("password");
});
