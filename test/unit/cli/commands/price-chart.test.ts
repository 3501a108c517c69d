import { describe, expect, test } from "vitest";
import type { DayPrices, ShownPrice } from "../../../../src/cli/commands/price-chart.ts";
import { type ChartStyle, priceChart, priceSummary, scaleOf } from "../../../../src/cli/commands/price-chart.ts";
import { HOUR_MS, QUARTER_MS } from "../../../../src/core/time/interval.ts";
import { calendar, dayOf } from "../../../support/storage/store-on-disk.ts";

/** Returns a day of prices. `price` is called with each index; null is a gap. */
function dayWith(date: string, price: (i: number) => number | null, stepMs = HOUR_MS): DayPrices {
  const { start, end } = dayOf(date);
  const prices: ShownPrice[] = [];
  for (let at = start, i = 0; at < end; at += stepMs, i++) {
    const value = price(i);
    if (value === null) continue;
    const minuteOfDay = calendar.minuteOfDay(at);
    prices.push({ start: at, end: at + stepMs, minuteOfDay, price: value, level: "normal", estimate: false });
  }
  return { start, end, date, prices };
}

function chart(day: DayPrices, style: Partial<ChartStyle> = {}, now = 0): string[] {
  return priceChart(day, now, { width: 40, colors: "none", rows: "hour", scale: scaleOf([day]), ...style });
}

describe("past hours and summary", () => {
  const day = dayWith("2026-06-01", (i) => (i === 3 ? 0.2 : i === 18 ? 4 : 1));
  const noon = day.start + 12 * HOUR_MS;

  test("past hours are dim on a terminal with colours only", () => {
    const painted = chart(day, { colors: "ansi" }, noon);
    expect(painted.map((line) => line.startsWith("\u001b[2m"))).toEqual(painted.map((_, i) => i < 12));
    expect(chart(day, {}, noon).join("")).not.toContain("\u001b");
  });

  test("the summary has the current, lowest, highest and mean price", () => {
    expect(priceSummary([day], noon)).toBe("now 1.00, lowest 0.20 at 03:00, highest 4.00 at 18:00, mean 1.09");
  });

  test("prices of another day have a date, and hours weigh more than quarters", () => {
    const tomorrow = dayWith("2026-06-02", () => -1, QUARTER_MS);
    expect(priceSummary([day, tomorrow], noon)).toBe(
      "now 1.00, lowest -1.00 at 00:00 on 2026-06-02, highest 4.00 at 18:00, mean 0.05",
    );
  });

  test("without prices there is no summary", () => {
    expect(priceSummary([{ ...day, prices: [] }], noon)).toBe("");
  });
});

describe("the price chart", () => {
  test.each([
    ["2026-03-29", 23, ["01:00", "03:00"]],
    ["2026-06-01", 24, ["01:00", "02:00", "03:00"]],
    ["2026-10-25", 25, ["01:00", "02:00A", "02:00B", "03:00"]],
  ])("of %s has %i rows", (date, hours, around) => {
    const lines = chart(dayWith(date, (i) => 1 + i / 10));
    expect(lines).toHaveLength(hours);
    expect(lines.slice(1, 1 + around.length).map((line) => line.trim().split(" ")[0])).toEqual(around);
  });

  test("of quarter hours shows hourly means, separately for the repeated hour", () => {
    const lines = chart(dayWith("2026-10-25", (i) => (i >= 12 && i < 16 ? 4 + (i % 4) : 1), QUARTER_MS));
    expect(lines).toHaveLength(25);
    expect(lines[2]).toMatch(/02:00A 1\.00 █/);
    expect(lines[3]).toMatch(/02:00B 5\.50 █/);
  });

  test('the price chart shows every interval with rows: "interval"', () => {
    const lines = chart(
      dayWith("2026-10-25", () => 1, QUARTER_MS),
      { rows: "interval" },
    );
    expect(lines).toHaveLength(100);
    expect(lines.filter((line) => line.includes("02:15"))).toEqual([
      expect.stringContaining("02:15A"),
      expect.stringContaining("02:15B"),
    ]);
  });

  test("the price chart shows a gap as a gap, not as zero", () => {
    const lines = chart(dayWith("2026-06-01", (i) => (i === 5 ? null : 1)));
    expect(lines).toHaveLength(24);
    expect(lines[5]).toMatch(/^ {2}--:-- +-$/);
  });
});

describe("bars of the price chart", () => {
  const lengthOf = (line = "") => [...line].filter((letter) => letter === "█").length;

  test("bars of the price chart are proportional to the price, and never wider than the terminal", () => {
    const lines = chart(
      dayWith("2026-06-01", (i) => i),
      { width: 60 },
    );
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(60);
    expect(lengthOf(lines[22]) / lengthOf(lines[11])).toBeCloseTo(2, 1);
    expect(lengthOf(lines[0])).toBe(0);
  });

  test("of negative prices extend to the left of zero", () => {
    const lines = chart(
      dayWith("2026-06-01", (i) => (i === 0 ? -1 : i === 1 ? 2 : 0)),
      { width: 47 },
    );
    // Two columns for the mark, five for the hour and five for the price leave 30, of which a third is below zero.
    expect(lines[0]).toMatch(/^ {2}00:00 -1\.00 █+$/);
    expect(lines[1]).toMatch(/^ {2}01:00 {2}2\.00 +█+[▏▎▍▌▋▊▉]?$/);
    const [below, above] = [lengthOf(lines[0]), lengthOf(lines[1])];
    expect(lines[1]?.indexOf("█")).toBe((lines[0]?.lastIndexOf("█") ?? 0) + 1);
    expect(above / below).toBeCloseTo(2, 0);
    expect(lengthOf(lines[2])).toBe(0);
  });

  test("of two days have one scale", () => {
    const cheap = dayWith("2026-06-01", () => 1);
    const expensive = dayWith("2026-06-02", () => 4);
    const scale = scaleOf([cheap, expensive]);
    expect(lengthOf(chart(expensive, { scale })[0]) / lengthOf(chart(cheap, { scale })[0])).toBeGreaterThan(3.5);
    expect(chart(cheap, { scale })[0]).not.toBe(chart(cheap)[0]);
  });

  test('bars of the price chart are coloured by level only with colors: "ansi"', () => {
    const day = dayWith("2026-06-01", () => 1);
    expect(chart(day).join("")).not.toContain("\u001b");
    const [line = ""] = chart(day, { colors: "ansi" });
    expect(line).toContain("\u001b[33m█");
    expect(line.endsWith("\u001b[0m")).toBe(true);
  });

  test("bars of the price chart are marked at the current hour, by its instant", () => {
    const day = dayWith("2026-10-25", () => 1);
    const lines = chart(day, {}, day.start + 3.5 * HOUR_MS);
    expect(lines.filter((line) => line.startsWith(">"))).toEqual([expect.stringContaining("02:00B")]);
  });

  test("bars of the price chart are empty on a day of zeros", () => {
    expect(chart(dayWith("2026-06-01", () => 0)).every((line) => /0\.00$/.test(line))).toBe(true);
  });
});
