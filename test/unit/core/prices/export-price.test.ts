import { expect, test } from "vitest";
import { exportTimeline } from "../../../../src/core/prices/export-price.ts";
import { at, points, timelineOf } from "../../../support/home/price-days.ts";

const START = at("2026-03-10T12:00:00Z");
const hours = points({ start: START, end: START + 2 * 3_600_000 }, (i) => 1.25 + i, { unit: "hour" });
const spot = hours.map(({ start, end }) => ({ start, end, price: 9, spot: -0.1, charges: 9.1, color: null }));

test("the export price is the total price minus variable charges and VAT", () => {
  const charged = timelineOf(hours.map((point) => ({ ...point, variableCharges: 1.5 })));
  expect(exportTimeline(charged, spot)?.points.map(({ price }) => price)).toEqual([-0.2, 0.6]);
  expect(exportTimeline({ ...charged, vatIncluded: false }, spot)?.points.map(({ price }) => price)).toEqual([
    -0.25, 0.75,
  ]);
});

test("without charges the export price is the spot price of a place in the region, or null without one", () => {
  expect(exportTimeline(timelineOf(hours), spot)?.points.map(({ price }) => price)).toEqual([-0.1, -0.1]);
  expect(exportTimeline(timelineOf(hours), [])).toBeNull();
});
