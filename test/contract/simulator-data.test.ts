/** Tests the data of the simulator's responses and its changes over time. */
import { expect, test } from "vitest";
import { DAY_MS, formatInstant, HOUR_MS } from "../../src/core/time/interval.ts";
import { operationIds } from "../../src/service/contract/operations.ts";
import { ask } from "../support/service/service-caller.ts";
import { hours, startAt } from "../support/service/standing-simulator.ts";
import { expectError, expectFits } from "./service-expectations.ts";

const NOON = Date.UTC(2026, 5, 10, 12);

test("prices of tomorrow appear when published, and the forecast then starts a day later", async () => {
  await using started = await startAt(Date.UTC(2026, 5, 10, 10, 59), { publicationDelayMinutes: () => 0 });
  const { simulator, service, time } = started;
  const addressId = simulator.addressIds.danish;
  const tomorrow = { from: "2026-06-10T22:00:00Z", to: "2026-06-11T22:00:00Z", resolution: "hour" };
  expect((await ask(service, "prices", { addressId, ...tomorrow })).json.data).toEqual([]);
  expect((await ask(service, "forecastPrices", { addressId })).json.data[0].start).toBe("2026-06-10T22:00:00Z");
  time.now = Date.UTC(2026, 5, 10, 11, 0);
  const published = await ask(service, "prices", { addressId, ...tomorrow });
  expect(published.json.data).toHaveLength(24);
  expect((await ask(service, "forecastPrices", { addressId })).json.data[0].start).toBe("2026-06-11T22:00:00Z");
});

test.each([
  ["2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", 23, 92],
  ["2026-04-28T22:00:00Z", "2026-04-29T22:00:00Z", 24, 96],
  ["2025-10-25T22:00:00Z", "2025-10-26T23:00:00Z", 25, 100],
])("the local day from %s to %s has %i hours and %i quarters", async (from, to, hourCount, quarterCount) => {
  await using started = await startAt(NOON);
  const asked = { addressId: started.simulator.addressIds.swedish, from, to };
  expect((await ask(started.service, "prices", { ...asked, resolution: "hour" })).json.data).toHaveLength(hourCount);
  const quarters = (await ask(started.service, "prices", { ...asked, resolution: "fifteenMinutes" })).json;
  expect(quarters.data).toHaveLength(quarterCount);
  expect(quarters.currency).toBe("SEK");
});

test("costs and revenue are consistent in every row, and rates are null for zero energy", async () => {
  await using started = await startAt(NOON);
  const addressId = started.simulator.addressIds.danish;
  const asked = { addressId, ...hours(NOON - 60 * DAY_MS, NOON) };
  const revenue = (await ask(started.service, "solarExportRevenue", asked)).json;
  const costs = (await ask(started.service, "consumptionCosts", asked)).json;
  expect(revenue).toMatchObject({ currency: "DKK", vatIncluded: false });
  let nulls = 0;
  for (const row of [...revenue.data, ...costs.data]) {
    const amount =
      row.netRevenue === undefined
        ? row.totalCost - row.fixedFeesForInterval
        : row.netRevenue + row.fixedFeesForInterval;
    if (row.energyKWh === 0) nulls++;
    if (row.energyKWh === 0) expect(row.totalPricePerKWh).toBeNull();
    else expect(row.totalPricePerKWh).toBeCloseTo(amount / row.energyKWh, 5);
  }
  expect(nulls).toBeGreaterThan(100);
  expect(revenue.data.some((row: { netRevenue: number }) => row.netRevenue < 0)).toBe(true);
});

test("costs equal consumption times the confirmed price of the hour", async () => {
  await using started = await startAt(NOON);
  const asked = { addressId: started.simulator.addressIds.danish, ...hours(NOON - 20 * DAY_MS, NOON - 15 * DAY_MS) };
  const costs = (await ask(started.service, "consumptionCosts", asked)).json.data;
  const consumption = (await ask(started.service, "consumption", asked)).json.data;
  const prices = (await ask(started.service, "prices", { ...asked, resolution: "hour" })).json.data;
  const priceAt = new Map(
    prices.map((row: { start: string; totalPricePerKWh: number }) => [row.start, row.totalPricePerKWh]),
  );
  const energies = (rows: { start: string; energyKWh: number }[]) =>
    rows.map(({ start, energyKWh }) => [start, energyKWh]);
  expect(energies(costs)).toEqual(energies(consumption));
  expect(costs.length).toBeGreaterThan(100);
  for (const row of costs)
    if (row.energyKWh > 0.05) expect(row.totalPricePerKWh).toBeCloseTo(Number(priceAt.get(row.start)), 4);
});

test("consumption arrives a day later with estimates, and becomes final", async () => {
  await using started = await startAt(NOON);
  const { simulator, service, time } = started;
  const day = { from: "2026-06-08T22:00:00Z", to: "2026-06-09T22:00:00Z" };
  const ofDay = async (aggregation: string) =>
    (await ask(service, "consumption", { addressId: simulator.addressIds.danish, ...day, aggregation })).json.data;
  time.now = Date.UTC(2026, 5, 9, 21, 59);
  expect(await ofDay("hour")).toEqual([]);
  time.now = NOON;
  const estimated = await ofDay("hour");
  expect(estimated.some(({ isEstimate }: { isEstimate: boolean }) => isEstimate)).toBe(true);
  expect((await ofDay("day"))[0].isEstimate).toBe(true);
  time.now = NOON + 6 * DAY_MS;
  const final = await ofDay("hour");
  expect(final.some(({ isEstimate }: { isEstimate: boolean }) => isEstimate)).toBe(false);
  expect((await ofDay("day"))[0].isEstimate).toBe(false);
  expect(final).not.toEqual(estimated);
});

