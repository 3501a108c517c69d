/** Checks a plug that is an entity of Home Assistant, with a meter, and the automation that ends its ON. */
import mqtt from "mqtt";
import { parse } from "yaml";
import { timerAutomation } from "../../src/core/plugs/families/home-assistant.ts";
import { freePort } from "../support/broker/mosquitto.ts";
import { InstalledDaemon } from "../support/processes/installed-daemon.ts";
import type { Checks } from "./checks.ts";
import type { HomeAssistant } from "./home-assistant.ts";
import { RetainedTopics } from "./retained-topics.ts";
import { until } from "./until.ts";

const ENTITY = "input_boolean.washer";
const METER = "sensor.washer_power";
const SIGNAL = "test/washer";
const LOGIN = { username: "test", password: "test" };
const STATE = "elbro/plug/washer/state";
const WITHIN_MS = 30_000;
const WARY_MS = 12_000;
/** Delay of the automation in this test, instead of 17.5 minutes. */
const DELAY = "00:00:05";

export async function checkSwitches(checks: Checks, home: HomeAssistant): Promise<void> {
  const port = await freePort();
  const plug = { name: "Washer", family: "homeassistant", entity: ENTITY, signal_topic: SIGNAL };
  await using installed = await InstalledDaemon.prepare({
    config: {
      third_party: undefined,
      broker: { host: "127.0.0.1", port, users: [{ name: LOGIN.username, password: LOGIN.password }] },
      home_assistant: { url: home.url, token: await home.newToken("plugs") },
      plugs: [{ ...plug, power: { entity: METER } }],
    },
  });
  await home.show(METER, "0.75", { unit_of_measurement: "kW" });
  await using daemon = await installed.launch();
  const broker = { port, ...LOGIN };
  await using topics = new RetainedTopics(broker);
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, LOGIN);
  const signal = (state: string) => client.publishAsync(SIGNAL, state, { qos: 1, retain: true });
  const isPlug = (facts: Readonly<Record<string, unknown>>) =>
    until(JSON.stringify(facts), WITHIN_MS, () => {
      const shown = topics.json(STATE);
      for (const [name, value] of Object.entries(facts))
        if (shown[name] !== value) throw new Error(JSON.stringify(shown));
      return true;
    });
  const isEntity = (state: string) =>
    until(`${ENTITY} is ${state}`, WITHIN_MS, async () => (await home.state(ENTITY)).state === state || undefined);

  await checks.check("a plug switches an entity of Home Assistant and reads its state and meter", async () => {
    await signal("ON");
    await isEntity("on");
    const began = performance.now();
    await isPlug({ on: true, reason_code: "wanted_on", watts: 750 });
    // A plug that has just connected may first carry out an earlier command.
    await until("a manual change counts", WITHIN_MS, () => performance.now() - began > WARY_MS || undefined);
    await home.act("input_boolean.turn_off", ENTITY);
    await isPlug({ on: false, reason_code: "switched_off_by_hand" });
    await signal("OFF");
    await isPlug({ on: false, reason_code: "wanted_off" });
    return undefined;
  });
  await checks.check("the automation that `elbro check` prints ends an ON after elbro was killed", async () => {
    const address = { topic: ENTITY, channel: "", caller: "" };
    const automation = timerAutomation(address, "off", false)?.replace("00:17:30", DELAY) ?? "";
    await home.rest("POST", "/api/config/automation/config/elbro_washer", parse(automation));
    await until("the automation is on", WITHIN_MS, async () => {
      const states = await home.states();
      return (
        states.some(({ entity_id: id, state }) => /^automation\.elbro.*washer/.test(id) && state === "on") || undefined
      );
    });
    await signal("ON");
    await isEntity("on");
    await daemon.end("SIGKILL");
    const { seconds } = await isEntity("off");
    await home.act("input_boolean.turn_on", ENTITY);
    const began = performance.now();
    const manual = await until("a manual ON lasts", WITHIN_MS, async () => {
      const { state } = await home.state(ENTITY);
      if (state !== "on") throw new Error("the automation ended a manual ON");
      return performance.now() - began > 7_000 || undefined;
    });
    return `off ${seconds.toFixed(1)} s after the kill; a manual ON lasts (${manual.seconds.toFixed(0)} s)`;
  });
  await client.endAsync(true);
}
