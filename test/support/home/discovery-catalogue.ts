/**
 * Tables of the keys and values that Home Assistant accepts for MQTT entities. Source: its documentation of MQTT
 * platforms, sensor device classes and state classes, 2026.9. Contains full names only: elbro writes no abbreviations.
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

/** Keys that each platform accepts. Home Assistant ignores others without a log line. */
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
  update: new Set([
    ...COMMON,
    "state_topic",
    "value_template",
    "latest_version_topic",
    "latest_version_template",
    "command_topic",
    "payload_install",
    "retain",
    "device_class",
    "title",
    "entity_picture",
    "release_summary",
    "release_url",
    "display_precision",
  ]),
  event: new Set([...COMMON, "state_topic", "value_template", "device_class", "event_types"]),
  time: new Set([...COMMON, ...COMMAND, "state_topic", "value_template"]),
  button: new Set([...COMMON, "command_topic", "command_template", "retain", "device_class", "payload_press"]),
};

/** Keys that the document may have. Those except device, origin and components are defaults of the components. */
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

/** Units (undefined: any; null: must not have one) and state classes of a sensor device class. */
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

/** Device classes that elbro uses or may use. Any other is reported, so that its rules are looked up before use. */
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

/** Attribute names that Home Assistant sets itself. It ignores those from MQTT. */
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
/** Above this size, in bytes of JSON, the recorder drops all attributes of a state. */
export const MAX_ATTRIBUTE_BYTES = 16_384;
