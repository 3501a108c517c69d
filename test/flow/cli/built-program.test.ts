/** Tests the built program: libraries in one bundle, `readable-stream` replaced by `node:stream`. */
import mqtt from "mqtt";
import { expect, test } from "vitest";
import { WebSocketProxy } from "../../support/broker/websocket-proxy.ts";
import { DaemonProcess } from "../../support/processes/daemon-process.ts";

test("the broker may be reached by WebSocket, and the daemon stays connected", async () => {
  const here = { ELBRO_API_PORT: "0", ELBRO_BROKER_PORT: "0", ELBRO_HISTORY_MONTHS: "0" };
  await using broker = new DaemonProcess([], here);
  const [, port] = /-p (\d+)/.exec(await broker.line(/mosquitto_sub/)) ?? [];
  await using proxy = await WebSocketProxy.before(Number(port));
  const url = `ws://127.0.0.1:${proxy.port}/mqtt`;
  await using guest = new DaemonProcess([], { ...here, ELBRO_MQTT_URL: url, ELBRO_MQTT_BASE_TOPIC: "guest" });
  await guest.line(/curl/);
  const client = await mqtt.connectAsync(url, { protocolVersion: 4 });
  const topics = new Set<string>();
  client.on("message", (topic) => topics.add(topic));
  await client.subscribeAsync(["elbro/status", "guest/status"]);
  await expect.poll(() => [...topics].sort()).toEqual(["elbro/status", "guest/status"]);
  await client.endAsync(true);
});

test("LAN routes work with and without a query", async () => {
  await using daemon = new DaemonProcess([], {
    ELBRO_API_PORT: "0",
    ELBRO_BROKER_PORT: "0",
    ELBRO_HISTORY_MONTHS: "1",
  });
  const apiLine = await daemon.line(/curl/);
  const headers = { authorization: `Bearer ${/Bearer (\S+)'/.exec(apiLine)?.[1]}` };
  const base = new URL(/http:\S+/.exec(apiLine)?.[0] ?? "").origin;
  const status = async (path: string) => (await fetch(`${base}${path}`, { headers })).status;
  expect(await status("/local/v1/prices?home=home&home=home")).toBe(400);
  // The daemon is asked before it has the first prices.
  await expect.poll(() => status("/local/v1/prices?home=home")).toBe(200);
  expect(await status("/consumer/v1/me/addresses")).toBe(200);
  expect(await status("/nowhere/%zz?a=b")).toBe(404);
});
