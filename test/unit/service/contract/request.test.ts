import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CalendarUnit } from "../../../../src/core/time/calendar.ts";
import type { ErrorCode } from "../../../../src/service/contract/errors.ts";
import {
  type OperationId,
  operationIds,
  operationOf,
  type ParamsOf,
} from "../../../../src/service/contract/operations.ts";
import { type RequestText, readRequest, writeRequest } from "../../../../src/service/contract/request.ts";
import { serviceCalendar } from "../../../../src/service/service-calendar.ts";
import { ADDRESS_ID } from "../../../fixtures/answers.ts";

const calendar = serviceCalendar();
const path = { addressId: ADDRESS_ID };
const good = "from=2026-10-24T22:00:00Z&to=2026-10-25T23:00:00Z";

function read(id: OperationId, query: string, inPath: RequestText["path"] = path) {
  return readRequest(id, { path: inPath, query: new URLSearchParams(query) }, calendar);
}

function refusal(code: ErrorCode, reason: string) {
  return { kind: "error", code, reason };
}

describe("a valid request", () => {
  test("a valid request is returned with its range expanded to whole units", () => {
    expect(read("consumption", "from=2026-10-25T00:30:00Z&to=2026-10-25T00:31:00.5Z&aggregation=day")).toEqual({
      kind: "params",
      params: {
        addressId: ADDRESS_ID,
        from: Date.UTC(2026, 9, 24, 22),
        to: Date.UTC(2026, 9, 25, 23),
        aggregation: "day",
      },
    });
  });

  test("a valid request may contain unknown parameters in any order", () => {
    expect(read("prices", `colour=red&resolution=hour&${good}&aggregation=week`).kind).toBe("params");
  });

  test("a valid request may contain a UUID in upper case, which is returned in lower case", () => {
    const upper = { addressId: ADDRESS_ID.toUpperCase() };
    expect(read("forecastPrices", "", upper)).toEqual({ kind: "params", params: { addressId: ADDRESS_ID } });
  });

  test("to the third-party interface may contain a date, read as midnight UTC, and omit the end", () => {
    expect(read("chargesHistory", "latitude=56.1&longitude=10.2&fromDate=2026-01-01", {})).toEqual({
      kind: "params",
      params: { latitude: 56.1, longitude: 10.2, fromDate: Date.UTC(2026, 0, 1) },
    });
  });
});

describe("the third-party interface", () => {
  test.each([
    ["2026-01-01T10:30", Date.UTC(2026, 0, 1, 10, 30)],
    ["2026-01-01T10", Date.UTC(2026, 0, 1, 10)],
    ["2026-01-01T10:30:15", Date.UTC(2026, 0, 1, 10, 30, 15)],
    ["2026-01-01T10:30:15,25", Date.UTC(2026, 0, 1, 10, 30, 15, 250)],
    ["2026-01-01T10:30%2B01", Date.UTC(2026, 0, 1, 9, 30)],
    ["2026-01-01T10:30:00-0130", Date.UTC(2026, 0, 1, 12)],
    ["2026-01-01t10:30z", Date.UTC(2026, 0, 1, 10, 30)],
  ])("the third-party interface accepts the ISO 8601 date %s, in UTC without a zone", (date, at) => {
    expect(read("chargesHistory", `latitude=56.1&longitude=10.2&fromDate=${date}`, {})).toMatchObject({
      params: { fromDate: at },
    });
  });

  test.each(["2026-13-01", "2026-01-01T24", "2026-01-01T10:3", "2026-01-01Z", "2026-02-30T10:00"])(
    "the third-party interface rejects the date %s",
    (date) => {
      expect(read("chargesHistory", `latitude=1&longitude=1&fromDate=${date}`, {})).toMatchObject({
        code: "invalid_parameter",
      });
    },
  );

  test("the third-party interface accepts a coordinate with an exponent", () => {
    expect(read("locationPrices", "latitude=5.61e1&longitude=-1E-7", {})).toMatchObject({
      params: { latitude: 56.1, longitude: -1e-7 },
    });
    for (const latitude of ["9.1e1", "1e400", "1e", "e1", "1e1.5"])
      expect(read("locationPrices", `latitude=${latitude}&longitude=1`, {}).kind).toBe("error");
  });
});

