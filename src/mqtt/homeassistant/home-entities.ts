/** Entities of a home. */
import type { DayFigures, HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import type { MonthFigures } from "../../core/prices/month-figures.ts";
import type { HomeUsage } from "../../core/prices/usage.ts";
import { EXPORT_PRICES } from "../topics/format-topics.ts";
import { PEAKS } from "../topics/usage-topics.ts";
import { type Device, type EntityRow, entityRow } from "./entity.ts";
import { priceEvents } from "./happenings.ts";
import { cheapestRows, levelRows } from "./price-rows.ts";
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
const row = entityRow<HomeState>;

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

const SENSOR = { platform: "sensor" } as const;
/** Shared keys of money per kWh. Without a `stateClass`, Home Assistant records no statistics. */
const FIGURE = { ...SENSOR, unit: "perKwh", precision: 2, icon: "mdi:cash" } as const;
const PERCENTILE = { ...SENSOR, isHidden: true, unit: "%", precision: 0, icon: "mdi:percent" } as const;
const NOW = { needs: "price" } as const;
const LIVE = { ...NOW, expires: true } as const;
const CHARGES = {
  ...FIGURE,
  ...NOW,
  isHidden: true,
  exists: ({ prices }: HomeState) => prices.hasVariableCharges,
} as const;
const SOLD = { ...FIGURE, ...NOW, exists: ({ sold }: HomeState) => sold !== null } as const;

const { level, color, cheap } = levelRows<HomeState>(({ prices }) => prices, NOW.needs);

const presentRows: readonly Row[] = [
  row("price", "price", ({ prices }) => prices.current?.price ?? null, {
    ...FIGURE,
    ...LIVE,
    stateClass: "measurement",
    attributes: "price/state",
  }),
  level,
  { ...color, isHidden: true },
  cheap,
  row("rank", "price_rank_today", ({ prices }) => prices.rank, {
    ...SENSOR,
    ...NOW,
    isHidden: true,
    icon: "mdi:sort-numeric-ascending",
  }),
  row("percentile", "price_percentile_today", ({ prices }) => prices.percentile, { ...PERCENTILE, ...NOW }),
  row("percentile_30_days", "price_percentile_30_days", ({ prices }) => prices.percentile30Days, {
    ...PERCENTILE,
    ...NOW,
  }),
  row("variable_charges", "variable_charges", ({ prices }) => prices.current?.variableCharges ?? null, CHARGES),
  row("price_without_charges", "price_without_variable_charges", ({ prices }) => withoutCharges(prices), CHARGES),
  row("export_price", "export_price", ({ sold }) => sold?.current?.price ?? null, {
    ...SOLD,
    stateClass: "measurement",
    expires: true,
  }),
  row("export_prices", "export_prices", ({ sold }) => sold?.current?.price ?? null, {
    ...SOLD,
    isHidden: true,
    // After the prices in the alphabet: some programs take the first entity with such a list.
    entityName: "prices_for_export",
    attributes: EXPORT_PRICES,
  }),
];

const aheadRows: readonly Row[] = [
  row("previous_price", "previous_price", ({ prices }) => prices.previous?.price ?? null, {
    ...FIGURE,
    isHidden: true,
  }),
  row("next_price", "next_price", ({ prices }) => prices.next?.price ?? null, { ...FIGURE, isHidden: true }),
  ...figureRows("day", "today", ({ prices }) => prices.day),
  ...figureRows("rest", "rest_of_today", ({ prices }) => prices.restOfDay),
  row("tomorrow_mean", "mean_price_tomorrow", ({ prices }) => prices.tomorrowMean, FIGURE),
  ...cheapestRows<HomeState>(({ prices }) => prices.cheapest()),
  row("tomorrow_available", "tomorrows_prices_available", ({ prices }) => prices.tomorrowValid, {
    platform: "binary_sensor",
    icon: "mdi:calendar-check",
  }),
  row("tomorrow_published_at", "tomorrows_prices_since", (state) => state.prices.tomorrowPublishedAt, {
    ...SENSOR,
    isHidden: true,
    deviceClass: "timestamp",
    icon: "mdi:calendar-clock",
  }),
  row("prices", "prices", ({ prices }) => prices.today.length + prices.tomorrow.length, {
    ...SENSOR,
    isHidden: true,
    icon: "mdi:chart-bar",
    attributes: "prices",
  }),
  row("forecast", "price_forecast", ({ prices }) => prices.forecast.length, {
    ...SENSOR,
    isHidden: true,
    icon: "mdi:crystal-ball",
    attributes: "forecast",
  }),
];

/** Shared keys of the highest hours of a month. */
const PEAK = {
  ...SENSOR,
  isHidden: true,
  topic: "usage",
  unit: "kW",
  deviceClass: "power",
  precision: 2,
  icon: "mdi:chart-bell-curve",
  attributes: PEAKS,
  exists: ({ month }: HomeState) => month !== null,
} as const;

const monthRows: readonly Row[] = [
  row("costs_month_expected", "cost_this_month_expected", ({ month }) => month?.expected ?? null, {
    ...SENSOR,
    topic: "usage",
    deviceClass: "monetary",
    unit: "currency",
    precision: 2,
    icon: "mdi:cash-clock",
    exists: ({ usage }) => usage.consumptionCosts !== null,
  }),
  row("peak_month", "highest_hour_this_month", ({ month }) => month?.peaks?.hours[0]?.kw ?? null, PEAK),
  row("peak_days_month", "highest_days_this_month", ({ month }) => month?.peaks?.mean ?? null, PEAK),
];

const awayRow = row("away", "away", ({ away }) => away, {
  category: "config",
  platform: "text",
  command: { setting: "away" },
  icon: "mdi:beach",
  exists: ({ away }) => away !== null,
});

const eventRow: Row = {
  key: "price_event",
  name: "price_event",
  platform: "event",
  options: priceEvents,
  icon: "mdi:bell-outline",
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
export const formatRow = row("price_list", "prices_for_other_programs", ({ prices }) => prices.current?.price ?? null, {
  ...FIGURE,
  ...LIVE,
  attributes: "format",
});

function figureRows(
  key: "day" | "rest",
  name: "today" | "rest_of_today",
  figures: (state: HomeState) => DayFigures | null,
): readonly Row[] {
  const hidden = { ...FIGURE, isHidden: true } as const;
  return [
    row(`${key}_min`, `lowest_price_${name}`, (state) => figures(state)?.min ?? null, hidden),
    row(`${key}_max`, `highest_price_${name}`, (state) => figures(state)?.max ?? null, hidden),
    row(`${key}_mean`, `mean_price_${name}`, (state) => figures(state)?.mean ?? null, key === "day" ? FIGURE : hidden),
  ];
}

function withoutCharges({ current }: HomeSnapshot): number | null {
  return current?.variableCharges === undefined ? null : current.price - current.variableCharges;
}
