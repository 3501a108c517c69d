/** A plug that is an entity of Home Assistant: turns its states into messages. */
import type { PlugConfig } from "../config/schema/plug-schema.ts";
import { message, type Text } from "../core/language/text.ts";
import { READ_ATTRIBUTES } from "../core/plugs/families/home-assistant.ts";
import type { PlugListener, PlugTransport } from "./plug-connection.ts";

export type EntityState = { readonly state: string; readonly attributes: Readonly<Record<string, unknown>> };

export interface EntityListener {
  readonly isUp: (up: boolean) => void;
  /** Called with each state of the entities; null if Home Assistant has no such entity. */
  readonly onState: (entity: string, state: EntityState | null) => void;
  /** Called with the answer to each call: the reason of a refusal, or null. */
  readonly onAnswer: (refusal: Text | null) => void;
}

/** Entities of one plug. */
export interface OpenEntities {
  /** Calls an action such as `switch/turn_on` now or never. `data` is JSON. */
  readonly call: (action: string, data: string) => void;
  /** Waits up to 1 s for the answers to the last calls. */
  readonly close: () => Promise<void>;
}

/** The connection to Home Assistant, as plugs use it. */
export interface HomeAssistantEntities {
  /** Opens the entities of a plug. The first is the one that it switches. */
  readonly open: (entities: readonly string[], listener: EntityListener) => OpenEntities;
}

const UNAVAILABLE = "unavailable";

/** Opens the transport of an entity. Without a configured Home Assistant it never connects. */
export function overHomeAssistant(
  { entity = "", power, energy }: PlugConfig,
  homeAssistant: HomeAssistantEntities | null,
  wake: () => void,
  plug: PlugListener,
): PlugTransport {
  if (homeAssistant === null) {
    plug.onRefusal(message("found.no_home_assistant"));
    return { send: () => undefined, pollMs: null, isOnBroker: false, close: async () => undefined };
  }
  let isMissing = false;
  const entities = [...new Set([entity, power?.entity, energy?.entity].flatMap((each) => each ?? []))];
  const opened = homeAssistant.open(entities, {
    isUp(up) {
      plug.isUp(up);
      wake();
    },
    onAnswer(refusal) {
      if (!isMissing) plug.onRefusal(refusal);
      wake();
    },
    onState(id, state) {
      if (id === entity) {
        isMissing = state === null;
        plug.onRefusal(isMissing ? message("found.no_entity", { entity }) : null);
        plug.onAvailable(state !== null && state.state !== UNAVAILABLE);
      }
      if (state !== null && state.state !== UNAVAILABLE)
        plug.onMessage({ topic: id, payload: JSON.stringify(payloadOf(state)), retained: false });
      wake();
    },
  });
  return {
    send: ({ topic, payload }) => opened.call(topic, payload),
    pollMs: null,
    isOnBroker: false,
    close: opened.close,
  };
}

function payloadOf({ state, attributes }: EntityState): object {
  return { state, ...Object.fromEntries(READ_ATTRIBUTES.map((name) => [name, attributes[name]])) };
}
