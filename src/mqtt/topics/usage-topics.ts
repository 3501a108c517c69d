/** Public topics of a home's consumption, costs, export and revenue. */

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
