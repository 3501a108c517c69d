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
import type { Message } from "../client/message.ts";

/** Null is unknown, and never a zero. An instant is written with `formatInstant`. */
export type EntityValue = string | number | boolean | null;

export interface EntityRow<State> {
  /** Letters, digits and underscores. Stands in unique ids: a key keeps its meaning and its platform permanently. */
  readonly key: string;
  /** In English, with placeholders for `facts`; every other language has a name for it. */
  readonly name: EntityName;
  readonly facts?: Readonly<Record<string, Text | number>>;
  /** What it says, in one sentence for the documentation. */
  readonly about: string;
  readonly platform: "sensor" | "binary_sensor" | "number" | "text" | "switch" | "button";
  /** A button has none; its function is not called. */
  readonly value: (state: State) => EntityValue;
  /** The topic below the device's that holds the value; `state` where absent. */
  readonly topic?: "usage" | "entities";
  /** How it is changed; only for platforms that can be. */
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
  readonly unit?: "perKwh" | "currency" | "kWh" | "%" | "h";
  /** Digits after the point that are shown. */
  readonly precision?: number;
  readonly options?: readonly string[];
  /** `config` for what changes a setting, `diagnostic` for what says how elbro itself is doing. */
  readonly category?: "diagnostic" | "config";
  readonly icon: string;
  /** The topic below the device's whose JSON object holds the attributes. */
  readonly attributes?: string;
  /** Attributes that stand in the value's own payload, so that they change at the same moment as the value. */
  readonly attributeValues?: (state: State) => Readonly<Record<string, EntityValue>>;
  /** Unavailable while this other value of the same topic is null: without a price now, a level is not merely unknown. */
  readonly needs?: string;
  /** Unavailable after a while of silence: a dead daemon must not leave "cheap" ON. Its topic is a heartbeat. */
  readonly expires?: true;
  /** When a sum last began again; null is written as an empty text, which Home Assistant passes over. */
  readonly lastReset?: (state: State) => string | null;
  /** Whether the data has this at all; absent where it always has. Once shown, an entity stays. */
  readonly exists?: (state: State) => boolean;
}

/** The way in of an entity that its owner can change: the topic `<setting>/set` below the device's. */
export interface EntityCommand {
  readonly setting: string;
  /** Of a number. */
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  /** Of a text: a regular expression that Home Assistant checks before it sends. */
  readonly pattern?: string;
}

/** One device of Home Assistant: its rows and what they are shown from. */
export interface Device<State> {
  /** The slug of the home or place; null for the daemon itself. */
  readonly id: string | null;
  /** Where it stands below the base topic, if that is not its id. */
  readonly path?: string;
  readonly name: string;
  readonly model: string;
  /** The id of the device that this one belongs to: null for the daemon, absent for the daemon's own device. */
  readonly via?: string | null;
  readonly rows: readonly EntityRow<State>[];
  readonly state: State;
  /** Rows with a unit of money are left out while it is null. */
  readonly currency: string | null;
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

/** Returns whether a row has a value to publish. A button only takes commands. */
export function hasValue(row: Pick<EntityRow<never>, "platform">): boolean {
  return row.platform !== "button";
}

/** Returns all values of a device, one message per topic. Omits topics of which no row exists. */
export function stateMessages<State>(baseTopic: string, device: Device<State>): Message[] {
  const groups = Map.groupBy(device.rows.filter(hasValue), topicOf);
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
    if (row.lastReset) values[lastResetKey(row.key)] = row.lastReset(state);
    if (row.attributeValues) values[attributesKey(row.key)] = row.attributeValues(state);
  }
  return JSON.stringify(values);
}

/** Returns the value of a row as it is published. */
export function publishedValue<State>(row: EntityRow<State>, state: State): EntityValue {
  const value = row.value(state);
  return typeof value === "number" ? rounded(value) : value;
}

/** Returns the name of a value's attributes in its payload. */
export function attributesKey(key: string): string {
  return `${key}_attributes`;
}

/** Returns the name of the last reset of a sum in the payload. */
export function lastResetKey(key: string): string {
  return `${key}_last_reset`;
}
