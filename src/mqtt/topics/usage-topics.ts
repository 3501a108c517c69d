/** Public topics of a home's consumption, costs, export and revenue. */

import type { MonthFigures } from "../../core/prices/month-figures.ts";
import type { DayUsage, HomeUsage, UsageFigures } from "../../core/prices/usage.ts";
import { usageOperations } from "../../core/prices/usage-amounts.ts";
import { wire } from "../../core/text/wire.ts";
import { seriesLabel } from "../../service/contract/polled-series.ts";
import { type RetainedMessage, textMemo } from "../client/message.ts";

const usageText = textMemo();
const peaksText = textMemo();

/** Returns one message for each series that was ever received. `base` is the base topic without a trailing slash. */
export function usageMessages(base: string, homeId: string, usage: HomeUsage): RetainedMessage[] {
  return usageOperations.flatMap((operation) => {
    const figures = usage[operation];
    if (!figures) return [];
    const payload = usageText(figures, null, () => usageState(figures));
    return [{ topic: `${base}/${homeId}/${seriesLabel(operation)}`, payload }];
  });
}

/** Topic of the month's highest hours, below that of the home. */
export const PEAKS = "peaks";

/** Returns the highest hours of the month; no message without consumption. */
export function peakMessages(base: string, homeId: string, month: MonthFigures | null): RetainedMessage[] {
  if (!month) return [];
  const { start, peaks } = month;
  const { mean = null, days = [], hours = [] } = peaks ?? {};
  const payload = peaksText(month, null, () => wire({ start, mean, days, hours }));
  return [{ topic: `${base}/${homeId}/${PEAKS}`, payload }];
}

function usageState({ yesterday, lastCompleteDay, unit, ...periods }: UsageFigures): object {
  const days = {
    yesterday: yesterday && dayState(yesterday),
    lastCompleteDay: lastCompleteDay && dayState(lastCompleteDay),
  };
  return wire({ unit, ...days, ...periods });
}

function dayState({ date, value, hours, complete, estimate }: DayUsage) {
  return { date, value, hours, complete, estimate };
}
