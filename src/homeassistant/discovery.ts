/** Discovery documents of Home Assistant, one per device. Rules: Home Assistant's MQTT integration, device discovery. */
import type { Home } from "../core/home-snapshot.ts";
import type { Message } from "../mqtt/message.ts";
import { type EntityRow, homeEntities } from "./entities.ts";

export interface DiscoveryOptions {
  readonly baseTopic: string;
  /** Home Assistant's discovery prefix. */
  readonly prefix: string;
  readonly version: string;
}

/** Prices and signals are published again within this time; silent for longer, Home Assistant shows them unavailable. */
const EXPIRE_AFTER_SEC = 4_000;

/** The retained message by which Home Assistant finds a home. */
export function homeDiscovery(options: DiscoveryOptions, home: Home, currency: string): Message {
  const deviceId = `${idOf(options.baseTopic)}_${idOf(home.id)}`;
  const document = {
    device: {
      identifiers: [deviceId],
      name: home.name,
      manufacturer: "elbro",
      model: "Home",
      sw_version: options.version,
    },
    origin: { name: "elbro", sw_version: options.version },
    availability: [{ topic: `${options.baseTopic}/status` }],
    qos: 1,
    components: Object.fromEntries(
      homeEntities.map((row) => [row.key, component(row, `${options.baseTopic}/${home.id}`, deviceId, currency)]),
    ),
  };
  return { topic: `${options.prefix}/device/${deviceId}/config`, payload: JSON.stringify(document) };
}

function component(row: EntityRow, homeTopic: string, deviceId: string, currency: string): object {
  return {
    platform: row.platform,
    unique_id: `${deviceId}_${row.key}`,
    default_entity_id: `${row.platform}.${deviceId}_${row.key}`,
    name: row.name,
    icon: row.icon,
    state_topic: `${homeTopic}/${row.topic}`,
    ...(row.template === undefined ? {} : { value_template: row.template }),
    ...(row.deviceClass === undefined ? {} : { device_class: row.deviceClass }),
    ...(row.stateClass === undefined ? {} : { state_class: row.stateClass }),
    ...(row.unit === undefined ? {} : { unit_of_measurement: row.unit === "perKwh" ? `${currency}/kWh` : row.unit }),
    ...(row.precision === undefined ? {} : { suggested_display_precision: row.precision }),
    ...(row.options === undefined ? {} : { options: row.options }),
    ...(row.category === undefined ? {} : { entity_category: row.category }),
    ...(row.attributesTopic === undefined ? {} : { json_attributes_topic: `${homeTopic}/${row.attributesTopic}` }),
    ...(row.expires === undefined ? {} : { expire_after: EXPIRE_AFTER_SEC }),
  };
}

/** Home Assistant takes letters, digits, underscores and hyphens in an object id. */
function idOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9_-]+/g, "_");
}
