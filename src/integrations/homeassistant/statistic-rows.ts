/** Rows of a statistic: hours with a running sum, and the difference to the rows in Home Assistant. */

import type { HourUsage } from "../../core/prices/usage-amounts.ts";
import { rounded } from "../../core/text/rounding.ts";
import type { StatisticRow } from "./statistics-api.ts";

/** Returns hours with their running sum, which continues at `sum`. Ascending, with the gaps of `hours`. */
export function rowsOf(hours: readonly HourUsage[], sum: number): StatisticRow[] {
  let total = sum;
  return hours.map(({ start, value }) => {
    total = rounded(total + value);
    return { start, state: rounded(value), sum: total };
  });
}

/** Returns the rows that make `present` `wanted`, ascending. Rows cannot be deleted: an unknown hour gets 0. */
export function changedRows(
  wanted: readonly StatisticRow[],
  present: readonly StatisticRow[],
  sum: number,
): StatisticRow[] {
  const found = new Map(present.map((row) => [row.start, row]));
  const known = new Set(wanted.map(({ start }) => start));
  const obsolete = present
    .filter(({ start }) => !known.has(start))
    .map(({ start }) => ({ start, state: 0, sum: null }));
  const rows = [...wanted, ...obsolete].sort((a, b) => a.start - b.start);
  let total = sum;
  return rows.flatMap(({ start, state, sum: own }) => {
    total = own ?? total;
    const before = found.get(start);
    const isSame = before && rounded(before.state) === state && rounded(before.sum) === total;
    return isSame ? [] : [{ start, state, sum: total }];
  });
}
