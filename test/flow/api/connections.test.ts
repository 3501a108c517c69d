import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { PageState } from "../../../src/api/settings/history.ts";
import type { SavedSettings } from "../../../src/api/settings/settings.ts";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { startSimulator } from "../../../src/simulator/simulator.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const PLAN = { name: "Washer", home: "home", kind: "window", hours: 2 };

const fileOf = (daemon: TestDaemon, name: string) => path.join(daemon.dir.path, name);
const pageOf = (daemon: TestDaemon) => parse(readFileSync(fileOf(daemon, "page.yaml"), "utf8"));
const statesIn = (daemon: TestDaemon) => {
  const folder = fileOf(daemon, "configuration-backups");
  return readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), "utf8")] as const);
};

async function answerOf(asked: Promise<Response>) {
  const answer = await asked;
  return [answer.status, (await answer.json()) as Record<string, never>] as const;
}

const put = (daemon: TestDaemon, name: string, keys: object, headers: Record<string, string> = {}) =>
  answerOf(daemon.send("PUT", `/local/v1/settings/${name}`, { keys }, headers));
const restore = (daemon: TestDaemon, id: unknown, headers: Record<string, string> = {}) =>
  answerOf(daemon.send("POST", `/local/v1/history/${id}`, {}, headers));

async function keyOf(daemon: TestDaemon, connection: string, key: string) {
  const saved = (await (await daemon.request("/local/v1/settings")).json()) as SavedSettings;
  return saved.settings.find(({ name }) => name === connection)?.keys.find((each) => each.key === key);
}

async function statesOf(daemon: TestDaemon): Promise<readonly PageState[]> {
  const answer = await daemon.request("/local/v1/history");
  return ((await answer.json()) as { readonly states: readonly PageState[] }).states;
}

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
  const log = new DatabaseSync(fileOf(daemon, "elbro.db"), { readOnly: true });
  const at = (account: string) => log.prepare("select count(*) as n from attempt where account = ?").get(account)?.n;
  expect(at("consumer")).toBe(daemon.simulator.answered().length);
  expect(at(`${encodeURIComponent(other.url)}/consumer`)).toBe(other.answered().length);
  log.close();
});

test("a changed key applies at once, is in page.yaml alone, leaves the history when it is replaced, and can be undone", async () => {
  await using daemon = await TestDaemon.start({
    start: MORNING,
    simulator: { homes: ["danish"] },
    yaml: "language: en\n",
  });
  const file = readFileSync(fileOf(daemon, "elbro.yaml"), "utf8");
  const first = await put(daemon, "service", { "consumer.api_key": "first-secret-key" });
  expect(first).toMatchObject([200, { id: "service", restart: [], undo: "000001" }]);
  expect(await put(daemon, "service", { "consumer.api_key": "second-secret-key" })).toMatchObject([
    200,
    { undo: "000002" },
  ]);
  expect(pageOf(daemon).settings).toEqual({ consumer: { api_key: "second-secret-key" } });
  expect(readFileSync(fileOf(daemon, "elbro.yaml"), "utf8")).toBe(file);
  expect(JSON.stringify(statesIn(daemon))).not.toContain("first-secret-key");
  const shown = await (await daemon.request("/local/v1/history")).text();
  expect(shown).not.toMatch(/secret-key/);
  expect((await statesOf(daemon))[0]).toMatchObject({
    id: "000002",
    until: expect.stringMatching(/^2026-03-10T09:00/),
    differences: [{ path: "consumer.api_key", before: "(set)", after: "(set)" }],
  });
  expect(await keyOf(daemon, "service", "consumer.api_key")).toMatchObject({ overrides: true });

  const reset = await answerOf(daemon.send("DELETE", "/local/v1/settings/service"));
  expect(reset).toMatchObject([200, { restart: [] }]);
  expect(pageOf(daemon).settings).toEqual({});
  const names = statesIn(daemon).map(
    ([name]) => statSync(path.join(fileOf(daemon, "configuration-backups"), name)).mode,
  );
  expect(names.every((mode) => (mode & 0o777) === 0o600)).toBe(true);

  expect(
    await put(daemon, "mqtt", { "mqtt.url": "mqtt://127.0.0.1:9", "mqtt.password": "word-of-broker" }),
  ).toMatchObject([200, { restart: ["mqtt.url", "mqtt.password"] }]);
});

test("the history has the last 20 changes, says what each changed, and restores plans, plugs and settings", async () => {
  await using daemon = await TestDaemon.start({
    start: MORNING,
    simulator: { homes: ["danish"] },
    yaml: "language: da\n",
  });
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

  // Undo: nothing was changed in between.
  const headers = { "if-match": `"${deleted[1].revision}"` };
  expect(await restore(daemon, deleted[1].undo, headers)).toMatchObject([200, { undo: "000004" }]);
  expect(pageOf(daemon).plans.washer).toMatchObject({ hours: 3 });
  expect(await restore(daemon, "000001", headers)).toMatchObject([412, {}]);
  expect(await restore(daemon, "000001")).toMatchObject([200, {}]);
  expect(pageOf(daemon)).toMatchObject({ settings: {}, plans: {} });

  for (let i = 0; i < 20; i++)
    await daemon.send("PUT", "/local/v1/settings/levels", { keys: { "levels.cheap": (64 + i) / 100 } });
  const last = await statesOf(daemon);
  expect([last.length, statesIn(daemon).length, last[0]?.differences]).toEqual([
    ...[20, 20],
    [{ path: "levels.cheap", before: 0.82, after: 0.83 }],
  ]);
});

test("a damaged page.yaml is a problem, ends no start, loses nothing, and is restored from the history", async () => {
  await using daemon = await TestDaemon.start({
    start: MORNING,
    simulator: { homes: ["danish"] },
    yaml: "language: en\n",
  });
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
  writeFileSync(fileOf(daemon, "page.yaml"), "settings: [\n");
  await daemon.restart();
  expect(await problems()).toEqual([expect.stringContaining("page.yaml")]);
  expect(await answerOf(daemon.post("/local/v1/plans", PLAN))).toMatchObject([
    409,
    { reason: expect.stringContaining("history") },
  ]);
  expect(await restore(daemon, "000002")).toMatchObject([200, {}]);
  expect(await problems()).toEqual([]);
  expect(pageOf(daemon).plans).toMatchObject({ washer: { hours: 2 } });

  writeFileSync(fileOf(daemon, "page.yaml"), "version: 2\nsettings: {}\nplans: { boiler: null }\n");
  await daemon.restart();
  expect(await problems()).toEqual([expect.stringContaining("plans.boiler: removes an entry that does not exist")]);
});

test("the password of a plug is not shown, stays if it is left out, and is not sent to another device", async () => {
  await using daemon = await TestDaemon.start({
    start: MORNING,
    simulator: { homes: ["danish"] },
    yaml: "language: en\n",
  });
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
