import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cheapestWindow } from "../../../../src/core/prices/cheapest.ts";
import { meanPrice, type PricePoint } from "../../../../src/core/prices/timeline.ts";
import { HOUR_MS, MINUTE_MS, QUARTER_MS } from "../../../../src/core/time/interval.ts";
import { at, dayOf, points } from "../../../support/home/price-days.ts";

/** Returns quarter-hour points from text: a digit is a price, a dot is a gap. */
function quarters(picture: string): PricePoint[] {
  return [...picture].flatMap((sign, i) =>
    sign === "." ? [] : [{ start: i * QUARTER_MS, end: (i + 1) * QUARTER_MS, price: Number(sign), estimate: false }],
  );
}

/** Returns the cheapest window as text, `#` for its quarters. */
function shown(picture: string, hours: number, fromQuarter = 0): string {
  const window = cheapestWindow(quarters(picture), hours * HOUR_MS, fromQuarter * QUARTER_MS);
  if (!window) return "none";
  return [...picture]
    .map((_, i) => (i * QUARTER_MS >= window.start && i * QUARTER_MS < window.end ? "#" : "-"))
    .join("");
}

describe("cheapestWindow", () => {
  test.each([
    ["9991111999", 1, "---####---"],
    ["1111999111", 1, "####------"],
    ["1111.11119", 1, "####------"],
    ["911.119111", 1, "----####--"],
    ["911.119.11", 1, "none"],
    ["5555511115", 2, "-########-"],
  ] as const)("of %s for %i h is %s", (picture, hours, expected) => {
    expect(shown(picture, hours)).toBe(expected);
  });

  test("cheapestWindow returns the earliest of equally cheap windows", () => {
    expect(shown("2222222222", 1)).toBe("####------");
    expect(shown("0.0.1111111", 1)).toBe("----####---");
  });

  test("cheapestWindow ignores past quarters and includes the current quarter completely", () => {
    expect(shown("1111999222299", 1, 1)).toBe("-------####--");
    const list = quarters("111122229999");
    expect(cheapestWindow(list, HOUR_MS, 7 * MINUTE_MS)?.start).toBe(0);
    expect(cheapestWindow(list, HOUR_MS, 15 * MINUTE_MS)?.start).toBe(QUARTER_MS);
  });

  test("cheapestWindow returns null if the hours do not fit into the known prices", () => {
    expect(cheapestWindow(quarters("111"), HOUR_MS, 0)).toBeNull();
    expect(cheapestWindow([], HOUR_MS, 0)).toBeNull();
  });

  test.each([
    ["2026-03-29", "2026-03-29T00:30:00Z", "2026-03-29T02:30:00Z"],
    ["2026-10-25", "2026-10-25T00:30:00Z", "2026-10-25T02:30:00Z"],
  ])("cheapestWindow returns two hours of elapsed time across the clock change of %s", (date, start, end) => {
    const day = points(dayOf(date), () => 1).map((point) =>
      point.start >= at(start) && point.start < at(end) ? { ...point, price: 0.1 } : point,
    );
    expect(cheapestWindow(day, 2 * HOUR_MS, day[0]?.start ?? 0)).toMatchObject({ start: at(start), end: at(end) });
  });

  test("cheapestWindow returns a window that is as cheap as the best of all windows", () => {
    const picture = fc.array(fc.constantFrom("0", "1", "2", "3", "."), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(picture, fc.integer({ min: 1, max: 4 }), fc.nat(40), (signs, hours, from) => {
        const list = quarters(signs.join(""));
        const found = cheapestWindow(list, hours * HOUR_MS, from * QUARTER_MS);
        const all = list.flatMap((first, i) => {
          const run = list.slice(i, i + 4 * hours);
          const whole = run.length === 4 * hours && (run.at(-1)?.end ?? 0) - first.start === hours * HOUR_MS;
          return whole && first.end > from * QUARTER_MS ? [meanPrice(run) ?? 0] : [];
        });
        if (all.length === 0) expect(found).toBeNull();
        else expect(found?.mean).toBeCloseTo(Math.min(...all), 9);
      }),
    );
  });
});
