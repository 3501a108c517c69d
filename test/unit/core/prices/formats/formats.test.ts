import { describe, expect, test } from "vitest";
import {
  type FormatName,
  formatAttributes,
  priceFormats,
} from "../../../../../src/core/prices/formats/format-registry.ts";
import type { AttributeFormat } from "../../../../../src/core/prices/home-snapshot.ts";
import { localInstant } from "../../../../../src/core/time/local-instant.ts";
import { type FormattedDay, formatted, formattedDays } from "../../../../support/home/formatted-days.ts";
import { at, calendar, dayOf } from "../../../../support/home/price-days.ts";

type Json = Record<string, unknown>;
type Raw = { start: string; end?: string; value: number }[];

const whole = (name: FormatName, ...given: Parameters<typeof formatted>) =>
  JSON.parse(JSON.stringify(priceFormats[name](formatted(...given)))) as Json;
const attributes = (name: AttributeFormat, ...given: Parameters<typeof formatted>) =>
  JSON.parse(JSON.stringify(formatAttributes[name](formatted(...given)))) as Json;

const [normal] = formattedDays as [FormattedDay];

/** Expects every interval from the first start to the last end exactly once. */
function expectTiling(starts: readonly string[], from: number, to: number): void {
  const instants = starts.map((start) => Date.parse(start.replace(" ", "T")));
  expect(instants).toEqual(Array.from({ length: (to - from) / 900_000 }, (_, i) => from + i * 900_000));
}

describe.each(formattedDays)("$name ($date)", (day) => {
  const { date, dateAfter, quarters, quartersAfter } = day;
  const today = dayOf(date);
  const tomorrow = dayOf(dateAfter);

  /** Returns a format with its prices of both days, which cover them without a gap. */
  const bothDays = (format: "nordpool" | "predbat") => {
    const shown = whole(format, day, { tomorrow: "there" });
    const [first, second] = [shown.raw_today as Raw, shown.raw_tomorrow as Raw];
    for (const [prices, { start, end }] of [
      [first, today],
      [second, tomorrow],
    ] as const)
      expectTiling(
        prices.map((price) => price.start),
        start,
        end,
      );
    return [shown, first, second] as const;
  };

  test("nordpool: raw_today and raw_tomorrow cover both days, today and tomorrow contain their prices", () => {
    const [shown, first, second] = bothDays("nordpool");
    expect([first.length, second.length]).toEqual([quarters, quartersAfter]);
    expect(first.every(({ end }, i) => end === (first[i + 1]?.start ?? second[0]?.start))).toBe(true);
    expect(first.every(({ start }) => /[+]0[12]:00$/.test(start))).toBe(true);
    expect(shown.today).toEqual(first.map(({ value }) => value));
    expect(shown.tomorrow).toEqual(second.map(({ value }) => value));
    expect(shown.tomorrow_valid).toBe(true);
  });

  test("nordpool: off_peak_1, peak and off_peak_2 are hours of local time", () => {
    const shown = whole("nordpool", day, { tomorrow: "there" });
    const prices = shown.today as number[];
    const night = quarters - 64;
    const mean = (list: number[]) => list.reduce((sum, price) => sum + price, 0) / list.length;
    expect(shown.off_peak_1).toBeCloseTo(mean(prices.slice(0, night)), 6);
    expect(shown.peak).toBeCloseTo(mean(prices.slice(night, night + 48)), 6);
    expect(shown.off_peak_2).toBeCloseTo(mean(prices.slice(night + 48)), 6);
  });

  test("energidataservice: contains hour and price of every interval, and null if tomorrow is missing", () => {
    const shown = whole("energidataservice", day, { tomorrow: "there" });
    const hours = (name: string) => (shown[name] as { hour: string }[]).map(({ hour }) => hour);
    expectTiling(hours("raw_today"), today.start, today.end);
    expectTiling(hours("raw_tomorrow"), tomorrow.start, tomorrow.end);
    expect(Date.parse(hours("forecast")[0] ?? "")).toBe(tomorrow.end);
    const missing = whole("energidataservice", day, { tomorrow: "missing" });
    expect(missing).toMatchObject({ tomorrow_valid: false, tomorrow: null, raw_tomorrow: null, tomorrow_mean: null });
  });

  test("evcc and EMHASS continue from the current interval into the forecast without a gap", () => {
    const now = today.end - 6 * 3_600_000;
    const rates = whole("evcc", day, { tomorrow: "there" }) as unknown as { start: string; end: string }[];
    expect(Date.parse(rates[0]?.start ?? "")).toBe(now);
    expect(rates.slice(1).every(({ start }, i) => start === rates[i]?.end)).toBe(true);
    const lengths = rates.map(({ start, end }) => Date.parse(end) - Date.parse(start));
    expect(new Set(lengths)).toEqual(new Set([15 * 60_000]));
    expect(rates.length).toBe(24 + quartersAfter + 4 * 168);
    const costs = Object.keys(whole("emhass", day, { tomorrow: "there" }).load_cost_forecast as object);
    expect(costs.length).toBe(24 + quartersAfter + 168);
    expect(costs[0]).toBe(rates[0]?.start.replace("T", " ").replace("Z", "+00:00"));
  });

  test("Predbat: contains start, end and value of every interval", () => {
    const [, , second] = bothDays("predbat");
    expect(Date.parse(second.at(-1)?.end ?? "")).toBe(tomorrow.end);
  });

  test("nordpool as attributes: instants and prices equal those of the format, written as short as possible", () => {
    const given = { tomorrow: "there", charges: 0.123456789, priceOf: (i: number) => i / 97 } as const;
    const [full, short] = [whole("nordpool", day, given), attributes("nordpool", day, given)];
    expect(Object.keys(full)).toEqual(expect.arrayContaining(Object.keys(short)));
    const hasEnds = Math.max(quarters, quartersAfter) === 96;
    for (const name of ["raw_today", "raw_tomorrow"] as const) {
      const [rows, kept] = [full[name] as Required<Raw[number]>[], short[name] as Required<Raw[number]>[]];
      expect(kept.every(({ start }) => /T\d\d:\d\d[+]0[12]:00$/.test(start))).toBe(true);
      for (const key of hasEnds ? (["start", "end"] as const) : (["start"] as const))
        expect(kept.map((row) => Date.parse(row[key]))).toEqual(rows.map((row) => Date.parse(row[key])));
      for (const [i, { value }] of kept.entries()) expect(value).toBeCloseTo(rows[i]?.value ?? Number.NaN, 3);
    }
    expect(short.today).toEqual((short.raw_today as Raw).map(({ value }) => value));
    expect(short.today).toContain(short.min);
  });
});

