/** What the page says of a list of prices. Prices are ascending and disjoint, possibly with gaps. */
import { type Level, levels } from "../core/prices/level.ts";
import { meanPrice, type PricePoint, pointsIn, tiled } from "../core/prices/timeline.ts";
import { HOUR_MS, type Interval, MINUTE_MS } from "../core/time/interval.ts";
import type { PricesAnswer } from "./store/answers.ts";

/** Level of a price; `unknown` if there are no prices to compare with. */
export type ShownLevel = Level | "unknown";

export interface ShownPoint extends PricePoint {
  readonly level: ShownLevel;
  readonly rank?: number | null;
  readonly rankOf?: number | null;
  readonly parts?: PricesAnswer["prices"][number]["parts"];
  /** What it is if it is not confirmed. One that cannot be right is shown like an estimate. */
  readonly mark?: "estimate" | "doubtful" | undefined;
}

/** Prices of a home, with instants as numbers. */
export interface Prices {
  readonly currency: string | null;
  readonly vatIncluded: boolean | null;
  readonly points: readonly ShownPoint[];
  /** `points` and the prices that cannot be right, which only charts and tables show. */
  readonly shown: readonly ShownPoint[];
}

export const NO_PRICES: Prices = { currency: null, vatIncluded: null, points: [], shown: [] };

type Points = readonly ShownPoint[];

/** Shortest duration of a level that the outlook mentions. */
const MIN_SPELL_MS = 45 * MINUTE_MS;
const OUTLOOK_MS = 24 * HOUR_MS;

/** Returns the lowest, highest and mean price; null without prices. */
export function figuresOf(points: Points): { least: number; most: number; mean: number } | null {
  const mean = meanPrice(points);
  if (mean === null) return null;
  const prices = points.map(({ price }) => price);
  return { least: Math.min(...prices), most: Math.max(...prices), mean };
}

type Spell = { readonly level: ShownLevel; readonly start: number; end: number; readonly points: ShownPoint[] };

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
    kind: levels.indexOf(next.level) < levels.indexOf(current.level) ? "cheaper" : "dearer",
    level: next.level,
    at: next.start,
    until: next.end,
    mean: meanPrice(next.points) ?? 0,
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
    return { start, level, mean: meanPrice(inside), estimate: inside.some((point) => point.estimate) };
  });
}

/** Returns the place of the bars of hours above a common zero, at least `least` high. Unit: percent of the height. */
export function barPlaces(hours: readonly ComingHour[], least: number): { height: string; bottom: string }[] {
  const means = hours.flatMap(({ mean }) => mean ?? []);
  const [high, low] = [Math.max(0, ...means), Math.min(0, ...means)];
  const percentOf = (value: number) => (100 * value) / (high - low || 1);
  return hours.map(({ mean }) => {
    const height = mean === null ? 0 : Math.max(least, percentOf(Math.abs(mean)));
    const bottom = Math.min(100 - height, percentOf(Math.min(0, mean ?? 0) - low));
    return { height: `${height}%`, bottom: `${bottom}%` };
  });
}

/** Returns whether confirmed prices cover a time range without a gap. */
export function covers(points: Points, range: Interval): boolean {
  return tiled(
    pointsIn(points, range).filter(({ estimate }) => !estimate),
    range,
  );
}

/** Returns whether a price in a range cannot be right. */
export function isDoubted(shown: Points, { start, end }: Interval): boolean {
  return shown.some((point) => point.mark === "doubtful" && point.start < end && point.end > start);
}
