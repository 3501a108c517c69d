/**
 * Validates discovery documents and the states that they refer to. Reports documents that Home Assistant rejects or
 * ignores without a log line, and documents that it accepts but elbro does not want.
 */
import {
  binarySensorClasses,
  deviceKeys,
  documentKeys,
  originKeys,
  platformKeys,
  sensorClasses,
  stateClasses,
} from "./discovery-catalogue.ts";
import { type StateTree, stateViolations } from "./discovery-states.ts";

/** Retained message of the broker. */
export type Retained = { readonly topic: string; readonly payload: string };

type Json = Readonly<Record<string, unknown>>;

const CONFIG_TOPIC = /^(.+)\/device\/([^/]+)\/config$/;
const OBJECT_ID = /^[a-zA-Z0-9_-]+$/;
const ENTITY_ID = /^([a-z_]+)\.[a-z0-9]+(?:_[a-z0-9]+)*$/;
const DEFAULT_PREFIX = "homeassistant";

/**
 * Throws an error that lists all violations. `retained` is all retained messages of a broker, or discovery documents
 * only. Without states, only the documents are checked.
 */
export function assertDiscovery(retained: Iterable<Retained>, prefix = DEFAULT_PREFIX): void {
  const found = discoveryViolations(retained, prefix);
  if (found.length > 0) throw new Error(`Home Assistant would object:\n${found.map((each) => `- ${each}`).join("\n")}`);
}

/** Returns all violations as text. */
export function discoveryViolations(retained: Iterable<Retained>, prefix = DEFAULT_PREFIX): string[] {
  const messages = [...retained].filter(({ payload }) => payload !== "");
  const isDocument = ({ topic }: Retained) => topic.startsWith(`${prefix}/`);
  const tree: StateTree = new Map(messages.filter((message) => !isDocument(message)).map((m) => [m.topic, m.payload]));
  const uniqueIds = new Map<string, string>();
  return messages.filter(isDocument).flatMap((message) => documentViolations(message, prefix, tree, uniqueIds));
}

function documentViolations(
  message: Retained,
  prefix: string,
  tree: StateTree,
  uniqueIds: Map<string, string>,
): string[] {
  const where = message.topic;
  const [, documentPrefix, objectId] = CONFIG_TOPIC.exec(message.topic) ?? [];
  if (documentPrefix !== prefix || objectId === undefined)
    return [`${where}: is not <prefix>/device/<object_id>/config`];
  const said: string[] = [];
  if (!OBJECT_ID.test(objectId)) said.push(`the object id "${objectId}" may have letters, digits, _ and - only`);
  const document = jsonObject(message.payload);
  if (!document) return [`${where}: is not a JSON object`];
  said.push(...frameViolations(document));
  for (const [key, component] of Object.entries(objectIn(document, "components") ?? {})) {
    const merged = isObject(component) ? withDocumentOptions(document, component) : null;
    const deviceName = objectIn(document, "device")?.name;
    const ofComponent = merged
      ? componentViolations(key, component as Json, merged, deviceName, uniqueIds, tree)
      : ["is not an object"];
    said.push(...ofComponent.map((what) => `${key}: ${what}`));
  }
  return said.map((what) => `${where}: ${what}`);
}

function frameViolations(document: Json): string[] {
  const said = unknownKeys(document, documentKeys, "the document");
  const device = objectIn(document, "device");
  const origin = objectIn(document, "origin");
  if (!device) said.push("device is missing");
  else {
    said.push(...unknownKeys(device, deviceKeys, "device"));
    const { identifiers, connections } = device;
    const any = [identifiers, connections].some((list) => Array.isArray(list) && list.length > 0);
    if (!any) said.push("device has neither identifiers nor connections");
  }
  if (!origin) said.push("origin is missing");
  else {
    said.push(...unknownKeys(origin, originKeys, "origin"));
    if (typeof origin.name !== "string") said.push("origin has no name");
  }
  if (!objectIn(document, "components")) said.push("components is missing");
  if ("availability" in document && "availability_topic" in document)
    said.push("availability and availability_topic stand together");
  return said;
}

