/**
 * Definition of an entity of Home Assistant: one row of a table.
 * Discovery, published values, documentation and tests are made from the rows. To add an entity, add a row.
 *
 * The values of a device are in JSON objects, one per topic: `elbro/<home>/state` holds `{"<key>": <value>, …}`. Every
 * template is `{{ value_json.get('<key>') }}`. Public topics with other payloads are made in `src/mqtt/topics`.
 */
import type { Language } from "../../core/language/language.ts";
import { type EntityName, nameIn, type Text } from "../../core/language/text.ts";
import { rounded } from "../../core/text/rounding.ts";
import { wire } from "../../core/text/wire.ts";
import { type EpochMs, formatInstant } from "../../core/time/interval.ts";
import type { RetainedMessage } from "../client/message.ts";

/** Value of an entity; null if unknown. An unknown value is never 0. A number of a `timestamp` is an instant. */
export type EntityValue = string | number | boolean | null;

export interface EntityRow<State> {
  /** Letters, digits and underscores. Part of unique ids, so its meaning and platform must never change. */
  readonly key: string;
  /** Last part of the entity's id in a new installation; the key by default. */
  readonly entityName?: string;
  /** Key of its name, which may have placeholders for `facts`. */
  readonly name: EntityName;
  readonly facts?: Readonly<Record<string, Text | number>>;
  readonly platform: "sensor" | "binary_sensor" | "number" | "text" | "switch" | "button" | "event" | "update";
  /** Returns the value. Absent for a button, which only takes commands, and for an event, which is published as it occurs. */
  readonly value?: (state: State) => EntityValue;
  /** Topic of the value, below the device's topic; `state` by default. */
  readonly topic?: "usage" | "entities";
  /** Command that changes it; only for `number`, `text`, `switch` and `button`. */
  readonly command?: EntityCommand;
  readonly deviceClass?:
    | "enum"
    | "timestamp"
    | "date"
    | "energy"
    | "monetary"
    | "problem"
    | "running"
    | "power"
    | "connectivity";
  readonly stateClass?: "measurement" | "total";
  /** `perKwh` becomes the currency per kWh, `currency` the currency. */
  readonly unit?: "perKwh" | "currency" | "kWh" | "kW" | "W" | "%" | "h";
  /** Number of decimals shown. */
  readonly precision?: number;
  /** Values of an `enum`, or types of an event. */
  readonly options?: readonly string[];
  /** True if Home Assistant creates the entity disabled. An entity that exists already stays as it is. */
  readonly isHidden?: true;
  /** True for a time of day, which is a `time` in new installations. */
  readonly isTime?: true;
  /** `config` for a setting, `diagnostic` for the state of elbro or of a plug. Absent for all other entities. */
  readonly category?: "diagnostic" | "config";
  readonly icon: string | ((state: State) => string);
  /** Topic below the device's topic, whose JSON object holds the attributes. */
  readonly attributes?: string;
  /** Returns attributes for the value's own payload, so that both change at the same time. `wire` writes them. */
  readonly attributeValues?: (state: State) => Readonly<Record<string, EntityValue>>;
  /** Key of another value of the same topic. The entity is unavailable, not just unknown, while that value is null. */
  readonly needs?: string;
  /** The entity becomes unavailable after 4,000 s without a message. Its topic is published again as a heartbeat. */
  readonly expires?: true;
  /** Returns the start of the period of a sum; null if unknown. Discovery sends null as "", which is ignored. */
  readonly lastReset?: (state: State) => EpochMs | null;
  /** Returns whether the data contains the value; true by default. An entity stays once it was announced. */
  readonly exists?: (state: State) => boolean;
}

/** Command of an entity, on the topic `<setting>/set` below the device's topic. */
export interface EntityCommand {
  readonly setting: string;
  /** Limits and step of a number. */
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  /** Regular expression of a text. Home Assistant checks it before it sends the command. */
  readonly pattern?: string;
}

