import { expect, test } from "vitest";
import { SERVICE_ZONE } from "../../src/core/time/calendar.ts";
import { formatInstant, HOUR_MS } from "../../src/core/time/interval.ts";
import { type OperationId, operationOf } from "../../src/service/contract/operations.ts";
import { ask } from "../support/service/service-caller.ts";
import { futureRange, thirdPartyValues, todayRange } from "./looked-at.ts";
import {
  calendar,
  dataAt,
  expectAscending,
  expectError,
  expectFits,
  type ServiceUnderTest,
  SMALL_RANGE,
  STRANGER,
  startsOf,
} from "./service-expectations.ts";

/** Tests the responses of the selected operations. */
export function dataRules(get: () => ServiceUnderTest, operations: readonly OperationId[]): void {
  if (operations.includes("addresses")) addressRules(get);
  if (operations.includes("prices")) priceRules(get);
  if (operations.includes("forecastPrices")) forecastRules(get);
  danishOnlyRules(get, operations);
  thirdPartyRules(get, operations);
}

function addressRules(get: () => ServiceUnderTest): void {
  test("addresses have every field of the document and contain the Danish one", async () => {
    const answer = await ask(get(), "addresses");
    await expectFits("addresses", answer);
    const danish = answer.json.data.find(({ id }: { id: string }) => id === get().danishAddressId);
    expect(danish.region).toMatch(/^DK[12]$/);
    expect(danish.timeZone).toBe(SERVICE_ZONE);
    expect(danish.capabilities.prices).toBe(true);
  });
}

function priceRules(get: () => ServiceUnderTest): void {
  const pricesOfToday = async (resolution: string) => {
    const day = calendar.day(dataAt(get()));
    const range = todayRange(dataAt(get()));
    const answer = await ask(get(), "prices", { addressId: get().danishAddressId, ...range, resolution });
    expect(answer.status).toBe(200);
    return { day, json: answer.json };
  };

  test("hourly prices of today cover the local day", async () => {
    const { day, json } = await pricesOfToday("hour");
    expect(json).toMatchObject({ currency: "DKK", vatIncluded: true, resolution: "hour" });
    expect(startsOf(json)).toEqual(calendar.boundaries("hour", day).slice(0, -1));
  });

  test("quarter-hour prices of today cover the local day", async () => {
    const { day, json } = await pricesOfToday("fifteenMinutes");
    expect(startsOf(json)).toEqual(calendar.boundaries("fifteenMinutes", day).slice(0, -1));
  });

  test("a range without prices is an empty 200", async () => {
    const range = futureRange(dataAt(get()));
    const answer = await ask(get(), "prices", { addressId: get().danishAddressId, ...range, resolution: "hour" });
    expect(answer.status).toBe(200);
    expect(answer.json.data).toEqual([]);
  });
}

function forecastRules(get: () => ServiceUnderTest): void {
  test("a forecast is hourly, estimated, has no range and starts no earlier than the current hour", async () => {
    const answer = await ask(get(), "forecastPrices", { addressId: get().danishAddressId });
    expect(answer.status).toBe(200);
    await expectFits("forecastPrices", answer);
    expect(answer.json).toMatchObject({ resolution: "hour", isEstimate: true, vatIncluded: true, currency: "DKK" });
    expect(answer.json).not.toHaveProperty("from");
    expect(answer.json).not.toHaveProperty("to");
    expectAscending({ ...answer.json, from: formatInstant(Math.floor(dataAt(get()) / HOUR_MS) * HOUR_MS) }, "hour");
  });

  test("a forecast rejects an unknown address", async () => {
    expectError(await ask(get(), "forecastPrices", { addressId: STRANGER }), 404, "resource_not_found");
    expectError(await ask(get(), "forecastPrices", { addressId: "x" }), 400, "invalid_parameter");
  });
}

function danishOnlyRules(get: () => ServiceUnderTest, operations: readonly OperationId[]): void {
  for (const operation of ["consumptionCosts", "solarExportRevenue"] as const) {
    if (!operations.includes(operation)) continue;
    test(`${operation} of a Swedish address: 422 feature_unavailable`, async ({ skip }) => {
      const addressId = get().swedishAddressId ?? skip("this account has no Swedish address");
      const answer = await ask(get(), operation, { addressId, ...SMALL_RANGE, aggregation: "hour" });
      expectError(answer, 422, "feature_unavailable");
    });
  }
}

function thirdPartyRules(get: () => ServiceUnderTest, operations: readonly OperationId[]): void {
  for (const operation of operations) {
    const values = thirdPartyValues[operation];
    if (!values) continue;
    test(`${operation} has a response in the document's format`, async () => {
      get().rest?.();
      const answer = await ask(get(), operation, values);
      expect(answer.status).toBe(200);
      await expectFits(operation, answer);
      if (operation === "regionPrices") for (const point of answer.json) expect(point).not.toHaveProperty("charges");
    });
    const required = Object.keys(values).find((name) => name in operationOf(operation).inQuery);
    if (!required) continue;
    test(`${operation} without ${required} is rejected with a 4xx`, async () => {
      const { [required]: _, ...rest } = values;
      const { status } = await ask(get(), operation, rest);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    });
  }
}
