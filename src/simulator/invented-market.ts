import type { Calendar } from "../core/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS, type Interval, MINUTE_MS, QUARTER_MS } from "../core/interval.ts";
import { type Market, round6, type SpotPrice } from "./market.ts";
import { createNoise, type Noise, smoothNoise } from "./noise.ts";
import type { Region } from "./regions.ts";

/** Before this there was no market. */
const FIRST_PRICE = Date.UTC(2019, 0, 1);

/** What makes a region dearer or cheaper than the others, in DKK per kWh. */
const REGION_OFFSET: Readonly<Record<Region, number>> = { DK1: 0, DK2: 0.04, SE3: -0.12, SE4: 0.01, NO2: -0.03 };

/** A calm evening in winter against a windy Sunday in summer, in DKK per kWh. */
const SHAPE = {
  base: 0.5,
  winter: 0.1,
  morningPeak: 0.24,
  eveningPeak: 0.42,
  night: -0.14,
  weekend: -0.1,
  wind: -0.75,
  sun: -0.42,
  jitter: 0.05,
} as const;

/** Weather changes over about half a day. */
const WEATHER_MS = 11 * HOUR_MS;

interface Weather {
  readonly wind: Noise;
  readonly cloud: Noise;
  readonly jitter: Noise;
}

/** A market made of the seed: two peaks a day, seasons, weekends, wind and sun, quarter-hours, sometimes below zero. */
export function inventMarket(seed: number, calendar: Calendar): Market {
  const shared = { wind: createNoise(seed, "wind"), cloud: createNoise(seed, "cloud") };
  const jitterOf = new Map<Region, Noise>();
  return {
    spotOn(region, day) {
      const jitter = jitterOf.get(region) ?? createNoise(seed, `jitter ${region}`);
      jitterOf.set(region, jitter);
      if (day.end <= FIRST_PRICE) return [];
      return quartersOf(day, REGION_OFFSET[region], { ...shared, jitter }, calendar);
    },
  };
}

function quartersOf(day: Interval, offset: number, weather: Weather, calendar: Calendar): SpotPrice[] {
  const weekday = new Date(day.start + DAY_MS / 2).getUTCDay();
  const ofDay = offset + SHAPE.base + (weekday === 0 || weekday === 6 ? SHAPE.weekend : 0);
  const quarters: SpotPrice[] = [];
  for (let start = day.start; start < day.end; start += QUARTER_MS) {
    const localHour = calendar.minuteOfDay(start) / (HOUR_MS / MINUTE_MS);
    const pricePerKwh = Math.round((ofDay + ofMoment(start, localHour, weather)) * 1e5) / 1e5;
    quarters.push({ start, end: start + QUARTER_MS, pricePerKwh: round6(pricePerKwh) });
  }
  return quarters;
}

function ofMoment(at: EpochMs, localHour: number, weather: Weather): number {
  const season = winterness(at);
  const wind = smoothNoise(weather.wind, at / WEATHER_MS);
  const sun = Math.max(0, Math.cos(((localHour - 13) / 14) * Math.PI)) * (1 - season) * sunlight(at, weather);
  return (
    SHAPE.winter * (2 * season - 1) +
    SHAPE.morningPeak * bell(localHour, 7.75, 1.6) +
    SHAPE.eveningPeak * bell(localHour, 18.25, 2.1) +
    SHAPE.night * bell(localHour, 3, 2.5) +
    SHAPE.wind * (wind - 0.45) +
    SHAPE.sun * sun +
    SHAPE.jitter * (weather.jitter(at / QUARTER_MS) - 0.5)
  );
}

/** 1 in the middle of January, 0 in the middle of July. */
function winterness(at: EpochMs): number {
  return (1 + Math.cos((2 * Math.PI * (at - Date.UTC(2024, 0, 15))) / (365.2425 * DAY_MS))) / 2;
}

function sunlight(at: EpochMs, weather: Weather): number {
  return 0.3 + 0.7 * smoothNoise(weather.cloud, at / WEATHER_MS);
}

function bell(hour: number, middle: number, width: number): number {
  const distance = (hour - middle) / width;
  return Math.exp(-distance * distance);
}