describe("when tomorrow is missing", () => {
  test("no format contains tomorrow before a price is known", () => {
    const tomorrow = "missing";
    expect(whole("nordpool", normal, { tomorrow })).toMatchObject({
      tomorrow: [],
      raw_tomorrow: [],
      tomorrow_valid: false,
    });
    expect(whole("energidataservice", normal, { tomorrow })).toMatchObject({ raw_tomorrow: null, tomorrow_min: null });
    expect(whole("predbat", normal, { tomorrow })).toMatchObject({ raw_tomorrow: [] });
  });

  test("every format contains the known part of an incomplete tomorrow, without figures of the day", () => {
    const tomorrow = "half there";
    const known = whole("predbat", normal, { tomorrow }).raw_tomorrow as Raw;
    expect(known).toHaveLength(40);
    const nordpool = whole("nordpool", normal, { tomorrow });
    expect(nordpool).toMatchObject({ tomorrow: known.map(({ value }) => value), tomorrow_valid: false });
    expect(nordpool.raw_tomorrow).toHaveLength(known.length);
    const energidataservice = whole("energidataservice", normal, { tomorrow });
    expect(energidataservice).toMatchObject({ tomorrow_min: null, tomorrow_mean: null, tomorrow_valid: false });
    expect(energidataservice.raw_tomorrow).toHaveLength(known.length);
  });
});

