/** Price formats of other programs. Prices are in currency per kWh, with all charges, and VAT if included. */

import type { AttributeFormat } from "../home-snapshot.ts";
import { emhassAttributes, emhassFormat } from "./emhass.ts";
import { energidataserviceAttributes, energidataserviceFormat } from "./energidataservice.ts";
import { evccFormat } from "./evcc.ts";
import type { PriceFormat } from "./format-source.ts";
import { nordpoolAttributes, nordpoolFormat } from "./nordpool.ts";
import { powersaverFormat } from "./powersaver.ts";
import { predbatAttributes, predbatFormat } from "./predbat.ts";

/** Formats for HTTP responses. */
export const priceFormats = {
  nordpool: nordpoolFormat,
  energidataservice: energidataserviceFormat,
  evcc: evccFormat,
  emhass: emhassFormat,
  predbat: predbatFormat,
  powersaver: powersaverFormat,
} as const satisfies Record<string, PriceFormat>;

export type FormatName = keyof typeof priceFormats;

/** Formats for attributes, within Home Assistant's size limit. Those that are read over HTTP only are missing. */
export const formatAttributes: Readonly<Record<AttributeFormat, PriceFormat>> = {
  nordpool: nordpoolAttributes,
  energidataservice: energidataserviceAttributes,
  emhass: emhassAttributes,
  predbat: predbatAttributes,
};