/** Returns the component with the document's options as defaults. */
function withDocumentOptions(document: Json, component: Json): Json {
  const { device: _device, origin: _origin, components: _components, ...options } = document;
  const own: Json = component;
  const sharing = Object.entries(options).filter(
    ([key]) => !(key in own) && platformKeys[String(own.platform)]?.has(key),
  );
  return { ...Object.fromEntries(sharing), ...component };
}

function componentViolations(
  key: string,
  own: Json,
  merged: Json,
  deviceName: unknown,
  uniqueIds: Map<string, string>,
  tree: StateTree,
): string[] {
  const platform = String(own.platform);
  const keys = platformKeys[platform];
  if (!keys) return [`platform ${platform} is unknown, so the whole document is refused`];
  if (!OBJECT_ID.test(key)) return ["the key may have letters, digits, _ and - only"];
  if (Object.keys(own).length === 1) return [];
  return [
    ...unknownKeys(own, keys, "the component"),
    ...identityViolations(platform, merged, deviceName, uniqueIds),
    ...availabilityViolations(merged),
    ...topicViolations(platform, merged),
    ...classViolations(platform, merged),
    ...rangeViolations(platform, merged),
    ...stateViolations(platform, merged, tree),
  ];
}

function identityViolations(
  platform: string,
  given: Json,
  deviceName: unknown,
  uniqueIds: Map<string, string>,
): string[] {
  const said: string[] = [];
  const id = given.unique_id;
  if (typeof id !== "string" || id === "") said.push("has no unique_id");
  else if (uniqueIds.has(id)) said.push(`its unique_id ${id} is also that of ${uniqueIds.get(id)}`);
  else uniqueIds.set(id, String(given.name));
  const [, domain] = ENTITY_ID.exec(String(given.default_entity_id)) ?? [];
  if (given.default_entity_id !== undefined && domain !== platform)
    said.push(`default_entity_id ${String(given.default_entity_id)} is not ${platform}.<lower_case_words>`);
  const { name } = given;
  if (name !== null && (typeof name !== "string" || name === "")) said.push("has no name, nor null for the device's");
  if (typeof name === "string" && typeof deviceName === "string" && repeats(name, deviceName))
    said.push(`its name "${name}" repeats the device's`);
  const category = given.entity_category;
  const categories = platform.endsWith("sensor") ? ["diagnostic"] : ["diagnostic", "config"];
  if (category !== undefined && !categories.includes(String(category)))
    said.push(`entity_category ${String(category)} is not for a ${platform}`);
  return said;
}

function repeats(name: string, deviceName: string): boolean {
  return `${name.toLowerCase()} `.startsWith(`${deviceName.toLowerCase()} `);
}

function availabilityViolations(given: Json): string[] {
  if ("availability" in given && "availability_topic" in given)
    return ["availability and availability_topic stand together, after the document's options were merged in"];
  const list = given.availability;
  if (list === undefined) return [];
  const sound = Array.isArray(list) && list.every((each) => isObject(each) && isTopic(each.topic));
  return sound ? [] : ["availability is not a list of topics"];
}

const TOPIC_KEYS = ["state_topic", "command_topic", "json_attributes_topic", "availability_topic"];
const REQUIRED_TOPICS: Readonly<Record<string, readonly string[]>> = {
  sensor: ["state_topic"],
  binary_sensor: ["state_topic"],
  switch: ["command_topic"],
  number: ["command_topic"],
  select: ["command_topic"],
  text: ["command_topic"],
  button: ["command_topic"],
  // Without a state topic the entity has no version.
  update: ["state_topic"],
  event: ["state_topic"],
};

