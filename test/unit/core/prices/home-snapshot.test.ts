import { describe, expect, test } from "vitest";
import { type HomePrices, homeSnapshot } from "../../../../src/core/prices/home-snapshot.ts";
import { joinForecast, type PricePoint, pricePoints } from "../../../../src/core/prices/timeline.ts";
import { HOUR_MS, QUARTER_MS } from "../../../../src/core/time/interval.ts";
import { at, calendar, dayOf, daysOf, HOME, points, timelineOf } from "../../../support/home/price-days.ts";

function snapshotAt(now: string, list: readonly PricePoint[], more: Partial<HomePrices> = {}) {
  return homeSnapshot({ home: HOME, timeline: timelineOf(list), now: at(now), calendar, ...more });
}

const week = points(daysOf("2026-03-07", "2026-03-11"), (i) => 1 + (i % 96) / 100);

describe("a home at noon of an ordinary day has", () => {
  const shown = snapshotAt("2026-03-10T11:07:00Z", week, { last30Days: [0.1, 1.2, 1.6, 3] });

  test("the current, previous and next price", () => {
    expect(shown.current?.price).toBe(1.48);
    expect(shown.previous?.price).toBe(1.47);
    expect(shown.next?.price).toBe(1.49);
    expect(shown.nextChangeAt).toBe(at("2026-03-10T11:15:00Z"));
  });

  test("rank in the day and percentile in 30 days", () => {
    expect([shown.rank, shown.rankOf, shown.percentile, shown.percentile30Days]).toEqual([49, 96, 50, 50]);
    expect([shown.level, shown.color, shown.cheap]).toEqual(["normal", "yellow", false]);
  });

  test("statistics of the day and of its remaining hours", () => {
    expect(shown.day).toMatchObject({ min: 1, max: 1.95 });
    expect(shown.day?.mean).toBeCloseTo(1.475, 9);
    expect(shown.restOfDay).toMatchObject({ min: 1.48, max: 1.95 });
    expect(shown.restOfDay?.mean).toBeCloseTo(1.715, 9);
  });

  test("the cheapest hours, which start after midnight", () => {
    expect(shown.cheapest().map(({ hours, start }) => [hours, start])).toEqual(
      [1, 2, 3, 4].map((hours) => [hours, dayOf("2026-03-11").start]),
    );
  });

  test("tomorrow's prices, with the time of publication", () => {
    const seen = snapshotAt("2026-03-10T13:20:00Z", week, { publishedAt: () => at("2026-03-10T12:04:00Z") });
    expect([seen.tomorrowValid, seen.tomorrow.length, seen.tomorrowPublishedAt]).toEqual([
      true,
      96,
      at("2026-03-10T12:04:00Z"),
    ]);
  });
});

describe.each([
  ["2026-03-29", 92, 23],
  ["2026-10-25", 100, 25],
])("on %s, a day of a clock change, a home", (date, quarters, hours) => {
  const day = dayOf(date);
  const around = { start: calendar.add("day", day.start, -3), end: calendar.add("day", day.end, 1) };

  test(`has ${quarters} quarters, and rank_of counts them`, () => {
    const shown = snapshotAt(
      `${date}T10:00:00Z`,
      points(around, (i) => i),
    );
    expect([shown.today.length, shown.rankOf, shown.tomorrow.length, shown.tomorrowValid]).toEqual([
      quarters,
      quarters,
      96,
      true,
    ]);
  });

  test(`has ${hours} hours at hourly resolution`, () => {
    const shown = snapshotAt(
      `${date}T10:00:00Z`,
      points(around, (i) => i, { unit: "hour" }),
    );
    expect([shown.today.length, shown.rankOf]).toEqual([hours, hours]);
  });

  test("has its own price in every quarter, and its next change is the quarter's end", () => {
    const list = points(around, (i) => i);
    for (const point of list.filter(({ start }) => start >= day.start && start < day.end)) {
      const shown = homeSnapshot({ home: HOME, timeline: timelineOf(list), now: point.start, calendar });
      expect(shown.current).toBe(point);
      expect(shown.nextChangeAt).toBe(point.end);
    }
  });

  test("has tomorrow's prices on the day before only if they are complete", () => {
    const list = points(around, (i) => i);
    const eve = day.start - 6 * HOUR_MS;
    const shown = (known: readonly PricePoint[]) =>
      homeSnapshot({ home: HOME, timeline: timelineOf(known), now: eve, calendar });
    expect(shown(list)).toMatchObject({ tomorrowValid: true });
    expect(shown(list).tomorrow).toHaveLength(quarters);
    expect(shown(list.filter(({ end }) => end < day.end)).tomorrowValid).toBe(false);
    expect(shown(list.filter(({ start }) => start !== day.start + 9 * QUARTER_MS)).tomorrowValid).toBe(false);
  });
});

describe("midnight", () => {
  test("the first quarter has its own price, and the last of yesterday is the previous one", () => {
    const shown = snapshotAt("2026-03-10T23:00:00Z", week);
    expect([shown.current?.price, shown.previous?.price]).toEqual([1, 1.95]);
  });

  test("midnight is a change also inside an interval that spans it", () => {
    const long = [{ start: at("2026-03-10T22:00:00Z"), end: at("2026-03-11T02:00:00Z"), price: 1, estimate: true }];
    expect(snapshotAt("2026-03-10T22:30:00Z", long).nextChangeAt).toBe(at("2026-03-10T23:00:00Z"));
  });
});