test("a restart returns the same data", async () => {
  const answers = [];
  for (let run = 0; run < 2; run++) {
    await using started = await startAt(NOON, { seed: 7 });
    const addressId = started.simulator.addressIds.danish;
    const asked = { addressId, ...hours(NOON - 3 * DAY_MS, NOON), resolution: "fifteenMinutes" };
    const of = async (operation: "consumptionCosts" | "prices" | "forecastPrices") =>
      (await ask(started.service, operation, asked)).text;
    answers.push([await of("consumptionCosts"), await of("prices"), await of("forecastPrices")]);
  }
  expect(answers[0]).toEqual(answers[1]);
});

test("a year of hours and all 14 operations are valid by the contract", async () => {
  await using started = await startAt(NOON, { homes: ["danish", "swedish", "norwegian"] });
  const { simulator, service } = started;
  const values = {
    ...hours(NOON - 365 * DAY_MS, NOON),
    resolution: "hour",
    region: "DK2",
    latitude: "55.7",
    longitude: "12.5",
    query: "åboulevarden 2",
    date: "2026-01-15",
    fromDate: "2025-12-01",
  };
  for (const operation of operationIds) {
    const answer = await ask(service, operation, { ...values, addressId: simulator.addressIds.danish });
    expect([operation, answer.status]).toEqual([operation, 200]);
    await expectFits(operation, answer);
  }
});

test("the Norwegian address has prices in NOK, no forecast, and no other data", async () => {
  await using started = await startAt(NOON, { homes: ["norwegian"] });
  const asked = {
    addressId: started.simulator.addressIds.norwegian,
    ...hours(NOON - DAY_MS, NOON),
    resolution: "hour",
  };
  expect((await ask(started.service, "prices", asked)).json.currency).toBe("NOK");
  for (const operation of [
    "consumption",
    "solarExport",
    "consumptionCosts",
    "solarExportRevenue",
    "forecastPrices",
  ] as const)
    expectError(await ask(started.service, operation, asked), 422, "feature_unavailable");
});

test("third-party prices are spot prices by region, with charges and colours at a place that has charges", async () => {
  await using started = await startAt(NOON);
  const { service } = started;
  const currentHour = formatInstant(Math.floor(NOON / HOUR_MS) * HOUR_MS);
  const region = (await ask(service, "regionPrices", { region: "DK1" })).json;
  const place = (await ask(service, "locationPrices", { latitude: "56.16", longitude: "10.2" })).json;
  const lund = (await ask(service, "locationPrices", { latitude: "55.7", longitude: "13.19" })).json;
  expect(region[0]).toEqual({ date: currentHour, price: expect.any(Number) });
  expect(place).toHaveLength(region.length);
  expect(new Set(place.map(({ color }: { color: string }) => color))).toEqual(new Set(["green", "yellow", "red"]));
  expect(place[0].price).toBeCloseTo(region[0].price * 1.25 + place[0].charges, 5);
  expect(lund[0]).not.toHaveProperty("charges");
  expect((await ask(service, "regionPrices", { region: "DK9" })).status).toBe(404);
  expect((await ask(service, "locationPrices", { latitude: "0", longitude: "0" })).status).toBe(404);
});

test("an address is found in two steps, or in one by an id of the national register", async () => {
  await using started = await startAt(NOON);
  const suggestions = (await ask(started.service, "addressSuggestions", { query: "strandvejen 12, 8000" })).json;
  expect(suggestions[0]).toMatchObject({
    suggestion: "Strandvejen 12, 8000 Aarhus C",
    zipCode: "8000",
    city: "Aarhus C",
  });
  const pricesOf = async (addressId: string) => (await ask(started.service, "addressPrices", { addressId })).json;
  expect((await pricesOf(suggestions[0].id))[0]).toMatchObject({ charges: expect.any(Number) });
  expect((await pricesOf("0a3f50a0-1234-32b8-e044-0003ba298018"))[0]).toMatchObject({ price: expect.any(Number) });
  expect((await ask(started.service, "addressSuggestions", { query: "Nowhere 1" })).json).toEqual([]);
  expect((await ask(started.service, "addressPrices", { addressId: "nowhere" })).status).toBe(404);
});

test("the history of charges contains those valid in the range, with a second entry after a change", async () => {
  await using started = await startAt(NOON);
  const asked = { latitude: "56.16", longitude: "10.2", fromDate: "2025-12-01" };
  const history = (await ask(started.service, "chargesHistory", asked)).json;
  expect(history).toMatchObject({ from: "2025-12-01T00:00:00Z", to: formatInstant(NOON) });
  const tax = history.tariffs.filter(({ name }: { name: string }) => name === "Elafgift");
  expect(tax.map(({ from, price }: { from: string; price: object }) => [from, price])).toEqual([
    ["2024-12-31T23:00:00Z", { static: { price: 0.9 } }],
    ["2025-12-31T23:00:00Z", { static: { price: 0.01 } }],
  ]);
  const then = (await ask(started.service, "charges", { ...asked, date: "2025-12-01T17:30:00Z" })).json;
  expect(then.tariffs).toContainEqual(expect.objectContaining({ name: "Nettarif C spidslast 17-21" }));
  expect(then.tariffs).toContainEqual(expect.objectContaining({ name: "Elafgift", price: 0.9 }));
});
