/**
 * The formats in which other programs of a house read prices: what each is made from, and the table of them.
 * Everywhere the price is the one of elbro: all charges and VAT in where the service has them in, in currency per kWh.
 */
import type { Calendar } from "./calendar.ts";
import { emhassAttributes, emhassFormat } from "./format-emhass.ts";
import { energidataserviceAttributes, energidataserviceFormat } from "./format-energidataservice.ts";
import { evccFormat } from "./format-evcc.ts";
import { nordpoolAttributes, nordpoolFormat } from "./format-nordpool.ts";
import { predbatAttributes, predbatFormat } from "./format-predbat.ts";
import type { HomeSnapshot } from "./home-snapshot.ts";

/** What a format is made from. */
export interface FormatSource {
  readonly snapshot: HomeSnapshot;
  readonly calendar: Calendar;
  /** The price region, as `DK1`; null where it is not known. */
  readonly region: string | null;
}

/** A format as it is answered, and as the attributes of an entity; null for one that attributes cannot carry. */
export interface PriceFormat {
  readonly whole: (source: FormatSource) => object;
  readonly attributes: ((source: FormatSource) => object) | null;
}

export const priceFormats = {
  nordpool: { whole: nordpoolFormat, attributes: nordpoolAttributes },
  energidataservice: { whole: energidataserviceFormat, attributes: energidataserviceAttributes },
  // A bare list, and attributes are an object.
  evcc: { whole: evccFormat, attributes: null },
  emhass: { whole: emhassFormat, attributes: emhassAttributes },
  predbat: { whole: predbatFormat, attributes: predbatAttributes },
} as const satisfies Record<string, PriceFormat>;

export type FormatName = keyof typeof priceFormats;
