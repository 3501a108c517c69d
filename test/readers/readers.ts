/**
 * How other programs read prices, each in a few lines without the program, and on which steps elbro's lists
 * are right for it: five times of five days, with and without tomorrow.
 */
import { formatAttributes, priceFormats } from "../../src/core/prices/formats/format-registry.ts";
import type { FormatSource } from "../../src/core/prices/formats/format-source.ts";
import { pointAt } from "../../src/core/prices/timeline.ts";
import { type EpochMs, HOUR_MS, MINUTE_MS } from "../../src/core/time/interval.ts";
import { formatted, formattedDays } from "../support/home/formatted-days.ts";
import { calendar, dayOf } from "../support/home/price-days.ts";

type Json = Readonly<Record<string, unknown>>;
type Rows = readonly Readonly<Record<string, unknown>>[];
/** Price at an instant as the program computes it; null if it has none. */
type PriceAt = (at: EpochMs) => number | null;

export interface Reader {
  readonly name: string;
  readonly from: (source: FormatSource) => unknown;
  readonly priceAt: (body: unknown, now: EpochMs) => PriceAt;
  /** Decimals that the program gets. */
  readonly decimals: number;
  /** Whether it also uses the forecast. */
  readonly forecast?: true;
}

/** Returns the last entry at or before an instant, within an interval of the list's shortest step. */
function steps(entries: readonly (readonly [start: EpochMs, price: number])[]): PriceAt {
  const sorted = entries.toSorted(([a], [b]) => a - b);
  const step = sorted.reduce((least, [start], i) => Math.min(least, start - (sorted[i - 1]?.[0] ?? -HOUR_MS)), HOUR_MS);
  return (at) => {
    const found = sorted.findLast(([start]) => start <= at);
    return found && at < found[0] + step ? found[1] : null;
  };
}

const rowsOf = (body: unknown, ...keys: readonly string[]): Rows => keys.flatMap((key) => (body as Json)[key] as Rows);
const startAndValue = ({ start, value }: Rows[number]) => [Date.parse(String(start)), Number(value)] as const;
/** A reader that takes the day of the text, not of the instant, for today and tomorrow. */
const ofTextDays = (body: unknown, days: readonly string[]) =>
  rowsOf(body, "raw_today", "raw_tomorrow").filter(({ start }) => days.includes(String(start).slice(0, 10)));
const daysAt = (now: EpochMs) => [calendar.dateOf(now), calendar.dateOf(calendar.next("day", now))];

export const readers: readonly Reader[] = [
  {
    name: "EMHASS",
    // Reads runtime parameters, dictionaries by time (emhass.readthedocs.io, Passing your own data).
    from: priceFormats.emhass,
    // The optimization has steps of its own; a value holds until the next one.
    priceAt(body) {
      const costs = Object.entries(
        (body as { load_cost_forecast: Readonly<Record<string, number>> }).load_cost_forecast,
      );
      const sorted = costs.map(([at, price]) => [Date.parse(at.replace(" ", "T")), price] as const);
      return (at) => sorted.findLast(([start]) => start <= at)?.[1] ?? null;
    },
    decimals: 6,
    forecast: true,
  },
  {
    name: "Predbat",
    // Reads attributes `raw_today`, `raw_tomorrow` of `metric_octopus_import` (springfall2008.github.io/batpred, energy rates).
    from: formatAttributes.predbat,
    // Minutes from start to end get the rate.
    priceAt: (body) => (at) => {
      const row = rowsOf(body, "raw_today", "raw_tomorrow").find(
        ({ start, end }) => Date.parse(String(start)) <= at && at < Date.parse(String(end)),
      );
      return row ? Number(row.value) : null;
    },
    decimals: 4,
  },
  {
    name: "EV Smart Charging",
    // Reads attributes `raw_today`, `raw_tomorrow` (github.com/jonasbkarlsson/ev_smart_charging, price sensor).
    from: formatAttributes.nordpool,
    priceAt: (body, now) => steps(ofTextDays(body, daysAt(now)).map(startAndValue)),
    decimals: 2,
  },
  {
    name: "AIO Energy Management",
    // Reads attributes `raw_today`, `raw_tomorrow` of nordpool (github.com/kotope/aio_energy_management).
    from: formatAttributes.nordpool,
    priceAt: (body, now) => steps(ofTextDays(body, daysAt(now)).map(startAndValue)),
    decimals: 2,
  },
  {
    name: "cheapest-energy-hours",
    // Reads attributes with `start` and `value` (github.com/TheFes/cheapest-energy-hours, sensor).
    from: formatAttributes.nordpool,
    priceAt: (body) => steps(rowsOf(body, "raw_today", "raw_tomorrow").map(startAndValue)),
    decimals: 2,
  },
  {
    name: "PowerSaver for Node-RED",
    // Reads `msg.payload` with `today`, `tomorrow` (powersaver.no, ps-receive-price, other).
    from: priceFormats.powersaver,
    priceAt: (body) => steps(rowsOf(body, "today", "tomorrow").map(startAndValue)),
    decimals: 6,
  },
  {
    name: "apexcharts-card",
    // Reads `data_generator` over `raw_today` (github.com/RomRider/apexcharts-card).
    from: formatAttributes.nordpool,
    priceAt: (body) =>
      steps(
        rowsOf(body, "raw_today", "raw_tomorrow").map(
          ({ start, value }) => [new Date(String(start)).getTime(), Number(value)] as const,
        ),
      ),
    decimals: 2,
  },
  {
    name: "evcc",
    // Reads custom tariff, `forecast` (docs.evcc.io, tariffs): a list of `start`, `end`, `value`.
    from: priceFormats.evcc,
    // Its optimizer addresses slots by index, so all have one length.
    priceAt(body) {
      const rows = body as Rows;
      const first = Date.parse(String(rows[0]?.start));
      const slotMs = Date.parse(String(rows[0]?.end)) - first;
      return (at) => {
        const row = rows[Math.floor((at - first) / slotMs)];
        return at >= first && row ? Number(row.value) : null;
      };
    },
    decimals: 6,
    forecast: true,
  },
];

/** Local times at which the programs read: minutes after midnight. */
const TIMES = [0, 390, 790, 1_080, 1_430];

export interface Reading {
  readonly right: number;
  readonly all: number;
  /** The first wrong step, for the message of a test. */
  readonly wrong: string | null;
}

/** Reads each list, and compares each quarter-hour from the time of reading on with elbro's price. */
export function readingOf({ name, from, priceAt, decimals, forecast }: Reader): Reading {
  let [right, all] = [0, 0];
  let wrong: string | null = null;
  for (const day of formattedDays)
    for (const minutes of TIMES)
      for (const tomorrow of ["there", "missing"] as const) {
        const now = calendar.timeOnDay(dayOf(day.date).start, minutes) + MINUTE_MS;
        const source = formatted(day, { tomorrow, charges: 0.2, now });
        const body = JSON.parse(JSON.stringify(from(source)));
        const priceOf = priceAt(body, now);
        const { today, tomorrow: next, forecast: later } = source.snapshot;
        const points = [...today, ...next, ...(forecast ? later.slice(0, 24) : [])];
        for (let at = now; at < (points.at(-1)?.end ?? 0); at += 15 * MINUTE_MS) {
          const expected = pointAt(points, at)?.price ?? Number.NaN;
          const found = priceOf(at);
          all++;
          if (found !== null && Math.abs(found - expected) <= 0.5 * 10 ** -decimals + 1e-9) right++;
          else wrong ??= `${name} ${new Date(at).toISOString()}: ${found}, not ${expected}`;
        }
      }
  return { right, all, wrong };
}
