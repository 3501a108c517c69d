/** Rows of a statistic: hours with a running sum, and what has to be written so that Home Assistant has the same. */

import type { HourUsage } from "../../core/prices/usage-amounts.ts";
import { rounded } from "../../core/text/rounding.ts";
import type { StatisticRow } from "./statistics-api.ts";

/** Hours with their running sum, which continues at `sum`. Shape: ascending, with the gaps of `hours`. */
export function rowsOf(hours: readonly HourUsage[], sum: number): StatisticRow[] {
  let total = sum;
  return hours.map(({ start, value }) => {
    total = rounded(total + value);
    return { start, state: rounded(value), sum: total };
  });
}

/**
 * The rows to write where `present` is there and `wanted` should be. A row cannot be deleted: an hour that is no longer
 * known becomes one in which nothing was used. Shape: ascending.
 */
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
