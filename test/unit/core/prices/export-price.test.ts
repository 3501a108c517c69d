import { expect, test } from "vitest";
import { exportTimeline, priceParts } from "../../../../src/core/prices/export-price.ts";
import { at, calendar, dayOf, points, timelineOf } from "../../../support/home/price-days.ts";

const START = at("2026-03-10T12:00:00Z");
const hours = points({ start: START, end: START + 2 * 3_600_000 }, (i) => 1.25 + i, { unit: "hour" });
const spot = hours.map(({ start, end }) => ({ start, end, price: 9, spot: -0.1, charges: 9.1, color: null }));

test("the export price is the total price minus variable charges and VAT", () => {
  const charged = timelineOf(hours.map((point) => ({ ...point, variableCharges: 1.5 })));
  expect(exportTimeline(charged, spot, { calendar })?.points.map(({ price }) => price)).toEqual([-0.2, 0.6]);
  expect(
    exportTimeline({ ...charged, vatIncluded: false }, spot, { calendar })?.points.map(({ price }) => price),
  ).toEqual([-0.25, 0.75]);
});

test.each([
  [{ price: 2.5, variableCharges: 1 }, true, { spot: 1.2, charges: 0.8, vat: 0.5 }],
  [{ price: 2.5, variableCharges: 1 }, false, { spot: 1.5, charges: 1, vat: 0 }],
  [{ price: 2.5, variableCharges: 1 }, null, { spot: 1.5, charges: 1, vat: 0 }],
  [{ price: -1, variableCharges: 0.25 }, true, { spot: -1, charges: 0.2, vat: -0.2 }],
])("the parts of the price %o (VAT included: %j) are %o, and their sum is the price", (point, vatIncluded, parts) => {
  const found = priceParts(point, { vatIncluded });
  expect(found).toEqual({
    spot: expect.closeTo(parts.spot, 9),
    charges: expect.closeTo(parts.charges, 9),
    vat: expect.closeTo(parts.vat, 9),
  });
  expect((found?.spot ?? 0) + (found?.charges ?? 0) + (found?.vat ?? 0)).toBeCloseTo(point.price, 9);
});

test("without charges the export price is the spot price of a place in the region, or null without one", () => {
  expect(exportTimeline(timelineOf(hours), spot, { calendar })?.points.map(({ price }) => price)).toEqual([-0.1, -0.1]);
  expect(exportTimeline(timelineOf(hours), [], { calendar })).toBeNull();
});

test("deductions apply from their first local day until the day before their last, also to spot prices", () => {
  const start = at("2026-03-10T21:00:00Z");
  const evening = points({ start, end: start + 4 * 3_600_000 }, () => 2, { unit: "hour" });
  const deductions = [
    { perKwh: 0.1, until: "2026-03-11" },
    { perKwh: 0.3, from: "2026-03-11" },
  ];
  const terms = { vatFactor: 1.25, deductions };
  const sold = exportTimeline(timelineOf(evening.map((point) => ({ ...point, variableCharges: 1 }))), [], {
    ...{ terms, calendar },
  });
  // Local midnight is at 23:00 UTC.
  expect(sold?.points.map(({ price }) => price.toFixed(2))).toEqual(["0.70", "0.70", "0.50", "0.50"]);
  const spots = evening.map((point) => ({ ...point, spot: 0.4, charges: 1, color: null }));
  expect(
    exportTimeline(timelineOf(evening), spots, { terms, calendar })?.points.map(({ price }) => price.toFixed(2)),
  ).toEqual(["0.30", "0.30", "0.10", "0.10"]);
});

test("an estimate has the charges of the same clock time on the last day that has them, also after a clock change", () => {
  const [first, second] = [dayOf("2026-10-24"), dayOf("2026-10-25")];
  const hourOf = (start: number) => calendar.minuteOfDay(start) / 60;
  const confirmed = points(first, () => 5, { unit: "hour" }).map((point) => ({
    ...point,
    variableCharges: hourOf(point.start) >= 17 && hourOf(point.start) < 21 ? 2 : 1,
  }));
  const estimates = points(second, () => 5, { unit: "hour" }).map((point) => ({ ...point, estimate: true }));
  const sold = exportTimeline(timelineOf([...confirmed, ...estimates]), [], { calendar })?.points ?? [];
  expect(sold).toHaveLength(24 + 25);
  for (const { start, price, estimate } of sold.slice(24))
    expect([estimate, price]).toEqual([true, hourOf(start) >= 17 && hourOf(start) < 21 ? 2.4 : 3.2]);
});
