import { expect, test } from "vitest";
import { switchableEntities } from "../../../../src/integrations/homeassistant/switchable-entities.ts";
import { EmulatedHomeAssistant } from "../../../support/home/emulated-home-assistant.ts";

const { signal } = new AbortController();
const ENTITIES = "config/entity_registry/list_for_display";
const DEVICES = "config/device_registry/list";

/** A Home Assistant with a measuring switch in the kitchen and what else a home has. */
async function home(): Promise<EmulatedHomeAssistant> {
  const home = await EmulatedHomeAssistant.start();
  home.show("switch.washer", "off", { friendly_name: "Washing machine" });
  home.show("sensor.washer_power", "0", { unit_of_measurement: "W" });
  home.show("sensor.washer_energy", "12.5", { unit_of_measurement: "kWh" });
  home.show("sensor.outdoor", "7", { unit_of_measurement: "°C" });
  home.show("switch.washer_child_lock", "off", { friendly_name: "Child lock" });
  home.show("switch.elbro_plan", "off", { friendly_name: "A plan of elbro" });
  home.show("switch.hidden", "off");
  home.show("input_boolean.guests", "on", { friendly_name: "Guests" });
  home.show("climate.bath", "heat", { friendly_name: "Bathroom" });
  home.show("number.limit", "16");
  home.show("binary_sensor.door", "off");
  Object.assign(home.registries, {
    [ENTITIES]: {
      entities: [
        { ei: "switch.washer", di: "plug", pl: "zha" },
        { ei: "sensor.washer_power", di: "plug" },
        { ei: "sensor.washer_energy", di: "plug" },
        { ei: "switch.washer_child_lock", di: "plug", ec: 0 },
        { ei: "switch.elbro_plan", di: "ours" },
        { ei: "switch.hidden", hb: true },
        { ei: "climate.bath", ai: "bath", di: "plug of another form" },
        { di: "a row of another form" },
      ],
    },
    [DEVICES]: [
      { id: "plug", area_id: "kitchen", manufacturer: "IKEA" },
      { id: "ours", manufacturer: "elbro" },
    ],
    "config/area_registry/list": [
      { area_id: "kitchen", name: "Kitchen" },
      { area_id: "bath", name: "Upstairs" },
    ],
  });
  return home;
}

test("entities that can be switched have a name, an area and the sensors of their device", async () => {
  await using homeAssistant = await home();
  expect(await switchableEntities(homeAssistant, signal)).toEqual([
    { entity: "climate.bath", name: "Bathroom", area: "Upstairs", power: null, energy: null },
    { entity: "input_boolean.guests", name: "Guests", area: null, power: null, energy: null },
    {
      entity: "switch.washer",
      name: "Washing machine",
      area: "Kitchen",
      power: "sensor.washer_power",
      energy: "sensor.washer_energy",
    },
  ]);
  await expect.poll(() => homeAssistant.connections).toBe(0);
});

test("the sensors of a device with several sockets, or with two of a kind, belong to none of them", async () => {
  await using homeAssistant = await home();
  homeAssistant.show("sensor.washer_power_2", "0", { unit_of_measurement: "kW" });
  (homeAssistant.registries[ENTITIES] as { entities: object[] }).entities.push({
    ei: "sensor.washer_power_2",
    di: "plug",
  });
  const sensors = async () =>
    (await switchableEntities(homeAssistant, signal)).flatMap(({ power, energy }) =>
      [power ?? [], energy ?? []].flat(),
    );
  expect(await sensors()).toEqual(["sensor.washer_energy"]);
  homeAssistant.show("switch.socket_2", "off");
  (homeAssistant.registries[ENTITIES] as { entities: object[] }).entities.push({ ei: "switch.socket_2", di: "plug" });
  expect(await sensors()).toEqual([]);
});

test("without registries, and with answers of another form, entities have a name only", async () => {
  await using homeAssistant = await home();
  delete homeAssistant.registries[ENTITIES];
  homeAssistant.registries[DEVICES] = "no list";
  const found = await switchableEntities(homeAssistant, signal);
  expect(found.find(({ entity }) => entity === "switch.washer")).toMatchObject({ area: null, power: null });
  expect(found.map(({ name }) => name)).toContain("switch.hidden");
});

test("a token that is no longer valid is an error", async () => {
  await using homeAssistant = await home();
  const account = { url: homeAssistant.url, token: "old" };
  await expect(switchableEntities(account, signal)).rejects.toMatchObject({ kind: "token" });
});
