/** The public topics of a home, made from its snapshot. */
import type { HomeSnapshot } from "../core/home-snapshot.ts";
import { formatInstant } from "../core/interval.ts";
import type { PricePoint } from "../core/timeline.ts";
import { type Message, plainDecimal } from "./message.ts";

/** Decimals of figures that are computed, such as a mean; prices themselves are published as they came. */
const MEAN_DECIMALS = 6;

/** Every state topic of a home's prices. `base` is the base topic, without a slash at its end. */
export function homeMessages(base: string, snapshot: HomeSnapshot): Message[] {
  const topic = `${base}/${snapshot.home.id}`;
  const { current, level, cheap } = snapshot;
  return [
    { topic: `${topic}/price`, payload: current ? plainDecimal(current.price) : "" },
    { topic: `${topic}/price/state`, payload: JSON.stringify(priceState(snapshot)) },
    { topic: `${topic}/price/level`, payload: level ?? "" },
    { topic: `${topic}/prices`, payload: JSON.stringify(priceArrays(snapshot)) },
    { topic: `${topic}/forecast`, payload: JSON.stringify(forecastState(snapshot)) },
    { topic: `${topic}/cheap`, payload: cheap ? "ON" : "OFF", heartbeat: true },
  ];
}

function priceState(snapshot: HomeSnapshot): object {
  const { current, next, day } = snapshot;
  return {
    start: current ? formatInstant(current.start) : null,
    end: current ? formatInstant(current.end) : null,
    price: current?.price ?? null,
    currency: snapshot.currency,
    vat_included: snapshot.vatIncluded,
    estimate: current?.estimate ?? null,
    level: snapshot.level,
    rank: snapshot.rank,
    rank_of: snapshot.rankOf,
    percentile: snapshot.percentile,
    next: next ? { start: formatInstant(next.start), price: next.price } : null,
    day: day ? { min: day.min, max: day.max, mean: rounded(day.mean) } : null,
  };
}

function priceArrays(snapshot: HomeSnapshot): object {
  const tomorrow = snapshot.tomorrowValid ? snapshot.tomorrow : [];
  return {
    today: snapshot.today.map((point) => point.price),
    tomorrow: tomorrow.map((point) => point.price),
    tomorrow_valid: snapshot.tomorrowValid,
    raw_today: startsAndValues(snapshot.today),
    raw_tomorrow: startsAndValues(tomorrow),
  };
}

function forecastState(snapshot: HomeSnapshot): object {
  return { currency: snapshot.currency, estimate: true, forecast: startsAndValues(snapshot.forecast) };
}

/** Without `end`: two days of quarters with it would be over what Home Assistant's recorder keeps of attributes. */
function startsAndValues(points: readonly PricePoint[]): object[] {
  return points.map((point) => ({ start: formatInstant(point.start), value: point.price }));
}

function rounded(value: number): number {
  return Number(value.toFixed(MEAN_DECIMALS));
}
