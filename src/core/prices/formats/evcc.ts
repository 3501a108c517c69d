/**
 * A custom tariff of evcc: a bare list of `{start, end, value}` in UTC, currency per kWh. It begins with the present
 * interval; the forecast follows the confirmed prices, so that a plan over several days has something to go by.
 */

import { rounded } from "../../text/rounding.ts";
import { formatInstant } from "../../time/interval.ts";
import { fromNow } from "./format-limits.ts";
import type { FormatSource } from "./format-source.ts";

export function evccFormat({ snapshot }: FormatSource): object {
  return fromNow(snapshot).map(({ start, end, price }) => ({
    start: formatInstant(start),
    end: formatInstant(end),
    value: rounded(price),
  }));
}
