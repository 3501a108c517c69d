/**
 * Boundaries of the longest ranges that the service accepts: 366 days and five years in hours, the smallest unit.
 * Compares the calendar with a luxon conversion per step. Also prints the figures for days.
 */

import { type CalendarUnit, SERVICE_ZONE } from "../../src/core/time/calendar.ts";
import type { Interval } from "../../src/core/time/interval.ts";
import { serviceCalendar } from "../../src/service/service-calendar.ts";
import { medianMs } from "../support/bench/median.ts";
import { localOf } from "../support/home/luxon-oracle.ts";

const REPETITIONS = 2_000;
const LUXON_REPETITIONS = 5;

export async function run(): Promise<Record<string, number>> {
  const calendar = serviceCalendar();
  const start = calendar.startOf("day", Date.UTC(2026, 0, 15));
  const year: Interval = { start, end: calendar.shift(start, "day", 366) };
  const fiveYears: Interval = { start, end: calendar.shift(start, "year", 5) };
  const measure = (unit: CalendarUnit, range: Interval) =>
    medianMs(REPETITIONS, () => calendar.boundaries(unit, range));
  const yearMs = measure("hour", year);
  const luxonMs = medianMs(LUXON_REPETITIONS, () => hoursByLuxon(year));
  return {
    year_ms: yearMs,
    five_years_ms: measure("hour", fiveYears),
    luxon_ratio: luxonMs / yearMs,
    luxon_ms: luxonMs,
    year_in_days_ms: measure("day", year),
    five_years_in_days_ms: measure("day", fiveYears),
  };
}

/** Reference implementation: one luxon conversion per hour. */
function hoursByLuxon(range: Interval): number[] {
  const found = [range.start];
  for (let at = localOf(SERVICE_ZONE, range.start); at.toMillis() < range.end; found.push(at.toMillis())) {
    at = at.plus({ hours: 1 });
  }
  return found;
}
