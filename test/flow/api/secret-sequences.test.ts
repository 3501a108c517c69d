/**
 * Changes by every way that there is, in any order: no server of the test hears a secret of another one.
 * 60 sequences in `npm test`; 200 with ELBRO_NIGHTLY=1.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import path from "node:path";
import { expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { keysOf } from "../../../src/config/config-change.ts";
import { hear } from "../../support/daemon/heard-secrets.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const NIGHTLY = process.env.ELBRO_NIGHTLY === "1";
const SEQUENCES = NIGHTLY ? 200 : 60;
const STEPS = 3;

/** A server that answers HTTP and refuses every login of Home Assistant, and one that refuses every login of MQTT. */
async function openPlayedServer() {
  const http = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "application/json").end("{}");
  });
  const sockets = new WebSocketServer({ server: http });
  const mqtt = createTcpServer((socket) =>
    socket
      .on("error", () => undefined)
      .once("data", (packet) => {
        const isFive = packet[packet.indexOf("MQTT") + 4] === 5;
        socket.end(Buffer.from(isFive ? [0x20, 3, 0, 0x86, 0] : [0x20, 2, 0, 4]));
      }),
  );
  for (const server of [http, mqtt]) await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const [port, mqttPort] = [http, mqtt].map((server) => (server.address() as AddressInfo).port);
  sockets.on("connection", (socket) => {
    socket.send(JSON.stringify({ type: "auth_required", ha_version: "2026.11.0" }));
    socket.on("message", (data) => {
      hear(port, String(data));
      socket.send(JSON.stringify({ type: "auth_invalid", message: "no" }));
    });
  });
  return {
    host: `127.0.0.1:${port}`,
    mqttHost: `127.0.0.1:${mqttPort}`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      for (const server of [http, mqtt]) await new Promise((done) => server.close(done));
    },
  };
}
type PlayedServer = Awaited<ReturnType<typeof openPlayedServer>>;

/** Returns a number below `most` for each call: the same for the same seed. */
function numbers(seed: number): (most: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

interface World {
  readonly daemon: TestDaemon;
  readonly pick: (most: number) => number;
  /** One of the played servers. */
  readonly server: () => PlayedServer;
  /** A secret that was never used before. */
  readonly canary: () => string;
}

const call = (daemon: TestDaemon, name: string, given: object) =>
  daemon.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } });
const plug = (host: string) => ({ name: "Lamp", family: "tasmota", url: `http://${host}`, signal_topic: "night" });

const NO_NOTIFY = Object.fromEntries(keysOf("notify").map((key) => [key, null]));

function notifyKeys({ pick, server, canary }: World): object {
  const [url, hook] = [`http://${server().host}/topic`, `http://${server().host}/hook`];
  const given = pick(2) === 0;
  const webhook = {
    "notify.webhook_url": hook,
    ...(given && { "notify.webhook_headers": `X-Key: ${canary()}`, "notify.webhook_body": canary() }),
  };
  const topic = { "notify.topic_url": url, ...(given && { "notify.token": canary() }) };
  return [topic, webhook, { ...topic, ...webhook }][pick(3)] ?? topic;
}

function connectionKeys({ pick, server, canary }: World): readonly [string, object] {
  const given = pick(2) === 0;
  const isGone = pick(4) === 0;
  const mqtt = {
    "mqtt.url": isGone ? null : `mqtt://${server().mqttHost}`,
    ...(given && { "mqtt.password": canary() }),
  };
  const url = isGone ? null : `http://${server().host}`;
  const homeAssistant = { "home_assistant.url": url, ...(given && { "home_assistant.token": canary() }) };
  return pick(2) === 0 ? ["mqtt", { "mqtt.username": "elbro", ...mqtt }] : ["home_assistant", homeAssistant];
}

let copy: Buffer | null = null;

