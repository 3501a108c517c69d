/** Days on which the charges of a home jump, as at a new year. Prices before and after cannot be compared. */

import type { Calendar, LocalDate } from "../time/calendar.ts";
import { DAY_MS, type EpochMs } from "../time/interval.ts";
import type { PricePoint } from "./timeline.ts";

export interface TariffChange {
  /** First local day with the new charges. */
  readonly date: LocalDate;
  /** Mean charges of the day before, and of this day. Unit: currency per kWh. */
  readonly before: number;
  readonly after: number;
}

/** Smallest jump that matters, as a share of the charges and per kWh. */
const MIN_SHARE = 0.1;
const MIN_PER_KWH = 0.05;
/** After a jump, days are compared with days before it for this long. */
const SETTLED_DAYS = 7;

/** Returns the jumps. A day counts if its charges differ from those of the day before and of a week before. */
export function tariffChanges(points: readonly PricePoint[], calendar: Calendar): TariffChange[] {
  const days = Map.groupBy(points, ({ start }) => calendar.startOf("day", start));
  const means = new Map<EpochMs, number>();
  for (const [day, list] of days) {
    const charges = list.flatMap(({ variableCharges }) => variableCharges ?? []);
    if (charges.length === list.length) means.set(day, charges.reduce((sum, each) => sum + each, 0) / charges.length);
  }
  const changes: TariffChange[] = [];
  let settledAt = Number.NEGATIVE_INFINITY;
  for (const [day, after] of means) {
    const before = means.get(calendar.add("day", day, -1));
    const weekBefore = means.get(calendar.add("day", day, -7));
    if (before === undefined || weekBefore === undefined || day < settledAt) continue;
    if (!jumps(before, after) || !jumps(weekBefore, after)) continue;
    changes.push({ date: calendar.dateOf(day), before, after });
    settledAt = day + SETTLED_DAYS * DAY_MS - DAY_MS / 2;
  }
  return changes;
}

function jumps(before: number, after: number): boolean {
  const change = Math.abs(after - before);
  return change >= MIN_PER_KWH && change >= MIN_SHARE * Math.abs(before);
}
