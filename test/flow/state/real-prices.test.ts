import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { Charges, VAT_FACTOR } from "../../../src/simulator/market/charges.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { haveRealPrices, REAL_PRICES, type RealPrice, readRealPrices } from "../../support/plans/real-prices.ts";

const QUARTER_MS = 15 * 60_000;
/** Local midnight at which the market's quarter-hourly prices start. */
const FIRST_QUARTER_HOURS = Date.parse("2025-09-30T22:00:00Z");
const calendar = serviceCalendar();

/** Local days near which a daemon runs, and the number of quarters of the middle day. */
const stretches = [
  {
    name: "the 23-hour day 2025-03-30",
    from: "2025-03-29T20:00:00Z",
    to: "2025-03-31T02:00:00Z",
    day: "2025-03-30T10:00:00Z",
    quarters: 92,
  },
  {
    name: "the move to quarter-hours 2025-10-01",
    from: "2025-09-30T18:00:00Z",
    to: "2025-10-02T02:00:00Z",
    day: "2025-10-01T10:00:00Z",
    quarters: 96,
  },
  {
    name: "the 25-hour day 2025-10-26",
    from: "2025-10-25T20:00:00Z",
    to: "2025-10-27T02:00:00Z",
    day: "2025-10-26T10:00:00Z",
    quarters: 100,
  },
];

describe.skipIf(!haveRealPrices)("real prices (../shared/data; skipped if it is absent)", () => {
  for (const { name, from, to, day, quarters } of stretches) {
    test(`${name}: every published price equals the file's with charges, in its own interval`, async () => {
      const prices = readRealPrices();
      const csv = readFileSync(REAL_PRICES, "utf8");
      await using daemon = await TestDaemon.start({
        start: Date.parse(from),
        simulator: { prices: { csv }, homes: ["danish"] },
      });
      const { clock, watcher } = daemon;
      let published = 0;
      for (let at = Date.parse(from); at < Date.parse(to); at += QUARTER_MS) {
        await clock.runUntil(at);
        await watcher.until(
          () => Date.parse(String(watcher.json("elbro/home/price/state").start)) === at,
          `the price of ${new Date(at).toISOString()}`,
        );
        const state = watcher.json("elbro/home/price/state");
        expect(state).toMatchObject({ end: isoOf(at + QUARTER_MS), estimate: false, currency: "DKK" });
        expect(state.price).toBeCloseTo(withCharges(prices, at), 5);
        await watcher.until(
          () => Number(watcher.payload("elbro/home/price")) === state.price,
          "the same price as a plain number",
        );
        if (at === Date.parse(day)) {
          const prices = watcher.json("elbro/home/prices");
          expect(prices.today).toHaveLength(quarters);
          expect(prices.quarters_repeat_hours).toBe(at < FIRST_QUARTER_HOURS);
        }
        published++;
      }
      expect(published).toBe((Date.parse(to) - Date.parse(from)) / QUARTER_MS);
      expect(daemon.simulator.answered().filter(({ status }) => status === 429)).toEqual([]);
    });
  }
});

/** Returns the price for the simulator's Danish home, calculated from the file's line. */
function withCharges(prices: readonly RealPrice[], at: number): number {
  const price = prices.find(({ start, end }) => start <= at && at < end);
  if (!price) throw new Error(`the file has no price for ${isoOf(at)}`);
  const tariffs = new Charges(calendar).at("DK1", at).filter(({ kind }) => kind === "tariff");
  return (price.spotPerKwh + tariffs.reduce((sum, tariff) => sum + tariff.price, 0)) * VAT_FACTOR;
}

function isoOf(at: number): string {
  return new Date(at).toISOString().replace(".000Z", "Z");
}
