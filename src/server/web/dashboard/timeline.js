/** What a list of prices says: now, next, the cheapest hours. Prices are ascending and apart; gaps are possible. */
import { HOUR_MS } from "./zone.js";

export const LEVELS = ["very_cheap", "cheap", "normal", "expensive", "very_expensive"];
/** A level that holds for less is no news. */
const MIN_SPELL_MS = 45 * 60_000;
const OUTLOOK_MS = 24 * HOUR_MS;

/** The index of the price that holds at an instant; -1 in a gap. */
export function indexAt(points, at) {
  return points.findIndex((point) => point.start <= at && at < point.end);
}

export function within(points, start, end) {
  return points.filter((point) => point.start >= start && point.start < end);
}

/** The mean by time; null without prices. */
function meanOf(points) {
  let sum = 0;
  let length = 0;
  for (const { start, end, price } of points) {
    sum += price * (end - start);
    length += end - start;
  }
  return length > 0 ? sum / length : null;
}

/** Least, most and mean; null without prices. */
export function figuresOf(points) {
  if (points.length === 0) return null;
  const prices = points.map(({ price }) => price);
  return { least: Math.min(...prices), most: Math.max(...prices), mean: meanOf(points) };
}

/** The cheapest stretch of so many hours from `now` on, without a gap; the first of equals, null where none fits. */
export function cheapestHours(points, hours, now) {
  const ahead = points.filter((point) => point.end > now && !point.estimate);
  const length = hours * HOUR_MS;
  let best = null;
  for (let first = 0; first < ahead.length; first++) {
    const start = ahead[first].start;
    // A stretch that has begun cannot be had whole any more.
    if (start < now) continue;
    const mean = meanFrom(ahead, first, start + length);
    if (mean !== null && (best === null || mean < best.mean - 1e-9)) best = { start, end: start + length, mean };
  }
  return best;
}

/** The mean from a price on until `end`; null where the prices do not reach so far, or have a gap. */
function meanFrom(points, first, end) {
  const { start } = points[first];
  let reached = start;
  let sum = 0;
  for (let i = first; i < points.length && reached < end; i++) {
    const point = points[i];
    if (point.start !== reached) return null;
    const until = Math.min(point.end, end);
    sum += point.price * (until - reached);
    reached = until;
  }
  return reached < end ? null : sum / (end - start);
}

/** Stretches of one level, ascending; what lasts too short to be told is part of what is before it. */
function spells(points) {
  const found = [];
  for (const point of points) {
    const last = found.at(-1);
    if (last && last.level === point.level && last.end === point.start) {
      last.end = point.end;
      last.points.push(point);
    } else found.push({ level: point.level, start: point.start, end: point.end, points: [point] });
  }
  return found;
}

/**
 * What the coming hours do: when they become cheaper or dearer, for how long and how much; or until when they stay.
 * Null without a price now.
 */
export function outlook(points, now) {
  const ahead = points.filter((point) => point.end > now && point.start < now + OUTLOOK_MS);
  const [current, ...later] = spells(ahead);
  if (!current || current.start > now || !LEVELS.includes(current.level)) return null;
  const next = later.find((spell) => spell.end - spell.start >= MIN_SPELL_MS && spell.level !== current.level);
  if (!next) return { kind: "stays", level: current.level, until: ahead.at(-1).end };
  const cheaper = LEVELS.indexOf(next.level) < LEVELS.indexOf(current.level);
  const estimate = next.points.some((point) => point.estimate);
  return {
    kind: cheaper ? "cheaper" : "dearer",
    level: next.level,
    at: next.start,
    until: next.end,
    mean: meanOf(next.points),
    estimate,
  };
}

/** The coming hours by the hour: mean price, and the level that holds the longest of each. */
export function comingHours(points, now, count) {
  const first = Math.floor(now / HOUR_MS) * HOUR_MS;
  return Array.from({ length: count }, (_, i) => {
    const start = first + i * HOUR_MS;
    const inside = points.filter((point) => point.start < start + HOUR_MS && point.end > start);
    const tally = new Map();
    for (const { level } of inside) tally.set(level, (tally.get(level) ?? 0) + 1);
    const [level = null] = [...tally].sort((a, b) => b[1] - a[1])[0] ?? [];
    return { start, level, mean: meanOf(inside), estimate: inside.some((point) => point.estimate) };
  });
}

/** Whether confirmed prices cover a stretch from end to end. */
export function covers(points, start, end) {
  let reached = start;
  for (const point of points) {
    if (point.estimate || point.end <= reached) continue;
    if (point.start > reached) return false;
    reached = point.end;
    if (reached >= end) return true;
  }
  return false;
}
