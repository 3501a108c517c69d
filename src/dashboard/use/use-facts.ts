/** Texts about the sum, the prices paid and the average price of a period. */
import type { Words } from "../page.ts";
import { type MeasureName, totalOf, type UsageBar } from "./energy.ts";
import type { Figure } from "./month-figures.tsx";

/** Minimum relative difference to the mean price that is mentioned. */
const MIN_SHARE = 0.005;

export type UseFacts = { readonly facts: readonly Figure[]; readonly notes: readonly string[] };

/** Returns the text of an amount of energy, or of money if a currency is given. */
export function amountText(value: number, currency: string | null, { f }: Words): string {
  return currency === null ? f.energy(value) : f.money(value, currency);
}

/** Returns the sum of a period, with notes about missing hours and estimates. */
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
    facts: [
      {
        name: t(`total_${measure}`),
        text: value === null ? t("no_data") : amountText(value, currency, words),
        note: "",
      },
    ],
    notes,
  };
}

/** Returns the mean price paid per kWh, and its difference to the mean of all prices of the period if that is known. */
export function paidFacts(paid: number, mean: number | null, currency: string | null, { t, f }: Words): UseFacts {
  const perKwh = (value: number) => `${f.money(value, currency)}/kWh`;
  const facts: Figure[] = [{ name: t("average_paid"), text: perKwh(paid), note: "" }];
  if (mean === null) return { facts, notes: [] };
  facts.push({ name: t("market_mean"), text: perKwh(mean), note: "" });
  const share = (paid - mean) / Math.abs(mean);
  if (mean <= 0 || Math.abs(share) < MIN_SHARE) return { facts, notes: [] };
  return { facts, notes: [t(share < 0 ? "paid_below" : "paid_above", { percent: f.percent(Math.abs(share)) })] };
}
