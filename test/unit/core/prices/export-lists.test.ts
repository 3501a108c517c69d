import fc from "fast-check";
import { expect, test } from "vitest";
import { exportTimeline } from "../../../../src/core/prices/export-price.ts";
import {
  type FormatName,
  formatAttributes,
  priceFormats,
} from "../../../../src/core/prices/formats/format-registry.ts";
import { attributeFormats, homeSnapshot } from "../../../../src/core/prices/home-snapshot.ts";
import { joinForecast, pointAt } from "../../../../src/core/prices/timeline.ts";
import { HOUR_MS } from "../../../../src/core/time/interval.ts";
import { listedPrices } from "../../../support/home/listed-prices.ts";
import { calendar, dayOf, daysOf, HOME, points, timelineOf } from "../../../support/home/price-days.ts";

/** A day before an ordinary day, a day of 23 hours, and one of 25 hours. */
const days = [
  ["2026-06-10", "2026-06-11"],
  ["2026-03-28", "2026-03-29"],
  ["2026-10-24", "2026-10-25"],
] as const;
/** Half of the last decimal that the shortest list keeps. */
const ROUNDING = 0.000_5;

const terms = fc.record({
  vatFactor: fc.constantFrom(1, 1.25),
  deductions: fc.array(
    fc.record({
      perKwh: fc.double({ min: -0.5, max: 0.5, noNaN: true }),
      from: fc.option(fc.constantFrom("2026-03-29", "2026-06-11"), { nil: undefined }),
    }),
    { maxLength: 3 },
  ),
});

test("one list of export prices: every format and every attribute has the same price at the same instant", () => {
  const names = Object.keys(priceFormats) as FormatName[];
  fc.assert(
    fc.property(
      fc.constantFrom(...days),
      fc.constantFrom("hour", "fifteenMinutes"),
      terms,
      fc.array(fc.double({ min: -2, max: 9, noNaN: true }), { minLength: 7, maxLength: 7 }),
      fc.integer({ min: 0, max: 23 }),
      ([first, second], unit, exportTerms, prices, hour) => {
        const bought = (i: number) => prices[i % prices.length] ?? 0;
        const known = points(daysOf(first, second), bought, { unit }).map((point) => ({
          ...point,
          variableCharges: 0.2 + calendar.minuteOfDay(point.start) / 1_000,
        }));
        const end = dayOf(second).end;
        const estimates = points({ start: end, end: end + 72 * HOUR_MS }, bought, { unit: "hour", estimate: true });
        const timeline = timelineOf(joinForecast(known, estimates));
        const sold = exportTimeline(timeline, [], { terms: exportTerms, calendar });
        if (!sold) throw new Error("no export prices");
        const now = dayOf(first).start + hour * HOUR_MS + 60_000;
        const home = { ...HOME, exportTerms };
        const snapshot = homeSnapshot({ home, timeline: sold, now, calendar });
        const source = { snapshot, calendar, region: "DK1", sold: () => sold };
        const both = { ...source, snapshot: homeSnapshot({ home, timeline, now, calendar }) };
        const lists = [
          ...names.map((name) => listedPrices(name, priceFormats[name](name === "emhass" ? both : source))),
          ...attributeFormats.map((name) =>
            listedPrices(name, formatAttributes[name](name === "emhass" ? both : source)),
          ),
        ];
        for (const list of lists) {
          expect(list.size).toBeGreaterThan(0);
          for (const [at, price] of list)
            expect(Math.abs((pointAt(sold.points, at)?.price ?? Number.NaN) - price)).toBeLessThanOrEqual(ROUNDING);
        }
        // Each estimate has an export price, of the charges of its clock time.
        expect(sold.points).toHaveLength(timeline.points.length);
      },
    ),
    { seed: 3, numRuns: 60 },
  );
});
