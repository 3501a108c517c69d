/** Prepares the daemon's report for display. */
import type { Words } from "../page.ts";

const STEPS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Returns an age in its largest unit in the language of the page, for instance `3 h ago`. Unit of `seconds`: s. */
export function ageText(seconds: number, { t, f: { locale } }: Words): string {
  const [unit, length] = STEPS.find(([, size]) => seconds >= size) ?? [];
  if (!unit) return t("just_now");
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "always", style: "short" });
  return format.format(-Math.floor(seconds / length), unit);
}
