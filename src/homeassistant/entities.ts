/**
 * Home Assistant's entities of a home: one row each. Discovery and the documentation are made from these rows; the
 * value is a template over a public topic, so an entity can never say something else than the topic.
 */
import { levels } from "../core/level.ts";

export interface EntityRow {
  readonly key: string;
  readonly name: string;
  readonly platform: "sensor" | "binary_sensor";
  /** Topic below the home's. */
  readonly topic: string;
  /** Jinja template; absent where the payload is the value. */
  readonly template?: string;
  readonly deviceClass?: "enum" | "timestamp";
  readonly stateClass?: "measurement";
  /** `perKwh` becomes the home's currency per kWh. */
  readonly unit?: "perKwh" | "%";
  readonly precision?: number;
  readonly options?: readonly string[];
  readonly category?: "diagnostic";
  readonly icon: string;
  /** The payload of another topic holds the attributes of this entity. */
  readonly attributesTopic?: string;
  /** Unavailable after a day's silence of the daemon would be too late: a dead daemon must not leave "cheap" ON. */
  readonly expires?: true;
}

const PRICE = { unit: "perKwh", precision: 2, icon: "mdi:cash" } as const;

export const homeEntities: readonly EntityRow[] = [
  {
    key: "price",
    name: "Price",
    platform: "sensor",
    topic: "price/state",
    template: "{{ value_json.price }}",
    stateClass: "measurement",
    expires: true,
    ...PRICE,
  },
  {
    key: "level",
    name: "Price level",
    platform: "sensor",
    topic: "price/state",
    template: "{{ value_json.level }}",
    deviceClass: "enum",
    options: levels,
    expires: true,
    icon: "mdi:speedometer",
  },
  {
    key: "rank",
    name: "Price rank today",
    platform: "sensor",
    topic: "price/state",
    template: "{{ value_json.rank }}",
    icon: "mdi:sort-numeric-ascending",
  },
  {
    key: "percentile",
    name: "Price percentile today",
    platform: "sensor",
    topic: "price/state",
    template: "{{ value_json.percentile }}",
    unit: "%",
    icon: "mdi:percent",
  },
  {
    key: "next_price",
    name: "Next price",
    platform: "sensor",
    topic: "price/state",
    template: "{{ value_json.next.price if value_json.next else None }}",
    ...PRICE,
  },
  {
    key: "day_min",
    name: "Lowest price today",
    platform: "sensor",
    topic: "price/state",
    template: "{{ value_json.day.min if value_json.day else None }}",
    ...PRICE,
  },
  {
    key: "day_max",
    name: "Highest price today",
    platform: "sensor",
    topic: "price/state",
    template: "{{ value_json.day.max if value_json.day else None }}",
    ...PRICE,
  },
  {
    key: "day_mean",
    name: "Mean price today",
    platform: "sensor",
    topic: "price/state",
    template: "{{ value_json.day.mean if value_json.day else None }}",
    ...PRICE,
  },
  { key: "cheap", name: "Cheap now", platform: "binary_sensor", topic: "cheap", expires: true, icon: "mdi:cash-check" },
  {
    key: "prices",
    name: "Prices",
    platform: "sensor",
    topic: "prices",
    template: "{{ value_json.today | count + value_json.tomorrow | count }}",
    attributesTopic: "prices",
    icon: "mdi:chart-bar",
  },
  {
    key: "forecast",
    name: "Price forecast",
    platform: "sensor",
    topic: "forecast",
    template: "{{ value_json.forecast | count }}",
    attributesTopic: "forecast",
    icon: "mdi:crystal-ball",
  },
];
