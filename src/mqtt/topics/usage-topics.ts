/** Public topics of a home's consumption, costs, export and revenue. */

import type { MonthFigures, PeakHour } from "../../core/prices/month-figures.ts";
import type { DayUsage, HomeUsage, PeriodUsage, UsageFigures } from "../../core/prices/usage.ts";
import { usageOperations } from "../../core/prices/usage-amounts.ts";
import { rounded } from "../../core/text/rounding.ts";
import { formatInstant } from "../../core/time/interval.ts";
import { labelOf } from "../../service/contract/polled-series.ts";
import type { Message } from "../client/message.ts";

/** Returns one message for each series that was ever received. `base` is the base topic without a trailing slash. */
export function usageMessages(base: string, homeId: string, usage: HomeUsage): Message[] {
  return usageOperations.flatMap((operation) => {
    const figures = usage[operation];
    if (!figures) return [];
    return [{ topic: `${base}/${homeId}/${labelOf(operation)}`, payload: JSON.stringify(usageState(figures)) }];
  });
}

/** Topic of the month's highest hours, below that of the home. */
export const PEAKS = "peaks";

/** Returns the highest hours of the month; no message without consumption. */
export function peakMessages(base: string, homeId: string, month: MonthFigures | null): Message[] {
  if (!month) return [];
  const { start, peaks } = month;
  const payload = {
    start: formatInstant(start),
    mean: peaks && rounded(peaks.mean),
    days: peaks?.days.map(peakState) ?? [],
    hours: peaks?.hours.map(peakState) ?? [],
  };
  return [{ topic: `${base}/${homeId}/${PEAKS}`, payload: JSON.stringify(payload) }];
}

function peakState({ start, date, kw }: PeakHour) {
  return { start: formatInstant(start), date, kw: rounded(kw) };
}

function usageState(figures: UsageFigures): object {
  const { unit, yesterday, lastCompleteDay, monthToDate, yearToDate, month, previousMonth, year } = figures;
  return {
    unit,
    yesterday: yesterday && dayState(yesterday),
    last_complete_day: lastCompleteDay && dayState(lastCompleteDay),
    month_to_date: monthToDate && periodState(monthToDate),
    year_to_date: yearToDate && periodState(yearToDate),
    month: month && periodState(month),
    previous_month: previousMonth && periodState(previousMonth),
    year: year && periodState(year),
  };
}

function dayState({ date, value, hours, complete, estimate }: DayUsage): object {
  return { date, value: rounded(value), hours, complete, estimate };
}

function periodState({ start, end, value, days, daysPassed, estimate }: PeriodUsage): object {
  return {
    start: formatInstant(start),
    end: formatInstant(end),
    value: rounded(value),
    days,
    days_passed: daysPassed,
    estimate,
  };
}
