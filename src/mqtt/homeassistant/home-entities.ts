/** Entities of a home. */
import type { DayFigures, HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import { colors, levels } from "../../core/prices/level.ts";
import type { MonthFigures } from "../../core/prices/month-figures.ts";
import type { HomeUsage } from "../../core/prices/usage.ts";
import { formatInstantOrNull } from "../../core/time/interval.ts";
import { EXPORT_PRICES } from "../topics/format-topics.ts";
import { PEAKS } from "../topics/usage-topics.ts";
import { cheapestRows } from "./cheapest-rows.ts";
import type { Device, EntityRow } from "./entity.ts";
import { priceEvents } from "./happenings.ts";
import { usageRows } from "./usage-entities.ts";

/** Input of a home's entities. */
export interface HomeState {
  readonly prices: HomeSnapshot;
  /** Export prices; null if the home exports nothing or they are not known. */
  readonly sold: HomeSnapshot | null;
  readonly usage: HomeUsage;
  readonly month: MonthFigures | null;
  /** Holiday as in a command, `off` at home; null for a home without plans. */
  readonly away: string | null;
}

type Row = EntityRow<HomeState>;

/** Returns the device of a home. */
export function homeDevice(state: HomeState): Device<HomeState> {
  const { prices, usage } = state;
  return {
    id: prices.home.id,
    name: prices.home.name,
    model: "Home",
    via: null,
    rows: prices.home.format === undefined ? homeRows : [...homeRows, formatRow],
    state,
    currency: prices.currency ?? usage.consumptionCosts?.unit ?? usage.solarExportRevenue?.unit ?? null,
  };
}

/** Shared keys of money per kWh. Without a `stateClass`, Home Assistant records no statistics. */
const FIGURE = { platform: "sensor", unit: "perKwh", precision: 2, icon: "mdi:cash" } as const;
const NOW = { needs: "price" } as const;

const presentRows: readonly Row[] = [
  {
    key: "price",
    name: "price",
    about: "The current price, including all charges.",
    value: ({ prices }) => prices.current?.price ?? null,
    ...FIGURE,
    stateClass: "measurement",
    attributes: "price/state",
    expires: true,
    ...NOW,
  },
  {
    key: "level",
    name: "price_level",
    about: "Level of the current price compared with the mean of the last three days.",
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
    name: "price_color",
    about: "The price level as a colour: green is cheap, red is expensive.",
    isHidden: true,
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
    name: "cheap_now",
    about: "ON while the level is cheap or very cheap; based on an estimate only with `levels.use_forecast`.",
    platform: "binary_sensor",
    value: ({ prices }) => prices.cheap,
    attributes: "price/state",
    icon: "mdi:cash-check",
    expires: true,
    ...NOW,
  },
  {
    key: "rank",
    name: "price_rank_today",
    about: "Rank of the current price today; 1 is the cheapest interval.",
    platform: "sensor",
    value: ({ prices }) => prices.rank,
    icon: "mdi:sort-numeric-ascending",
    ...NOW,
  },
  {
    key: "percentile",
    name: "price_percentile_today",
    about: "Share of today's prices that are below the current price.",
    isHidden: true,
    platform: "sensor",
    value: ({ prices }) => prices.percentile,
    unit: "%",
    precision: 0,
    icon: "mdi:percent",
    ...NOW,
  },
  {
    key: "percentile_30_days",
    name: "price_percentile_30_days",
    about: "Share of the last 30 days' prices that are below the current price.",
    isHidden: true,
    platform: "sensor",
    value: ({ prices }) => prices.percentile30Days,
    unit: "%",
    precision: 0,
    icon: "mdi:percent",
    ...NOW,
  },
  {
    key: "variable_charges",
    name: "variable_charges",
    about: "Variable charges in the current price, if the service reports them.",
    value: ({ prices }) => prices.current?.variableCharges ?? null,
    ...FIGURE,
    exists: ({ prices }) => prices.hasVariableCharges,
    ...NOW,
  },
  {
    key: "price_without_charges",
    name: "price_without_variable_charges",
    about: "The current price without its variable charges.",
    isHidden: true,
    value: ({ prices }) => withoutCharges(prices),
    ...FIGURE,
    exists: ({ prices }) => prices.hasVariableCharges,
    ...NOW,
  },
  {
    key: "export_price",
    name: "export_price",
    about:
      "Current price of a sold kWh: the price without variable charges, VAT and the deductions in `homes[].export`.",
    value: ({ sold }) => sold?.current?.price ?? null,
    ...FIGURE,
    stateClass: "measurement",
    expires: true,
    exists: ({ sold }) => sold !== null,
    ...NOW,
  },
  {
    key: "export_prices",
    name: "export_prices",
    about:
      "Current price of a sold kWh; its attributes hold those of today and tomorrow, in the format of `homes[].format` or as Predbat reads them.",
    value: ({ sold }) => sold?.current?.price ?? null,
    ...FIGURE,
    attributes: EXPORT_PRICES,
    exists: ({ sold }) => sold !== null,
    ...NOW,
  },
];

const aheadRows: readonly Row[] = [
  {
    key: "previous_price",
    name: "previous_price",
    about: "Price of the previous interval.",
    isHidden: true,
    value: ({ prices }) => prices.previous?.price ?? null,
    ...FIGURE,
  },
  {
    key: "next_price",
    name: "next_price",
    about: "The next known price.",
    isHidden: true,
    value: ({ prices }) => prices.next?.price ?? null,
    ...FIGURE,
  },
  ...figureRows("day", "today", "of today", ({ prices }) => prices.day),
  ...figureRows(
    "rest",
    "rest_of_today",
    "of the rest of today, including the current interval",
    (state) => state.prices.restOfDay,
  ),
  {
    key: "tomorrow_mean",
    name: "mean_price_tomorrow",
    about: "Mean of tomorrow's prices, once all of them are known.",
    value: ({ prices }) => prices.tomorrowMean,
    ...FIGURE,
  },
  ...cheapestRows<HomeState>("the confirmed prices", ({ prices }) => prices.cheapest),
  {
    key: "tomorrow_available",
    name: "tomorrows_prices_available",
    about: "ON once all prices of tomorrow are known.",
    platform: "binary_sensor",
    value: ({ prices }) => prices.tomorrowValid,
    icon: "mdi:calendar-check",
  },
  {
    key: "tomorrow_published_at",
    name: "tomorrows_prices_since",
    about: "Time when tomorrow's prices were first complete.",
    platform: "sensor",
    value: ({ prices }) => formatInstantOrNull(prices.tomorrowPublishedAt),
    deviceClass: "timestamp",
    icon: "mdi:calendar-clock",
  },
  {
    key: "prices",
    name: "prices",
    about: "Number of known prices of today and tomorrow; its attributes hold the prices.",
    platform: "sensor",
    value: ({ prices }) => prices.today.length + prices.tomorrow.length,
    icon: "mdi:chart-bar",
    attributes: "prices",
  },
  {
    key: "forecast",
    name: "price_forecast",
    about: "Number of estimated hours after the confirmed prices; its attributes hold the estimates.",
    platform: "sensor",
    value: ({ prices }) => prices.forecast.length,
    icon: "mdi:crystal-ball",
    attributes: "forecast",
  },
];

/** Shared keys of the highest hours of a month. */
const PEAK = {
  platform: "sensor",
  topic: "usage",
  unit: "kW",
  deviceClass: "power",
  precision: 2,
  icon: "mdi:chart-bell-curve",
  attributes: PEAKS,
  exists: ({ month }: HomeState) => month !== null,
} as const;

const eventRow: Row = {
  key: "price_event",
  name: "price_event",
  about: "All prices of tomorrow are known, or confirmed prices of a day are negative. Attributes: date, least price.",
  platform: "event",
  value: () => null,
  options: priceEvents,
  icon: "mdi:bell-outline",
};

const monthRows: readonly Row[] = [
  {
    key: "costs_month_expected",
    name: "cost_this_month_expected",
    about:
      "Cost at the end of this month: stored costs, then known and estimated prices and the usual week of this home.",
    platform: "sensor",
    topic: "usage",
    value: ({ month }) => month?.expected ?? null,
    deviceClass: "monetary",
    unit: "currency",
    precision: 2,
    icon: "mdi:cash-clock",
    exists: ({ usage }) => usage.consumptionCosts !== null,
  },
  {
    key: "peak_month",
    name: "highest_hour_this_month",
    about: "Mean power of the hour of this month with the highest consumption.",
    value: ({ month }) => month?.peaks?.hours[0]?.kw ?? null,
    ...PEAK,
  },
  {
    key: "peak_days_month",
    name: "highest_days_this_month",
    about: "Mean of the highest hours of the three highest days of this month, as tariffs by capacity use it.",
    value: ({ month }) => month?.peaks?.mean ?? null,
    ...PEAK,
  },
];

const awayRow: Row = {
  key: "away",
  name: "away",
  about: "Holiday in which the plans of the home do not run, such as 2026-07-01/2026-07-15. `off` is at home.",
  category: "config",
  platform: "text",
  value: ({ away }) => away,
  command: { setting: "away" },
  icon: "mdi:beach",
  exists: ({ away }) => away !== null,
};

/** Every entity of a home. */
export const homeRows: readonly Row[] = [
  ...presentRows,
  ...aheadRows,
  ...usageRows<HomeState>(({ usage }) => usage),
  ...monthRows,
  awayRow,
  eventRow,
];

/** Entity for `homes[].format`. If the key is not set, the row is omitted and Home Assistant removes the entity. */
export const formatRow: Row = {
  key: "price_list",
  name: "prices_for_other_programs",
  about: "The current price; its attributes hold the prices in the format of the program named by `homes[].format`.",
  value: ({ prices }) => prices.current?.price ?? null,
  ...FIGURE,
  attributes: "format",
  expires: true,
  ...NOW,
};

function figureRows(
  key: string,
  name: "today" | "rest_of_today",
  about: string,
  figures: (state: HomeState) => DayFigures | null,
): readonly Row[] {
  const shared = { ...FIGURE, ...(key === "rest" ? ({ isHidden: true } as const) : {}) };
  return [
    {
      key: `${key}_min`,
      name: `lowest_price_${name}`,
      about: `The lowest price ${about}.`,
      value: (state) => figures(state)?.min ?? null,
      ...shared,
    },
    {
      key: `${key}_max`,
      name: `highest_price_${name}`,
      about: `The highest price ${about}.`,
      value: (state) => figures(state)?.max ?? null,
      ...shared,
    },
    {
      key: `${key}_mean`,
      name: `mean_price_${name}`,
      about: `The mean price ${about}.`,
      value: (state) => figures(state)?.mean ?? null,
      ...shared,
    },
  ];
}

function withoutCharges({ current }: HomeSnapshot): number | null {
  return current?.variableCharges === undefined ? null : current.price - current.variableCharges;
}
