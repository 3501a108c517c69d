import { describe, expect, test } from "vitest";
import {
  currencyOfRegion,
  type PlacePoint,
  placePoints,
  placeSnapshot,
} from "../../../../src/core/prices/place-snapshot.ts";
import { HOUR_MS, QUARTER_MS } from "../../../../src/core/time/interval.ts";
import { placeMessages } from "../../../../src/mqtt/topics/place-topics.ts";
import { place } from "../../../support/home/home-cases.ts";
import { at, calendar } from "../../../support/home/price-days.ts";

const CABIN = { id: "cabin", name: "Cabin", region: null, currency: "DKK" };
const START = at("2026-03-10T12:00:00Z");
const row = (hour: number, more: object = {}) => ({
  date: new Date(START + hour * HOUR_MS).toISOString(),
  price: hour,
  ...more,
});

function snapshotAt(points: readonly PlacePoint[], now: number) {
  return placeSnapshot({ place: CABIN, points, now, calendar });
}

describe("third-party prices", () => {
  test("placePoints gives hourly rows a length of one hour and keeps gaps", () => {
    const points = placePoints([row(1), row(0), row(3)]);
    expect(points.map(({ start, end }) => [(start - START) / HOUR_MS, (end - START) / HOUR_MS])).toEqual([
      [0, 1],
      [1, 2],
      [3, 4],
    ]);
  });

  test("placePoints gives a single row one hour, and quarter-hourly rows a quarter hour", () => {
    expect(placePoints([row(0)])[0]?.end).toBe(START + HOUR_MS);
    expect(placePoints([row(0), row(0.25), row(0.5)]).map(({ start, end }) => end - start)).toEqual(
      Array(3).fill(QUARTER_MS),
    );
  });

  test("the spot price is the price without charges", () => {
    const [point] = placePoints([row(2, { charges: 0.5, color: "green" })]);
    expect(point).toMatchObject({ price: 2, spot: 1.5, charges: 0.5, color: "green" });
    expect(placePoints([row(2)])[0]).toMatchObject({ price: 2, spot: 2, charges: null, color: null });
  });

  test("rows that cannot be parsed are omitted: a gap, not a zero", () => {
    const rows = [{ date: "soon", price: 1 }, { date: "2026-03-10", price: null }, row(0, { color: "blue" })];
    expect(placePoints(rows)).toMatchObject([{ start: START, color: null }]);
  });

  test("an instant may have an offset", () => {
    expect(placePoints([{ date: "2026-03-10T13:00:00+01:00", price: 1 }])[0]?.start).toBe(START);
  });
});

describe("a place", () => {
  const points = placePoints([row(0), row(1), row(3)]);

  test("a place has a current price only within its interval", () => {
    const shownAt = (minutes: number) => snapshotAt(points, START + minutes * 60_000);
    expect(shownAt(59).current?.price).toBe(0);
    expect(shownAt(60).current?.price).toBe(1);
    expect(shownAt(120)).toMatchObject({ current: null, next: { price: 3 }, nextChangeAt: START + 3 * HOUR_MS });
    expect(shownAt(300)).toMatchObject({ current: null, next: null, upcoming: [], nextChangeAt: null });
  });

  test("a place publishes spot, price, charges, color and prices", () => {
    const messages = placeMessages("elbro", place("charges"));
    expect(messages.slice(0, 4)).toEqual([
      { topic: "elbro/cabin/spot", payload: "1.6" },
      { topic: "elbro/cabin/price", payload: "2.4" },
      { topic: "elbro/cabin/charges", payload: "0.8" },
      { topic: "elbro/cabin/color", payload: "red" },
    ]);
    expect(JSON.parse(messages.at(-1)?.payload ?? "").prices[0]).toEqual({
      start: "2026-03-10T13:00:00Z",
      value: 2.4,
      charges: 0.8,
      color: "red",
    });
  });

  test("a place publishes level, cheap and the start of the cheapest hours without configuration", () => {
    const values = new Map(placeMessages("elbro", place("charges")).map(({ topic, payload }) => [topic, payload]));
    expect(values.get("elbro/cabin/price/level")).toBe("cheap");
    expect(values.get("elbro/cabin/cheap")).toBe("ON");
    const { cheapest } = JSON.parse(values.get("elbro/cabin/cheapest") ?? "");
    expect(cheapest.map(({ hours, start }: { hours: number; start: string }) => [hours, start])).toEqual(
      [1, 2, 3, 4].map((hours) => [hours, "2026-03-10T13:00:00Z"]),
    );
    const over = placeMessages("elbro", place("spot", at("2026-03-20T00:00:00Z")));
    expect(over.find(({ topic }) => topic === "elbro/cabin/cheap")).toMatchObject({ payload: "OFF", heartbeat: true });
  });

  test("a place compares prices with the days before if known, otherwise with all known prices", () => {
    const today = placePoints([row(0, { price: 1 }), row(1, { price: 3 })]);
    expect(snapshotAt(today, START)).toMatchObject({ level: "very_cheap", cheap: true });
    const yesterday = placePoints([row(-24, { price: 0.5 })]);
    expect(snapshotAt([...yesterday, ...today], START)).toMatchObject({ level: "very_expensive", cheap: false });
  });

  test("a place clears its values if there is no current price", () => {
    const over = placeMessages("elbro", place("spot", at("2026-03-20T00:00:00Z")));
    expect(over.slice(0, 4).map(({ payload }) => payload)).toEqual(["", "", "", ""]);
  });
});

test.each([
  ["DK1", "DKK"],
  ["se4", "SEK"],
  ["NO2", "NOK"],
  ["FI", "DKK"],
])("region %s has the currency %s", (region, currency) => {
  expect(currencyOfRegion(region)).toBe(currency);
});