test("start and end of a range below a millisecond are expanded outward", () => {
  const range = (from: string, to: string) => read("consumption", `from=${from}&to=${to}&aggregation=hour`);
  expect(range("2026-01-01T10:00:00.0001Z", "2026-01-01T11:00:00.0000001Z")).toMatchObject({
    params: { from: Date.UTC(2026, 0, 1, 10), to: Date.UTC(2026, 0, 1, 12) },
  });
  expect(range("2026-01-01T10:00:00.0001Z", "2026-01-01T10:00:00.0002Z")).toMatchObject({
    params: { to: Date.UTC(2026, 0, 1, 11) },
  });
  expect(range("2026-01-01T10:00:00Z", "2026-01-01T11:00:00.0000Z")).toMatchObject({
    params: { to: Date.UTC(2026, 0, 1, 11) },
  });
});

describe("invalid_parameter", () => {
  const instant = "is not an RFC 3339 date-time with Z or a numeric offset";
  test.each<[OperationId, string, string]>([
    ["prices", `${good}`, "resolution is missing"],
    ["prices", `${good}&resolution=`, "resolution is empty"],
    ["prices", `${good}&resolution=hour&resolution=hour`, "resolution was given 2 times; expected once"],
    ["prices", `${good}&resolution=Hour`, "resolution is not one of hour, fifteenMinutes"],
    ["prices", `${good}&resolution=day`, "resolution is not one of hour, fifteenMinutes"],
    ["consumption", `${good}&aggregation=fifteenMinutes`, "aggregation is not one of hour, day, month, year"],
    ["consumption", `${good}&resolution=hour`, "aggregation is missing"],
    ["consumption", "aggregation=hour&to=2026-10-25T23:00:00Z", "from is missing"],
    ["consumption", "aggregation=hour&from=2026-10-25T23:00:00Z", "to is missing"],
    ["consumption", `${good}&from=2026-10-24T22:00:00Z&aggregation=hour`, "from was given 2 times; expected once"],
    ["consumption", "from=yesterday&to=2026-10-25T23:00:00Z&aggregation=hour", `from "yesterday" ${instant}`],
    [
      "consumption",
      "from=2026-10-25T00:00:00+02:00&to=2026-10-25T23:00:00Z&aggregation=hour",
      'from "2026-10-25T00:00:00 02:00" has a space where a sign should be; write the + of an offset as %2B',
    ],
    ["locationPrices", "latitude=56.1", "longitude is missing"],
    ["locationPrices", "latitude=90.1&longitude=10", "latitude is not a number of degrees between -90 and 90"],
    ["locationPrices", "latitude=north&longitude=10", "latitude is not a number of degrees between -90 and 90"],
    ["locationPrices", "latitude=1&longitude=-180.01", "longitude is not a number of degrees between -180 and 180"],
    ["locationPrices", "latitude=1&longitude=0x10", "longitude is not a number of degrees between -180 and 180"],
    ["charges", "latitude=1&longitude=1", "date is missing"],
    ["chargesHistory", "latitude=1&longitude=1&fromDate=2026-01-01&toDate=", "toDate is empty"],
    ["chargesHistory", "latitude=1&longitude=1&fromDate=2026", `fromDate "2026" ${instant}`],
  ])("%s?%s: %s", (id, query, reason) => {
    expect(read(id, query)).toEqual(refusal("invalid_parameter", reason));
  });

  test.each<[OperationId, Record<string, string>, string]>([
    ["forecastPrices", { addressId: "home" }, "addressId is not a UUID"],
    ["forecastPrices", {}, "addressId is missing"],
    ["regionPrices", { region: "" }, "region is missing"],
    ["addressPrices", { addressId: ".." }, "addressId is a path step (. or ..), not a text"],
    ["addressSuggestions", { query: "a".repeat(201) }, "query is longer than 200 characters"],
  ])("%s with the path %o: %s", (id, inPath, reason) => {
    expect(read(id, "", inPath)).toEqual(refusal("invalid_parameter", reason));
  });

  test("a + written as %2B is part of the offset", () => {
    const query = "from=2026-10-25T00:00:00%2B02:00&to=2026-10-26T00:00:00%2B01:00&aggregation=hour";
    expect(read("consumption", query)).toMatchObject({ params: { from: Date.UTC(2026, 9, 24, 22) } });
  });
});

describe("a request of any form", () => {
  test("any query gets a result without an exception", () => {
    fc.assert(
      fc.property(fc.constantFrom(...operationIds), fc.webQueryParameters(), fc.string(), (id, query, segment) => {
        const inPath = { addressId: segment, region: segment, query: segment };
        expect(["params", "error"]).toContain(read(id, query, inPath).kind);
      }),
    );
  });

  test("the last and first valid instants get a result", () => {
    const last = "from=2199-12-31T00:00:00Z&to=2199-12-31T23:59:59-23:59";
    for (const aggregation of ["hour", "day", "month", "year"]) {
      expect(read("solarExport", `${last}&aggregation=${aggregation}`).kind).toBe("params");
    }
    const first = "from=1970-01-01T00:00:00%2B23:59&to=1970-01-01T00:00:00Z&aggregation=year";
    expect(read("consumption", first).kind).toBe("params");
  });
});

