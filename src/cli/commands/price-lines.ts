/** Prices as lines of text. */

import { localTimeText } from "../../core/planning/model/local-time.ts";
import type { Level } from "../../core/prices/level.ts";
import { type EpochMs, HOUR_MS, type Interval } from "../../core/time/interval.ts";

export interface DayPrices extends Interval {
  /** Local date, such as 2026-11-21. */
  readonly date: string;
  /** Ascending. Gaps are omitted. */
  readonly prices: readonly ShownPrice[];
}

export interface ShownPrice extends Interval {
  /** Local time of day in minutes. */
  readonly minuteOfDay: number;
  readonly price: number;
  readonly level: Level | null;
  readonly estimate: boolean;
}

/** Returns a line for each price, or for each hour with the mean of its prices; the present one has a mark. */
export function priceLines(prices: readonly ShownPrice[], now: EpochMs, rows: "hour" | "interval"): string[] {
  const length = rows === "hour" ? HOUR_MS : 1;
  return [...Map.groupBy(prices, ({ start }) => Math.floor(start / length)).values()].map((within) => {
    const mark = within.some(({ start, end }) => start <= now && now < end) ? ">" : " ";
    const price = within.reduce((sum, each) => sum + each.price, 0) / within.length;
    // The level of most of the hour.
    const { level = null } = within.toSorted((a, b) => a.price - b.price)[Math.floor(within.length / 2)] ?? {};
    const text = `${mark} ${localTimeText(within[0]?.minuteOfDay ?? 0)} ${price.toFixed(2).padStart(6)}`;
    return level === null ? text : `${text} ${level.replace("_", " ")}`;
  });
}

/** Returns the current, lowest, highest and mean price: `now 1.37, lowest 0.85 at 21:00, …`. Empty without prices. */
export function priceSummary(days: readonly DayPrices[], now: EpochMs): string {
  const prices = days.flatMap((day) => day.prices.map((price) => ({ ...price, date: day.date })));
  const [first] = prices;
  if (!first) return "";
  const today = days.find(({ start, end }) => start <= now && now < end)?.date;
  const at = ({ price, date, minuteOfDay }: (typeof prices)[number]) =>
    `${price.toFixed(2)} at ${localTimeText(minuteOfDay)}${date === today ? "" : ` on ${date}`}`;
  const current = prices.find(({ start, end }) => start <= now && now < end);
  const least = prices.reduce((best, each) => (each.price < best.price ? each : best), first);
  const most = prices.reduce((best, each) => (each.price > best.price ? each : best), first);
  // Weighted by length: today may be in hours and tomorrow in quarters.
  const lengthOf = (each: Interval) => each.end - each.start;
  const mean =
    prices.reduce((sum, each) => sum + each.price * lengthOf(each), 0) /
    prices.reduce((sum, each) => sum + lengthOf(each), 0);
  const parts = [
    current ? `now ${current.price.toFixed(2)}${current.estimate ? " (an estimate)" : ""}` : "current price not known",
    `lowest ${at(least)}`,
    `highest ${at(most)}`,
    `mean ${mean.toFixed(2)}`,
  ];
  return parts.join(", ");
}
