/** Public topics of a home's prices. */
import { roundedPrices } from "../../core/prices/formats/format-limits.ts";
import type { HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import { priceState } from "../../core/prices/price-state.ts";
import type { PricePoint } from "../../core/prices/timeline.ts";
import { rounded } from "../../core/text/rounding.ts";
import { formatInstant, formatInstantOrNull } from "../../core/time/interval.ts";
import { type Message, plainDecimal } from "../client/message.ts";

/**
 * Maximum number of published forecast hours; the length of the service's forecast varies.
 * The payload stays below 16,384 bytes, above which Home Assistant's recorder drops the attributes of a state.
 */
const MAX_FORECAST_HOURS = 240;

/** Returns all price messages of a home. `base` is the base topic without a trailing slash. */
export function homeMessages(base: string, snapshot: HomeSnapshot): Message[] {
  const topic = `${base}/${snapshot.home.id}`;
  const { current, level, cheap } = snapshot;
  return [
    { topic: `${topic}/price`, payload: current ? plainDecimal(current.price) : "", urgent: true },
    { topic: `${topic}/cheap`, payload: cheap ? "ON" : "OFF", heartbeat: true, urgent: true },
    { topic: `${topic}/price/level`, payload: level ?? "", urgent: true },
    { topic: `${topic}/price/state`, payload: JSON.stringify(priceState(snapshot)) },
    { topic: `${topic}/prices`, payload: JSON.stringify(pricesOf(snapshot)) },
    { topic: `${topic}/forecast`, payload: JSON.stringify(forecastOf(snapshot)) },
  ];
}

function pricesOf(snapshot: HomeSnapshot): object {
  return {
    currency: snapshot.currency,
    today: roundedPrices(snapshot.byPosition.today),
    tomorrow: roundedPrices(snapshot.byPosition.tomorrow),
    tomorrow_valid: snapshot.tomorrowValid,
    tomorrow_published_at: formatInstantOrNull(snapshot.tomorrowPublishedAt),
    quarters_repeat_hours: snapshot.quartersRepeatHours,
    raw_today: startsAndValues(snapshot.today),
    raw_tomorrow: startsAndValues(snapshot.tomorrow),
  };
}

function forecastOf({ currency, forecast }: HomeSnapshot): object {
  return { currency, estimate: true, forecast: startsAndValues(forecast.slice(0, MAX_FORECAST_HOURS)) };
}

/** Omits `end`: with it, two days of quarters would exceed what Home Assistant's recorder keeps of attributes. */
function startsAndValues(points: readonly PricePoint[]): object[] {
  return points.map(({ start, price }) => ({ start: formatInstant(start), value: rounded(price) }));
}
