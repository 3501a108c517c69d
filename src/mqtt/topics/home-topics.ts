/** Public topics of a home's prices. */
import type { HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import { priceState } from "../../core/prices/price-state.ts";
import type { PricePoint } from "../../core/prices/timeline.ts";
import { wire } from "../../core/text/wire.ts";
import { plainDecimal, type RetainedMessage, textMemo } from "../client/message.ts";

/**
 * Maximum number of published forecast hours; the length of the service's forecast varies.
 * The payload stays below 16,384 bytes, above which Home Assistant's recorder drops the attributes of a state.
 */
const MAX_FORECAST_HOURS = 240;

const pricesText = textMemo();
const forecastText = textMemo();

/** Returns the price messages of a home that are published first. `base` is the base topic without a trailing slash. */
export function urgentMessages(base: string, { home, current, level, cheap }: HomeSnapshot): RetainedMessage[] {
  const topic = `${base}/${home.id}`;
  return [
    { topic: `${topic}/price`, payload: current ? plainDecimal(current.price) : "", urgent: true },
    { topic: `${topic}/cheap`, payload: cheap ? "ON" : "OFF", heartbeat: true, urgent: true },
    { topic: `${topic}/price/level`, payload: level ?? "", urgent: true },
  ];
}

/** Returns all price messages of a home. */
export function homeMessages(base: string, snapshot: HomeSnapshot): RetainedMessage[] {
  const topic = `${base}/${snapshot.home.id}`;
  return [
    ...urgentMessages(base, snapshot),
    { topic: `${topic}/price/state`, payload: JSON.stringify(priceState(snapshot)) },
    {
      topic: `${topic}/prices`,
      payload: pricesText(snapshot.byPosition, snapshot.tomorrowPublishedAt, () => pricesOf(snapshot)),
    },
    {
      topic: `${topic}/forecast`,
      payload: forecastText(snapshot.forecast, snapshot.currency, () => forecastOf(snapshot)),
    },
  ];
}

function pricesOf({ currency, byPosition, tomorrowValid, tomorrowPublishedAt, ...snapshot }: HomeSnapshot): object {
  return wire({
    currency,
    ...byPosition,
    tomorrowValid,
    tomorrowPublishedAt,
    quartersRepeatHours: snapshot.quartersRepeatHours,
    rawToday: startsAndValues(snapshot.today),
    rawTomorrow: startsAndValues(snapshot.tomorrow),
  });
}

function forecastOf({ currency, forecast }: HomeSnapshot): object {
  return wire({ currency, estimate: true, forecast: startsAndValues(forecast.slice(0, MAX_FORECAST_HOURS)) });
}

/** Omits `end`: with it, two days of quarters would exceed what Home Assistant's recorder keeps of attributes. */
function startsAndValues(points: readonly PricePoint[]) {
  return points.map(({ start, price }) => ({ start, value: price }));
}
