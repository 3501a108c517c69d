/**
 * Custom tariff of evcc: a list of `{start, end, value}` in UTC, currency per kWh. It starts with the current interval.
 * The forecast follows the confirmed prices, so that evcc can plan several days ahead. All slots have the length of the
 * shortest interval, because evcc addresses them by index.
 */

import { rounded } from "../../text/rounding.ts";
import { formatInstant } from "../../time/interval.ts";
import { fromNow } from "./format-limits.ts";
import type { FormatSource } from "./format-source.ts";

export function evccFormat({ snapshot }: FormatSource): object {
  const points = fromNow(snapshot);
  const slotMs = Math.min(...points.map(({ start, end }) => end - start));
  return points.flatMap(({ start, end, price }) =>
    Array.from({ length: Math.floor((end - start) / slotMs) }, (_, i) => start + i * slotMs)
      .filter((at) => at + slotMs > snapshot.now)
      .map((at) => ({ start: formatInstant(at), end: formatInstant(at + slotMs), value: rounded(price) })),
  );
}
