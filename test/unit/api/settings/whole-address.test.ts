import { expect, test } from "vitest";
import { answering, withWholeAddresses } from "../../../../src/api/settings/whole-address.ts";
import { MACHINE, openPort } from "../../../support/http/machine.ts";

test.each([
  ["plugs[].", "url", "192.168.1.40", "http://192.168.1.40"],
  ["plugs[].", "url", " shelly-plug.local:8080 ", "http://shelly-plug.local:8080"],
  ["plugs[].", "url", "192.168.1.40:443", "https://192.168.1.40:443"],
  ["", "mqtt.url", "homeassistant.local", "mqtt://homeassistant.local:1883"],
  ["", "mqtt.url", "homeassistant.local:8883", "mqtts://homeassistant.local:8883"],
  ["", "home_assistant.url", "homeassistant.local", "http://homeassistant.local:8123"],
  ["", "home_assistant.url", "homeassistant.local/", "http://homeassistant.local/"],
  ["", "notify.topic_url", "ntfy.sh/my-topic", "https://ntfy.sh/my-topic"],
  ["plugs[].", "url", "https://192.168.1.40", "https://192.168.1.40"],
  ["plugs[].", "url", "my plug", "my plug"],
  ["plugs[].", "topic", "192.168.1.40", "192.168.1.40"],
  ["plugs[].", "constructor", "192.168.1.40", "192.168.1.40"],
] as const)("without asking, %s%s: %j is %j", async (list, key, typed, url) => {
  expect(await withWholeAddresses({ [key]: typed }, list, false)).toMatchObject({ values: { [key]: url } });
});

test("the first usual port that accepts a connection is taken; a machine outside the house is not asked", async () => {
  await using one = await openPort();
  await using two = await openPort();
  const places = [`first:${one.port}`, `second:${two.port}`] as const;
  expect(await answering(MACHINE, places)).toBe(places[0]);
  await one.close();
  expect(await answering(MACHINE, places)).toBe(places[1]);
  await two.close();
  expect(await answering(MACHINE, places)).toBeNull();
  expect(await answering("203.0.113.7", places)).toBe(places[0]);
});
