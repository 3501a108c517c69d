import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/core/time/interval.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { type Market, spotPricesOn } from "../../../src/simulator/market/market.ts";
import { marketOfFile, type Replay, readPriceFile } from "../../../src/simulator/market/price-file.ts";

const calendar = serviceCalendar();
const REAL_FILE = new URL("../../../../shared/data/DK1-2025-03-to-2026-03.csv", import.meta.url);
const HEADER = "start_utc,minutes,dkk_per_mwh,eur_per_mwh";

function marketOf(text: string, replay: Replay = "asDated"): Market {
  const reading = readPriceFile(text);
  if (reading.kind === "unreadable") throw new Error(reading.why);
  return marketOfFile(reading.prices, replay, calendar);
}

/**
 * Returns days whose every hour has a price from day of month and local hour, so that its origin can be recognised.
 */
function tellingFile(from: string, to: string): string {
  const lines = [HEADER];
  for (const day of calendar.intervals("day", { start: Date.parse(from), end: Date.parse(to) })) {
    for (let at = day.start; at < day.end; at += HOUR_MS) {
      const price = Number(calendar.dateOf(at).slice(8)) * 100 + calendar.minuteOfDay(at) / 60;
      lines.push(`${new Date(at).toISOString().slice(0, 16)}Z,60,${price},0`);
    }
  }
  return lines.join("\n");
}

function pricesOf(market: Market, noonUtc: number): number[] {
  return spotPricesOn(market, "DK1", calendar.day(noonUtc), "hour").map(({ pricePerKwh }) =>
    Math.round(pricePerKwh * 1000),
  );
}

describe("a price file", () => {
  test.each([
    ["", 'line 1: found ""; expected a header that begins start_utc,minutes,dkk_per_mwh'],
    ["hour;price", "line 1"],
    [HEADER, "line 2: found nothing; expected at least one row of prices"],
    [`${HEADER}\n2025-03-01,60,1,1`, 'line 2: found "2025-03-01,60,1,1"; expected start_utc such as 2025-03-01T00:00Z'],
    [`${HEADER}\n2025-03-01T00:00Z,30,1,1`, "expected minutes 60 or 15"],
    [`${HEADER}\n2025-03-01T00:15Z,60,1,1`, "expected a start on a boundary of 60 minutes"],
    [`${HEADER}\n2025-03-01T00:00Z,60,n/a,1`, "expected dkk_per_mwh as a number such as 897.83"],
    [`${HEADER}\n2025-03-01T00:00Z,60,,1`, "expected dkk_per_mwh as a number"],
    [`${HEADER}\n2025-03-01T01:00Z,60,1,1\n2025-03-01T00:00Z,60,1,1`, "line 3"],
    [
      `${HEADER}\n2025-03-01T00:00Z,60,1,1\n2025-03-01T00:45Z,15,1,1`,
      "expected a start not before the end of the row above",
    ],
  ])("with %j is rejected with its line and the expected value", (text, expected) => {
    const reading = readPriceFile(text);
    expect(reading).toMatchObject({ kind: "unreadable", why: expect.stringContaining(expected) });
  });

  test("a price file is converted to prices per kWh, also negative ones, and may have Windows line ends", () => {
    const reading = readPriceFile(`${HEADER}\r\n2025-03-01T00:00Z,60,-33.5,1\r\n2025-03-01T01:00Z,15,897.83,1\r\n`);
    expect(reading).toMatchObject({ kind: "prices", prices: [{ pricePerKwh: -0.0335 }, { pricePerKwh: 0.89783 }] });
  });

  test("a price file has no price outside its range, and keeps gaps", () => {
    const market = marketOf(`${HEADER}\n2025-03-01T00:00Z,60,10,1\n2025-03-01T02:00Z,60,20,1`);
    const starts = market
      .spotOn("DK1", calendar.day(Date.UTC(2025, 2, 1)))
      .map(({ start }) => new Date(start).getUTCHours());
    expect(starts).toEqual([0, 2]);
    expect(market.spotOn("DK1", calendar.day(Date.UTC(2025, 2, 3)))).toEqual([]);
  });
});

