/**
 * The formats in which other programs of a house read prices: what each is made from, and the table of them.
 * Everywhere the price is the one of elbro: all charges and VAT in where the service has them in, in currency per kWh.
 */

import type { AttributeFormat } from "../home-snapshot.ts";
import { emhassAttributes, emhassFormat } from "./emhass.ts";
import { energidataserviceAttributes, energidataserviceFormat } from "./energidataservice.ts";
import { evccFormat } from "./evcc.ts";
import type { Format } from "./format-source.ts";
import { nordpoolAttributes, nordpoolFormat } from "./nordpool.ts";
import { predbatAttributes, predbatFormat } from "./predbat.ts";

/** As they are answered. */
export const priceFormats = {
  nordpool: nordpoolFormat,
  energidataservice: energidataserviceFormat,
  evcc: evccFormat,
  emhass: emhassFormat,
  predbat: predbatFormat,
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof priceFormats;

/** As the attributes of an entity: under what Home Assistant keeps of them. A bare list, as of evcc, is no attribute. */
export const formatAttributes: Readonly<Record<AttributeFormat, Format>> = {
  nordpool: nordpoolAttributes,
  energidataservice: energidataserviceAttributes,
  emhass: emhassAttributes,
  predbat: predbatAttributes,
};
