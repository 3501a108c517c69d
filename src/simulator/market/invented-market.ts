import type { Calendar } from "../../core/time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS, type Interval, MINUTE_MS, QUARTER_MS } from "../../core/time/interval.ts";
import { createNoise, type Noise, smoothNoise } from "../noise.ts";
import type { Region } from "../regions.ts";
import { winterness } from "../season.ts";
import type { Market, SpotPrice } from "./market.ts";

/** Start of the first day with prices. */
const FIRST_PRICE = Date.UTC(2019, 0, 1);

/** Price difference of a region. Unit: DKK per kWh. */
const REGION_OFFSET: Readonly<Record<Region, number>> = { DK1: 0, DK2: 0.04, SE3: -0.12, SE4: 0.01, NO2: -0.03 };

/** Contributions to the price: season, time of day, weekend and weather. Unit: DKK per kWh. */
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

/** Time scale of changes in the weather: about half a day. */
const WEATHER_MS = 11 * HOUR_MS;

type Weather = Readonly<Record<"wind" | "cloud" | "jitter", Noise>>;

/** Creates a market in quarter-hours: two peaks a day, seasons, weekends, wind and sun, sometimes negative. */
export function inventMarket(seed: number, calendar: Calendar): Market {
  const shared = { wind: createNoise(seed, "wind"), cloud: createNoise(seed, "cloud") };
  return {
    spotOn(region, day) {
      if (day.end <= FIRST_PRICE) return [];
      const jitter = createNoise(seed, `jitter ${region}`);
      return quartersOf(day, REGION_OFFSET[region], { ...shared, jitter }, calendar);
    },
  };
}

/** Price contribution of the demand, and share of the sun, by quarter-hour of the local day. */
const timesOfDay = Array.from({ length: DAY_MS / QUARTER_MS }, (_, quarter) => {
  const hour = (quarter * QUARTER_MS) / HOUR_MS;
  return {
    demand:
      SHAPE.morningPeak * bell(hour, 7.75, 1.6) +
      SHAPE.eveningPeak * bell(hour, 18.25, 2.1) +
      SHAPE.night * bell(hour, 3, 2.5),
    sun: Math.max(0, Math.cos(((hour - 13) / 14) * Math.PI)),
  };
});

function quartersOf(day: Interval, offset: number, weather: Weather, calendar: Calendar): SpotPrice[] {
  const weekday = new Date(day.start + DAY_MS / 2).getUTCDay();
  const season = winterness(day.start);
  const weekend = weekday === 0 || weekday === 6 ? SHAPE.weekend : 0;
  const ofDay = SHAPE.base + offset + weekend + SHAPE.winter * (2 * season - 1);
  const quarters: SpotPrice[] = [];
  for (let start = day.start; start < day.end; start += QUARTER_MS) {
    const time = timesOfDay[(calendar.minuteOfDay(start) * MINUTE_MS) / QUARTER_MS];
    const sun = (time?.sun ?? 0) * (1 - season);
    const ofMoment = (time?.demand ?? 0) + ofWeather(start, sun, weather);
    quarters.push({ start, end: start + QUARTER_MS, pricePerKwh: Math.round((ofDay + ofMoment) * 1e5) / 1e5 });
  }
  return quarters;
}

function ofWeather(at: EpochMs, sun: number, { wind, cloud, jitter }: Weather): number {
  const clear = sun === 0 ? 0 : 0.3 + 0.7 * smoothNoise(cloud, at / WEATHER_MS);
  return (
    SHAPE.wind * (smoothNoise(wind, at / WEATHER_MS) - 0.45) +
    SHAPE.sun * sun * clear +
    SHAPE.jitter * (jitter(at / QUARTER_MS) - 0.5)
  );
}

function bell(hour: number, middle: number, width: number): number {
  const distance = (hour - middle) / width;
  return Math.exp(-distance * distance);
}
