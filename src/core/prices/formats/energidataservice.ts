/**
 * Attributes of Home Assistant's energidataservice integration (MTrab/energidataservice): `{hour, price}` in
 * `raw_today`, `raw_tomorrow` and `forecast`. Its nested `tariffs` are empty, because the price includes them. A
 * consumer that found flat tariffs would add them again.
 */

import { rounded } from "../../text/rounding.ts";
import { localInstant } from "../../time/local-instant.ts";
import { meanPrice, type PricePoint } from "../timeline.ts";
import { fitting, roundedPrices, shortPrice } from "./format-limits.ts";
import type { FormatSource } from "./format-source.ts";

type Decimals = (price: number) => number;

/** Local time at which tomorrow's prices are expected. */
const NEXT_UPDATE = "13:00:00";

export function energidataserviceFormat(source: FormatSource): object {
  const { current, today, now, forecast } = source.snapshot;
  const remaining = today.filter(({ end }) => end > now);
  return {
    current_price: current ? rounded(current.price) : null,
    ...daysOf(source, rounded),
    ...figuresOf("today_remaining", source, remaining),
    forecast: entries(source, forecast, rounded),
  };
}

/** Returns the attributes, with as much of the forecast as fits, and without what changes with each interval. */
export function energidataserviceAttributes(source: FormatSource): object {
  const days = daysOf(source, shortPrice);
  const forecast = fitting({ ...days, forecast: [] }, entries(source, source.snapshot.forecast, shortPrice));
  return { ...days, forecast };
}

function daysOf(source: FormatSource, decimals: Decimals): object {
  const { snapshot, region } = source;
  const { today, tomorrow, currency, tomorrowValid } = snapshot;
  const orNull = <List extends readonly unknown[]>(list: List) => (list.length > 0 ? list : null);
  return {
    unit: "kWh",
    currency,
    region,
    region_code: region,
    tomorrow_valid: tomorrowValid,
    next_data_update: NEXT_UPDATE,
    today: roundedPrices(snapshot.byPosition.today, decimals),
    tomorrow: orNull(roundedPrices(snapshot.byPosition.tomorrow, decimals)),
    raw_today: orNull(entries(source, today, decimals)),
    raw_tomorrow: orNull(entries(source, tomorrow, decimals)),
    ...figuresOf("today", source, today),
    ...figuresOf("tomorrow", source, tomorrowValid ? tomorrow : []),
    use_cent: false,
    tariffs: { additional_tariffs: {}, tariffs: {} },
    attribution: "Data sourced from elbro",
  };
}

/** Returns minimum, maximum and mean of the points. */
function figuresOf(
  day: "today" | "today_remaining" | "tomorrow",
  source: FormatSource,
  points: readonly PricePoint[],
): object {
  const least = points.reduce<PricePoint | null>((a, b) => (a && a.price <= b.price ? a : b), null);
  const most = points.reduce<PricePoint | null>((a, b) => (a && a.price >= b.price ? a : b), null);
  const mean = meanPrice(points);
  return {
    [`${day}_min`]: least && entry(source, least, rounded),
    [`${day}_max`]: most && entry(source, most, rounded),
    [`${day}_mean`]: mean === null ? null : rounded(mean),
  };
}

function entries(source: FormatSource, points: readonly PricePoint[], decimals: Decimals) {
  return points.map((point) => entry(source, point, decimals));
}

function entry({ calendar }: FormatSource, { start, price }: PricePoint, decimals: Decimals) {
  return { hour: localInstant(start, calendar), price: decimals(price) };
}
