import { expect, test } from "vitest";
import { withUsualPrices } from "../../../../src/core/planning/usual-prices.ts";
import { calendar, dayOf, daysOf, points, timelineOf } from "../../../support/home/price-days.ts";

/** Three days at 2, 4 and 6, whose last two hours are 1 higher, and one at `today`, with `evening` at its end. */
function estimatesAfter(today: number, evening: number): number[] {
  const days = daysOf("2026-03-07", "2026-03-10");
  const usual = [2, 4, 6, today];
  const priceOf = (i: number) => usual[Math.floor(i / 96)] ?? 0;
  const known = points(days, (i) => (i % 96 < 88 ? priceOf(i) : i < 3 * 96 ? priceOf(i) + 1 : evening));
  const { points: all } = withUsualPrices(timelineOf(known), calendar);
  const nextDay = dayOf("2026-03-11");
  return all.filter(({ start, estimate }) => estimate && start < nextDay.end).map(({ price }) => price);
}

test("unknown prices are those of the last three days, plus what the last two hours differ from their days before", () => {
  const windy = estimatesAfter(5, 1);
  expect([windy.length, windy[0]]).toEqual([96, (4 + 6 + 5) / 3 + (1 - (3 + 5 + 7) / 3)]);
  const usual = estimatesAfter(5, 5);
  expect([usual[0], usual[95]]).toEqual([(4 + 6 + 5) / 3, (5 + 7 + 5) / 3]);
});

test("without days before, nothing is added", () => {
  const { points: all } = withUsualPrices(timelineOf(points(dayOf("2026-03-10"), (i) => i / 96)), calendar);
  expect(all[96]).toMatchObject({ price: 0, estimate: true });
});
