import { expect, test } from "vitest";
import { SERVICE_ZONE } from "../../src/core/time/calendar.ts";
import { formatInstant, MINUTE_MS } from "../../src/core/time/interval.ts";
import { type OperationId, operationOf } from "../../src/service/contract/operations.ts";
import { ask, askPath, pathOf } from "../support/service/service-caller.ts";
import { longestRange, recentRange, UNEVEN_RANGE } from "./looked-at.ts";
import {
  dataAt,
  expectAscending,
  expectError,
  expectFits,
  type ServiceUnderTest,
  SMALL_RANGE,
  STRANGER,
} from "./service-expectations.ts";

/** Result of 22:20 to 22:50 UTC near the 25-hour day, which starts at 2025-10-25T22:00Z. */
const expandedOverDst: Readonly<Record<string, { from: string; to: string }>> = {
  fifteenMinutes: { from: "2025-10-25T22:15:00Z", to: "2025-10-26T23:00:00Z" },
  hour: { from: "2025-10-25T22:00:00Z", to: "2025-10-26T23:00:00Z" },
  day: { from: "2025-10-25T22:00:00Z", to: "2025-10-26T23:00:00Z" },
  month: { from: "2025-09-30T22:00:00Z", to: "2025-10-31T23:00:00Z" },
  year: { from: "2024-12-31T23:00:00Z", to: "2025-12-31T23:00:00Z" },
};

type Get = () => ServiceUnderTest;

function asking(get: Get, operation: OperationId) {
  const { range } = operationOf(operation);
  const unitName = range?.unitFrom ?? "";
  const smallest = { [unitName]: "hour" };
  const askWith = (values: Record<string, string>) =>
    ask(get(), operation, { addressId: get().danishAddressId, ...SMALL_RANGE, ...smallest, ...values });
  return { units: Object.keys(range?.caps ?? {}), unitName, smallest, askWith };
}

/** Tests errors of an operation with a range, independent of its data. */
export function parameterRules(get: Get, operation: OperationId): void {
  const { units, unitName, smallest, askWith } = asking(get, operation);

  test.each([
    ["from is missing", (query: URLSearchParams) => query.delete("from")],
    ["to is missing", (query: URLSearchParams) => query.delete("to")],
    [`${unitName} is missing`, (query: URLSearchParams) => query.delete(unitName)],
    ["from is empty", (query: URLSearchParams) => query.set("from", "")],
    ["from is given twice", (query: URLSearchParams) => query.append("from", SMALL_RANGE.from)],
    [`${unitName} is given twice`, (query: URLSearchParams) => query.append(unitName, "hour")],
    [`${unitName} is unknown`, (query: URLSearchParams) => query.set(unitName, "week")],
    [`${unitName} is in capitals`, (query: URLSearchParams) => query.set(unitName, "HOUR")],
    ["from is a date alone", (query: URLSearchParams) => query.set("from", "2025-10-25")],
    ["from has no offset", (query: URLSearchParams) => query.set("from", "2025-10-25T22:00:00")],
    ["from is a day that does not exist", (query: URLSearchParams) => query.set("from", "2025-02-30T00:00:00Z")],
    ["to is not a time", (query: URLSearchParams) => query.set("to", "tomorrow")],
  ])("%s: 400 invalid_parameter", async (_, spoil) => {
    const [path = "", text] = pathWith(get(), operation, { ...SMALL_RANGE, ...smallest }).split("?");
    const query = new URLSearchParams(text);
    spoil(query);
    const answer = await askPath(get().url, `${path}?${query}`, `Bearer ${get().consumerKey}`);
    expectError(answer, 400, "invalid_parameter");
  });

  test("an address id that is not a UUID: 400 invalid_parameter", async () => {
    expectError(await askWith({ addressId: "home" }), 400, "invalid_parameter");
  });

  test("a range whose end is not after its start: 400 invalid_range", async () => {
    expectError(await askWith({ to: SMALL_RANGE.from }), 400, "invalid_range");
    expectError(await askWith({ from: SMALL_RANGE.to, to: SMALL_RANGE.from }), 400, "invalid_range");
  });

  test("a parameter is checked before the range, and the range before its length", async () => {
    expectError(await askWith({ to: SMALL_RANGE.from, [unitName]: "week" }), 400, "invalid_parameter");
    expectError(await askWith({ from: "2030-01-01T00:00:00Z", to: "2020-01-01T00:00:00Z" }), 400, "invalid_range");
  });

  test("parameters are checked before the address", async () => {
    expectError(await askWith({ addressId: STRANGER, [unitName]: "week" }), 400, "invalid_parameter");
  });

  test("a + that arrives as a space is rejected with the advice to write %2B", async () => {
    const path = pathWith(get(), operation, { ...SMALL_RANGE, ...smallest });
    const raw = path.replace(/from=[^&]*/, "from=2025-10-26T00:00:00+02:00");
    const answer = await askPath(get().url, raw, `Bearer ${get().consumerKey}`);
    expectError(answer, 400, "invalid_parameter");
    expect(answer.json.reason).toContain("%2B");
  });

  for (const unit of units) {
    const longest = longestRange(operation, unit);
    if (!longest) continue;
    test(`a range by ${unit} with one ${unit} too many: 400 range_too_large`, async () => {
      const from = formatInstant(longest.start);
      const tooLong = { from, to: formatInstant(longest.end + MINUTE_MS), [unitName]: unit };
      expectError(await askWith(tooLong), 400, "range_too_large");
    });
  }
}

/** Tests the responses of an operation with a range. */
export function rangeRules(get: Get, operation: OperationId): void {
  const { units, unitName, askWith } = asking(get, operation);

  test("an unknown address: 404 resource_not_found", async () => {
    expectError(await askWith({ addressId: STRANGER }), 404, "resource_not_found");
  });

  test("offsets, fractions of a second and lower-case letters are accepted", async () => {
    for (const from of ["2025-10-26T00:00:00+02:00", "2025-10-25T22:00:00.000Z", "2025-10-25t22:00:00z"]) {
      const { status, json } = await askWith({ from });
      expect(status).toBe(200);
      expect(json.from ?? SMALL_RANGE.from).toBe(SMALL_RANGE.from);
    }
  });

  test.each(units.map((unit) => [unit, expandedOverDst[unit]] as const))(
    "a range of %s is expanded to whole intervals of the Copenhagen calendar",
    async (unit, expected) => {
      const { status, json } = await askWith({
        ...UNEVEN_RANGE,
        [unitName]: unit,
      });
      expect(status).toBe(200);
      expect({ from: json.from, to: json.to }).toEqual(expected);
      expect(json[unitName]).toBe(unit);
      expect(json.timeZone).toBe(SERVICE_ZONE);
      expect(json.addressId ?? get().danishAddressId).toBe(get().danishAddressId);
    },
  );

  test("rows ascend within the range, each with the length of its unit", async () => {
    for (const unit of units) {
      const answer = await askWith({ ...recentRange(dataAt(get())), [unitName]: unit });
      expect(answer.status).toBe(200);
      await expectFits(operation, answer);
      expectAscending(answer.json, unit);
    }
  });

  for (const unit of units) {
    const longest = longestRange(operation, unit);
    if (!longest) continue;
    test(`the longest range by ${unit} is accepted`, async () => {
      const range = { from: formatInstant(longest.start), to: formatInstant(longest.end) };
      expect((await askWith({ ...range, [unitName]: unit })).status).toBe(200);
    });
  }
}

function pathWith(service: ServiceUnderTest, operation: OperationId, query: Record<string, string>): string {
  return pathOf(operation, { addressId: service.danishAddressId, ...query });
}
