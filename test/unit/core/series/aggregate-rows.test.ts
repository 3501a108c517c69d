import { expect, test } from "vitest";
import { aggregateRows } from "../../../../src/core/series/aggregate-rows.ts";
import type { Row } from "../../../../src/core/series/series.ts";
import type { CalendarUnit } from "../../../../src/core/time/calendar.ts";
import { formatInstant, type Interval } from "../../../../src/core/time/interval.ts";
import { calendar, dayOf } from "../../../support/storage/store-on-disk.ts";

/** Returns one row for each unit of a range. `fields` is called with the index of the row. */
function rows(unit: CalendarUnit, range: Interval, fields: (i: number) => Row): Row[] {
  return calendar
    .intervals(unit, range)
    .map(({ start, end }, i) => ({ start: formatInstant(start), end: formatInstant(end), ...fields(i) }));
}

test.each([
  ["2026-03-10", 24],
  ["2026-03-29", 23],
  ["2026-10-25", 25],
])("the day %s is the sum of its %i hours", (date, hours) => {
  const day = dayOf(date);
  const given = rows("hour", day, (i) => ({ energyKWh: 0.1, totalCost: 0.2, isEstimate: i === 3, other: i }));
  expect(aggregateRows(given, "hour", [day], { calendar })).toEqual([
    {
      ...{ start: formatInstant(day.start), end: formatInstant(day.end) },
      ...{ energyKWh: hours / 10, totalCost: (hours * 2) / 10, isEstimate: true },
    },
  ]);
});

test("an hour's price is the mean of its quarters; a price per kWh of used energy is null", () => {
  const [hour] = calendar.intervals("hour", dayOf("2026-03-10"));
  if (!hour) throw new RangeError("no hour");
  const price = rows("fifteenMinutes", hour, (i) => ({ totalPricePerKWh: i - 1, variableChargesPerKWh: 1 }));
  expect(aggregateRows(price, "fifteenMinutes", [hour], { calendar })).toMatchObject([{ totalPricePerKWh: 0.5 }]);
  const cost = rows("fifteenMinutes", hour, (i) => ({ energyKWh: 1, totalPricePerKWh: i }));
  expect(aggregateRows(cost, "fifteenMinutes", [hour], { calendar })).toMatchObject([{ totalPricePerKWh: null }]);
});

test("sums and means have at most six decimals", () => {
  const [hour] = calendar.intervals("hour", dayOf("2026-03-10"));
  if (!hour) throw new RangeError("no hour");
  const of = (field: string) => rows("fifteenMinutes", hour, (i) => ({ [field]: i === 0 ? 0.0000014 : 0.1 }));
  for (const [field, expected] of [
    ["energyKWh", 0.300001],
    ["totalPricePerKWh", 0.075],
  ] as const)
    expect(aggregateRows(of(field), "fifteenMinutes", [hour], { calendar })).toMatchObject([{ [field]: expected }]);
});

test("an interval without all of its rows is left out, and an unknown value makes its sum unknown", () => {
  const [first, second] = [dayOf("2026-03-10"), dayOf("2026-03-11")];
  const given = rows("hour", { start: first.start, end: second.end }, (i) => ({ energyKWh: i === 30 ? null : 1 }));
  const days = aggregateRows(given.slice(1), "hour", [first, second], { calendar });
  expect(days).toMatchObject([{ start: formatInstant(second.start), energyKWh: null }]);
});
