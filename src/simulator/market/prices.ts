import { LRUCache } from "lru-cache";
import type { Calendar } from "../../core/time/calendar.ts";
import { contains, type EpochMs, formatInstant, HOUR_MS, type Interval, MINUTE_MS } from "../../core/time/interval.ts";
import type { PriceRow, Resolution } from "../../service/contract/resources.ts";
import { type Region, regions } from "../regions.ts";
import { type Charges, VAT_FACTOR } from "./charges.ts";
import { type Market, round6, spotPricesOn } from "./market.ts";
import type { PublicationTimes } from "./publication.ts";

/** Consumer price of one interval. Unit: the region's currency per kWh with VAT; `spotPerKwh` is without VAT. */
export interface ConsumerPrice extends Interval {
  readonly totalPerKwh: number;
  readonly chargesPerKwh: number;
  readonly spotPerKwh: number;
  readonly row: PriceRow;
}

export interface PriceSources {
  readonly market: Market;
  readonly charges: Charges;
  readonly publication: PublicationTimes;
  readonly calendar: Calendar;
}

/** Maximum cached days: two years in one resolution, or one year in both. The largest response needs one year. */
const KEPT_DAYS = 800;
/** Maximum days to search back for the last price, because a file may end before the published days. */
const MAX_DAYS_WITHOUT_PRICE = 10;

/** Consumer prices, computed per local day and cached. */
export class ConsumerPrices {
  readonly #sources: PriceSources;
  readonly #days = new LRUCache<string, readonly ConsumerPrice[]>({ max: KEPT_DAYS });

  constructor(sources: PriceSources) {
    this.#sources = sources;
  }

  /** Returns the prices of a local day, published or not. Shape: ascending, with gaps where the market has no price. */
  on(region: Region, resolution: Resolution, day: Interval): readonly ConsumerPrice[] {
    const name = `${region} ${resolution} ${day.start}`;
    const prices = this.#days.get(name) ?? this.#make(region, resolution, day);
    this.#days.set(name, prices);
    return prices;
  }

  /** Returns the confirmed prices that start inside a range. Shape: ascending, with gaps. */
  confirmed(region: Region, resolution: Resolution, range: Interval, now: EpochMs): ConsumerPrice[] {
    return this.#within(region, resolution, {
      start: range.start,
      end: Math.min(range.end, this.#sources.publication.publishedUntil(now)),
    });
  }

  /** Returns the hourly prices that start inside a range, published or not; the forecast is based on them. */
  hoursWithin(region: Region, range: Interval): ConsumerPrice[] {
    return this.#within(region, "hour", range);
  }

  /** Returns the end of the last confirmed price; without a recent price, the end of the published days. */
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
        // The service interface allows null: Danish addresses have a number, others null as in its example.
        variableChargesPerKWh: currency === "DKK" ? chargesPerKwh : null,
      };
      return { start, end, totalPerKwh, chargesPerKwh, spotPerKwh, row };
    });
  }
}
