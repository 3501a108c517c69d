import { expect, test } from "vitest";
import { type Row, WHOLE } from "../../../../src/core/series/series.ts";
import {
  type BodyOf,
  type OperationId,
  operationIds,
  type ParamsOf,
} from "../../../../src/service/contract/operations.ts";
import {
  aroundRows,
  operationIdOf,
  paramsOf,
  rangeOf,
  seriesOf,
  takeApart,
} from "../../../../src/service/contract/series-mapping.ts";

const range = { start: Date.UTC(2026, 2, 10), end: Date.UTC(2026, 2, 11) };
const time = { from: range.start, to: range.end };
const usage = { addressId: "a", ...time, aggregation: "hour" } as const;
const at = { latitude: 55.5, longitude: 12 };
const examples: { readonly [Id in OperationId]: ParamsOf<Id> } = {
  addresses: {},
  consumption: usage,
  consumptionCosts: usage,
  solarExport: usage,
  solarExportRevenue: usage,
  prices: { addressId: "a", ...time, resolution: "fifteenMinutes" },
  forecastPrices: { addressId: "a" },
  regionPrices: { region: "DK1" },
  locationPrices: at,
  addressSuggestions: { query: "Street 1" },
  addressPrices: { addressId: "b" },
  charges: { ...at, date: range.start },
  chargesHistory: { ...at, fromDate: range.start },
  requestCounts: {},
};
const documents: readonly OperationId[] = ["charges", "chargesHistory"];
const lists: readonly OperationId[] = [
  "regionPrices",
  "locationPrices",
  "addressSuggestions",
  "addressPrices",
  "requestCounts",
];

test.each(operationIds)(
  "the series of a request of %s names its operation and leads to the same request",
  (operation) => {
    const params = examples[operation];
    const series = seriesOf("consumer", operation, params);
    const hasRange = "from" in params;
    expect(series).toMatchObject({ account: "consumer", operation: operationIdOf(series) });
    expect(series.unit).toBe(hasRange ? (operation === "prices" ? "fifteenMinutes" : "hour") : "latest");
    expect(rangeOf(operation, params)).toEqual(hasRange ? range : WHOLE);
    expect(paramsOf(series, hasRange ? range : undefined)).toEqual(params);
    if (hasRange) expect(paramsOf(series, undefined)).toEqual({ addressId: "a" });
    else expect(paramsOf(series, range)).toEqual(params);
  },
);

test.each(operationIds)("a response of %s that was taken apart is the same when it is put together", (operation) => {
  const rows = [{ start: "2026-03-10T00:00:00Z", value: 1 }, { start: "2026-03-10T01:00:00Z" }];
  const params = examples[operation];
  const own = {
    ...("addressId" in params ? { addressId: params.addressId } : {}),
    ...("from" in params ? { from: "2026-03-10T00:00:00Z", to: "2026-03-11T00:00:00Z" } : {}),
  };
  const isDocument = documents.includes(operation);
  const bodies: unknown[] = isDocument
    ? [rows[0]]
    : lists.includes(operation)
      ? [rows, []]
      : [
          { ...own, currency: "DKK", data: rows },
          { ...own, data: [] },
        ];
  for (const body of bodies) {
    const { rows: parts, envelope } = takeApart(operation, body as BodyOf<OperationId>);
    expect(Object.keys(envelope)).toEqual(
      isDocument || Array.isArray(body) || !("currency" in Object(body)) ? [] : ["currency"],
    );
    const [head, tail] = aroundRows(operation, params, envelope);
    expect(`${head}${parts.map((row: Row) => JSON.stringify(row)).join(",")}${tail}`).toBe(JSON.stringify(body));
  }
});

test("a series of an operation that the contract does not have is an error with its name", () => {
  const series = { account: "consumer", place: "", operation: "gone", unit: "latest" } as const;
  expect(() => paramsOf(series, undefined)).toThrow(new TypeError("the service has no operation gone"));
});
