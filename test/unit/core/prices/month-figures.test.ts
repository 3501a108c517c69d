import fc from "fast-check";
import { expect, test } from "vitest";
import { monthFigures, PROFILE_DAYS } from "../../../../src/core/prices/month-figures.ts";
import { tariffChanges } from "../../../../src/core/prices/tariff-change.ts";
import type { HourUsage } from "../../../../src/core/prices/usage-amounts.ts";
import { DAY_MS, HOUR_MS, type Interval } from "../../../../src/core/time/interval.ts";
import { hourValues } from "../../../support/home/home-cases.ts";
import { at, calendar, dayOf, daysOf, points } from "../../../support/home/price-days.ts";

const MARCH = { start: dayOf("2026-03-01").start, end: dayOf("2026-03-31").end };
const NOW = dayOf("2026-03-11").start;

const hoursOf = (range: Interval, valueAt: (start: number) => number) =>
  calendar.intervals("hour", range).map(({ start }) => ({ start, value: valueAt(start) }));
const hourOf = (start: number) => calendar.minuteOfDay(start) / 60;
const unknownPrice = () => Number.NaN;
/** Returns the figures of March from hours since the first of `PROFILE_DAYS`. */
const marchOf = (
  consumption: readonly HourUsage[],
  costs: readonly HourUsage[],
  priceAt: (start: number) => number,
) => {
  const [kwh, amounts] = [consumption, costs].map((each) => hourValues(each, MARCH.end, known.start).values);
  if (!kwh || !amounts) throw new Error("there are two series");
  return monthFigures({ start: known.start, consumption: kwh, costs: amounts, priceAt, calendar }, MARCH, NOW);
};

const known = { start: NOW - PROFILE_DAYS * DAY_MS, end: NOW - DAY_MS };
/** 1 kWh in each hour, 3 kWh from 18 to 19. */
const kwhAt = (start: number) => (hourOf(start) === 18 ? 3 : 1);

test("the expected cost is stored costs, then the usual week at known prices, with the usual fee of each hour", () => {
  // 2 DKK/kWh until now and 4 from now on; 0.1 DKK of fees in each hour.
  const priceAt = (start: number) => (start < NOW ? 2 : 4);
  const consumption = hoursOf(known, kwhAt);
  const costs = hoursOf(known, (start) => 2 * kwhAt(start) + 0.1);
  const month = marchOf(consumption, costs, priceAt);
  // March has 31 days of 26 kWh and one hour less, which had 1 kWh: nine days are known, one has ended at the old price.
  expect(month.toDate).toBeCloseTo(9 * (2 * 26 + 2.4), 9);
  expect(month.knownUntil).toBe(NOW - DAY_MS);
  expect(month.expectedKwh).toBeCloseTo(31 * 26 - 1, 9);
  expect(month.expected).toBeCloseTo(10 * (2 * 26 + 2.4) + 21 * (4 * 26 + 2.4) - 4.1, 9);
});

test("hours without a price cost what the same hour of the week usually costs", () => {
  const isSunday = (start: number) => new Date(start + 2 * HOUR_MS).getUTCDay() === 0;
  const costs = hoursOf(known, (start) => (isSunday(start) && hourOf(start) === 12 ? 25 : 1));
  const month = marchOf(costs, costs, unknownPrice);
  // Five Sundays: 1, 8, 15, 22 and 29 March; 743 hours.
  expect(month.expected).toBeCloseTo(743 + 5 * 24, 6);
});

test("without a week of consumption nothing is expected, and unknown is never zero", () => {
  const consumption = hoursOf(daysOf("2026-03-04", "2026-03-08"), kwhAt);
  const month = marchOf(consumption, [], unknownPrice);
  expect(month).toMatchObject({ toDate: null, knownUntil: null, expected: null, expectedKwh: null });
  expect(marchOf([], [], unknownPrice).peaks).toBeNull();
  const week = hoursOf(daysOf("2026-03-04", "2026-03-10"), kwhAt);
  expect(marchOf(week, [], unknownPrice)).toMatchObject({ expected: null, expectedKwh: 31 * 26 - 1 });
  expect(marchOf(week.slice(1), [], unknownPrice).expectedKwh).toBeNull();
});

test("peaks are the highest hour of each of the three highest days, and their mean; property", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 72, maxLength: 200 }), (amounts) => {
      const consumption = amounts.map((amount, i) => ({ start: MARCH.start + i * HOUR_MS, value: amount / 10 }));
      const { peaks } = marchOf(consumption, [], unknownPrice);
      const highest = new Map<string, number>();
      for (const { start, value } of consumption) {
        const date = calendar.dateOf(start);
        highest.set(date, Math.max(highest.get(date) ?? 0, value));
      }
      const three = [...highest.values()].sort((a, b) => b - a).slice(0, 3);
      expect(peaks?.days.map(({ kw }) => kw)).toEqual(three);
      expect(peaks?.mean).toBeCloseTo((three[0] ?? 0) / 3 + (three[1] ?? 0) / 3 + (three[2] ?? 0) / 3, 9);
      expect(new Set(peaks?.days.map(({ date }) => date)).size).toBe(3);
      expect(peaks?.hours[0]?.kw).toBe(Math.max(...amounts) / 10);
    }),
    { seed: 3 },
  );
});

test("a jump of the charges is marked on its first day, charges by weekday are not", () => {
  const weekend = (start: number) => [0, 6].includes(new Date(start + 2 * HOUR_MS).getUTCDay());
  const charged = (chargesAt: (start: number) => number) =>
    points(daysOf("2025-12-10", "2026-01-10"), () => 2, { unit: "hour" }).map((point) => ({
      ...point,
      variableCharges: chargesAt(point.start),
    }));
  const newYear = at("2025-12-31T23:00:00Z");
  expect(
    tariffChanges(
      charged((start) => (weekend(start) ? 0.4 : 0.8)),
      calendar,
    ),
  ).toEqual([]);
  const changed = tariffChanges(
    charged((start) => (weekend(start) ? 0.4 : 0.8) + (start < newYear ? 0.9 : 0)),
    calendar,
  );
  expect(changed).toEqual([{ date: "2026-01-01", before: expect.closeTo(1.7), after: expect.closeTo(0.8) }]);
  expect(tariffChanges(charged(() => 0.8).slice(0, 0), calendar)).toEqual([]);
});
