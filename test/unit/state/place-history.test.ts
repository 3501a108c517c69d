import { expect, test } from "vitest";
import { placePoints } from "../../../src/core/prices/place-snapshot.ts";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import { PlaceHistory } from "../../../src/state/places/place-history.ts";
import { at, calendar } from "../../support/home/price-days.ts";

const START = at("2026-03-10T12:00:00Z");

/** Returns hourly prices from `from` hours after the start. Each price is the number of its hour. */
function hours(from: number, count: number) {
  const rows = Array.from({ length: count }, (_, i) => ({
    date: new Date(START + (from + i) * HOUR_MS).toISOString(),
    price: from + i,
  }));
  return placePoints(rows);
}

class Memory {
  readonly values = new Map<string, string>();
  writes = 0;
  read(name: string): string | null {
    return this.values.get(name) ?? null;
  }
  write(name: string, value: string): void {
    this.writes++;
    this.values.set(name, value);
  }
}

test("prices that the service no longer returns are kept for three days, also after a restart", () => {
  const memory = new Memory();
  new PlaceHistory(memory, calendar).joined("cabin", "a", hours(0, 30), START);
  const joined = new PlaceHistory(memory, calendar).joined("cabin", "a", hours(24, 10), START + 24 * HOUR_MS);
  expect(joined.map(({ price }) => price)).toEqual(Array.from({ length: 34 }, (_, i) => i));
  const later = new PlaceHistory(memory, calendar).joined("cabin", "a", hours(96, 2), START + 96 * HOUR_MS);
  expect(later[0]?.start).toBe(at("2026-03-10T23:00:00Z"));
});

test("a new price of the service replaces the stored one, without duplicates and unnecessary writes", () => {
  const memory = new Memory();
  const past = new PlaceHistory(memory, calendar);
  past.joined("cabin", "a", hours(0, 4), START);
  const changed = hours(2, 4).map((point) => ({ ...point, price: 9 }));
  for (let i = 0; i < 3; i++)
    expect(past.joined("cabin", "a", changed, START).map(({ price }) => price)).toEqual([0, 1, 9, 9, 9, 9]);
  expect(memory.writes).toBe(2);
});

test("another series of the same place starts without history, and without a response there are no prices", () => {
  const past = new PlaceHistory(new Memory(), calendar);
  past.joined("cabin", "a", hours(0, 4), START);
  expect(past.joined("cabin", "b", hours(2, 1), START).map(({ price }) => price)).toEqual([2]);
  expect(past.joined("cabin", "b", [], START)).toEqual([]);
});
