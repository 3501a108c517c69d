import { createServer, type IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { withSupervisorsBroker, withSupervisorsHomeAssistant } from "../../../src/cli/homeassistant-supervisor.ts";
import { readConfig } from "../../../src/config/reading/load.ts";
import type { Config } from "../../../src/config/schema/schema.ts";
import { listening } from "../../support/http/listening.ts";

/** Response of the supervisor with the Mosquitto app. */
const MOSQUITTO = {
  result: "ok",
  data: {
    addon: "core_mosquitto",
    host: "core-mosquitto",
    port: 1883,
    ssl: false,
    username: "addons",
    password: "p:w",
    protocol: "3.1.1",
  },
};

async function supervisor(status: number, body: string) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    response.writeHead(status).end(body);
  });
  return { asked, ...(await listening(server)) };
}

function configOf(text: string): Config {
  const reading = readConfig({ text, environment: {}, readFile: () => "" });
  if (reading.kind !== "config") throw new Error(JSON.stringify(reading.mistakes));
  return reading.config;
}

describe("Home Assistant's supervisor", () => {
  test("Home Assistant's supervisor provides the broker's address, user and password", async () => {
    await using known = await supervisor(200, JSON.stringify(MOSQUITTO));
    const { mqtt } = await withSupervisorsBroker(configOf("mqtt: { base_topic: el }"), "app-token", known.url);
    expect(mqtt).toMatchObject({
      url: "mqtt://core-mosquitto:1883",
      username: "addons",
      password: "p:w",
      base_topic: "el",
    });
    expect(known.asked[0]).toMatchObject({ url: "/services/mqtt", headers: { authorization: "Bearer app-token" } });
  });

  test("Home Assistant's supervisor provides mqtts for a broker with TLS, and no password for one without", async () => {
    await using known = await supervisor(
      200,
      '{"data":{"host":"broker","port":8883,"ssl":true,"username":"","password":""}}',
    );
    const { mqtt } = await withSupervisorsBroker(configOf(""), "app-token", known.url);
    expect(mqtt.url).toBe("mqtts://broker:8883");
    expect(mqtt).not.toHaveProperty("username");
  });

  test("Home Assistant's supervisor is not used if the configuration has a broker", async () => {
    await using known = await supervisor(200, JSON.stringify(MOSQUITTO));
    const config = configOf("mqtt: { url: 'mqtt://mine:1884' }");
    expect(await withSupervisorsBroker(config, "app-token", known.url)).toBe(config);
    expect(known.asked).toHaveLength(0);
  });

  test.each([
    [400, '{"result":"error"}', "Home Assistant has no MQTT broker: install and start the Mosquitto broker app"],
    [403, "", "the supervisor answered 403 when asked for the MQTT broker"],
    [200, "{", "the supervisor's response about the MQTT broker is not JSON"],
    [200, "null", "the supervisor's response has no host and port"],
    [200, '{"data":{"host":"x"}}', "the supervisor's response has no host and port"],
    [200, "x".repeat(100_000), "the supervisor cannot be reached (its response is too long)"],
  ])("with response %i %j leads to one sentence with a remedy", async (status, body, sentence) => {
    await using known = await supervisor(status, body);
    await expect(withSupervisorsBroker(configOf(""), "app-token", known.url)).rejects.toThrow(sentence);
  });

  test("that is not reachable leads to one sentence with a remedy", async () => {
    await using gone = await supervisor(200, "");
    await gone[Symbol.asyncDispose]();
    await expect(withSupervisorsBroker(configOf(""), "app-token", gone.url)).rejects.toThrow(
      /^the supervisor cannot be reached \(.*ECONNREFUSED.*\): install and start/,
    );
  });

  test("Home Assistant's supervisor provides Home Assistant's WebSocket, unless the configuration has another", () => {
    expect(withSupervisorsHomeAssistant(configOf(""), "app-token").home_assistant).toEqual({
      url: "ws://supervisor/core/websocket",
      token: "app-token",
    });
    const config = configOf("home_assistant: { url: 'http://other:8123', token: mine }");
    expect(withSupervisorsHomeAssistant(config, "app-token")).toBe(config);
  });

  test("Home Assistant's supervisor leads to a configuration error for homes with the same statistic id", () => {
    const homes = ["my-home", "my_home"].map(
      (id, i) => `{ address_id: 3f2504e0-4f89-41d3-9a0c-0305e82c330${i}, id: ${id} }`,
    );
    const config = configOf(`homes: [${homes.join()}]`);
    expect(() => withSupervisorsHomeAssistant(config, "app-token")).toThrow(
      'homes[1].id: "my_home" and "my-home" are both',
    );
  });
});
