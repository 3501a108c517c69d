import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import { type ConfigInput, LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { EmulatedNtfy } from "../../support/notify/emulated-ntfy.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const EVENING = Date.parse("2026-03-10T17:00:00Z");

/** Configuration of the API with a key that may send a test. */
const API = {
  ...{ host: "127.0.0.1", port: 0, url: "http://192.168.1.5:8080/" },
  keys: [{ name: "test", key: LAN_KEY, scopes: ["read", "control"] as ("read" | "control")[] }],
};
const plans: ConfigInput["plans"] = [
  { name: "Sauna", home: "home", kind: "window", hours: 2, from: "19:00", ready_by: "23:00", max_price: -9 },
];

test("tomorrow's prices and an impossible plan cause one notification each, also across a restart", async () => {
  await using ntfy = await EmulatedNtfy.start();
  const notify = (topic: string) => ({ topic_url: `${ntfy.origin}/${topic}` });
  const config: ConfigInput = { language: "da", history: { months: 0 }, plans, notify: notify("garden"), api: API };
  await using it = await TestDaemon.start({ ...{ start: MORNING, simulator: { homes: ["danish"] } }, config });
  await it.reload({ ...config, notify: notify("house") });
  await it.clock.runUntil(EVENING);
  const titles = () => ntfy.messages.map(({ title }) => title).sort();
  const expected = ["Home: morgendagens priser", "Sauna kan ikke køre som ønsket"];
  await expect.poll(titles).toEqual(expected);
  expect(ntfy.messages.find(({ title }) => title?.startsWith("Home"))).toMatchObject({
    topic: "house",
    click: "http://192.168.1.5:8080/",
    message: expect.stringMatching(
      /^\d,\d\d DKK\/kWh i gennemsnit\. Lavest .* kl\. \d\d\.\d\d, højest .* kl\. \d\d\.\d\d\.$/,
    ),
  });
  await it.restart();
  await it.clock.runUntil(EVENING + 2 * HOUR_MS);
  expect(titles()).toEqual(expected);
});

test("the test notification is sent during quiet hours, and returns the server's error", async () => {
  await using ntfy = await EmulatedNtfy.start({ authorization: "Bearer tk_1" });
  const quiet = "00:00-23:59";
  await using it = await TestDaemon.start({
    start: MORNING,
    config: {
      api: API,
      notify: { topic_url: `${ntfy.origin}/house`, token: "tk_1", quiet_hours: quiet, language: "sv" },
    },
  });
  const path = "/local/v1/notifications/test";
  const answer = await it.post(path, {});
  expect([answer.status, await answer.json()]).toEqual([200, { sent: true }]);
  expect(ntfy.messages).toMatchObject([{ message: "Aviseringar från elbro visas här." }]);
  ntfy.fault = { status: 403 };
  const refused = await it.post(path, {});
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    { errorCode: "conflict", reason: "the server answered with status 403: forbidden" },
  ]);
  const diagnostics = await (await it.request("/local/v1/diagnostics")).text();
  expect(diagnostics).not.toMatch(/tk_1|\/house"/);
});

test("without notify the test returns the missing key", async () => {
  await using it = await TestDaemon.start({ start: MORNING, config: { api: API } });
  const answer = await it.post("/local/v1/notifications/test", {});
  expect([answer.status, await answer.text()]).toMatchObject([409, expect.stringContaining("notify.topic_url")]);
});

test("the notify module is loaded only if it is configured", async () => {
  await using ntfy = await EmulatedNtfy.start();
  await using installed = await TestDaemon.install();
  const script = installed.dir.file("loaded.cjs");
  writeFileSync(script, 'process.on("message", () => process.send(Object.keys(require.cache)))');
  const expectLoaded = async (expected: readonly string[]) => {
    await using daemon = await installed.launch({}, { nodeArgs: ["--require", script], channel: "ipc" });
    await daemon.line(/API listens/);
    const loaded = async () => {
      const files = ((await daemon.ask("loaded")) as string[]).map((file) => path.basename(file));
      return files.filter((file) => /^(notify|publish|conditions)/.test(file)).sort();
    };
    await expect.poll(loaded).toEqual(expected);
  };
  await expectLoaded([]);
  installed.configure({ notify: { topic_url: `${ntfy.origin}/house` } });
  await expectLoaded(["conditions.cjs", "notify-loop.cjs", "publish.cjs"]);
});

test("elbro notify sends a test without a running daemon", async () => {
  await using ntfy = await EmulatedNtfy.start();
  await using installed = await TestDaemon.install();
  expect(await installed.run("notify")).toMatchObject({
    code: 78,
    output: expect.stringContaining("notify.topic_url"),
  });
  installed.configure({ notify: { topic_url: `${ntfy.origin}/house` } });
  expect(await installed.run("notify")).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^sent to 127\.0\.0\.1:/),
  });
  ntfy.fault = { status: 429 };
  expect(await installed.run("notify")).toMatchObject({
    code: 1,
    output: expect.stringMatching(/was not sent: the server answered with status 429: limit reached/),
  });
  expect(ntfy.messages).toMatchObject([{ topic: "house", title: "elbro: test" }]);
});
