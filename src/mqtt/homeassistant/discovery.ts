/**
 * Discovery documents of Home Assistant, one per device. Source: Home Assistant's MQTT integration, device discovery.
 */
import type { Language } from "../../core/language/language.ts";
import type { Message } from "../client/message.ts";
import { deviceId, entityIdOf, uniqueIdOf } from "./device-id.ts";
import {
  attributesKey,
  type Device,
  deviceTopic,
  type EntityCommand,
  type EntityRow,
  entityName,
  existsFor,
  hasValue,
  lastResetKey,
  topicOf,
} from "./entity.ts";

export interface DiscoveryOptions {
  readonly baseTopic: string;
  /** What the daemon is called below the base topic; absent where it is the base topic itself. */
  readonly daemon?: string | null;
  /** Home Assistant's discovery prefix. */
  readonly prefix: string;
  readonly version: string;
  /** Of the names of entities; English where absent. Ids are the same in all. */
  readonly language?: Language;
  /** Where browsers reach the dashboard; absent if the configuration does not say it. */
  readonly dashboardUrl?: string | undefined;
}

/** The keys of the rows that a device was ever announced with. */
export type Announced = readonly string[];

export interface Announcement {
  /** The retained message by which Home Assistant finds the device. */
  readonly message: Message;
  /** To be remembered for the next announcement, also across a restart. */
  readonly announced: Announced;
}

/**
 * Prices and signals are published again within this time, since edges are at most an hour apart; silent for longer,
 * Home Assistant shows them unavailable.
 */
const EXPIRE_AFTER_SEC = 4_000;

/**
 * Returns the announcement of a device. Earlier rows stay: an entity without data for a while keeps history and
 * settings.
 * An entity whose row was removed is left out; the publisher then removes it from Home Assistant.
 */
export function announce<State>(options: DiscoveryOptions, device: Device<State>, before: Announced): Announcement {
  const id = deviceId(options.baseTopic, device.id);
  const known = new Set(before);
  const rows = device.rows.filter((row) => existsFor(row, device) || (known.has(row.key) && hasUnit(row, device)));
  const document = {
    device: {
      identifiers: [id],
      name: device.name,
      manufacturer: "elbro",
      model: device.model,
      sw_version: options.version,
      ...(device.via === undefined
        ? {}
        : { via_device: deviceId(options.baseTopic, device.via ?? options.daemon ?? null) }),
      ...(options.dashboardUrl === undefined ? {} : { configuration_url: options.dashboardUrl }),
    },
    origin: { name: "elbro", sw_version: options.version },
    availability: [{ topic: statusTopicOf(options) }],
    qos: 1,
    components: Object.fromEntries(rows.map((row) => [row.key, component(row, device, options)])),
  };
  const message = { topic: `${options.prefix}/device/${id}/config`, payload: JSON.stringify(document) };
  return { message, announced: rows.map((row) => row.key) };
}

function statusTopicOf({ baseTopic, daemon = null }: DiscoveryOptions): string {
  return daemon === null ? `${baseTopic}/status` : `${baseTopic}/${daemon}/status`;
}

function hasUnit<State>(row: EntityRow<State>, device: Device<State>): boolean {
  const { exists: _exists, ...always } = row;
  return existsFor(always, device);
}

function component<State>(row: EntityRow<State>, device: Device<State>, options: DiscoveryOptions): object {
  const { baseTopic } = options;
  const topic = deviceTopic(baseTopic, device);
  const id = deviceId(baseTopic, device.id);
  return {
    platform: row.platform,
    unique_id: uniqueIdOf(id, row.key),
    default_entity_id: entityIdOf(row.platform, id, row.key),
    name: entityName(row, options.language ?? "en"),
    icon: row.icon,
    ...(hasValue(row) ? { state_topic: `${topic}/${topicOf(row)}`, value_template: valueTemplate(row.key) } : {}),
    ...(row.command === undefined ? {} : commandKeys(row.command, topic)),
    ...(row.platform === "binary_sensor" ? TRUE_AND_FALSE : {}),
    ...(row.platform === "switch" ? { state_on: "True", state_off: "False" } : {}),
    ...(row.platform === "number" ? { mode: "box" } : {}),
    ...(row.deviceClass === undefined ? {} : { device_class: row.deviceClass }),
    ...(row.stateClass === undefined ? {} : { state_class: row.stateClass }),
    ...(row.unit === undefined ? {} : { unit_of_measurement: unitOf(row.unit, device.currency) }),
    ...(row.precision === undefined ? {} : { suggested_display_precision: row.precision }),
    ...(row.options === undefined ? {} : { options: row.options }),
    ...(row.category === undefined ? {} : { entity_category: row.category }),
    ...attributeKeys(row, topic),
    ...(row.lastReset === undefined
      ? {}
      : { last_reset_value_template: `{{ value_json.${lastResetKey(row.key)} or '' }}` }),
    ...(row.expires === undefined ? {} : { expire_after: EXPIRE_AFTER_SEC }),
    ...(row.needs === undefined ? {} : availabilityBy(row.needs, `${topic}/${topicOf(row)}`, statusTopicOf(options))),
  };
}

/**
 * Returns the template of a value. Uses `get`, because `value_json.key` logs a warning if the key is missing. That
 * happens when Home Assistant has not read the document without this row yet.
 */
function valueTemplate(key: string): string {
  return `{{ value_json.get('${key}') }}`;
}

/** How Home Assistant's templates write the booleans of JSON. */
const TRUE_AND_FALSE = { payload_on: "True", payload_off: "False" } as const;

function commandKeys({ setting, ...limits }: EntityCommand, topic: string): object {
  return { command_topic: `${topic}/${setting}/set`, ...limits };
}

/**
 * Returns the configuration of an entity's attributes. A setting has the attribute `setting`, so that it can be found
 * although the user has renamed its entity.
 */
function attributeKeys<State>(row: EntityRow<State>, topic: string): object {
  if (row.attributes !== undefined) return { json_attributes_topic: `${topic}/${row.attributes}` };
  const own = `${topic}/${topicOf(row)}`;
  if (row.attributeValues !== undefined)
    return {
      json_attributes_topic: own,
      json_attributes_template: `{{ value_json.${attributesKey(row.key)} | tojson }}`,
    };
  if (row.command === undefined || !hasValue(row)) return {};
  return {
    json_attributes_topic: own,
    json_attributes_template: JSON.stringify({ setting: row.command.setting }),
  };
}

/** Returns the availability of an entity: the daemon is online, and the value under `key` is not null. */
function availabilityBy(key: string, topic: string, statusTopic: string): object {
  return {
    availability_mode: "all",
    availability: [
      { topic: statusTopic },
      {
        topic,
        value_template: `{{ value_json.${key} is not none }}`,
        payload_available: "True",
        payload_not_available: "False",
      },
    ],
  };
}

function unitOf(unit: NonNullable<EntityRow<never>["unit"]>, currency: string | null): string {
  if (unit === "perKwh") return `${currency}/kWh`;
  return unit === "currency" ? String(currency) : unit;
}