describe("a price file of a year, moved to today's date", () => {
  const market = marketOf(tellingFile("2025-01-01T00:00:00Z", "2025-12-31T00:00:00Z"), "onTodaysDate");

  test("a price file of a year, moved to today's date keeps the weekday: 2026-11-21 has the prices of 2025-11-22", () => {
    expect(pricesOf(market, Date.UTC(2026, 10, 21, 12))[7]).toBe(2207);
  });

  test("a price file of a year, moved to today's date stays within half a week of the date, also years later", () => {
    for (let year = 2027; year < 2060; year++) {
      const dayOfMonth = Math.floor((pricesOf(market, Date.UTC(year, 5, 15, 12))[0] ?? 0) / 100);
      expect(Math.abs(dayOfMonth - 15)).toBeLessThanOrEqual(4);
    }
  });

  test("a price file of a year, moved to today's date returns a day of the file itself unchanged", () => {
    expect(pricesOf(market, Date.UTC(2025, 4, 9, 12))[13]).toBe(913);
  });

  test("a price file of a year, moved to today's date has the repeated hour on the 25-hour day, for any source day", () => {
    for (let year = 2026; year < 2040; year++) {
      const end = calendar.boundaries("day", { start: Date.UTC(year, 9, 24), end: Date.UTC(year, 10, 1) });
      const start = end.find((at, i) => (end[i + 1] ?? at) - at === 25 * HOUR_MS) ?? 0;
      const hours = pricesOf(market, start + DAY_MS / 2).map((price) => price % 100);
      expect(hours).toEqual([0, 1, 2, 2, ...Array.from({ length: 21 }, (_, i) => i + 3)]);
    }
  });

  test("a price file of a year, moved to today's date omits the skipped hour on the 23-hour day", () => {
    for (let year = 2026; year < 2040; year++) {
      const bounds = calendar.boundaries("day", { start: Date.UTC(year, 2, 24), end: Date.UTC(year, 2, 31, 23) });
      const start = bounds.find((at, i) => (bounds[i + 1] ?? at) - at === 23 * HOUR_MS) ?? 0;
      const hours = pricesOf(market, start + DAY_MS / 2).map((price) => price % 100);
      expect(hours).toEqual([0, 1, ...Array.from({ length: 21 }, (_, i) => i + 3)]);
    }
  });

  test("of two months has no price in the other ten", () => {
    const short = marketOf(tellingFile("2025-09-15T00:00:00Z", "2025-11-13T00:00:00Z"), "onTodaysDate");
    expect(pricesOf(short, Date.UTC(2026, 9, 10, 12))).toHaveLength(24);
    expect(pricesOf(short, Date.UTC(2026, 5, 10, 12))).toEqual([]);
  });
});

describe.skipIf(!existsSync(REAL_FILE))("the real prices of DK1 (skipped without ../shared/data)", () => {
  const real = existsSync(REAL_FILE) ? marketOf(readFileSync(REAL_FILE, "utf8")) : null;
  const on = (date: string, resolution: "hour" | "fifteenMinutes") =>
    real ? spotPricesOn(real, "DK1", calendar.day(Date.parse(date)), resolution) : [];

  test("the real prices of DK1 are complete on every local day from 2025-03-02 to 2026-03-31, hourly and quarter-hourly", () => {
    for (const day of calendar.intervals("day", { start: Date.UTC(2025, 2, 2), end: Date.UTC(2026, 2, 31) })) {
      const noon = new Date(day.start + DAY_MS / 2).toISOString();
      const hourCount = (day.end - day.start) / HOUR_MS;
      expect([noon, on(noon, "hour").length]).toEqual([noon, hourCount]);
      expect(on(noon, "fifteenMinutes")).toHaveLength(4 * hourCount);
    }
  });

  test("the real prices of DK1 have equal quarters within an hour before 2025-10-01; later the hour is their mean", () => {
    const [first, second, third, fourth] = on("2025-09-30T12:00:00Z", "fifteenMinutes").map(
      ({ pricePerKwh }) => pricePerKwh,
    );
    expect(new Set([first, second, third, fourth]).size).toBe(1);
    const quarters = on("2025-10-26T12:00:00Z", "fifteenMinutes").slice(0, 4);
    expect(quarters.map(({ pricePerKwh }) => pricePerKwh)).toEqual([0.05356, 0.04908, 0.03205, 0.03182]);
    expect(on("2025-10-26T12:00:00Z", "hour")[0]?.pricePerKwh).toBeCloseTo(0.041628, 6);
  });
});
