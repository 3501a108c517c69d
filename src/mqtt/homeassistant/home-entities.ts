/** Entities of a home. */
import { exportPrice } from "../../core/prices/export-price.ts";
import type { DayFigures, HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import { colors, levels } from "../../core/prices/level.ts";
import type { HomeUsage } from "../../core/prices/usage.ts";
import { type EpochMs, formatInstant } from "../../core/time/interval.ts";
import { cheapestRows } from "./cheapest-rows.ts";
import type { Device, EntityRow } from "./entity.ts";
import { usageRows } from "./usage-entities.ts";

/** Input of a home's entities. */
export interface HomeState {
  readonly prices: HomeSnapshot;
  readonly usage: HomeUsage;
}

type Row = EntityRow<HomeState>;

/** Returns the device of a home. */
export function homeDevice(prices: HomeSnapshot, usage: HomeUsage): Device<HomeState> {
  return {
    id: prices.home.id,
    name: prices.home.name,
    model: "Home",
    via: null,
    rows: prices.home.format === undefined ? homeRows : [...homeRows, formatRow],
    state: { prices, usage },
    currency: prices.currency ?? usage.consumptionCosts?.unit ?? usage.solarExportRevenue?.unit ?? null,
  };
}

/** Shared keys of money per kWh. Without a `stateClass`, Home Assistant records no statistics. */
const FIGURE = { platform: "sensor", unit: "perKwh", precision: 2, icon: "mdi:cash" } as const;
const NOW = { needs: "price" } as const;

const presentRows: readonly Row[] = [
  {
    key: "price",
    name: "Price",
    about: "The price now, all charges in.",
    value: ({ prices }) => prices.current?.price ?? null,
    ...FIGURE,
    stateClass: "measurement",
    attributes: "price/state",
    expires: true,
    ...NOW,
  },
  {
    key: "level",
    name: "Price level",
    about: "The price now against the mean of the last three days.",
    platform: "sensor",
    value: ({ prices }) => prices.level,
    deviceClass: "enum",
    options: levels,
    icon: "mdi:speedometer",
    expires: true,
    ...NOW,
  },
  {
    key: "color",
    name: "Price color",
    about: "The level as a light: green is cheap, red is expensive.",
    platform: "sensor",
    value: ({ prices }) => prices.color,
    deviceClass: "enum",
    options: colors,
    icon: "mdi:traffic-light",
    expires: true,
    ...NOW,
  },
  {
    key: "cheap",
    name: "Cheap now",
    about: "ON while the level is cheap or very cheap; by an estimate only with `levels.use_forecast`.",
    platform: "binary_sensor",
    value: ({ prices }) => prices.cheap,
    attributes: "price/state",
    icon: "mdi:cash-check",
    expires: true,
    ...NOW,
  },
  {
    key: "rank",
    name: "Price rank today",
    about: "1 is the cheapest interval of today.",
    platform: "sensor",
    value: ({ prices }) => prices.rank,
    icon: "mdi:sort-numeric-ascending",
    ...NOW,
  },
  {
    key: "percentile",
    name: "Price percentile today",
    about: "The share of today's prices below the price now.",
    platform: "sensor",
    value: ({ prices }) => prices.percentile,
    unit: "%",
    precision: 0,
    icon: "mdi:percent",
    ...NOW,
  },
  {
    key: "percentile_30_days",
    name: "Price percentile 30 days",
    about: "The share of the last 30 days' prices below the price now.",
    platform: "sensor",
    value: ({ prices }) => prices.percentile30Days,
    unit: "%",
    precision: 0,
    icon: "mdi:percent",
    ...NOW,
  },
  {
    key: "variable_charges",
    name: "Variable charges",
    about: "The part of the price that is variable charges, where the service tells it.",
    value: ({ prices }) => prices.current?.variableCharges ?? null,
    ...FIGURE,
    exists: ({ prices }) => prices.hasVariableCharges,
    ...NOW,
  },
  {
    key: "price_without_charges",
    name: "Price without variable charges",
    about: "What remains of the price without its variable charges.",
    value: ({ prices }) => withoutCharges(prices),
    ...FIGURE,
    exists: ({ prices }) => prices.hasVariableCharges,
    ...NOW,
  },
  {
    key: "export_price",
    name: "Export price",
    about: "What a kWh sold is worth now: the price without its variable charges and without VAT.",
    value: ({ prices: { current, vatIncluded } }) => current && exportPrice(current, vatIncluded),
    ...FIGURE,
    stateClass: "measurement",
    expires: true,
    exists: ({ prices, usage }) => prices.hasVariableCharges && usage.solarExportRevenue !== null,
    ...NOW,
  },
];

const aheadRows: readonly Row[] = [
  {
    key: "previous_price",
    name: "Previous price",
    about: "The price of the interval before this one.",
    value: ({ prices }) => prices.previous?.price ?? null,
    ...FIGURE,
  },
  {
    key: "next_price",
    name: "Next price",
    about: "The next price that is known.",
    value: ({ prices }) => prices.next?.price ?? null,
    ...FIGURE,
  },
  ...figureRows("day", "today", "of today", ({ prices }) => prices.day),
  ...figureRows(
    "rest",
    "rest of today",
    "of what is left of today, this interval included",
    (state) => state.prices.restOfDay,
  ),
  {
    key: "tomorrow_mean",
    name: "Mean price tomorrow",
    about: "The mean of tomorrow's prices, once all of them are there.",
    value: ({ prices }) => prices.tomorrowMean,
    ...FIGURE,
  },
  ...cheapestRows<HomeState>("the confirmed prices", ({ prices }) => prices.cheapest),
  {
    key: "tomorrow_available",
    name: "Tomorrow's prices available",
    about: "ON once every price of tomorrow is there.",
    platform: "binary_sensor",
    value: ({ prices }) => prices.tomorrowValid,
    icon: "mdi:calendar-check",
  },
  {
    key: "tomorrow_published_at",
    name: "Tomorrow's prices since",
    about: "When tomorrow's prices were first there.",
    platform: "sensor",
    value: ({ prices }) => instant(prices.tomorrowPublishedAt),
    deviceClass: "timestamp",
    icon: "mdi:calendar-clock",
  },
  {
    key: "prices",
    name: "Prices",
    about: "How many prices of today and tomorrow are known; the prices themselves are its attributes.",
    platform: "sensor",
    value: ({ prices }) => prices.today.length + (prices.tomorrowValid ? prices.tomorrow.length : 0),
    icon: "mdi:chart-bar",
    attributes: "prices",
  },
  {
    key: "forecast",
    name: "Price forecast",
    about: "How many estimated hours follow the confirmed prices; the estimates are its attributes.",
    platform: "sensor",
    value: ({ prices }) => prices.forecast.length,
    icon: "mdi:crystal-ball",
    attributes: "forecast",
  },
];

/** Every entity of a home. */
export const homeRows: readonly Row[] = [...presentRows, ...aheadRows, ...usageRows<HomeState>(({ usage }) => usage)];

/** Entity for `homes[].format`. If the key is not set, the row is omitted and Home Assistant removes the entity. */
export const formatRow: Row = {
  key: "price_list",
  name: "Prices for other programs",
  about: "The price now; its attributes are the prices as the program named by `homes[].format` reads them.",
  value: ({ prices }) => prices.current?.price ?? null,
  ...FIGURE,
  attributes: "format",
  expires: true,
  ...NOW,
};

function figureRows(
  key: string,
  name: "today" | "rest of today",
  about: string,
  figures: (state: HomeState) => DayFigures | null,
): readonly Row[] {
  return [
    {
      key: `${key}_min`,
      name: `Lowest price ${name}`,
      about: `The lowest price ${about}.`,
      value: (state) => figures(state)?.min ?? null,
      ...FIGURE,
    },
    {
      key: `${key}_max`,
      name: `Highest price ${name}`,
      about: `The highest price ${about}.`,
      value: (state) => figures(state)?.max ?? null,
      ...FIGURE,
    },
    {
      key: `${key}_mean`,
      name: `Mean price ${name}`,
      about: `The mean price ${about}.`,
      value: (state) => figures(state)?.mean ?? null,
      ...FIGURE,
    },
  ];
}

function withoutCharges({ current }: HomeSnapshot): number | null {
  return current?.variableCharges === undefined ? null : current.price - current.variableCharges;
}

function instant(at: EpochMs | null | undefined): string | null {
  return at === null || at === undefined ? null : formatInstant(at);
}
