/**
 * Charges in addition to the spot price: tariffs per kWh and subscriptions per month, with their validity. Names and
 * amounts are invented, similar to those of 2025. Without VAT, in the region's currency.
 */
import type { Calendar } from "../../core/time/calendar.ts";
import { type EpochMs, HOUR_MS, type Interval, overlaps } from "../../core/time/interval.ts";
import type { Region } from "../regions.ts";

/** VAT factor on electricity: 25 % in all three countries. */
export const VAT_FACTOR = 1.25;

/** Charge with its validity. Unit: currency per kWh for a tariff, per month for a subscription; without VAT. */
export interface ChargeValidity extends Interval {
  readonly kind: "tariff" | "subscription";
  readonly name: string;
  readonly ownerName: string;
  readonly price: number;
  /** Local hours of the day with this charge, from `from` to before `to`; all hours if absent. */
  readonly hours?: { readonly from: number; readonly to: number };
}

/** Charges for exported energy. Unit: DKK per kWh, and DKK per month; without VAT. */
export const feedIn = { tariffPerKwh: 0.0163, subscriptionPerMonth: 6.5 } as const;

/** First and last year with charges. */
const CHARGE_YEARS = { first: 2015, last: 2150 } as const;

/** Danish electricity tax by its first year, in DKK per kWh; each rate applies until the next. */
const DANISH_TAX = [
  [2015, 0.884],
  [2021, 0.9],
  [2023, 0.697],
  [2024, 0.761],
  [2025, 0.72],
  [2026, 0.008],
  [2028, 0.727],
] as const;

const DANISH_GRIDS = { DK1: "Vestnet Elnet", DK2: "Sundnet Elnet" } as const;

const HOURS_OF_DAY = 24;
const MINUTES_OF_HOUR = 60;

export class Charges {
  readonly #calendar: Calendar;

  constructor(calendar: Calendar) {
    this.#calendar = calendar;
  }

  /** Returns the charges of a region that are valid in a range. Shape: by kind and name, then ascending. */
  during(region: Region, range: Interval): ChargeValidity[] {
    const first = Math.max(CHARGE_YEARS.first, this.#yearOf(range.start));
    const last = Math.min(CHARGE_YEARS.last, this.#yearOf(range.end));
    const found: ChargeValidity[] = [];
    for (let year = first; year <= last; year++)
      found.push(...this.#chargesOfYear(region, year).filter((charge) => overlaps(charge, range)));
    return found.sort((a, b) => a.kind.localeCompare(b.kind) || a.name.localeCompare(b.name) || a.start - b.start);
  }

  /** Returns the charges at an instant; of a time-of-day tariff only the band that applies. */
  at(region: Region, instant: EpochMs): ChargeValidity[] {
    const hour = Math.floor(this.#calendar.minuteOfDay(instant) / MINUTES_OF_HOUR);
    return this.during(region, { start: instant, end: instant + 1 }).filter((charge) => holdsHour(charge, hour));
  }

  /** Returns the sum of all tariffs by local hour. Shape: 24 numbers. Unit: currency per kWh, without VAT. */
  tariffsByHour(region: Region, day: Interval): readonly number[] {
    const charges = this.during(region, { start: day.start, end: day.start + 1 });
    const tariffs = charges.filter(({ kind }) => kind === "tariff");
    return Array.from({ length: HOURS_OF_DAY }, (_, hour) =>
      tariffs.reduce((sum, tariff) => sum + (holdsHour(tariff, hour) ? tariff.price : 0), 0),
    );
  }

  /** Returns the sum of all subscriptions. Unit: currency per month, without VAT. */
  subscriptionsPerMonth(region: Region, instant: EpochMs): number {
    const subscriptions = this.at(region, instant).filter(({ kind }) => kind === "subscription");
    return subscriptions.reduce((sum, { price }) => sum + price, 0);
  }

  #chargesOfYear(region: Region, year: number): ChargeValidity[] {
    const start = this.#calendar.startOf("year", Date.UTC(year, 5, 1));
    const end = this.#calendar.add("year", start, 1);
    const summer = this.#calendar.add("month", start, 3);
    const autumn = this.#calendar.add("month", start, 9);
    const ofYear = chargesOf(region, year).map((charge) => ({ ...charge, start, end }));
    if (region !== "DK1" && region !== "DK2") return ofYear;
    const grid = DANISH_GRIDS[region];
    return [
      ...gridTariff(grid, { start, end: summer }, year, { low: 0.104, high: 0.312, peak: 0.936 }),
      ...gridTariff(grid, { start: summer, end: autumn }, year, { low: 0.104, high: 0.156, peak: 0.406 }),
      ...gridTariff(grid, { start: autumn, end }, year, { low: 0.104, high: 0.312, peak: 0.936 }),
      ...ofYear,
    ];
  }

  #yearOf(instant: EpochMs): number {
    return new Date(instant + this.#calendar.offsetAt(instant)).getUTCFullYear();
  }
}

function gridTariff(
  ownerName: string,
  validity: Interval,
  year: number,
  price: { readonly low: number; readonly high: number; readonly peak: number },
): ChargeValidity[] {
  const band = (name: string, from: number, to: number, perKwh: number): ChargeValidity => ({
    ...validity,
    ...tariff(`Nettarif C ${name}`, ownerName, indexed(perKwh, year)),
    hours: { from, to },
  });
  return [
    band("lavlast 00-06", 0, 6, price.low),
    band("højlast 06-17", 6, 17, price.high),
    band("spidslast 17-21", 17, 21, price.peak),
    band("højlast 21-24", 21, 24, price.high),
  ];
}

type Charge = Omit<ChargeValidity, keyof Interval>;

function tariff(name: string, ownerName: string, price: number): Charge {
  return { kind: "tariff", name, ownerName, price };
}

function subscription(name: string, ownerName: string, price: number): Charge {
  return { kind: "subscription", name, ownerName, price };
}

/** Returns the charges of a year that do not depend on the time of day. */
function chargesOf(region: Region, year: number): Charge[] {
  switch (region) {
    case "SE3":
    case "SE4":
      return [
        tariff("Elöverföring", "Sydnät", indexed(0.284, year)),
        tariff("Energiskatt", "Skatteverket", 0.439),
        subscription("Nätabonnemang", "Sydnät", indexed(132, year)),
      ];
    case "NO2":
      return [tariff("Energiledd", "Sørnett", indexed(0.213, year)), tariff("Forbruksavgift", "Skatteetaten", 0.1693)];
    case "DK1":
    case "DK2":
      return [
        tariff("Transmissions nettarif", "Energinet", indexed(0.043, year)),
        tariff("Systemtarif", "Energinet", indexed(0.072, year)),
        tariff("Elafgift", "Energinet", DANISH_TAX.findLast(([from]) => from <= year)?.[1] ?? 0),
        subscription("Netabonnement C", DANISH_GRIDS[region], indexed(41.5, year)),
        subscription("Elabonnement", "Brobyg Energi", 23.2),
      ];
  }
}

/** Applies a price increase of 2 % per year. */
function indexed(priceOf2025: number, year: number): number {
  return Math.round(priceOf2025 * 1.02 ** (year - 2025) * 1e4) / 1e4;
}

function holdsHour({ hours }: ChargeValidity, hour: number): boolean {
  return !hours || (hours.from <= hour && hour < hours.to);
}

/** Returns the number of hours in the month of an instant, over which a subscription is spread. */
export function hoursOfMonth(calendar: Calendar, instant: EpochMs): number {
  const start = calendar.startOf("month", instant);
  return (calendar.add("month", start, 1) - start) / HOUR_MS;
}
