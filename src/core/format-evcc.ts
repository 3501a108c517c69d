/**
 * A custom tariff of evcc: a bare list of `{start, end, value}` in UTC, currency per kWh. It begins with the present
 * interval; the forecast follows the confirmed prices, so that a plan over several days has something to go by.
 */
import { fromNow } from "./format-parts.ts";
import type { FormatSource } from "./format-source.ts";
import { formatInstant } from "./interval.ts";
import { rounded } from "./rounding.ts";

export function evccFormat({ snapshot }: FormatSource): object {
  return fromNow(snapshot).map(({ start, end, price }) => ({
    start: formatInstant(start),
    end: formatInstant(end),
    value: rounded(price),
  }));
}
