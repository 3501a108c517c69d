/**
 * What Home Assistant knows of MQTT entities, as tables. Source: its documentation of MQTT platforms, of sensor device
 * classes and state classes, 2026.9; shared/home-assistant.md. Only full names: elbro writes no abbreviations.
 */

const COMMON = [
  "platform",
  "name",
  "unique_id",
  "default_entity_id",
  "icon",
  "entity_category",
  "entity_picture",
  "enabled_by_default",
  "availability",
  "availability_mode",
  "availability_topic",
  "availability_template",
  "payload_available",
  "payload_not_available",
  "json_attributes_topic",
  "json_attributes_template",
  "qos",
  "encoding",
];
const COMMAND = ["command_topic", "command_template", "retain", "optimistic"];

/** The keys that each platform has; any other is dropped without a word. */
export const platformKeys: Readonly<Record<string, ReadonlySet<string>>> = {
  sensor: new Set([
    ...COMMON,
    "state_topic",
    "value_template",
    "device_class",
    "state_class",
    "unit_of_measurement",
    "suggested_display_precision",
    "options",
    "expire_after",
    "force_update",
    "last_reset_value_template",
  ]),
  binary_sensor: new Set([
    ...COMMON,
    "state_topic",
    "value_template",
    "device_class",
    "payload_on",
    "payload_off",
    "off_delay",
    "expire_after",
    "force_update",
  ]),
  switch: new Set([
    ...COMMON,
    ...COMMAND,
    "state_topic",
    "value_template",
    "device_class",
    "payload_on",
    "payload_off",
    "state_on",
    "state_off",
  ]),
  number: new Set([
    ...COMMON,
    ...COMMAND,
    "state_topic",
    "value_template",
    "device_class",
    "unit_of_measurement",
    "min",
    "max",
    "step",
    "mode",
    "payload_reset",
  ]),
  select: new Set([...COMMON, ...COMMAND, "state_topic", "value_template", "options"]),
  text: new Set([...COMMON, ...COMMAND, "state_topic", "value_template", "min", "max", "mode", "pattern"]),
  button: new Set([...COMMON, "command_topic", "command_template", "retain", "device_class", "payload_press"]),
};

/** Platforms of 2026.5 and later: an older Home Assistant refuses the whole document for them. */
export const youngPlatforms: ReadonlySet<string> = new Set(["date", "time", "datetime"]);

/** What the document may have beside device, origin and components; it is merged into components that lack it. */
export const documentKeys: ReadonlySet<string> = new Set([
  "device",
  "origin",
  "components",
  "availability",
  "availability_mode",
  "availability_topic",
  "availability_template",
  "payload_available",
  "payload_not_available",
  "state_topic",
  "command_topic",
  "qos",
  "encoding",
]);

export const deviceKeys: ReadonlySet<string> = new Set([
  "identifiers",
  "connections",
  "name",
  "manufacturer",
  "model",
  "model_id",
  "sw_version",
  "hw_version",
  "serial_number",
  "suggested_area",
  "via_device",
  "configuration_url",
]);
export const originKeys: ReadonlySet<string> = new Set(["name", "sw_version", "support_url"]);

/** A class of sensor: its units (undefined: any; null: none at all) and state classes. */
interface SensorClass {
  readonly units: ReadonlySet<string> | null | undefined;
  readonly stateClasses: ReadonlySet<string>;
}

const ENERGY_UNITS = new Set([
  "J",
  "kJ",
  "MJ",
  "GJ",
  "mWh",
  "Wh",
  "kWh",
  "MWh",
  "GWh",
  "TWh",
  "cal",
  "kcal",
  "Mcal",
  "Gcal",
]);
const every = new Set(["measurement", "total", "total_increasing"]);
const none: ReadonlySet<string> = new Set();

/** The classes elbro may come to use; a class that is not here is reported, so that it is looked up first. */
export const sensorClasses: Readonly<Record<string, SensorClass>> = {
  enum: { units: null, stateClasses: none },
  timestamp: { units: null, stateClasses: none },
  date: { units: null, stateClasses: none },
  monetary: { units: undefined, stateClasses: new Set(["total"]) },
  energy: { units: ENERGY_UNITS, stateClasses: new Set(["total", "total_increasing"]) },
  power: { units: new Set(["mW", "W", "kW", "MW", "GW", "TW"]), stateClasses: new Set(["measurement"]) },
  duration: { units: new Set(["d", "h", "min", "s", "ms", "µs"]), stateClasses: every },
  data_size: { units: new Set(["B", "kB", "MB", "GB"]), stateClasses: every },
};
export const stateClasses: ReadonlySet<string> = every;

export const binarySensorClasses: ReadonlySet<string> = new Set([
  "problem",
  "connectivity",
  "running",
  "power",
  "update",
]);

/** Attributes of these names are taken by Home Assistant itself; ours are dropped. */
export const takenAttributes: ReadonlySet<string> = new Set([
  "state",
  "name",
  "icon",
  "unit_of_measurement",
  "available",
  "device_class",
  "friendly_name",
  "unique_id",
  "state_class",
  "last_reset",
]);

export const MAX_STATE_LENGTH = 255;
/** The recorder drops all attributes of a state above this. Unit: bytes of JSON. */
export const MAX_ATTRIBUTE_BYTES = 16_384;
