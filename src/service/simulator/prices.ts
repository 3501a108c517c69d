import { LRUCache } from "lru-cache";
import type { Calendar } from "../../core/time/calendar.ts";
import { contains, type EpochMs, formatInstant, HOUR_MS, type Interval, MINUTE_MS } from "../../core/time/interval.ts";
import type { PriceRow, Resolution } from "../contract/resources.ts";
import { type Charges, VAT_FACTOR } from "./charges.ts";
import { type Market, round6, spotPricesOn } from "./market.ts";
import type { Publication } from "./publication.ts";
import { type Region, regions } from "./regions.ts";

/** A price with everything in it. Unit: the region's currency per kWh, VAT in, but `spotPerKwh` without. */
export interface ConsumerPrice extends Interval {
  readonly totalPerKwh: number;
  readonly chargesPerKwh: number;
  readonly spotPerKwh: number;
  readonly row: PriceRow;
}

export interface PriceSources {
  readonly market: Market;
  readonly charges: Charges;
  readonly publication: Publication;
  readonly calendar: Calendar;
}

/** Two years of days in one resolution, or one year of both; the largest answer needs one. */
const KEPT_DAYS = 800;
/** A file may end before the days that are published; how far back the last price is looked for. */
const MAX_DAYS_WITHOUT_PRICE = 10;

/** Prices a consumer pays, made a local day at a time and kept. */
export class ConsumerPrices {
  readonly #sources: PriceSources;
  readonly #days = new LRUCache<string, readonly ConsumerPrice[]>({ max: KEPT_DAYS });

  constructor(sources: PriceSources) {
    this.#sources = sources;
  }

  /** The prices of a local day, published or not. Shape: ascending; gaps where the market has none. */
  on(region: Region, resolution: Resolution, day: Interval): readonly ConsumerPrice[] {
    const name = `${region} ${resolution} ${day.start}`;
    const prices = this.#days.get(name) ?? this.#make(region, resolution, day);
    this.#days.set(name, prices);
    return prices;
  }

  /** Confirmed prices that begin inside a range. Shape: ascending, sparse. */
  confirmed(region: Region, resolution: Resolution, range: Interval, now: EpochMs): ConsumerPrice[] {
    return this.#within(region, resolution, {
      start: range.start,
      end: Math.min(range.end, this.#sources.publication.publishedUntil(now)),
    });
  }

  /** Prices of hours that begin inside a range, published or not; what a forecast guesses at. */
  hoursWithin(region: Region, range: Interval): ConsumerPrice[] {
    return this.#within(region, "hour", range);
  }

  /** The end of the last confirmed price; where a market has none lately, the end of the published days. */
  confirmedUntil(region: Region, now: EpochMs): EpochMs {
    const { calendar, publication } = this.#sources;
    const published = publication.publishedUntil(now);
    let end = published;
    for (let back = 0; back < MAX_DAYS_WITHOUT_PRICE; back++) {
      const start = calendar.add("day", end, -1);
      const last = this.on(region, "hour", { start, end }).at(-1);
      if (last) return last.end;
      end = start;
    }
    return published;
  }

  #within(region: Region, resolution: Resolution, range: Interval): ConsumerPrice[] {
    if (range.end <= range.start) return [];
    const found: ConsumerPrice[] = [];
    for (const day of this.#sources.calendar.intervals("day", range)) {
      const prices = this.on(region, resolution, day);
      if (range.start <= day.start && day.end <= range.end) found.push(...prices);
      else found.push(...prices.filter(({ start }) => contains(range, start)));
    }
    return found;
  }

  #make(region: Region, resolution: Resolution, day: Interval): readonly ConsumerPrice[] {
    const { market, charges, calendar } = this.#sources;
    const { currency, perDkk } = regions[region];
    const tariffs = charges.tariffsByHour(region, day);
    return spotPricesOn(market, region, day, resolution).map(({ start, end, pricePerKwh }) => {
      const hour = Math.floor((calendar.minuteOfDay(start) * MINUTE_MS) / HOUR_MS);
      const spotPerKwh = round6(pricePerKwh * perDkk);
      const chargesPerKwh = round6((tariffs[hour] ?? 0) * VAT_FACTOR);
      const totalPerKwh = round6(spotPerKwh * VAT_FACTOR + chargesPerKwh);
      const row = {
        start: formatInstant(start),
        end: formatInstant(end),
        totalPricePerKWh: totalPerKwh,
        // Nullable in the document: Danish addresses show a number, the others the null of its example.
        variableChargesPerKWh: currency === "DKK" ? chargesPerKwh : null,
      };
      return { start, end, totalPerKwh, chargesPerKwh, spotPerKwh, row };
    });
  }
}