function topicViolations(platform: string, given: Json): string[] {
  const missing = (REQUIRED_TOPICS[platform] ?? []).filter((key) => !(key in given)).map((key) => `has no ${key}`);
  const bad = TOPIC_KEYS.filter((key) => key in given && !isTopic(given[key]));
  return [...missing, ...bad.map((key) => `${key} ${JSON.stringify(given[key])} is no topic`)];
}

/** Returns true for a topic to publish on: not empty, no wildcards, no empty level, not starting with `$`. */
function isTopic(value: unknown): boolean {
  return (
    typeof value === "string" && /^[^+#\0$/][^+#\0]*$/.test(value) && !value.includes("//") && !value.endsWith("/")
  );
}

function classViolations(platform: string, given: Json): string[] {
  if (platform === "sensor") return sensorViolations(given);
  const known =
    platform !== "binary_sensor" ||
    given.device_class === undefined ||
    binarySensorClasses.has(String(given.device_class));
  return known ? [] : [`device_class ${String(given.device_class)} is not one of a binary sensor`];
}

function sensorViolations(given: Json): string[] {
  const said: string[] = [];
  const { device_class: deviceClass, state_class: stateClass, unit_of_measurement: unit, options } = given;
  if (stateClass !== undefined && !stateClasses.has(String(stateClass)))
    said.push(`state_class ${String(stateClass)} is unknown`);
  if (deviceClass !== undefined) {
    const known = sensorClasses[String(deviceClass)];
    if (!known) said.push(`device_class ${String(deviceClass)} is not in the catalogue`);
    else {
      if (stateClass !== undefined && !known.stateClasses.has(String(stateClass)))
        said.push(`state_class ${String(stateClass)} is not for device_class ${String(deviceClass)}`);
      if (known.units === null ? unit !== undefined : known.units && !known.units.has(String(unit)))
        said.push(`the unit ${String(unit)} is not for device_class ${String(deviceClass)}`);
    }
  }
  if (deviceClass === "monetary" && unit === undefined) said.push("an amount of money has no unit");
  if (options !== undefined) {
    if (deviceClass !== "enum") said.push("options without device_class enum");
    if (unit !== undefined || stateClass !== undefined) said.push("options together with a unit or a state_class");
    if (!Array.isArray(options) || options.length === 0 || new Set(options).size < options.length)
      said.push("options is not a list of different texts");
  } else if (deviceClass === "enum") said.push("device_class enum without options");
  if ("last_reset_value_template" in given !== (stateClass === "total"))
    said.push("a total says by last_reset_value_template when it began, and nothing else does");
  if (String(unit).endsWith("/kWh") && deviceClass !== undefined)
    said.push("a price per kWh is no amount: it has no device_class");
  return said;
}

function rangeViolations(platform: string, given: Json): string[] {
  const { min, max, step, pattern, expire_after: expires, options } = given;
  const said: string[] = [];
  if (platform === "number" && step !== undefined && !(Number(step) >= 0.001)) said.push("step is below 0.001");
  if (pattern !== undefined && !compiles(pattern)) said.push(`pattern ${String(pattern)} is no regular expression`);
  if (platform === "number" && Number(min ?? 1) >= Number(max ?? 100))
    said.push(`min ${String(min)} is not below max ${String(max)}`);
  if (platform === "select" && !(Array.isArray(options) && options.length > 0)) said.push("a select without options");
  if (expires !== undefined && !(Number.isInteger(expires) && Number(expires) > 0))
    said.push("expire_after is not whole seconds");
  return said;
}

function compiles(pattern: unknown): boolean {
  try {
    return typeof pattern === "string" && new RegExp(pattern).source !== "";
  } catch {
    return false;
  }
}

function unknownKeys(given: Json, known: ReadonlySet<string>, what: string): string[] {
  return Object.keys(given)
    .filter((key) => !known.has(key))
    .map((key) => `${what} has ${key}, which is dropped without a word`);
}

function objectIn(given: Json, key: string): Json | null {
  const value = given[key];
  return isObject(value) ? value : null;
}

function jsonObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
