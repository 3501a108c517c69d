import { describe, expect, test } from "vitest";
import { assertDiscovery, discoveryViolations } from "../../../support/home/discovery-validator.ts";

type Json = Record<string, unknown>;

const TOPIC = "homeassistant/device/elbro_home/config";

const of = (platform: string, unique_id: string, name: string, field: string, more: Json): Json => {
  return {
    platform,
    unique_id,
    name,
    state_topic: "elbro/home/state",
    value_template: `{{ value_json.${field} }}`,
    ...more,
  };
};

/** Returns a valid document of six entities. */
function sound(): Json & { device: Json; origin: Json; components: Record<string, Json> } {
  const price = { state_class: "measurement", unit_of_measurement: "DKK/kWh", expire_after: 4000 };
  const money = { device_class: "monetary", state_class: "total", unit_of_measurement: "DKK" };
  const hours = { platform: "number", unique_id: "f", name: "Hours", command_topic: "elbro/home/plan/wash/hours/set" };
  return {
    device: { identifiers: ["elbro_home"], name: "Home" },
    origin: { name: "elbro" },
    availability: [{ topic: "elbro/status" }],
    qos: 1,
    components: {
      price: of("sensor", "a", "Price", "price", {
        ...price,
        default_entity_id: "sensor.elbro_home_price",
        json_attributes_topic: "elbro/home/prices",
      }),
      level: of("sensor", "b", "Price level", "level", { device_class: "enum", options: ["cheap", "normal"] }),
      costs: of("sensor", "c", "Cost", "costs", {
        ...money,
        last_reset_value_template: "{{ value_json.since or '' }}",
      }),
      starts: of("sensor", "d", "Starts", "starts", { device_class: "timestamp" }),
      cheap: of("binary_sensor", "e", "Cheap now", "cheap", { payload_on: "True", payload_off: "False" }),
      hours: { ...hours, min: 1, max: 24, entity_category: "config" },
    },
  };
}

const STATE = {
  price: 1.5,
  level: "cheap",
  costs: 3,
  since: "2026-03-09T23:00:00Z",
  starts: "2026-03-10T23:00:00Z",
  cheap: true,
};

function tree(document: unknown, state: Json = STATE, prices: unknown = { today: [1] }) {
  return [
    { topic: TOPIC, payload: JSON.stringify(document) },
    { topic: "elbro/status", payload: "online" },
    { topic: "elbro/home/state", payload: JSON.stringify(state) },
    { topic: "elbro/home/prices", payload: JSON.stringify(prices) },
  ];
}

test("a valid document has no violations, with and without states", () => {
  expect(discoveryViolations(tree(sound()))).toEqual([]);
  expect(discoveryViolations(tree(sound()).slice(0, 1))).toEqual([]);
  assertDiscovery(tree(sound()));
});

test("the error names the document, the entity and the rule", () => {
  const document = sound();
  document.components.price = { ...document.components.price, state_class: "median" };
  expect(() => assertDiscovery(tree(document))).toThrow(`- ${TOPIC}: price: state_class median is unknown`);
});

describe("a violation in the document is reported:", () => {
  type Plant = (document: ReturnType<typeof sound>) => void;
  const plants: readonly (readonly [string, Plant])[] = [
    ["device is missing", (d) => Reflect.deleteProperty(d, "device")],
    ["device has neither identifiers nor connections", (d) => Reflect.deleteProperty(d.device, "identifiers")],
    ["device has colour, which is dropped", (d) => Object.assign(d.device, { colour: "red" })],
    ["origin is missing", (d) => Reflect.deleteProperty(d, "origin")],
    ["origin has no name", (d) => Reflect.deleteProperty(d.origin, "name")],
    ["components is missing", (d) => Reflect.deleteProperty(d, "components")],
    ["the document has expire_after, which is dropped", (d) => Object.assign(d, { expire_after: 1 })],
    ["availability and availability_topic stand together", (d) => Object.assign(d, { availability_topic: "a" })],
  ];
  test.each(plants)("%s", (words, plant) => {
    const document = sound();
    plant(document);
    expect(discoveryViolations(tree(document)).join("\n")).toContain(words);
  });

  test.each([
    ["homeassistant/sensor/elbro/config", "is not <prefix>/device/<object_id>/config"],
    ["homeassistant/device/el bro/config", 'the object id "el bro"'],
  ])("the topic %s", (topic, words) => {
    expect(discoveryViolations([{ topic, payload: JSON.stringify(sound()) }]).join("\n")).toContain(words);
  });

  test("not JSON", () => {
    expect(discoveryViolations([{ topic: TOPIC, payload: "{" }])).toEqual([`${TOPIC}: is not a JSON object`]);
  });

  test("the same unique id in two documents", () => {
    const second = {
      ...tree(sound())[0],
      topic: TOPIC.replace("elbro_home", "elbro_flat"),
      payload: JSON.stringify(sound()),
    };
    const found = discoveryViolations([...tree(sound()), second]);
    expect(found).toHaveLength(6);
    expect(found[0]).toContain("its unique_id a is also that of Price");
  });
});

