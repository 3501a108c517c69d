/** Texts about prices. */

import { pointsIn } from "../../core/prices/timeline.ts";
import { HOUR_MS } from "../../core/time/interval.ts";
import type { PageTools, Words } from "../page.ts";
import { covers, figuresOf, isDoubted, type Prices, type ShownPoint } from "../timeline.ts";

/** Hour at which the service usually has tomorrow's prices. */
const PUBLISHED_HOUR = 13;
export const PRICE_RANGES = ["today", "tomorrow", "both", "week"] as const;
export type PriceRange = (typeof PRICE_RANGES)[number];

export type Bounds = { readonly from: number; readonly to: number };

/** Returns the day and times of an interval. Marks the two intervals of the hour that occurs twice. */
export function intervalText(point: ShownPoint, words: Words): string {
  return `${words.f.day(point.start)} ${timesText(point, words)}`;
}

/** Returns the times of an interval, without its day. */
export function timesText({ start, end }: ShownPoint, { t, f }: Words): string {
  const fold = f.calendar.fold(start);
  const which = fold === 0 ? "" : ` (${t(fold === 1 ? "first_time" : "second_time")})`;
  return `${f.span(start, end)}${which}`;
}

/** Returns an interval with its price, for screen readers. */
export function readOut(point: ShownPoint | undefined, currency: string | null, words: Words): string {
  const { t, f } = words;
  if (!point) return t("no_price");
  const mark = point.mark ? `, ${t(point.mark)}` : "";
  const parts = partsText(point, currency, words);
  const price = `${f.money(point.price, currency)}/kWh, ${t(`level_${point.level}`)}${mark}`;
  return `${intervalText(point, words)}: ${price}${parts && `. ${parts}`}`;
}

/** Returns what a price is made of; empty if the service does not state it. */
export function partsText({ parts }: ShownPoint, currency: string | null, { t, f }: Words): string {
  if (!parts) return "";
  const { spot, charges, vat } = parts;
  const hasVat = vat !== 0;
  // The unit is that of the price, so only the last part has the currency.
  const facts = { spot: f.number(spot), charges: hasVat ? f.number(charges) : f.money(charges, currency) };
  return t(hasVat ? "price_parts_vat" : "price_parts", { ...facts, vat: f.money(vat, currency) });
}

/** Returns notes about missing prices and about days of 23 or 25 hours. */
export function notesOf(
  { points, shown }: Prices,
  range: PriceRange,
  { from, to }: Bounds,
  { t, f, store }: PageTools,
): string[] {
  const { calendar } = f;
  const now = store.time.value;
  const [today, tomorrow, after] = [
    calendar.startOf("day", now),
    calendar.add("day", now, 1),
    calendar.add("day", now, 2),
  ];
  const notes: string[] = isDoubted(shown, { start: from, end: to }) ? [t("doubtful_note")] : [];
  if (points.length === 0) notes.push(t("no_prices_yet"));
  else if (!covers(points, { start: today, end: tomorrow }) && range !== "tomorrow") notes.push(t("gap_today"));
  if (range !== "today" && !covers(points, { start: tomorrow, end: after })) {
    const expected = calendar.timeOnDay(now, PUBLISHED_HOUR * 60);
    const isLate = now >= expected + HOUR_MS;
    const until = pointsIn(points, { start: tomorrow, end: after }).length > 0 ? ` ${t("until_then_estimates")}` : "";
    notes.push(t(isLate ? "tomorrow_late" : "tomorrow_expected", { time: f.time(expected) }) + until);
  }
  for (const start of range === "week" ? [] : calendar.startsIn("day", { start: from, end: to })) {
    const hours = (calendar.add("day", start, 1) - start) / HOUR_MS;
    if (hours !== 24) notes.push(t(hours > 24 ? "long_day" : "short_day", { day: f.day(start), hours }));
  }
  return notes;
}

/** Returns the lowest, mean and highest confirmed price as a text. */
export function figuresText(points: readonly ShownPoint[], currency: string | null, { t, f }: Words): string {
  const figures = figuresOf(points.filter((point) => !point.estimate));
  if (!figures) return "";
  const { least, mean, most } = figures;
  const money = (value: number) => f.money(value, currency);
  return t("price_figures", { least: money(least), mean: money(mean), most: money(most) });
}
