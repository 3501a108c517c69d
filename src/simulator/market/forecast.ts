import { DAY_MS, type EpochMs, HOUR_MS, type Interval, MINUTE_MS, stepStart } from "../../core/time/interval.ts";
import type { PriceRow } from "../../service/contract/resources.ts";
import { createNoise } from "../noise.ts";
import type { Region } from "../regions.ts";
import { round6 } from "./market.ts";
import type { ConsumerPrices } from "./prices.ts";

/** Interval between forecasts, and their offset of 25 minutes. */
const ISSUE_MS = 3 * HOUR_MS;
const ISSUE_OFFSET_MS = 25 * MINUTE_MS;
const LENGTH_DAYS = { least: 2, most: 7 } as const;
/** Maximum width of the error one hour ahead, and one week ahead. Unit: currency per kWh. */
const MISS = { near: 0.06, far: 0.5 } as const;

/**
 * Returns hourly estimates that follow the latest confirmed price and start no earlier than the current hour. They are
 * the future prices with an error that grows with the distance and changes with every forecast.
 */
export function forecastRows(prices: ConsumerPrices, region: Region, seed: number, now: EpochMs): PriceRow[] {
  const issue = issueAt(prices, region, seed, now);
  const miss = createNoise(seed, `forecast ${region} ${issue.number}`);
  return prices.hoursWithin(region, issue).map(({ start, totalPerKwh, row }) => {
    const ahead = Math.min(1, (start - issue.issuedAt) / (LENGTH_DAYS.most * DAY_MS));
    const reach = MISS.near + ahead * (MISS.far - MISS.near);
    const guess = round6(totalPerKwh + (miss(start / HOUR_MS) - 0.5) * reach);
    return { start: row.start, end: row.end, totalPricePerKWh: guess, variableChargesPerKWh: null };
  });
}

/** Current forecast and the hours it covers. */
interface Issue extends Interval {
  readonly number: number;
  readonly issuedAt: EpochMs;
}

function issueAt(prices: ConsumerPrices, region: Region, seed: number, now: EpochMs): Issue {
  const number = Math.floor((now - ISSUE_OFFSET_MS) / ISSUE_MS);
  const currentHour = stepStart(now, HOUR_MS);
  const start = Math.max(prices.confirmedUntil(region, now), currentHour);
  const spread = LENGTH_DAYS.most - LENGTH_DAYS.least;
  const days = LENGTH_DAYS.least + createNoise(seed, "forecast length")(number) * spread;
  const end = start + Math.floor((days * DAY_MS) / HOUR_MS) * HOUR_MS;
  return { number, issuedAt: number * ISSUE_MS + ISSUE_OFFSET_MS, start, end };
}