describe("format", () => {
  test("nordpool has every attribute of the integration", () => {
    const shown = whole("nordpool", normal, { tomorrow: "there", charges: 0.5 });
    expect(Object.keys(shown).sort()).toEqual(
      [
        ...["additional_costs_current_hour", "average", "country", "currency", "current_price", "low_price", "max"],
        ...["mean", "min", "off_peak_1", "off_peak_2", "peak", "price_in_cents", "price_percent_to_average"],
        ...["raw_today", "raw_tomorrow", "region", "today", "tomorrow", "tomorrow_valid", "unit"],
      ].sort(),
    );
    expect(shown).toMatchObject({
      current_price: 0.72,
      average: 0.475,
      mean: 0.475,
      min: 0,
      max: 0.95,
      low_price: false,
      price_percent_to_average: 1.515789,
      unit: "kWh",
      currency: "DKK",
      country: "Denmark",
      region: "DK1",
      additional_costs_current_hour: 0.5,
      price_in_cents: false,
    });
    expect((shown.raw_today as Raw)[0]).toEqual({
      start: "2026-06-10T00:00:00+02:00",
      end: "2026-06-10T00:15:00+02:00",
      value: 0,
    });
  });

  test("format attributes contain the values that templates read, and only change with the prices", () => {
    const given = { tomorrow: "there", charges: 0.5 } as const;
    const figures = { average: 0.475, min: 0, max: 0.95, off_peak_1: 0.155, peak: 0.555, off_peak_2: 0.875 };
    expect(attributes("nordpool", normal, given)).toMatchObject(figures);
    for (const format of ["nordpool", "energidataservice", "predbat"] as const)
      expect(attributes(format, normal, { ...given, now: at("2026-06-10T03:00:00Z") }), format).toEqual(
        attributes(format, normal, given),
      );
    expect((attributes("nordpool", normal, given).raw_today as Raw)[0]).toEqual({
      start: "2026-06-10T00:00+02:00",
      end: "2026-06-09T22:15Z",
      value: 0,
    });
    const { forecast: _whole, current_price, ...keys } = whole("energidataservice", normal, given);
    expect(current_price).toBe(0.72);
    const { forecast: _part, ...kept } = attributes("energidataservice", normal, given);
    expect(keys).toMatchObject(kept);
  });

  test("hours are in local time, with seconds", () => {
    const { raw_today } = attributes("nordpool", normal, { tomorrow: "there", resolution: "hour" });
    expect((raw_today as Raw)[0]).toEqual({
      start: "2026-06-10T00:00:00+02:00",
      end: "2026-06-10T01:00:00+02:00",
      value: 0,
    });
  });

  test("values of the current price are null without a current price", () => {
    const gap = whole("nordpool", normal, { tomorrow: "there", now: at("2026-07-01T10:00:00Z") });
    expect(gap).toMatchObject({ current_price: null, low_price: null, price_percent_to_average: null });
    const over = whole("energidataservice", normal, { tomorrow: "there", now: at("2026-07-01T10:00:00Z") });
    expect(over).toMatchObject({ current_price: null, today_remaining_min: null, today_remaining_mean: null });
  });

  test("energidataservice has empty nested tariffs, and minimum and maximum with their hour", () => {
    const shown = whole("energidataservice", normal, { tomorrow: "there" });
    expect(shown).toMatchObject({
      current_price: 0.72,
      region_code: "DK1",
      use_cent: false,
      tariffs: { additional_tariffs: {}, tariffs: {} },
      today_min: { hour: "2026-06-10T00:00:00+02:00", price: 0 },
      today_max: { hour: "2026-06-10T23:45:00+02:00", price: 0.95 },
      today_mean: 0.475,
      today_remaining_min: { hour: "2026-06-10T18:00:00+02:00", price: 0.72 },
      today_remaining_max: { hour: "2026-06-10T23:45:00+02:00", price: 0.95 },
      today_remaining_mean: 0.835,
      next_data_update: "13:00:00",
    });
    const flat = Object.entries(shown.tariffs as Json).filter(([, value]) => typeof value === "number");
    expect(flat).toEqual([]);
  });

  test("evcc is a list in UTC", () => {
    const rates = whole("evcc", normal, { tomorrow: "there" });
    expect(Array.isArray(rates)).toBe(true);
    expect((rates as unknown as object[])[0]).toEqual({
      start: "2026-06-10T16:00:00Z",
      end: "2026-06-10T16:15:00Z",
      value: 0.72,
    });
  });

  test("EMHASS export prices exclude charges and VAT, and are omitted without charges", () => {
    const shown = whole("emhass", normal, { tomorrow: "there", charges: 0.22 });
    expect((shown.load_cost_forecast as Json)["2026-06-10 16:00:00+00:00"]).toBe(0.72);
    expect((shown.prod_price_forecast as Json)["2026-06-10 16:00:00+00:00"]).toBe(0.4);
    // As many steps as the purchase prices, also in the forecast, which has no charges of its own.
    for (const made of [shown, attributes("emhass", normal, { tomorrow: "missing", charges: 0.22 })])
      expect(Object.keys(made.prod_price_forecast as Json)).toEqual(Object.keys(made.load_cost_forecast as Json));
    expect(whole("emhass", normal, { tomorrow: "there" })).not.toHaveProperty("prod_price_forecast");
  });

  test("EMHASS prices have four decimals; of equal prices Energi Data Service names the first, and none is low", () => {
    const priceOf = () => 0.123456;
    const constant = whole("nordpool", normal, { tomorrow: "there", priceOf: () => 0.5 });
    expect(constant).toMatchObject({ low_price: false, price_percent_to_average: 1 });
    const costs = attributes("emhass", normal, { tomorrow: "there", priceOf }).load_cost_forecast as Json;
    expect(Object.values(costs)[0]).toBe(0.1235);
    const { today_min, today_max } = whole("energidataservice", normal, { tomorrow: "there", priceOf });
    expect([today_min, today_max]).toMatchObject(Array(2).fill({ hour: "2026-06-10T00:00:00+02:00" }));
  });
});

test("local instants of the repeated hour differ in their offset", () => {
  expect(localInstant(at("2026-10-25T00:30:00Z"), calendar)).toBe("2026-10-25T02:30:00+02:00");
  expect(localInstant(at("2026-10-25T01:30:00Z"), calendar)).toBe("2026-10-25T02:30:00+01:00");
});
