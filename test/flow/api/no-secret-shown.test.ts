import { expect, test } from "vitest";
import { TopicWatcher } from "../../support/broker/topic-watcher.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

/** Every kind of secret, each with its own name, so that a leak shows its source. */
const SECRETS = {
  consumer: "canary-consumer-key",
  apiKey: "canary-partner-key",
  apiSecret: "canary-partner-secret",
  brokerPassword: "canary-broker-password",
  lanKey: "canary-lan-key-that-is-long",
  pairSecret: "canary-pair-secret-that-is-long",
  homeAssistant: "canary-home-assistant-token",
  archive: "canary-archive-password",
  archiveUrl: "canary-archive-login",
  webhookUrl: "canary-webhook-path",
  webhookHeader: "canary-webhook-header",
  webhookBody: "canary-webhook-body",
  otherHeader: "canary-of-a-changed-header",
  wrongHeader: "canary-of-a-wrong-header",
};
/** What shows settings, problems, changes, log lines and descriptions. */
const SHOWN = [
  ...["/local/v1/system", "/local/v1/diagnostics", "/metrics", "/healthz", "/consumer/v1/me/addresses"],
  ...["/local/v1/settings", "/local/v1/history", "/local/v1/log", "/local/v1/keys"],
  ...["/openapi.json", "/local/v1/configuration/schema", "/local/v1/session"],
];

test("no secret is in any log line, topic, response or command output", async () => {
  await using installed = await TestDaemon.install();
  const config = {
    consumer: { api_key: SECRETS.consumer },
    third_party: {
      api_key: SECRETS.apiKey,
      api_secret: SECRETS.apiSecret,
      places: [{ name: "Region", region: "DK1" }],
    },
    api: {
      host: "127.0.0.1",
      port: 0,
      keys: [{ name: "test", key: SECRETS.lanKey, scopes: ["read", "control"] }],
      third_party_keys: [{ name: "pair", api_key: "pair", api_secret: SECRETS.pairSecret }],
    },
    broker: { host: "127.0.0.1", port: 0, users: [{ name: "test", password: SECRETS.brokerPassword }] },
    home_assistant: { url: "http://127.0.0.1:1", token: SECRETS.homeAssistant },
    archive: { url: `postgres://elbro:${SECRETS.archiveUrl}@127.0.0.1:1/elbro`, password: SECRETS.archive },
    notify: {
      webhook_url: `http://127.0.0.1:1/${SECRETS.webhookUrl}`,
      webhook_headers: `X-Token: ${SECRETS.webhookHeader}`,
      webhook_body: `{"${SECRETS.webhookBody}": "{message}"}`,
    },
    log: { level: "debug" },
  };
  installed.configure(config);
  const heard: string[] = [];
  // The service rejects both keys, which is when a program may print them.
  for (const args of [
    ["check"],
    ["check", "--online"],
    ["addresses"],
    ["prices"],
    ["suggest", "Vester"],
    ["diagnostics"],
    ["keys", "list"],
    ["notify"],
  ])
    heard.push((await installed.run(...args)).output);

  await using daemon = await installed.launch();
  const port = await daemon.apiPort();
  await using watcher = await TopicWatcher.on(await daemon.brokerPort(), {
    username: "test",
    password: SECRETS.brokerPassword,
  });
  await watcher.until(() => watcher.payload("elbro/problems") !== null, "the problems");
  const headers = { authorization: `Bearer ${SECRETS.lanKey}`, "content-type": "application/json" };
  const ask = async (path: string, request: RequestInit = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...request, headers });
    heard.push(JSON.stringify([...answer.headers]), await answer.text());
    return answer.status;
  };
  const change = (headers: string) =>
    ask("/local/v1/settings/notify", {
      method: "PUT",
      body: JSON.stringify({ keys: { "notify.webhook_headers": headers } }),
    });
  expect(await ask("/local/v1/notifications/test", { method: "POST", body: "{}" })).toBe(409);
  expect(await change(`X-Token: ${SECRETS.otherHeader}`)).toBe(200);
  expect(await change(SECRETS.wrongHeader)).toBe(400);
  for (const path of SHOWN) expect([path, await ask(path)]).toEqual([path, path.startsWith("/consumer") ? 503 : 200]);
  for (const args of [["check", "--online"], ["diagnostics"]]) heard.push((await installed.run(...args)).output);
  installed.configure({ ...config, mqtt: { password: ["canary-in-a-list"], url: "canary-where-a-url-belongs" } });
  daemon.signal("SIGHUP");
  await daemon.line(/problem: the new configuration has mistakes/);
  heard.push(daemon.output, (await installed.run("check")).output);
  heard.push(...watcher.seen.map(({ topic, payload }) => `${topic} ${payload}`));

  expect(heard.join("\n")).toContain("invalid_token");
  for (const secret of Object.values(SECRETS))
    expect(
      heard.filter((each) => each.includes(secret)).map((each) => each.slice(0, 200)),
      secret,
    ).toEqual([]);
  expect(heard.filter((each) => each.includes("canary-in-a-list"))).toEqual([]);
});
