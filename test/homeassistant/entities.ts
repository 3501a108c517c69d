/** Compares the components that elbro announces with the entities in Home Assistant. */
import type { HomeAssistant } from "./home-assistant.ts";
import type { RetainedTopics } from "./retained-topics.ts";

interface Component {
  readonly platform: string;
  readonly unique_id: string;
  readonly default_entity_id: string;
  readonly device_class?: string;
  readonly state_class?: string;
  readonly state_topic?: string;
  readonly value_template?: string;
  readonly enabled_by_default?: false;
}

interface RegistryEntry {
  readonly entity_id: string;
  readonly unique_id: string;
  readonly platform: string;
  readonly disabled_by: string | null;
}

export type ShownEntity = { readonly uniqueId: string; readonly entityId: string; readonly state: string };

/** Returns every component of every discovery document, except those that are being removed. */
export function announcedComponents(topics: RetainedTopics): Component[] {
  return topics
    .startingWith("homeassistant/device/")
    .flatMap((topic) => Object.values((topics.json(topic).components ?? {}) as Record<string, Component>))
    .filter(({ unique_id }) => unique_id !== undefined);
}

/**
 * Returns Home Assistant's MQTT entities by unique id.
 * Their state is `disabled` for an entity that Home Assistant does not start, `missing` if it has none.
 */
export async function shownEntities(home: HomeAssistant): Promise<Map<string, ShownEntity>> {
  const registry = await home.socket.ask<RegistryEntry[]>({ type: "config/entity_registry/list" });
  const states = new Map((await home.states()).map(({ entity_id, state }) => [entity_id, state]));
  const shown = registry
    .filter(({ platform }) => platform === "mqtt")
    .map(({ unique_id, entity_id, disabled_by }) => ({
      uniqueId: unique_id,
      entityId: entity_id,
      state: disabled_by === null ? (states.get(entity_id) ?? "missing") : "disabled",
    }));
  return new Map(shown.map((entity) => [entity.uniqueId, entity]));
}

/** Returns the differences between published values and states in Home Assistant. */
export function differences(
  components: readonly Component[],
  shown: ReadonlyMap<string, ShownEntity>,
  topics: RetainedTopics,
): string[] {
  return components.flatMap((component) => {
    const entity = shown.get(component.unique_id);
    if (!entity) return [`${component.unique_id} is not in Home Assistant`];
    const value = publishedValue(component, topics);
    if (isShownAs(value, entity.state, component)) return [];
    return [`${entity.entityId} is ${entity.state}, published is ${JSON.stringify(value)}`];
  });
}

function publishedValue({ state_topic, value_template = "" }: Component, topics: RetainedTopics): unknown {
  const key = /value_json\.get\('(\w+)'\)/.exec(value_template)?.[1];
  return state_topic === undefined || key === undefined ? undefined : topics.json(state_topic)[key];
}

function isShownAs(value: unknown, state: string, component: Component): boolean {
  const { platform, device_class } = component;
  if (component.enabled_by_default === false) return state === "disabled";
  // The topic of an event is not retained.
  if (platform === "button" || platform === "event") return state !== "unavailable" && state !== "missing";
  if (value === null) return state === "unknown";
  if (typeof value === "boolean") return state === (value ? "on" : "off");
  if (typeof value === "number") return state !== "" && Number(state) === value;
  if (device_class === "timestamp") return Date.parse(state) === Math.floor(Date.parse(String(value)) / 1_000) * 1_000;
  return state === (platform === "time" ? `${value}:00` : value);
}