/** A device of Home Assistant: its rows and their input. */
export interface Device<State> {
  /** Device that shows its entities too, because both are one appliance; its own entities and ids stay. */
  readonly partOf?: Pick<Device<never>, "id" | "model" | "via">;
  /** Slug of the device, for instance of a home; null for a daemon that is not a shard. */
  readonly id: string | null;
  /** Topic of the device below the base topic; the id by default. */
  readonly path?: string;
  readonly name: string;
  readonly model: string;
  /** Id of the parent device: null for the daemon, absent for the daemon's own device. */
  readonly via?: string | null;
  readonly rows: readonly EntityRow<State>[];
  readonly state: State;
  /** Currency of the prices; null if unknown. Rows with a unit of money are then omitted. */
  readonly currency: string | null;
}

/** Returns the row of an entity with a value. */
export function entityRow<State>(
  key: string,
  name: EntityName,
  value: (state: State) => EntityValue,
  others: Omit<EntityRow<State>, "key" | "name" | "value">,
): EntityRow<State> {
  return { key, name, value, ...others };
}

/** Returns the name of an entity. */
export function entityName({ name, facts = {} }: Pick<EntityRow<never>, "name" | "facts">, language: Language): string {
  return nameIn(language, name, facts);
}

/** Returns the topic of a device. Its other topics are below it. */
export function deviceTopic(baseTopic: string, { id, path }: Pick<Device<never>, "id" | "path">): string {
  return id === null ? baseTopic : `${baseTopic}/${path ?? id}`;
}

/** Returns the topic of a row's value, below that of the device. */
export function topicOf(row: Pick<EntityRow<never>, "topic">): string {
  return row.topic ?? "state";
}

/** Returns whether the data contains the value of a row. */
export function existsFor<State>(row: EntityRow<State>, { state, currency }: Device<State>): boolean {
  if ((row.unit === "perKwh" || row.unit === "currency") && currency === null) return false;
  return row.exists?.(state) ?? true;
}

/** Topic of a device's events, below that of the device. They are not retained. */
export const EVENT_TOPIC = "event";

/** Returns all values of a device, one message per topic. Omits topics of which no row exists. */
export function stateMessages<State>(baseTopic: string, device: Device<State>): RetainedMessage[] {
  const groups = Map.groupBy(
    device.rows.filter(({ value }) => value),
    topicOf,
  );
  return [...groups].flatMap(([topic, rows]) => {
    if (!rows.some((row) => existsFor(row, device))) return [];
    const message = { topic: `${deviceTopic(baseTopic, device)}/${topic}`, payload: payloadOf(rows, device.state) };
    return [rows.some((row) => row.expires) ? { ...message, heartbeat: true } : message];
  });
}

function payloadOf<State>(rows: readonly EntityRow<State>[], state: State): string {
  const values: Record<string, EntityValue | Readonly<Record<string, EntityValue>>> = {};
  for (const row of rows) {
    values[row.key] = publishedValue(row, state);
    if (row.lastReset) values[lastResetKey(row.key)] = instantOrNull(row.lastReset(state));
    if (row.attributeValues) values[attributesKey(row.key)] = wire(row.attributeValues(state));
  }
  return JSON.stringify(values);
}

/** Returns the published value of a row. */
export function publishedValue<State>(row: EntityRow<State>, state: State): EntityValue {
  const value = row.value?.(state) ?? null;
  if (row.deviceClass === "timestamp" && typeof value !== "string") return instantOrNull(value);
  return typeof value === "number" ? rounded(value) : value;
}

function instantOrNull(at: EntityValue): string | null {
  return typeof at === "number" ? formatInstant(at) : null;
}

/** Returns the name of a value's attributes in its payload. */
export function attributesKey(key: string): string {
  return `${key}_attributes`;
}

/** Returns the name of the last reset of a sum in the payload. */
export function lastResetKey(key: string): string {
  return `${key}_last_reset`;
}
