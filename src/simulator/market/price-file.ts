/** Market with real day-ahead prices from a file. All regions have the same prices, converted to their currency. */

import type { Calendar } from "../../core/time/calendar.ts";
import { contains, DAY_MS, type EpochMs, type Interval, MINUTE_MS } from "../../core/time/interval.ts";
import { parseInstant } from "../../service/contract/range.ts";
import { type Market, round6, type SpotPrice } from "./market.ts";

export type PriceFileReading =
  | { readonly kind: "prices"; readonly prices: readonly SpotPrice[] }
  | { readonly kind: "unreadable"; readonly why: string };

/** Use of the dates: as in the file, or the file's year on any date. */
export type Replay = "asDated" | "onTodaysDate";

const HEADER = "start_utc,minutes,dkk_per_mwh";
const KWH_PER_MWH = 1_000;
/** Maximum difference in years between the file and the replayed date. */
const MAX_REPLAY_YEARS = 60;

/** Parses a price file of `start_utc,minutes,dkk_per_mwh` and further columns. Shape: ascending, with gaps. */
export function readPriceFile(text: string): PriceFileReading {
  const lines = text.split(/\r?\n/);
  if (!lines[0]?.startsWith(HEADER)) return unreadable(1, lines[0] ?? "", `a header that begins ${HEADER}`);
  const prices: SpotPrice[] = [];
  for (const [i, line] of lines.entries()) {
    if (i === 0 || line === "") continue;
    const row = readRow(line, prices.at(-1)?.end ?? Number.NEGATIVE_INFINITY);
    if ("expected" in row) return unreadable(i + 1, line, row.expected);
    prices.push(row);
  }
  if (prices.length === 0) return unreadable(2, null, "at least one row of prices");
  return { kind: "prices", prices };
}

/** Creates a market from the prices of a file. Instants outside the file have no price. */
export function marketOfFile(prices: readonly SpotPrice[], replay: Replay, calendar: Calendar): Market {
  return {
    spotOn: (_region, day) =>
      replay === "asDated" ? pricesWithin(prices, day) : pricesLaidOver(day, prices, calendar),
  };
}

function readRow(line: string, endBefore: EpochMs): SpotPrice | { readonly expected: string } {
  const [startText = "", minutesText = "", priceText = ""] = line.split(",");
  const withSeconds = startText.replace(/T(\d{2}:\d{2})Z$/, "T$1:00Z");
  const reading = parseInstant(withSeconds);
  if (reading.kind !== "value") return { expected: "start_utc such as 2025-03-01T00:00Z" };
  if (minutesText !== "60" && minutesText !== "15") return { expected: "minutes 60 or 15" };
  const lengthMs = Number(minutesText) * MINUTE_MS;
  if (reading.value % lengthMs !== 0) return { expected: `a start on a boundary of ${minutesText} minutes` };
  if (!/^-?\d+(\.\d+)?$/.test(priceText)) return { expected: "dkk_per_mwh as a number such as 897.83" };
  if (reading.value < endBefore) return { expected: "a start not before the end of the row above" };
  return { start: reading.value, end: reading.value + lengthMs, pricePerKwh: round6(Number(priceText) / KWH_PER_MWH) };
}

/**
 * Replays the file shifted by whole weeks. The weekday stays, and the season stays within half a week. If source day
 * and target day differ in length, prices are matched by local time. An hour that occurs twice gets the same price
 * twice.
 */
function pricesLaidOver(day: Interval, prices: readonly SpotPrice[], calendar: Calendar): SpotPrice[] {
  const source = sourceDayOf(day, prices, calendar);
  const found = pricesWithin(prices, source);
  if (source.end - source.start === day.end - day.start) {
    const shift = day.start - source.start;
    return found.map((spot) => ({ ...spot, start: spot.start + shift, end: spot.end + shift }));
  }
  const laid: SpotPrice[] = [];
  for (let at = day.start; at < day.end; ) {
    const sourceAt = calendar.timeOnDay(source.start, calendar.minuteOfDay(at));
    const spot = found.find((each) => contains(each, sourceAt));
    const lengthMs = spot ? spot.end - spot.start : 15 * MINUTE_MS;
    if (spot) laid.push({ start: at, end: at + lengthMs, pricePerKwh: spot.pricePerKwh });
    at += lengthMs;
  }
  return laid;
}

/** Returns the day itself if the file contains it or no year has it; otherwise the nearest year's, earlier first. */
function sourceDayOf(day: Interval, prices: readonly SpotPrice[], calendar: Calendar): Interval {
  const first = prices[0]?.start ?? 0;
  const last = prices.at(-1)?.end ?? 0;
  for (let years = 0; years <= MAX_REPLAY_YEARS; years++) {
    for (const direction of [-1, 1]) {
      const days = 7 * Math.round((direction * years * 365.2425) / 7);
      const source = calendar.day(day.start + days * DAY_MS + DAY_MS / 2);
      if (first <= source.start && source.end <= last) return source;
    }
  }
  return day;
}

function pricesWithin(prices: readonly SpotPrice[], range: Interval): SpotPrice[] {
  return prices.filter(({ start }) => contains(range, start));
}

function unreadable(line: number, text: string | null, expected: string): PriceFileReading {
  const found = text === null ? "nothing" : `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
  return { kind: "unreadable", why: `line ${line}: found ${found}; expected ${expected}` };
}
