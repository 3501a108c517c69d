/**
 * The attributes of the nordpool integration of Home Assistant (custom-components/nordpool), which cards and macros
 * read: `raw_today` and `raw_tomorrow` as `{start, end, value}`, `today` and `tomorrow` as bare prices.
 */

import { rounded } from "../../text/rounding.ts";
import { localInstant } from "../../time/local-instant.ts";
import { meanPrice, type PricePoint } from "../timeline.ts";
import { pricesOf, shortPrice, wholeTomorrow } from "./format-limits.ts";
import type { FormatSource } from "./format-source.ts";

const MINUTES = 60;
/** Its parts of the day, by the local clock: night to 8, day to 20, evening to midnight. */
const DAY_BEGINS = 8 * MINUTES;
const EVENING_BEGINS = 20 * MINUTES;
const COUNTRIES: Readonly<Record<string, string>> = { DK: "Denmark", SE: "Sweden", NO: "Norway" };

export function nordpoolFormat(source: FormatSource): object {
  const { snapshot, calendar, region } = source;
  const { current, today, day } = snapshot;
  const tomorrow = wholeTomorrow(snapshot);
  const raw = (points: readonly PricePoint[]) =>
    points.map(({ start, end, price }) => ({
      start: localInstant(start, calendar),
      end: localInstant(end, calendar),
      value: rounded(price),
    }));
  return {
    current_price: current ? rounded(current.price) : null,
    ...figuresOfDay(source),
    low_price: current && day ? current.price < day.mean : null,
    price_percent_to_average: current && day && day.mean !== 0 ? rounded(current.price / day.mean) : null,
    unit: "kWh",
    currency: snapshot.currency,
    country: COUNTRIES[region?.slice(0, 2) ?? ""] ?? null,
    region,
    today: pricesOf(today),
    tomorrow: pricesOf(tomorrow),
    tomorrow_valid: snapshot.tomorrowValid,
    raw_today: raw(today),
    raw_tomorrow: raw(tomorrow),
    additional_costs_current_hour: current?.variableCharges ?? null,
    price_in_cents: false,
  };
}

/**
 * What changes with the prices and not with the hour, and without `end`: two days of quarters with it are more than
 * Home Assistant keeps of attributes. The price now is the state of the entity.
 */
export function nordpoolAttributes(source: FormatSource): object {
  const { snapshot, calendar, region } = source;
  const tomorrow = wholeTomorrow(snapshot);
  const raw = (points: readonly PricePoint[]) =>
    points.map(({ start, price }) => ({ start: localInstant(start, calendar), value: shortPrice(price) }));
  return {
    ...figuresOfDay(source),
    unit: "kWh",
    currency: snapshot.currency,
    country: COUNTRIES[region?.slice(0, 2) ?? ""] ?? null,
    region,
    today: pricesOf(snapshot.today, shortPrice),
    tomorrow: pricesOf(tomorrow, shortPrice),
    tomorrow_valid: snapshot.tomorrowValid,
    raw_today: raw(snapshot.today),
    raw_tomorrow: raw(tomorrow),
    price_in_cents: false,
  };
}

/** `mean` is the median there; what has no price is null. */
function figuresOfDay({ snapshot, calendar }: FormatSource): object {
  const { today, day } = snapshot;
  const between = (from: number, to: number) =>
    figure(
      meanPrice(today.filter(({ start }) => calendar.minuteOfDay(start) >= from && calendar.minuteOfDay(start) < to)),
    );
  return {
    average: figure(day?.mean ?? null),
    min: figure(day?.min ?? null),
    max: figure(day?.max ?? null),
    mean: figure(medianPrice(today)),
    off_peak_1: between(0, DAY_BEGINS),
    peak: between(DAY_BEGINS, EVENING_BEGINS),
    off_peak_2: between(EVENING_BEGINS, 24 * MINUTES),
  };
}

function medianPrice(points: readonly PricePoint[]): number | null {
  const sorted = points.map(({ price }) => price).sort((a, b) => a - b);
  const above = sorted[Math.floor(sorted.length / 2)];
  const below = sorted[Math.ceil(sorted.length / 2) - 1];
  return above === undefined || below === undefined ? null : (above + below) / 2;
}

function figure(value: number | null): number | null {
  return value === null ? null : rounded(value);
}