describe("a violation in an entity is reported:", () => {
  test.each<[string, string, Json]>([
    ["platform gauge is unknown, so the whole document is refused", "price", { platform: "gauge" }],
    ["has object_id, which is dropped", "price", { object_id: "price" }],
    ["has options, which is dropped", "cheap", { options: ["a"] }],
    ["has no unique_id", "price", { unique_id: "" }],
    ["default_entity_id price is not sensor.", "price", { default_entity_id: "price" }],
    ["default_entity_id binary_sensor.x is not sensor.", "price", { default_entity_id: "binary_sensor.x" }],
    ["default_entity_id sensor.el-bro is not sensor.", "price", { default_entity_id: "sensor.el-bro" }],
    ["has no name, nor null", "price", { name: undefined }],
    [`its name "Home price" repeats the device's`, "price", { name: "Home price" }],
    ["entity_category config is not for a sensor", "price", { entity_category: "config" }],
    ["entity_category config is not for a binary_sensor", "cheap", { entity_category: "config" }],
    ["after the document's options were merged in", "price", { availability_topic: "elbro/status" }],
    ["availability is not a list of topics", "price", { availability: "elbro/status" }],
    ["has no state_topic", "price", { state_topic: undefined }],
    ["has no command_topic", "hours", { command_topic: undefined }],
    ['state_topic "elbro/+/state" is no topic', "price", { state_topic: "elbro/+/state" }],
    ['state_topic "/elbro" is no topic', "price", { state_topic: "/elbro" }],
    ['command_topic "a//b" is no topic', "hours", { command_topic: "a//b" }],
    ["device_class sold is not one of a binary sensor", "cheap", { device_class: "sold" }],
    ["device_class price is not in the catalogue", "price", { device_class: "price" }],
    ["state_class measurement is not for device_class monetary", "costs", { state_class: "measurement" }],
    ["state_class measurement is not for device_class timestamp", "starts", { state_class: "measurement" }],
    ["the unit DKK is not for device_class energy", "costs", { device_class: "energy" }],
    ["the unit h is not for device_class timestamp", "starts", { unit_of_measurement: "h" }],
    ["an amount of money has no unit", "costs", { unit_of_measurement: undefined }],
    ["a price per kWh is no amount", "costs", { unit_of_measurement: "DKK/kWh" }],
    ["options without device_class enum", "level", { device_class: undefined }],
    ["options together with a unit", "level", { unit_of_measurement: "x" }],
    ["options is not a list of different texts", "level", { options: ["a", "a"] }],
    ["device_class enum without options", "level", { options: undefined }],
    ["a total says by last_reset_value_template", "costs", { last_reset_value_template: undefined }],
    ["a total says by last_reset_value_template", "price", { last_reset_value_template: "{{ value_json.since }}" }],
    ["min 24 is not below max 24", "hours", { min: 24 }],
    ["min 1 is not below max 0", "hours", { max: 0 }],
    ["expire_after is not whole seconds", "price", { expire_after: 0.5 }],
    ["a select without options", "hours", { platform: "select", min: undefined, max: undefined }],
    ["nothing is published on elbro/away", "price", { state_topic: "elbro/away" }],
    ["nothing is published on elbro/none", "price", { availability: [{ topic: "elbro/none" }] }],
    ["finds no cost in the payload", "price", { value_template: "{{ value_json.cost }}" }],
    ["has no known form", "price", { value_template: "{{ value }}" }],
  ])("%s", (words, key, change) => {
    const document = sound();
    document.components[key] = { ...document.components[key], ...change };
    expect(discoveryViolations(tree(document)).join("\n")).toContain(words);
  });

  test("a key with a dot", () => {
    const document = sound();
    document.components = { "price.now": document.components.price ?? {} };
    expect(discoveryViolations(tree(document)).join()).toContain("the key may have letters");
  });

  test("but not an entity that is reduced to its platform to remove it", () => {
    const document = sound();
    document.components.old = { platform: "sensor" };
    expect(discoveryViolations(tree(document))).toEqual([]);
  });
});

describe("a violation in a state is reported:", () => {
  test.each<[string, Json]>([
    ["the state has 256 characters; 255 are taken", { ...STATE, starts: "x".repeat(256) }],
    ["the state is empty, and ignored", { ...STATE, level: "" }],
    ["the state costly is not one of its options", { ...STATE, level: "costly" }],
    ["the state high is not a plain decimal number", { ...STATE, price: "high" }],
    ["the state 1e-7 is not a plain decimal number", { ...STATE, price: 1e-7 }],
    ["is not an instant with an offset", { ...STATE, starts: "2026-03-10T23:00:00" }],
    ["the state ON is not True or False", { ...STATE, cheap: "ON" }],
    ["its last reset 2026-03-10 is not an instant", { ...STATE, since: "2026-03-10" }],
  ])("%s", (words, state) => {
    expect(discoveryViolations(tree(sound(), state)).join("\n")).toContain(words);
  });

  test.each<[string, unknown]>([
    ["16384 are kept", { today: "x".repeat(16_384) }],
    ["its attribute name is dropped", { name: "Price" }],
    ["its attributes are no JSON object", [1]],
  ])("attributes: %s", (words, prices) => {
    expect(discoveryViolations(tree(sound(), STATE, prices)).join("\n")).toContain(words);
  });
});