describe("missing prices", () => {
  const holed = week.filter(({ start }) => start < at("2026-03-10T11:00:00Z") || start >= at("2026-03-10T12:00:00Z"));

  test("in a gap there is no price, level or signal; the next change is the end of the gap", () => {
    const shown = snapshotAt("2026-03-10T11:20:00Z", holed);
    expect(shown).toMatchObject({
      current: null,
      previous: null,
      level: null,
      cheap: null,
      color: null,
      rank: null,
      percentile: null,
    });
    expect(shown.next?.start).toBe(at("2026-03-10T12:00:00Z"));
    expect(shown.nextChangeAt).toBe(at("2026-03-10T12:00:00Z"));
    expect(shown.rankOf).toBeNull();
  });

  test("after a gap there is no previous price", () => {
    const shown = snapshotAt("2026-03-10T12:03:00Z", holed);
    expect(shown.current?.price).toBe(1.52);
    expect(shown.previous).toBeNull();
  });

  test("the cheapest windows do not span a gap", () => {
    const shown = snapshotAt(
      "2026-03-10T08:00:00Z",
      holed.filter(({ start }) => start < at("2026-03-10T14:00:00Z")),
    );
    expect(shown.cheapest().map(({ hours, start }) => [hours, start])).toEqual([
      [1, at("2026-03-10T08:00:00Z")],
      [2, at("2026-03-10T08:00:00Z")],
      [3, at("2026-03-10T08:00:00Z")],
    ]);
  });

  test("without prices all values are null, and the next change is midnight", () => {
    const shown = homeSnapshot({ home: HOME, timeline: null, now: at("2026-03-10T11:00:00Z"), calendar });
    expect(shown).toMatchObject({ currency: null, current: null, next: null, level: null, day: null, restOfDay: null });
    expect(shown).toMatchObject({ today: [], tomorrow: [], forecast: [], tomorrowMean: null });
    expect(shown.cheapest()).toEqual([]);
    expect(shown.nextChangeAt).toBe(at("2026-03-10T23:00:00Z"));
  });

  test("without earlier days, levels are relative to today", () => {
    const today = points(dayOf("2026-03-10"), (i) => (i < 48 ? 1 : 3));
    expect(snapshotAt("2026-03-10T01:00:00Z", today).level).toBe("very_cheap");
  });
});

describe("negative and zero prices", () => {
  const list = points(daysOf("2026-03-07", "2026-03-10"), (i) => [0, -0.2, 1][i % 3] ?? 0);

  test.each([
    [0, 0, 33],
    [1, -0.2, 1],
    [2, 1, 65],
  ])("quarter %i costs %f and has rank %i", (index, price, rank) => {
    const now = dayOf("2026-03-10").start + index * QUARTER_MS;
    const shown = homeSnapshot({ home: HOME, timeline: timelineOf(list), now, calendar });
    expect(shown.current?.price).toBe(price);
    expect(shown.rank).toBe(rank);
    expect(shown.cheap).toBe(price <= 0);
  });
});

describe("the forecast", () => {
  const confirmed = points(daysOf("2026-03-07", "2026-03-10"), () => 1);
  const estimates = points(daysOf("2026-03-11", "2026-03-12"), () => 2, { unit: "hour", estimate: true });

  test("the forecast starts after the last confirmed quarter, and becomes the current price at midnight", () => {
    const list = joinForecast(confirmed, estimates);
    expect(snapshotAt("2026-03-10T22:50:00Z", list).next).toMatchObject({ price: 2, estimate: true });
    const after = snapshotAt("2026-03-10T23:00:00Z", list);
    expect(after.current).toMatchObject({ price: 2, estimate: true });
    expect(after).toMatchObject({ rank: null, rankOf: null, percentile: null, level: "very_expensive", today: [] });
    expect(after.nextChangeAt).toBe(at("2026-03-11T00:00:00Z"));
  });

  test("the forecast gives an estimate no rank in a day that is only partly confirmed", () => {
    const cut = confirmed.filter(({ end }) => end <= at("2026-03-10T20:00:00Z"));
    const hours = points(daysOf("2026-03-10", "2026-03-10"), () => 2, { unit: "hour", estimate: true });
    const shown = snapshotAt("2026-03-10T21:00:00Z", joinForecast(cut, hours));
    expect(shown).toMatchObject({ current: { estimate: true }, rank: null, rankOf: null, percentile: null });
  });
});

test("variable charges are null unless the service sends a number", () => {
  const row = (variableChargesPerKWh: unknown) => ({
    start: "2026-03-10T11:00:00Z",
    end: "2026-03-10T11:15:00Z",
    totalPricePerKWh: 2,
    variableChargesPerKWh,
  });
  expect(pricePoints([row(null)], false)[0]?.variableCharges).toBeUndefined();
  expect(pricePoints([row({ static: 1 })], false)[0]?.variableCharges).toBeUndefined();
  expect(snapshotAt("2026-03-10T11:00:00Z", pricePoints([row(0.75)], false))).toMatchObject({
    hasVariableCharges: true,
    current: { variableCharges: 0.75 },
  });
});
