/** Attributes of Home Assistant's nordpool integration (custom-components/nordpool), which cards and macros read. */

import { rounded } from "../../text/rounding.ts";
import type { Calendar } from "../../time/calendar.ts";
import { type EpochMs, formatInstant, HOUR_MS } from "../../time/interval.ts";
import { localInstant, shortLocalInstant } from "../../time/local-instant.ts";
import { meanPrice, median, type PricePoint } from "../timeline.ts";
import { fitsAttributes, roundedPrices, shortPrice } from "./format-limits.ts";
import type { FormatSource } from "./format-source.ts";

const MINUTES = 60;
/** Periods of the day in local time: off-peak 1 until 08:00, peak until 20:00, off-peak 2 until midnight. */
const DAY_BEGINS = 8 * MINUTES;
const EVENING_BEGINS = 20 * MINUTES;
const COUNTRIES: Readonly<Record<string, string>> = { DK: "Denmark", SE: "Sweden", NO: "Norway" };

/** Format of instants and prices. */
interface Writing {
  /** Start of an interval, with the local offset: many readers take the day and hour of the text. */
  readonly start: (at: EpochMs, calendar: Calendar) => string;
  /** Null to omit the ends. */
  readonly end: ((at: EpochMs, calendar: Calendar) => string) | null;
  readonly decimals: (price: number) => number;
}

const FULL: Writing = { start: localInstant, end: localInstant, decimals: rounded };
/** Format for hourly prices: two days fit into attributes. */
const HOURS: Writing = { start: localInstant, end: localInstant, decimals: shortPrice };
/** Format for quarter-hours: two days fit only without seconds, with ends in UTC and three decimals (the default). */
const QUARTERS: Writing = {
  start: shortLocalInstant,
  end: (at) => formatInstant(at).replace(":00Z", "Z"),
  decimals: (price) => Number(price.toFixed(3)) + 0,
};

export function nordpoolFormat(source: FormatSource): object {
  const { current, day } = source.snapshot;
  return {
    current_price: current ? rounded(current.price) : null,
    low_price: current && day ? current.price < day.mean : null,
    price_percent_to_average: current && day && day.mean !== 0 ? rounded(current.price / day.mean) : null,
    additional_costs_current_hour: current?.variableCharges === undefined ? null : rounded(current.variableCharges),
    ...shaped(source, FULL),
  };
}

/** Returns the attributes, shortened as the resolution requires, and without what changes with each interval. */
export function nordpoolAttributes(source: FormatSource): object {
  const isHours = source.snapshot.today.every(({ start, end }) => end - start >= HOUR_MS);
  const attributes = shaped(source, isHours ? HOURS : QUARTERS);
  // Two days of 100 quarter-hours do not fit with their ends.
  return fitsAttributes(attributes) ? attributes : shaped(source, { ...QUARTERS, end: null });
}

function shaped(source: FormatSource, { start: textOfStart, end: textOfEnd, decimals }: Writing): object {
  const { snapshot, calendar, region } = source;
  const { today, tomorrow, currency } = snapshot;
  const raw = (points: readonly PricePoint[]) =>
    points.map(({ start, end, price }) => ({
      start: textOfStart(start, calendar),
      ...(textOfEnd ? { end: textOfEnd(end, calendar) } : {}),
      value: decimals(price),
    }));
  return {
    ...figuresOfDay(source, decimals),
    unit: "kWh",
    currency,
    country: COUNTRIES[region?.slice(0, 2) ?? ""] ?? null,
    region,
    today: roundedPrices(snapshot.byPosition.today, decimals),
    tomorrow: roundedPrices(snapshot.byPosition.tomorrow, decimals),
    tomorrow_valid: snapshot.tomorrowValid,
    raw_today: raw(today),
    raw_tomorrow: raw(tomorrow),
    price_in_cents: false,
  };
}

/** Returns the figures of the day; null if a period has no price. Peak hours follow the local clock. */
function figuresOfDay({ snapshot, calendar }: FormatSource, decimals: Writing["decimals"]): object {
  const { today, day } = snapshot;
  const figure = (value: number | null) => (value === null ? null : decimals(value));
  const between = (from: number, to: number) =>
    figure(
      meanPrice(today.filter(({ start }) => calendar.minuteOfDay(start) >= from && calendar.minuteOfDay(start) < to)),
    );
  return {
    average: figure(day?.mean ?? null),
    min: figure(day?.min ?? null),
    max: figure(day?.max ?? null),
    mean: figure(median(today.map(({ price }) => price))),
    off_peak_1: between(0, DAY_BEGINS),
    peak: between(DAY_BEGINS, EVENING_BEGINS),
    off_peak_2: between(EVENING_BEGINS, 24 * MINUTES),
  };
}
