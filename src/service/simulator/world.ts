import { Calendar, SERVICE_ZONE } from "../../core/time/calendar.ts";
import type { EpochMs, Interval } from "../../core/time/interval.ts";
import { Charges, feedIn, hoursOfMonth, VAT_FACTOR } from "./charges.ts";
import type { Home } from "./homes.ts";
import { inventMarket } from "./invented-market.ts";
import type { Market } from "./market.ts";
import { Meter } from "./meter.ts";
import { ConsumerPrices } from "./prices.ts";
import { Publication, type PublicationDelay } from "./publication.ts";
import { type PricedHour, unpriced } from "./series.ts";

export interface WorldOptions {
  readonly seed: number;
  readonly homes: readonly Home[];
  /** The invented market where absent. */
  readonly market: ((calendar: Calendar) => Market) | undefined;
  readonly publicationDelay: PublicationDelay | undefined;
}

/** Everything the service knows: a market, its charges, and the meters of the account's homes. */
export class World {
  readonly seed: number;
  readonly calendar = new Calendar(SERVICE_ZONE);
  readonly charges = new Charges(this.calendar);
  readonly publication: Publication;
  readonly prices: ConsumerPrices;
  readonly homes: readonly Home[];
  readonly #meters = new Map<string, Meter>();

  constructor({ seed, homes, market, publicationDelay }: WorldOptions) {
    const { calendar, charges } = this;
    this.seed = seed;
    this.homes = homes;
    this.publication = new Publication(seed, calendar, publicationDelay);
    const spot = market?.(calendar) ?? inventMarket(seed, calendar);
    this.prices = new ConsumerPrices({ market: spot, charges, publication: this.publication, calendar });
    for (const home of homes) this.#meters.set(home.name, new Meter(home, seed, calendar));
  }

  home(addressId: string): Home | undefined {
    return this.homes.find(({ address }) => address.id === addressId);
  }

  /** Hours drawn from the grid, without money. */
  consumptionOn(home: Home, day: Interval, now: EpochMs): PricedHour[] {
    return this.#metered(home, "consumption", day, now).map(unpriced);
  }

  /** Hours fed into the grid, without money. */
  exportOn(home: Home, day: Interval, now: EpochMs): PricedHour[] {
    return this.#metered(home, "solarExport", day, now).map(unpriced);
  }

  /** Hours drawn from the grid with what they cost, VAT and fixed fees in. An hour without a price is left out. */
  costsOn(home: Home, day: Interval, now: EpochMs): PricedHour[] {
    const feesPerMonth = this.charges.subscriptionsPerMonth(home.region, day.start) * VAT_FACTOR;
    const feesMicro = this.#feesOfHour(feesPerMonth, day);
    return this.#priced(home, "consumption", day, now, (price) => price.totalPerKwh).map((hour) => ({
      ...hour,
      feesMicro,
    }));
  }

  /** Hours fed into the grid with what they earn, without VAT. An hour without a price is left out. */
  revenueOn(home: Home, day: Interval, now: EpochMs): PricedHour[] {
    const feesMicro = this.#feesOfHour(feedIn.subscriptionPerMonth, day);
    return this.#priced(home, "solarExport", day, now, (price) => price.spotPerKwh - feedIn.tariffPerKwh).map(
      (hour) => ({ ...hour, feesMicro }),
    );
  }

  #priced(
    home: Home,
    flow: "consumption" | "solarExport",
    day: Interval,
    now: EpochMs,
    rate: (price: ReturnType<ConsumerPrices["on"]>[number]) => number,
  ): PricedHour[] {
    const priced: PricedHour[] = [];
    const prices = new Map(this.prices.on(home.region, "hour", day).map((price) => [price.start, price]));
    for (const hour of this.#metered(home, flow, day, now)) {
      const price = prices.get(hour.start);
      // Watt-hours times currency per kWh are thousandths; millionths keep three digits more.
      if (price) priced.push({ ...hour, amountMicro: Math.round(hour.wh * rate(price) * 1_000), feesMicro: 0 });
    }
    return priced;
  }

  #metered(home: Home, flow: "consumption" | "solarExport", day: Interval, now: EpochMs) {
    return this.#meters.get(home.name)?.hoursOn(flow, day, now) ?? [];
  }

  #feesOfHour(perMonth: number, day: Interval): number {
    return Math.round((perMonth / hoursOfMonth(this.calendar, day.start)) * 1e6);
  }
}
