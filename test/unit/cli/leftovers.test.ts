import { expect, test } from "vitest";
import { leftovers } from "../../../src/cli/leftovers.ts";
import { configSchema } from "../../../src/config/schema/schema.ts";

const config = configSchema.parse({
  consumer: { api_key: "secret-of-the-service" },
  mqtt: { url: "mqtt://elbro:secret-of-the-url@192.168.1.10", username: "elbro", password: "secret-of-the-broker" },
  home_assistant: { url: "http://homeassistant.local:8123", token: "secret-of-home-assistant" },
  archive: { url: "postgres://elbro:secret-of-the-archive@db:5432/energy", password: "secret-too" },
  notify: { topic_url: "https://ntfy.sh/my-house-4821", token: "secret-of-ntfy" },
  plans: [{ name: "Car", home: "home", kind: "slots", hours: 4 }],
  plugs: [
    { name: "Car plug", family: "tasmota", topic: "tasmota_4F21", plan: "car" },
    { name: "Lamp", family: "zigbee2mqtt", topic: "lamp", plan: "car" },
  ],
  data_dir: "/var/lib/elbro",
});

test("leftovers lists every configured part in the order of removal, without secrets", () => {
  const listed = leftovers({ config, configPath: "/etc/elbro/elbro.yaml", isContainer: false, exists: () => true });
  expect(listed.map(([what]) => what)).toEqual([
    ...["systemd", "data", "configuration", "broker", "Home Assistant", "Home Assistant", "PostgreSQL", "phones"],
    ...["plug Car plug", "service"],
  ]);
  expect(JSON.stringify(listed)).not.toContain("secret");
  expect(JSON.stringify(listed)).toContain("postgres://db:5432/energy");
});

test("leftovers omits parts that do not exist", () => {
  const least = configSchema.parse({ consumer: { api_key: "k" } });
  const listed = leftovers({ config: least, configPath: null, isContainer: true, exists: () => false });
  expect(listed.map(([what]) => what)).toEqual(["container", "Home Assistant", "Home Assistant", "service"]);
});
