import mqtt from "mqtt";
import clientModule from "mqtt/lib/client";
import { expect, test } from "vitest";

test("the deep import of MQTT.js is the class of its index", () => {
  expect(clientModule.default).toBe(mqtt.MqttClient);
});
