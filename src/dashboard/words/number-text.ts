/** Decimal numbers in inputs: a text is parsed in one place, with a comma or a point. */
import type { TextName } from "./language.ts";

/** Digits with at most one comma or point, also while the fraction is still missing. */
const DECIMAL = /^[-+\u2212]?(?:\d+(?:[.,]\d*)?|[.,]\d+)$/;

/** Accepted range of a number; null without a limit. */
export type NumberLimits = { readonly min: number | null; readonly max: number | null; readonly isWhole?: boolean };

export type NumberMistake = { readonly key: TextName; readonly facts?: Readonly<Record<string, number>> };

/** Returns the number in a text; null if the text is not a decimal number. */
export function readNumber(text: string): number | null {
  const trimmed = text.trim();
  return DECIMAL.test(trimmed) ? Number(trimmed.replace(",", ".").replace("\u2212", "-")) : null;
}

/** Returns a number as a text that `readNumber` reads, with the decimal sign of the language and all its digits. */
export function numberText(value: number, language: string): string {
  return new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 20 }).format(value);
}

/** Returns the numbers of a mistake as texts. */
export function numberTexts(facts: NumberMistake["facts"] = {}, language: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, numberText(value, language)]));
}

/** Returns what is wrong with a number, as the key of a text and its facts; null for a valid number. */
export function numberMistake(value: unknown, { min, max, isWhole = false }: NumberLimits): NumberMistake | null {
  if (typeof value !== "number" || Number.isNaN(value)) return { key: "form_number" };
  if (isWhole && !Number.isInteger(value)) return { key: "form_whole" };
  if (min !== null && value < min) return { key: "form_least", facts: { least: min } };
  return max !== null && value > max ? { key: "form_most", facts: { most: max } } : null;
}
