/** What a period cost and how that compares, in words. */
import type { Home } from "./answers.ts";
import { averagePaid, type MeasureName, totalOf, type UsageBar } from "./energy.ts";
import type { Words } from "./page.ts";
import type { PeriodRange } from "./use-period.ts";
import type { Usage, UseReading } from "./use-reading.ts";

/** A difference to the mean that is worth mentioning. */
const MIN_SHARE = 0.005;

export interface UseFacts {
  readonly facts: readonly (readonly [name: string, text: string])[];
  readonly notes: readonly string[];
}

/** An amount of energy, or of money if it has a currency. */
export function amountText(value: number, currency: string | null, { f }: Words): string {
  return currency === null ? f.energy(value) : f.money(value, currency);
}

/** The sum of a period, and what is missing in it. */
export function sumFacts(
  measure: MeasureName,
  bars: readonly UsageBar[],
  currency: string | null,
  words: Words,
): UseFacts {
  const { t } = words;
  const { value, missing, estimate } = totalOf(bars);
  const notes: string[] = [];
  if (missing > 0 && value !== null) notes.push(t("missing_hours", { count: missing, hours: missing }));
  if (estimate) notes.push(t("has_estimates"));
  return {
    facts: [[t(`total_${measure}`), value === null ? t("no_data") : amountText(value, currency, words)]],
    notes,
  };
}

/** The mean price that was paid for a kWh, and the mean of all prices of that time. */
export async function paidFacts(
  reading: UseReading,
  home: Home,
  { rows, currency }: Usage,
  { from, to }: PeriodRange,
  now: number,
  { t, f }: Words,
): Promise<UseFacts> {
  const paid = averagePaid(rows);
  if (paid === null) return { facts: [], notes: [] };
  const perKwh = (value: number) => `${f.money(value, currency)}/kWh`;
  const facts: [string, string][] = [[t("average_paid"), perKwh(paid)]];
  const mean = await reading.marketMean(home, { from, to: Math.min(to, f.zone.startOf("day", now)) }, f.zone);
  if (mean === null) return { facts, notes: [] };
  facts.push([t("market_mean"), perKwh(mean)]);
  const share = (paid - mean) / Math.abs(mean);
  if (mean <= 0 || Math.abs(share) < MIN_SHARE) return { facts, notes: [] };
  return { facts, notes: [t(share < 0 ? "paid_below" : "paid_above", { percent: f.percent(Math.abs(share)) })] };
}
