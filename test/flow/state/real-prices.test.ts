import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { Charges, VAT_FACTOR } from "../../../src/simulator/charges.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { listedPrices } from "../../support/home/listed-prices.ts";
import { askJson, startLocalApi } from "../../support/http/local-api.ts";
import { haveRealPrices, REAL_PRICES, type RealPrice, readRealPrices } from "../../support/plans/real-prices.ts";

/** Address of the simulated home. */
const ADDRESS_ID = "5d0c9f0e-6a1b-4c5e-9b64-1f1f4a7e2d01";
const HOUR_MS = 60 * 60_000;
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

/** What a household of 2025 pays for selling a kWh: grid feed-in, balance and the supplier's fee. */
const DEDUCTIONS = [
  { name: "grid", per_kwh: 0.0125 },
  { name: "balance", per_kwh: 0.0024, until: "2025-10-26" },
  { name: "supplier", per_kwh: 0.02 },
];

/** Real days: with negative prices in the afternoon, with quarter-hours, and of 25 hours, when a deduction ends. */
const exportDays = [
  { name: "the sunny day 2025-05-11", noon: "2025-05-11T10:00:00Z", deducted: 0.0349, rows: 48 * 4 },
  { name: "the windy day 2025-10-04", noon: "2025-10-04T10:00:00Z", deducted: 0.0349, rows: 48 * 4 },
  { name: "the 25-hour day 2025-10-26", noon: "2025-10-26T11:00:00Z", deducted: 0.0325, rows: 49 * 4 },
];

describe.skipIf(!haveRealPrices)("export prices of real days are the spot price minus the deductions", () => {
  test.each(exportDays)("$name: the same list in every format and place", async ({ noon, deducted, rows }) => {
    const start = Date.parse(noon);
    const csv = readFileSync(REAL_PRICES, "utf8");
    const prices = readRealPrices();
    const soldAt = (at: number) => {
      const spot = prices.find((price) => price.start <= at && at < price.end)?.spotPerKwh ?? Number.NaN;
      return spot - deducted;
    };
    await using daemon = await startLocalApi({
      start,
      simulator: { prices: { csv }, homes: ["danish"], publicationDelayMinutes: () => 0 },
      config: {
        homes: [
          { address_id: ADDRESS_ID, id: "home", resolution: "fifteenMinutes", export: { deductions: DEDUCTIONS } },
        ],
        plans: [{ name: "Curtail", home: "home", kind: "below", price: "export", max_price: 0.1 }],
      },
    });
    const afternoon = start + 2 * HOUR_MS;
    await daemon.clock.runUntil(afternoon);
    await daemon.watcher.until(() => daemon.watcher.json("elbro/home/prices").tomorrow_valid === true, "tomorrow");
    const day = calendar.day(start);
    const known = { start: day.start, end: calendar.next("day", day.end) };

    const timeline = await askJson(daemon, "prices?direction=export");
    const told = timeline.prices as { start: string; end: string; price: number; estimate: boolean }[];
    const confirmed = told.filter(({ estimate }) => !estimate);
    expect(confirmed).toHaveLength(rows);
    expect(timeline).toMatchObject({ vat_included: false, currency: "DKK" });
    for (const { start: at, price } of confirmed) expect(price).toBeCloseTo(soldAt(Date.parse(at)), 5);
    // An estimate has the charges of its clock time, so its export price follows from its purchase price.
    const bought = (await askJson(daemon, "prices")).prices as typeof told;
    const charges = new Charges(calendar);
    const estimates = told.filter(({ estimate }) => estimate);
    expect(estimates).toHaveLength(bought.filter(({ estimate }) => estimate).length);
    for (const { start: at, price } of estimates) {
      const lastDay = calendar.timeOnDay(calendar.add("day", known.end, -1), calendar.minuteOfDay(Date.parse(at)));
      const tariffs = charges.at("DK1", lastDay).filter(({ kind }) => kind === "tariff");
      const paid = bought.find((row) => row.start === at)?.price ?? Number.NaN;
      const charged = tariffs.reduce((sum, tariff) => sum + tariff.price, 0) * VAT_FACTOR;
      expect(price).toBeCloseTo((paid - charged) / VAT_FACTOR - deducted, 5);
    }

    const listed = new Map(told.map(({ start: at, price }) => [Date.parse(at), price]));
    for (const format of ["evcc", "emhass", "energidataservice", "nordpool", "predbat", "powersaver"]) {
      const list = listedPrices(format, await askJson(daemon, `formats/${format}?direction=export`));
      expect(list.size).toBeGreaterThan(20);
      // evcc has quarter-hours only, so estimates of an hour have four of them.
      for (const [at, price] of list)
        expect(price).toBe(listed.get(at) ?? listed.get(Math.floor(at / HOUR_MS) * HOUR_MS));
    }
    const attributes = listedPrices("predbat", daemon.watcher.json("elbro/home/export_prices"));
    expect([...attributes.keys()]).toEqual(confirmed.map((row) => Date.parse(row.start)));
    for (const [at, price] of attributes) expect(price).toBeCloseTo(listed.get(at) ?? Number.NaN, 4);
    const state = daemon.watcher.json("elbro/home/state");
    expect([state.export_price, state.export_prices]).toEqual([listed.get(afternoon), listed.get(afternoon)]);

    const plan = daemon.watcher.json("elbro/home/plan/curtail/state") as { runs: { start: string; end: string }[] };
    const isRunning = (at: number) => plan.runs.some((run) => Date.parse(run.start) <= at && at < Date.parse(run.end));
    const restOfDay = confirmed.filter((row) => Date.parse(row.start) >= afternoon && Date.parse(row.start) < day.end);
    for (const { start: at, price } of restOfDay) expect([at, isRunning(Date.parse(at))]).toEqual([at, price <= 0.1]);
  });
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
