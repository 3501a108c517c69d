/** Slow calendar on luxon's conversions, as the reference for the calendar's tests. */
import { DateTime } from "luxon";
import type { CalendarUnit } from "../../../src/core/time/calendar.ts";
import { type EpochMs, type Interval, QUARTER_MS } from "../../../src/core/time/interval.ts";

const LUXON_UNIT = { hour: "hours", day: "days", month: "months", year: "years" } as const;

/** Returns the local time of an instant. */
export function localOf(zone: string, at: EpochMs): DateTime {
  return DateTime.fromMillis(at, { zone });
}

/** Returns the last boundary of `unit` at or before `at`. */
export function oracleStartOf(zone: string, unit: CalendarUnit, at: EpochMs): EpochMs {
  const local = localOf(zone, at);
  if (unit !== "fifteenMinutes") return local.startOf(unit).toMillis();
  return local.startOf("minute").toMillis() - (local.minute % 15) * 60_000;
}

/** Returns the first boundary of `unit` after `at`. */
export function oracleNext(zone: string, unit: CalendarUnit, at: EpochMs): EpochMs {
  const start = oracleStartOf(zone, unit, at);
  if (unit === "fifteenMinutes") return start + QUARTER_MS;
  return localOf(zone, start)
    .plus({ [LUXON_UNIT[unit]]: 1 })
    .startOf(unit)
    .toMillis();
}

/** Returns every boundary of `range`, expanded to whole units, by one luxon step per unit. */
export function oracleBoundaries(zone: string, unit: CalendarUnit, range: Interval): EpochMs[] {
  const found = [oracleStartOf(zone, unit, range.start)];
  for (let at = found[0] as EpochMs; at < range.end; found.push(at)) at = oracleNext(zone, unit, at);
  return found;
}
