import { describe, expect, test } from "vitest";
import { type DayPrices, priceLines, priceSummary, type ShownPrice } from "../../../../src/cli/commands/price-lines.ts";
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

describe("summary of prices", () => {
  const day = dayWith("2026-06-01", (i) => (i === 3 ? 0.2 : i === 18 ? 4 : 1));
  const noon = day.start + 12 * HOUR_MS;

  test("the summary has the current, lowest, highest and mean price", () => {
    expect(priceSummary([day], noon)).toBe("now 1.00, lowest 0.20 at 03:00, highest 4.00 at 18:00, mean 1.09");
  });

  test("prices of another day have a date, and hours weigh more than quarters", () => {
    const tomorrow = dayWith("2026-06-02", () => -1, QUARTER_MS);
    expect(priceSummary([day, tomorrow], noon)).toBe(
      "now 1.00, lowest -1.00 at 00:00 on 2026-06-02, highest 4.00 at 18:00, mean 0.05",
    );
  });
});

describe("lines of prices", () => {
  test.each([
    ["2026-03-29", 23, ["01:00", "03:00"]],
    ["2026-06-01", 24, ["01:00", "02:00", "03:00"]],
    ["2026-10-25", 25, ["01:00", "02:00", "02:00", "03:00"]],
  ])("%s has %i lines by hour, also of quarters", (date, hours, around) => {
    const day = dayWith(date, (i) => i % 4, QUARTER_MS);
    const lines = priceLines(day.prices, day.start, "hour");
    expect(lines).toHaveLength(hours);
    expect(lines.slice(1, 1 + around.length)).toEqual(around.map((time) => `  ${time}   1.50 normal`));
    expect(priceLines(day.prices, day.start, "interval")).toHaveLength(4 * hours);
  });

  test("the present price has a mark, by its instant, and a gap has no line", () => {
    const day = dayWith("2026-10-25", (i) => (i === 5 ? null : -i));
    const lines = priceLines(day.prices, day.start + 3.5 * HOUR_MS, "hour");
    expect(lines).toHaveLength(24);
    expect(lines.slice(2, 6)).toEqual([
      "  02:00  -2.00 normal",
      "> 02:00  -3.00 normal",
      "  03:00  -4.00 normal",
      "  05:00  -6.00 normal",
    ]);
  });
});
