/** Counts how often the entities of Home Assistant that are enabled by default change. */
import { shownState } from "./discovery-states.ts";
import { render } from "./jinja.ts";

interface Component {
  readonly unique_id: string;
  readonly state_topic?: string;
  readonly json_attributes_topic?: string;
  readonly json_attributes_template?: string;
  readonly enabled_by_default?: false;
  readonly event_types?: readonly string[];
}

interface Document {
  readonly availability: readonly { readonly topic: string }[];
  readonly components: Readonly<Record<string, Component>>;
}

/**
 * Returns the number of changes of state or attributes since the message `from`, by unique id. The entities are those
 * of the last documents; events and hidden entities are omitted.
 */
export function changesSince(
  from: number,
  seen: readonly { readonly topic: string; readonly payload: string }[],
): Map<string, number> {
  const documents = [...new Map(seen.map(({ topic, payload }) => [topic, payload]))]
    .filter(([topic, payload]) => topic.startsWith("homeassistant/device/") && payload !== "")
    .map(([, payload]) => JSON.parse(payload) as Document);
  const entities = documents.flatMap(({ availability, components }) =>
    Object.values(components)
      .filter((each) => each.state_topic && !each.event_types && each.enabled_by_default !== false)
      .map((each) => ({ component: each, availability })),
  );
  const tree = new Map(seen.slice(0, from).map(({ topic, payload }) => [topic, payload]));
  const shown = (entity: (typeof entities)[number]) =>
    shownState({ ...entity.component }, entity.availability, tree) + attributesOf(entity.component, tree);
  const last = new Map(entities.map((entity) => [entity.component.unique_id, shown(entity)]));
  const changes = new Map(entities.map(({ component }) => [component.unique_id, 0]));
  for (const { topic, payload } of seen.slice(from)) {
    tree.set(topic, payload);
    for (const entity of entities) {
      const { unique_id: id, state_topic, json_attributes_topic } = entity.component;
      if (topic !== state_topic && topic !== json_attributes_topic) continue;
      const now = shown(entity);
      if (now !== last.get(id)) changes.set(id, (changes.get(id) ?? 0) + 1);
      last.set(id, now);
    }
  }
  return changes;
}

function attributesOf(component: Component, tree: ReadonlyMap<string, string>): string {
  const { json_attributes_topic: topic = "", json_attributes_template: template } = component;
  const payload = tree.get(topic) ?? "";
  return template === undefined || payload === "" ? payload : render(template, payload);
}
