/** Evaluates a list of prices: current, next, cheapest hours. Prices are ascending and disjoint, possibly with gaps. */
import type { Level } from "../core/prices/level.ts";
import { HOUR_MS } from "./zone.ts";

/** Level of a price; `unknown` if there are no prices to compare with. */
export type ShownLevel = Level | "unknown";

export interface PricePoint {
  readonly start: number;
  readonly end: number;
  readonly price: number;
  readonly level: ShownLevel;
  readonly estimate: boolean;
  readonly rank?: number | null;
  readonly rankOf?: number | null;
}

type Points = readonly PricePoint[];

export const LEVELS = ["very_cheap", "cheap", "normal", "expensive", "very_expensive"] as const satisfies Level[];
/** Shortest duration of a level that the outlook mentions. */
const MIN_SPELL_MS = 45 * 60_000;
const OUTLOOK_MS = 24 * HOUR_MS;

/** Returns the index of the price at an instant; -1 in a gap. */
export function indexAt(points: Points, at: number): number {
  return points.findIndex((point) => point.start <= at && at < point.end);
}

export function within(points: Points, start: number, end: number): PricePoint[] {
  return points.filter((point) => point.start >= start && point.start < end);
}

/** Returns the mean weighted by duration; null without prices. */
function meanOf(points: Points): number | null {
  let sum = 0;
  let length = 0;
  for (const { start, end, price } of points) {
    sum += price * (end - start);
    length += end - start;
  }
  return length > 0 ? sum / length : null;
}

/** Returns the lowest, highest and mean price; null without prices. */
export function figuresOf(points: Points): { least: number; most: number; mean: number } | null {
  const mean = meanOf(points);
  if (mean === null) return null;
  const prices = points.map(({ price }) => price);
  return { least: Math.min(...prices), most: Math.max(...prices), mean };
}

/** A time range with its mean price. */
interface PricedSpan {
  readonly start: number;
  readonly end: number;
  readonly mean: number;
}

/** Returns the cheapest `hours` consecutive hours after `now`, the first of equal ones; null if too few are known. */
export function cheapestHours(points: Points, hours: number, now: number): PricedSpan | null {
  const ahead = points.filter((point) => point.end > now && !point.estimate);
  const length = hours * HOUR_MS;
  let best: PricedSpan | null = null;
  for (const [first, { start }] of ahead.entries()) {
    // A range that has started is not complete any more.
    if (start < now) continue;
    const mean = meanFrom(ahead.slice(first), start, start + length);
    if (mean !== null && (best === null || mean < best.mean - 1e-9)) best = { start, end: start + length, mean };
  }
  return best;
}

/** Returns the mean price of `[start, end)`; null if a price in it is missing. */
function meanFrom(points: Points, start: number, end: number): number | null {
  let reached = start;
  let sum = 0;
  for (const point of points) {
    if (reached >= end) break;
    if (point.start !== reached) return null;
    const until = Math.min(point.end, end);
    sum += point.price * (until - reached);
    reached = until;
  }
  return reached < end ? null : sum / (end - start);
}

interface Spell {
  readonly level: ShownLevel;
  readonly start: number;
  end: number;
  readonly points: PricePoint[];
}

/** Returns consecutive prices of equal level as ranges, ascending. */
function spells(points: Points): Spell[] {
  const found: Spell[] = [];
  for (const point of points) {
    const last = found.at(-1);
    if (last && last.level === point.level && last.end === point.start) {
      last.end = point.end;
      last.points.push(point);
    } else found.push({ level: point.level, start: point.start, end: point.end, points: [point] });
  }
  return found;
}

export type Outlook =
  | { readonly kind: "stays"; readonly level: Level; readonly until: number }
  | {
      readonly kind: "cheaper" | "dearer";
      readonly level: Level;
      readonly at: number;
      readonly until: number;
      readonly mean: number;
      readonly estimate: boolean;
    };

/**
 * Returns the next change of the price level, or the end of the known prices without a change; null without a price.
 */
export function outlook(points: Points, now: number): Outlook | null {
  const ahead = points.filter((point) => point.end > now && point.start < now + OUTLOOK_MS);
  const [current, ...later] = spells(ahead);
  const last = ahead.at(-1);
  if (!current || !last || current.start > now || current.level === "unknown") return null;
  const next = later.find((spell) => spell.end - spell.start >= MIN_SPELL_MS && spell.level !== current.level);
  if (!next || next.level === "unknown") return { kind: "stays", level: current.level, until: last.end };
  return {
    kind: LEVELS.indexOf(next.level) < LEVELS.indexOf(current.level) ? "cheaper" : "dearer",
    level: next.level,
    at: next.start,
    until: next.end,
    mean: meanOf(next.points) ?? 0,
    estimate: next.points.some((point) => point.estimate),
  };
}

export interface ComingHour {
  readonly start: number;
  /** Most frequent level; null without prices. */
  readonly level: ShownLevel | null;
  readonly mean: number | null;
  readonly estimate: boolean;
}

/** Returns the current hour and the following ones, `count` in total. */
export function comingHours(points: Points, now: number, count: number): ComingHour[] {
  const first = Math.floor(now / HOUR_MS) * HOUR_MS;
  return Array.from({ length: count }, (_, i) => {
    const start = first + i * HOUR_MS;
    const inside = points.filter((point) => point.start < start + HOUR_MS && point.end > start);
    const tally = new Map<ShownLevel, number>();
    for (const { level } of inside) tally.set(level, (tally.get(level) ?? 0) + 1);
    const [level = null] = [...tally].sort((a, b) => b[1] - a[1])[0] ?? [];
    return { start, level, mean: meanOf(inside), estimate: inside.some((point) => point.estimate) };
  });
}

/** Returns whether confirmed prices cover a time range without a gap. */
export function covers(points: Points, start: number, end: number): boolean {
  let reached = start;
  for (const point of points) {
    if (point.estimate || point.end <= reached) continue;
    if (point.start > reached) return false;
    reached = point.end;
    if (reached >= end) return true;
  }
  return false;
}