describe("writeRequest", () => {
  test.each([
    [writeRequest("addresses", {}), "/consumer/v1/me/addresses"],
    [
      writeRequest("prices", { addressId: ADDRESS_ID, from: 0, to: 3_600_000, resolution: "fifteenMinutes" }),
      `/consumer/v1/me/addresses/${ADDRESS_ID}/prices?from=1970-01-01T00%3A00%3A00Z&to=1970-01-01T01%3A00%3A00Z&resolution=fifteenMinutes`,
    ],
    [
      writeRequest("addressSuggestions", { query: "Åvej 1/2 $& 100%?" }),
      suggestionPath("%C3%85vej%201%2F2%20%24%26%20100%25%3F"),
    ],
    [
      writeRequest("locationPrices", { latitude: -1e-7, longitude: 10.2 }),
      "/thirdParty/prices/location?latitude=-0.0000001&longitude=10.2",
    ],
    [
      writeRequest("chargesHistory", { latitude: 56, longitude: 10, fromDate: 0 }),
      "/thirdParty/prices/charges/location/history?latitude=56&longitude=10&fromDate=1970-01-01T00%3A00%3A00Z",
    ],
  ])("%s", (written, expected) => {
    expect(written).toBe(expected);
  });

  test.each(operationIds)("writeRequest writes parameters of %s that readRequest reads unchanged", (id) => {
    fc.assert(
      fc.property(paramsOf(id), (params) => {
        const url = new URL(writeRequest(id, params as ParamsOf<typeof id>), "http://service.test");
        const reading = readRequest(id, { path: pathOf(id, url), query: url.searchParams }, calendar);
        expect(reading).toEqual({ kind: "params", params });
      }),
    );
  });
});

function suggestionPath(encoded: string): string {
  return `/thirdParty/prices/addresses/suggestions/${encoded}`;
}

/** Generates parameters of a request: ranges are already expanded and within every cap. */
function paramsOf(id: OperationId): fc.Arbitrary<Record<string, unknown>> {
  const { inPath, inQuery, range } = operationOf(id);
  const at = fc.integer({ min: 0, max: Date.UTC(2195, 0, 1) });
  const degrees = (most: number) => fc.integer({ min: -most * 1e7, max: most * 1e7 }).map((number) => number / 1e7);
  const text = fc.string({ unit: "binary", minLength: 1, maxLength: 90 }).filter((found) => !/^\.\.?$/.test(found));
  const kinds: Record<string, fc.Arbitrary<unknown>> = {
    uuid: fc.uuid(),
    text,
    instant: at,
    timestamp: at,
    latitude: degrees(90),
    longitude: degrees(180),
    aggregation: fc.constantFrom("hour", "day", "month", "year"),
    resolution: fc.constantFrom("hour", "fifteenMinutes"),
  };
  const entries = Object.entries({ ...inPath, ...inQuery });
  const always = entries.filter(([, kind]) => !kind.endsWith("?")).map(([name, kind]) => [name, kinds[kind]]);
  const sometimes = entries
    .filter(([, kind]) => kind.endsWith("?"))
    .map(([name, kind]) => [name, kinds[kind.slice(0, -1)]]);
  const drawn = fc.tuple(
    fc.record(Object.fromEntries(always)),
    fc.record(Object.fromEntries(sometimes), { requiredKeys: [] }),
  );
  return drawn.map(([needed, optional]) => {
    const params: Record<string, unknown> = { ...needed, ...optional };
    if (!range) return params;
    const unit = params[range.unitFrom] as CalendarUnit;
    const from = calendar.startOf(unit, params.from as number);
    return { ...params, from, to: calendar.next(unit, from) };
  });
}

/** Returns path parameters as a router does: the decoded segments at the placeholders. */
function pathOf(id: OperationId, url: URL): Record<string, string> {
  const names = operationOf(id).path.split("/");
  const found = url.pathname.split("/").map(decodeURIComponent);
  expect(found).toHaveLength(names.length);
  const pairs = names.map((name, i) => [name.slice(1, -1), found[i] ?? "", name.startsWith("{")] as const);
  return Object.fromEntries(pairs.filter(([, , isParameter]) => isParameter));
}