const ways: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  notify: (world) => world.daemon.send("PUT", "/local/v1/settings/notify", { keys: notifyKeys(world) }),
  noNotify: ({ daemon }) => daemon.send("PUT", "/local/v1/settings/notify", { keys: NO_NOTIFY }),
  resetNotify: ({ daemon }) => daemon.send("DELETE", "/local/v1/settings/notify"),
  connection(world) {
    const [name, keys] = connectionKeys(world);
    return world.daemon.send("PUT", `/local/v1/settings/${name}`, { keys });
  },
  tried(world) {
    const [name, keys] = connectionKeys(world);
    const open = Object.fromEntries(Object.entries(keys).filter(([key]) => !/password|token/.test(key)));
    return world.daemon.post(`/local/v1/settings/${name}/test`, { keys: open });
  },
  mcp: (world) => call(world.daemon, "saveSetting", { setting: "notify", body: { keys: notifyKeys(world) } }),
  plug: ({ daemon, server, canary, pick }) =>
    daemon.send("PUT", "/local/v1/plugs/lamp", {
      ...plug(server().host),
      ...(pick(2) === 0 && { password: canary() }),
    }),
  newPlug: ({ daemon, server }) => daemon.post("/local/v1/plugs", plug(server().host)),
  noPlug: ({ daemon }) => daemon.send("DELETE", "/local/v1/plugs/lamp"),
  async undo({ daemon, pick }) {
    const { states } = (await (await daemon.request("/local/v1/history")).json()) as { states: { id: string }[] };
    const state = states[pick(Math.min(4, states.length))];
    return state && daemon.post(`/local/v1/history/${state.id}`, {});
  },
  async file({ daemon, server, canary, pick }) {
    const file = path.join(daemon.dir.path, "elbro.yaml");
    const own = readFileSync(file, "utf8").replace(/^(notify|mqtt|home_assistant):.*\n/gm, "");
    const lines = [
      `notify: { topic_url: "http://${server().host}/own", token: ${canary()} }\n`,
      `home_assistant: { url: "http://${server().host}", token: ${canary()} }\n`,
      `mqtt: { url: "mqtt://${server().mqttHost}", username: own, password: ${canary()} }\n`,
      "",
    ];
    writeFileSync(file, own + lines[pick(lines.length)]);
    await daemon.reloadFile();
  },
};

/** Makes the daemon send what it would send. */
async function listen({ daemon, pick }: World): Promise<void> {
  await daemon.post("/local/v1/notifications/test", {});
  await daemon.post("/local/v1/plugs/lamp/test", {});
  const name = ["mqtt", "home_assistant"][pick(2)];
  await daemon.post(`/local/v1/settings/${name}/test`, { keys: {} });
}

/** Downloads a copy, or uploads the one that was downloaded last, and starts again. */
async function exchangeCopy({ daemon }: World): Promise<void> {
  if (copy === null) copy = Buffer.from(await (await daemon.request("/local/v1/backup")).arrayBuffer());
  else {
    const headers = { authorization: "Bearer key-of-a-test", "content-type": "application/octet-stream" };
    await fetch(`${daemon.url}/local/v1/backup`, { method: "POST", headers, body: new Uint8Array(copy) });
    copy = null;
  }
  await daemon.restart();
}

test(`${SEQUENCES} sequences of changes by page, API, MCP, upload, undo and reload leak no secret`, async () => {
  await using a = await openPlayedServer();
  await using b = await openPlayedServer();
  await using c = await openPlayedServer();
  const servers = [a, b, c];
  await using daemon = await TestDaemon.start({ start: MORNING, yaml: "language: en\n" });
  const names = Object.keys(ways);
  const used = new Map<string, number>();
  let count = 0;
  for (let seed = 0; seed < SEQUENCES; seed++) {
    const pick = numbers(seed);
    const server = () => servers[pick(servers.length)] ?? a;
    const world: World = { daemon, pick, server, canary: () => `canary-${seed}-${count++}-of-a-secret` };
    for (let step = 0; step < STEPS; step++) {
      const name = names[pick(names.length)] ?? "notify";
      await ways[name]?.(world);
      used.set(name, (used.get(name) ?? 0) + 1);
      await listen(world);
    }
    if (seed % 20 === 19) await exchangeCopy(world);
  }
  expect([...used.keys()].sort()).toEqual([...names].sort());
  // Stopping throws for a secret that another server has heard.
  await daemon.stop();
});

test("a secret that another server hears fails the test", async () => {
  await using own = await openPlayedServer();
  await using other = await openPlayedServer();
  const yaml = `notify: { topic_url: "http://${own.host}/own", token: canary-of-a-topic }\n`;
  const daemon = await TestDaemon.start({ start: MORNING, yaml });
  expect((await daemon.post("/local/v1/notifications/test", {})).status).toBe(200);
  await fetch(`http://${other.host}/x`, { headers: { authorization: "Bearer canary-of-a-topic" } });
  await expect(daemon.stop()).rejects.toThrow(/canary-of-a-topic was heard at port/);
  await daemon[Symbol.asyncDispose]();
});
