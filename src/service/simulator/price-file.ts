/**
 * A file of real day-ahead prices as a market: one file stands for every region, in its own currency.
 */

import type { Calendar } from "../../core/time/calendar.ts";
import { contains, DAY_MS, type EpochMs, type Interval, MINUTE_MS } from "../../core/time/interval.ts";
import { parseInstant } from "../contract/range.ts";
import { type Market, round6, type SpotPrice } from "./market.ts";

export type PriceFileReading =
  | { readonly kind: "prices"; readonly prices: readonly SpotPrice[] }
  | { readonly kind: "unreadable"; readonly why: string };

/** Every date as it is in the file, or the file's year laid over any date. */
export type Replay = "asDated" | "onTodaysDate";

const HEADER = "start_utc,minutes,dkk_per_mwh";
const KWH_PER_MWH = 1_000;
/** A file may lie this many years before or after the date it is played on. */
const MAX_REPLAY_YEARS = 60;

/**
 * Reads the text of a price file.
 * Shape: columns `start_utc,minutes,dkk_per_mwh`, more are ignored; rows ascending, gaps allowed.
 * Errors: the first line that does not fit, what stands there and what is expected.
 */
export function readPriceFile(text: string): PriceFileReading {
  const lines = text.split(/\r?\n/);
  if (!lines[0]?.startsWith(HEADER))
    return unreadable(1, `"${clip(lines[0] ?? "")}"`, `a header that begins ${HEADER}`);
  const prices: SpotPrice[] = [];
  for (const [i, line] of lines.entries()) {
    if (i === 0 || line === "") continue;
    const row = readRow(line, prices.at(-1)?.end ?? Number.NEGATIVE_INFINITY);
    if ("expected" in row) return unreadable(i + 1, `"${clip(line)}"`, row.expected);
    prices.push(row);
  }
  if (prices.length === 0) return unreadable(2, "nothing", "at least one row of prices");
  return { kind: "prices", prices };
}

/** The prices of a file as a market. An instant the file does not reach has no price. */
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
 * Replays by whole weeks: the weekday stays, the season stays within half a week, and the day of a clock change mostly
 * falls on one. Inside the day the local clock decides, so that a 23- or 25-hour day keeps its own hours whatever the
 * length of the day it is taken from: the hour that comes twice gets the same price twice.
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
    const spot = spotAt(found, calendar.timeOnDay(source.start, calendar.minuteOfDay(at)));
    const lengthMs = spot ? spot.end - spot.start : 15 * MINUTE_MS;
    if (spot) laid.push({ start: at, end: at + lengthMs, pricePerKwh: spot.pricePerKwh });
    at += lengthMs;
  }
  return laid;
}

/** The day itself where the file has all of it, else the nearest year's, back before forward; the day itself where no year has it. */
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

function spotAt(prices: readonly SpotPrice[], at: EpochMs): SpotPrice | undefined {
  return prices.find((spot) => spot.start <= at && at < spot.end);
}

function unreadable(line: number, found: string, expected: string): PriceFileReading {
  return { kind: "unreadable", why: `line ${line}: found ${found}; expected ${expected}` };
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
