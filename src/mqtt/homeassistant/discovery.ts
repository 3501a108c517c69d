/**
 * Discovery documents of Home Assistant, one per device. Source: Home Assistant's MQTT integration, device discovery.
 */
import type { Language } from "../../core/language/language.ts";
import type { RetainedMessage } from "../client/message.ts";
import { deviceId, entityIdOf, uniqueIdOf } from "./device-id.ts";
import {
  attributesKey,
  type Device,
  deviceTopic,
  type EntityCommand,
  type EntityRow,
  EVENT_TOPIC,
  entityName,
  existsFor,
  lastResetKey,
  topicOf,
} from "./entity.ts";

export interface DiscoveryOptions {
  readonly baseTopic: string;
  /** Topic level of this shard below the base topic; null or absent if the daemon is not a shard. */
  readonly daemon?: string | null;
  /** Home Assistant's discovery prefix. */
  readonly prefix: string;
  readonly version: string;
  /** Where users find help; undefined while nothing is published. */
  readonly supportUrl?: string | undefined;
  /** Language of the entity names; English by default. Ids do not depend on it. */
  readonly language?: Language;
  /** Whether times of day are `time` entities, which Home Assistant has since 2026.5. By default in a new installation. */
  readonly timeEntities?: boolean | undefined;
  /** URL of the dashboard for browsers; undefined if the configuration does not set it. */
  readonly dashboardUrl?: string | undefined;
}

/**
 * Seconds without a message after which Home Assistant shows an entity as unavailable. Prices and signals are published
 * again at least every hour.
 */
const EXPIRE_AFTER_SEC = 4_000;

/**
 * Returns the retained discovery message of a device, and the keys of its rows, to store for the next announcement. Rows
 * of earlier announcements stay while they have no data, so that the entity keeps its history and settings. An entity
 * whose row was removed from the code is omitted; the publisher then removes it from Home Assistant.
 */
export function announce<State>(options: DiscoveryOptions, device: Device<State>, before: readonly string[]) {
  const id = deviceId(options.baseTopic, device.id);
  const known = new Set(before);
  const rows = device.rows.filter((row) => existsFor(row, device) || (known.has(row.key) && hasUnit(row, device)));
  const owner = device.partOf ?? device;
  // Keys with the value undefined are not in the JSON.
  const document = {
    device: {
      identifiers: [id, ...(device.partOf ? [deviceId(options.baseTopic, device.partOf.id)] : [])],
      name: device.name,
      manufacturer: "elbro",
      model: owner.model,
      sw_version: options.version,
      via_device:
        owner.via === undefined ? undefined : deviceId(options.baseTopic, owner.via ?? options.daemon ?? null),
      configuration_url: options.dashboardUrl,
    },
    origin: { name: "elbro", sw_version: options.version, support_url: options.supportUrl },
    availability: [{ topic: statusTopicOf(options) }],
    qos: 1,
    components: Object.fromEntries(rows.map((row) => [row.key, component(row, device, options)])),
  };
  const message: RetainedMessage = {
    topic: `${options.prefix}/device/${id}/config`,
    payload: JSON.stringify(document),
  };
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
  const platform = row.isTime && options.timeEntities ? "time" : row.platform;
  return {
    platform,
    unique_id: uniqueIdOf(id, row.key),
    default_entity_id: entityIdOf(platform, id, row.entityName ?? row.key),
    name: entityName(row, options.language ?? "en"),
    icon: typeof row.icon === "string" ? row.icon : row.icon(device.state),
    // Not `value_json.key`, which logs a warning if the key is missing: after its row was removed, until Home Assistant
    // has read the new document.
    ...(row.value && { state_topic: `${topic}/${topicOf(row)}`, value_template: `{{ value_json.get('${row.key}') }}` }),
    ...(row.platform === "event" && { state_topic: `${topic}/${EVENT_TOPIC}`, event_types: row.options }),
    enabled_by_default: row.isHidden && false,
    ...(row.command && commandKeys(row.command, topic, platform)),
    // Home Assistant's templates write the booleans of JSON so.
    ...(row.platform === "binary_sensor" && { payload_on: "True", payload_off: "False" }),
    ...(row.platform === "switch" && { state_on: "True", state_off: "False" }),
    mode: row.platform === "number" ? "box" : undefined,
    device_class: row.deviceClass,
    state_class: row.stateClass,
    unit_of_measurement: row.unit && unitOf(row.unit, device.currency),
    suggested_display_precision: row.precision,
    options: row.platform === "event" ? undefined : row.options,
    entity_category: row.category,
    ...attributeKeys(row, topic),
    last_reset_value_template: row.lastReset && `{{ value_json.${lastResetKey(row.key)} or '' }}`,
    expire_after: row.expires && EXPIRE_AFTER_SEC,
    ...(row.needs && availabilityBy(row.needs, `${topic}/${topicOf(row)}`, statusTopicOf(options))),
  };
}

function commandKeys({ setting, pattern, ...limits }: EntityCommand, topic: string, platform: string): object {
  return { command_topic: `${topic}/${setting}/set`, ...limits, ...(platform === "text" ? { pattern } : {}) };
}

/**
 * Returns the discovery keys of an entity's attributes. A setting has the attribute `setting`, so that blueprints find
 * it after the user has renamed the entity.
 */
function attributeKeys<State>(row: EntityRow<State>, topic: string): object {
  if (row.attributes !== undefined) return { json_attributes_topic: `${topic}/${row.attributes}` };
  const own = `${topic}/${topicOf(row)}`;
  if (row.attributeValues !== undefined)
    return {
      json_attributes_topic: own,
      json_attributes_template: `{{ value_json.${attributesKey(row.key)} | tojson }}`,
    };
  if (row.command === undefined || !row.value) return {};
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
