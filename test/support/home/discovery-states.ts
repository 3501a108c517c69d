/** Checks that published states are valid for the Home Assistant entities that refer to them. */
import { MAX_ATTRIBUTE_BYTES, MAX_STATE_LENGTH, takenAttributes } from "./discovery-catalogue.ts";
import { render, TemplateError } from "./jinja.ts";

type Json = Readonly<Record<string, unknown>>;

/** Payloads by topic. If empty, only documents are checked, not states. */
export type StateTree = ReadonlyMap<string, string>;

const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** Returns the state that Home Assistant shows, which may be `unavailable` or `unknown`. */
export function shownState(component: Json, documentAvailability: readonly Json[], tree: StateTree): string {
  const availability = (component.availability as readonly Json[] | undefined) ?? documentAvailability;
  const available = availability.every((each) => {
    const payload = tree.get(String(each.topic));
    if (payload === undefined) return false;
    const said = typeof each.value_template === "string" ? render(each.value_template, payload) : payload;
    return said === (each.payload_available ?? "online");
  });
  if (!available) return "unavailable";
  const state = stateOf(component, tree);
  return state === null || state === "None" ? "unknown" : state;
}

/** Returns the violations in an entity's state and attributes; an empty list if `tree` is empty. */
export function stateViolations(platform: string, component: Json, tree: StateTree): string[] {
  if (tree.size === 0) return [];
  try {
    return [
      ...referenceViolations(component, tree),
      ...valueViolations(platform, component, stateOf(component, tree)),
      ...lastResetViolations(component, tree),
      ...attributeViolations(component, tree),
    ];
  } catch (error) {
    if (error instanceof TemplateError) return [error.message];
    throw error;
  }
}

function stateOf(component: Json, tree: StateTree): string | null {
  const payload = tree.get(String(component.state_topic));
  if (payload === undefined) return null;
  return typeof component.value_template === "string" ? render(component.value_template, payload) : payload;
}

function referenceViolations(component: Json, tree: StateTree): string[] {
  const availability = Array.isArray(component.availability) ? (component.availability as readonly Json[]) : [];
  // Events are not retained.
  const state = component.event_types === undefined ? component.state_topic : undefined;
  const topics = [state, component.json_attributes_topic, ...availability.map((each) => each.topic)];
  return topics
    .filter((topic) => topic !== undefined && !tree.has(String(topic)))
    .map((topic) => `nothing is published on ${String(topic)}`);
}

function valueViolations(platform: string, component: Json, state: string | null): string[] {
  if (state === "None" && platform === "text") return ["a text without a value shows None, which its pattern refuses"];
  if (state === null || state === "None") return [];
  const { device_class: deviceClass, options, unit_of_measurement: unit, state_class: stateClass } = component;
  const wrong = (expected: string) => [`the state ${state.slice(0, 40)} is not ${expected}`];
  if (state === "") return ["the state is empty, and ignored"];
  if (state.length > MAX_STATE_LENGTH)
    return [`the state has ${state.length} characters; ${MAX_STATE_LENGTH} are taken`];
  if (platform === "binary_sensor") {
    const known = [component.payload_on ?? "ON", component.payload_off ?? "OFF"];
    return known.includes(state) ? [] : wrong(known.join(" or "));
  }
  if (platform === "update") return updateFits(state) ? [] : wrong("a JSON object with the installed version");
  if (platform === "switch") {
    const known = [component.state_on ?? component.payload_on ?? "ON", component.state_off ?? "OFF"];
    return known.includes(state) ? [] : wrong(known.join(" or "));
  }
  if (platform === "number") {
    const { min = 1, max = 100 } = component;
    const fits = /^-?\d+(\.\d+)?$/.test(state) && Number(state) >= Number(min) && Number(state) <= Number(max);
    return fits ? [] : wrong(`a number from ${String(min)} to ${String(max)}`);
  }
  if (platform === "text" && component.pattern !== undefined)
    return new RegExp(String(component.pattern)).test(state) ? [] : wrong(`what ${String(component.pattern)} fits`);
  if (platform !== "sensor") return [];
  if (Array.isArray(options) && !options.includes(state)) return wrong("one of its options");
  if (deviceClass === "timestamp" && !(WITH_OFFSET.test(state) && !Number.isNaN(Date.parse(state))))
    return wrong("an instant with an offset");
  if (deviceClass === "date" && !/^\d{4}-\d{2}-\d{2}$/.test(state)) return wrong("a date");
  const numeric = unit !== undefined || stateClass !== undefined;
  return numeric && !/^-?\d+(\.\d+)?$/.test(state) ? wrong("a plain decimal number") : [];
}

function updateFits(state: string): boolean {
  const { installed_version, latest_version } = JSON.parse(state) as Json;
  return typeof installed_version === "string" && typeof latest_version === "string";
}

function lastResetViolations(component: Json, tree: StateTree): string[] {
  const { last_reset_value_template: template, state_topic: topic } = component;
  const payload = tree.get(String(topic));
  if (typeof template !== "string" || payload === undefined) return [];
  const at = render(template, payload);
  return at === "" || WITH_OFFSET.test(at) ? [] : [`its last reset ${at} is not an instant with an offset`];
}

function attributeViolations(component: Json, tree: StateTree): string[] {
  const { json_attributes_topic: topic, json_attributes_template: template } = component;
  const published = tree.get(String(topic));
  if (topic === undefined || published === undefined) return [];
  const payload = typeof template === "string" ? render(template, published) : published;
  const { name, icon, device_class, state_class, unit_of_measurement, options } = component;
  const own = JSON.stringify({ name, icon, device_class, state_class, unit_of_measurement, options });
  const bytes = Buffer.byteLength(payload) + Buffer.byteLength(own);
  const said =
    bytes > MAX_ATTRIBUTE_BYTES ? [`its attributes have ${bytes} bytes; ${MAX_ATTRIBUTE_BYTES} are kept`] : [];
  const attributes: unknown = JSON.parse(payload);
  if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes))
    return [...said, "its attributes are no JSON object"];
  const taken = Object.keys(attributes).filter((name) => takenAttributes.has(name));
  return [...said, ...taken.map((name) => `its attribute ${name} is dropped: the name is taken`)];
}
