/** What elbro does with a broker that refuses some of its messages, with the rights and limits of a real Mosquitto. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { topic } from "../../../src/config/schema/values.ts";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { Mosquitto } from "../../support/broker/mosquitto.ts";
import { retainedIn } from "../../support/broker/retained.ts";
import { TestMqttClient } from "../../support/broker/test-mqtt-client.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { lacks } from "../../support/runner/needs.ts";

const NOON = Date.UTC(2026, 2, 10, 11);

/** Users that the ACL does not name read the list of retained messages, too. */
const acl = (...topics: readonly string[]) => ({
  config: ["acl_file DIR/acl"],
  files: { acl: [...topics, "end-of-retained/#"].map((topic) => `topic readwrite ${topic}\n`).join("") },
});

const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`elbro/home/t${i}`, `${i}`]));

describe.skipIf(lacks("Mosquitto"))("with Mosquitto (skipped if it is not installed)", () => {
  test("without rights for discovery every state is published, and the problem names a topic", async () => {
    await using broker = await Mosquitto.start(acl("elbro/#"));
    const mqtt = { url: `mqtt://127.0.0.1:${broker.port}`, base_topic: "elbro", discovery_prefix: "homeassistant" };
    await using daemon = await TestDaemon.start({ start: NOON, config: { mqtt } });
    const refused = () =>
      daemon.log.filter(({ facts }) => "code" in facts && facts.code === "topics_refused").map(({ facts }) => facts);
    await expect
      .poll(async () => {
        await daemon.clock.runUntil(daemon.clock.now() + MINUTE_MS);
        return refused();
      })
      .toContainEqual(
        expect.objectContaining({ subject: expect.stringMatching(/^mqtt topic homeassistant\/device\//) }),
      );
    await expect
      .poll(() => retainedIn(broker.port))
      .toMatchObject({
        "elbro/status": "online",
        "elbro/home/price": expect.stringMatching(/^\d/),
        "elbro/home/prices": expect.stringContaining("raw_today"),
        "elbro/info": expect.stringContaining("topics_refused"),
      });
    // Three short connections, one for each document, and one that stays.
    expect(daemon.log.filter(({ text }) => text === "broker connected").length).toBeLessThan(20);
  });

  test("a right that is granted later is used after a restart of the broker", async () => {
    await using broker = await Mosquitto.start(acl("elbro/home/#", "elbro/status"));
    await using link = new TestMqttClient({ to: broker.port });
    link.showStates({ ...many, "elbro/denied": "1" });
    await link.logged("the broker rejects a topic");
    await expect.poll(() => retainedIn(broker.port)).toEqual({ ...many, "elbro/status": "online" });
    await broker.down();
    broker.allow("elbro/#", "end-of-retained/#");
    await link.closed();
    await broker.up();
    await expect.poll(() => retainedIn(broker.port)).toHaveProperty(["elbro/denied"], "1");
    expect([...link.refused]).toEqual([]);
  });

  // Mosquitto 2.0.11 answers the second with a code that MQTT.js does not accept, and the connection ends.
  test.for([
    ["max_packet_size 1000", /too large/],
    ["message_size_limit 1000", /too large|does not accept its size/],
  ] as const)("with %s a larger message is refused, and all others are published", async ([config, reason]) => {
    await using broker = await Mosquitto.start({ config: [config] });
    await using link = new TestMqttClient({ to: broker.port });
    link.showStates({ "elbro/large": "x".repeat(2_000), ...many });
    await expect.poll(() => retainedIn(broker.port)).toEqual({ ...many, "elbro/status": "online" });
    await link.logged("the broker rejects a topic");
    expect(link.lines.find(({ facts }) => facts.topic === "elbro/large")?.facts.reason).toMatch(reason);
  });

  test("with max_qos 0 everything is published with QoS 0", async () => {
    await using broker = await Mosquitto.start({ config: ["log_type all"], listener: ["max_qos 0"] });
    await using link = new TestMqttClient({ to: broker.port });
    link.showStates(many);
    const received = () => broker.said().match(/Received PUBLISH from elbro_test \(d0, q0, r1, m0, 'elbro\/home\/t/g);
    await expect.poll(received).toHaveLength(Object.keys(many).length);
    expect(link.reasons()).toEqual([]);
  });

  test("every topic that the configuration accepts is accepted by the broker", async () => {
    const anyText = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
    const texts = fc.sample(
      fc.oneof(
        anyText,
        anyText.map((text) => `a/${text}/b`),
      ),
      { numRuns: 500, seed: 7 },
    );
    const accepted = texts.filter((text) => !text.startsWith("$") && topic.safeParse(text).success);
    expect(accepted.length).toBeGreaterThan(100);
    await using broker = await Mosquitto.start();
    await using link = new TestMqttClient({ to: broker.port });
    const states = Object.fromEntries(accepted.map((text) => [`elbro/${text}`, "1"]));
    link.showStates(states);
    await expect.poll(() => retainedIn(broker.port)).toEqual({ ...states, "elbro/status": "online" });
    expect(link.reasons()).toEqual([]);
  });

  test("without retained messages elbro connects, and reports that it needs them", async () => {
    await using broker = await Mosquitto.start({ config: ["retain_available false"] });
    await using link = new TestMqttClient({ to: broker.port });
    link.showStates(many);
    await link.up();
    expect([...link.refused]).toEqual([["elbro/status", { key: "mqtt.no_retained", facts: {} }]]);
    expect(link.reasons()).toEqual([]);
  });
});
