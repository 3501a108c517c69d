import type { Calendar } from "../core/time/calendar.ts";
import type { EpochMs, Interval } from "../core/time/interval.ts";
import { serviceCalendar } from "../service/service-calendar.ts";
import type { SimulatedHome } from "./homes.ts";
import { Charges, feedIn, hoursOfMonth, VAT_FACTOR } from "./market/charges.ts";
import { inventMarket } from "./market/invented-market.ts";
import type { Market } from "./market/market.ts";
import { ConsumerPrices } from "./market/prices.ts";
import { type PublicationDelay, PublicationTimes } from "./market/publication.ts";
import { Meter } from "./meter.ts";
import type { PricedHour } from "./series.ts";

export interface WorldOptions {
  readonly seed: number;
  readonly homes: readonly SimulatedHome[];
  /** Source of spot prices; the invented market if undefined. */
  readonly market: ((calendar: Calendar) => Market) | undefined;
  readonly publicationDelay: PublicationDelay | undefined;
  /** What further appliances of the first home use in an hour. Unit: Wh. */
  readonly loads?: ((hour: EpochMs) => number) | undefined;
}

/** Meter series, by operation. */
export type UsageSeries = "consumption" | "consumptionCosts" | "solarExport" | "solarExportRevenue";

/** Simulated data of the service: a market, its charges, and the meters of the account's homes. */
export class World {
  readonly seed: number;
  readonly calendar = serviceCalendar();
  readonly charges = new Charges(this.calendar);
  readonly publication: PublicationTimes;
  readonly prices: ConsumerPrices;
  readonly homes: readonly SimulatedHome[];
  readonly #meters = new Map<string, Meter>();

  constructor({ seed, homes, market, publicationDelay, loads }: WorldOptions) {
    const { calendar, charges } = this;
    this.seed = seed;
    this.homes = homes;
    this.publication = new PublicationTimes(seed, calendar, publicationDelay);
    const spot = market?.(calendar) ?? inventMarket(seed, calendar);
    this.prices = new ConsumerPrices({ market: spot, charges, publication: this.publication, calendar });
    for (const [i, home] of homes.entries())
      this.#meters.set(home.name, new Meter(home, seed, calendar, i === 0 ? loads : undefined));
  }

  /** Returns the hours of a series with VAT and fees; revenue has no VAT. Hours without a price are omitted. */
  hoursOn(series: UsageSeries, home: SimulatedHome, day: Interval, now: EpochMs): PricedHour[] {
    const flow = series === "consumption" || series === "consumptionCosts" ? "consumption" : "solarExport";
    const metered = this.#meters.get(home.name)?.hoursOn(flow, day, now) ?? [];
    if (series === flow) return metered.map((hour) => ({ ...hour, amountMicro: 0, feesMicro: 0 }));
    const isDrawn = flow === "consumption";
    const feesPerMonth = isDrawn
      ? this.charges.subscriptionsPerMonth(home.region, day.start) * VAT_FACTOR
      : feedIn.subscriptionPerMonth;
    const feesMicro = Math.round((feesPerMonth / hoursOfMonth(this.calendar, day.start)) * 1e6);
    const prices = new Map(this.prices.on(home.region, "hour", day).map((price) => [price.start, price]));
    return metered.flatMap((hour) => {
      const price = prices.get(hour.start);
      if (!price) return [];
      const rate = isDrawn ? price.totalPerKwh : price.spotPerKwh - feedIn.tariffPerKwh;
      // Wh times currency per kWh gives thousandths of the currency; the factor converts them to millionths.
      return [{ ...hour, amountMicro: Math.round(hour.wh * rate * 1_000), feesMicro }];
    });
  }
}
