/** Prices as bars of text, one row per hour. */

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

export interface ChartStyle {
  /** Width of the terminal in columns. */
  readonly width: number;
  readonly colors: "none" | "ansi";
  /** `hour`: means of hours; `interval`: every price. */
  readonly rows: "hour" | "interval";
  /** Range of the bars; the same for days that are compared. Unit: price. */
  readonly scale: ChartScale;
}

export type ChartScale = { readonly least: number; readonly most: number };

interface Row extends Interval {
  readonly label: string;
  /** Null for a gap. */
  readonly price: number | null;
  readonly level: Level | null;
}

const UNKNOWN_TIME = "--:--";
const MIN_BARS = 10;
const MAX_BARS = 80;
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
/** ANSI codes for past hours. */
const DIM = "\u001b[2m";
const ANSI: Readonly<Record<Level, number>> = {
  very_cheap: 92,
  cheap: 32,
  normal: 33,
  expensive: 31,
  very_expensive: 91,
};

export function scaleOf(days: readonly DayPrices[]): ChartScale {
  const prices = days.flatMap((day) => day.prices.map(({ price }) => price));
  return { least: Math.min(0, ...prices), most: Math.max(0, ...prices) };
}

/** Returns the lines of a day. Shape: one per hour: 23, 24 or 25. */
export function priceChart(day: DayPrices, now: EpochMs, style: ChartStyle): string[] {
  const {
    width,
    colors,
    scale: { least, most },
  } = style;
  const rows = named(
    style.rows === "hour"
      ? hourRows(day)
      : day.prices.map(({ minuteOfDay, ...price }) => ({ ...price, label: localTimeText(minuteOfDay) })),
  );
  const known = rows.flatMap(({ price }) => (price === null ? [] : [price]));
  const labelWidth = Math.max(...rows.map(({ label }) => label.length));
  const priceWidth = Math.max(...known.map((price) => price.toFixed(2).length), 1);
  const room = Math.max(MIN_BARS, Math.min(MAX_BARS, width - labelWidth - priceWidth - 5));
  const scale = most - least === 0 ? 0 : room / (most - least);
  const below = Math.round(-least * scale);
  return rows.map((row) => {
    const isNow = row.start <= now && now < row.end;
    const text = row.price === null ? "-" : row.price.toFixed(2);
    const bar = row.price === null ? "" : barOf(row.price, scale, below);
    const isPast = row.end <= now;
    const painted =
      colors === "ansi" && row.level !== null && !isPast ? `\u001b[${ANSI[row.level]}m${bar}\u001b[0m` : bar;
    const line =
      `${isNow ? ">" : " "} ${row.label.padEnd(labelWidth)} ${text.padStart(priceWidth)} ${painted}`.trimEnd();
    return isPast && colors === "ansi" ? `${DIM}${line}\u001b[0m` : line;
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

/** Returns a bar to the right of zero, or to the left for a negative price. */
function barOf(price: number, scale: number, below: number): string {
  if (price < 0) {
    const length = Math.min(below, Math.max(1, Math.round(-price * scale)));
    return `${" ".repeat(below - length)}${"█".repeat(length)}`;
  }
  const eighths = Math.round(price * scale * 8);
  return `${" ".repeat(below)}${"█".repeat(Math.floor(eighths / 8))}${EIGHTHS[eighths % 8]}`;
}

/** Returns every hour of the day by its instant, with its mean price. */
function hourRows(day: DayPrices): Row[] {
  const rows: Row[] = [];
  for (let start = day.start; start < day.end; start += HOUR_MS) {
    const within = day.prices.filter((price) => price.start >= start && price.start < start + HOUR_MS);
    const first = within[0];
    const price = first ? within.reduce((sum, each) => sum + each.price, 0) / within.length : null;
    const label = first ? localTimeText(first.minuteOfDay) : UNKNOWN_TIME;
    rows.push({ start, end: start + HOUR_MS, label, price, level: middleLevel(within) });
  }
  return rows;
}

/** Returns the level of most of an hour; the more expensive one of two with equal length. */
function middleLevel(prices: readonly ShownPrice[]): Level | null {
  const sorted = prices.toSorted((a, b) => a.price - b.price);
  return sorted[Math.floor(sorted.length / 2)]?.level ?? null;
}

/** Returns the label of an hour. The repeated hour in autumn is 2A, then 2B. */
function named(rows: readonly Row[]): Row[] {
  const byLabel = Map.groupBy(rows, ({ label }) => label);
  return rows.map((row) => {
    const same = byLabel.get(row.label) ?? [];
    if (same.length < 2 || row.label === UNKNOWN_TIME) return row;
    return { ...row, label: `${row.label}${row === same[0] ? "A" : "B"}` };
  });
}
