/** Requests of the test suite for each operation, so that a store can be filled with them first. */

import type { CalendarUnit } from "../../src/core/time/calendar.ts";
import { DAY_MS, type EpochMs, formatInstant } from "../../src/core/time/interval.ts";
import { type OperationId, operationIds, operationOf } from "../../src/service/contract/operations.ts";
import { latestEnd } from "../../src/service/contract/range.ts";
import { calendar, type ServiceUnderTest, SMALL_RANGE } from "./service-expectations.ts";

type Values = Readonly<Record<string, string>>;

/** Range around the 25-hour day in autumn. Neither end is at the boundary of an hour or a quarter hour. */
export const UNEVEN_RANGE = { from: "2025-10-25T22:20:00Z", to: "2025-10-26T22:50:00.5Z" };

const AARHUS = { latitude: "56.16", longitude: "10.2" };

/** Third-party operations with their parameters. */
export const thirdPartyValues: Partial<Record<OperationId, Values>> = {
  regionPrices: { region: "DK1" },
  locationPrices: AARHUS,
  addressSuggestions: { query: "Vesterbrogade 1" },
  addressPrices: { addressId: "0a3f50a0-0000-32b8-e044-0003ba298018" },
  charges: { ...AARHUS, date: "2025-10-25T12:00:00Z" },
  chargesHistory: { ...AARHUS, fromDate: "2025-01-01" },
  requestCounts: {},
};

/** Returns the range from 12 days ago until now. */
export function recentRange(now: EpochMs): { readonly from: string; readonly to: string } {
  return { from: formatInstant(calendar.add("day", calendar.startOf("day", now), -12)), to: formatInstant(now) };
}

/** Range without prices, because it is in the future. */
export function futureRange(now: EpochMs): { readonly from: string; readonly to: string } {
  return { from: formatInstant(now + 60 * DAY_MS), to: formatInstant(now + 61 * DAY_MS) };
}

/** Today in the service's calendar. */
export function todayRange(now: EpochMs): { readonly from: string; readonly to: string } {
  const { start, end } = calendar.day(now);
  return { from: formatInstant(start), to: formatInstant(end) };
}

/** Returns the longest range of a unit of an operation; null without a cap. */
export function longestRange(
  operation: OperationId,
  unit: string,
): { readonly start: EpochMs; readonly end: EpochMs } | null {
  const cap = operationOf(operation).range?.caps[unit];
  if (!cap) return null;
  // Caps in days start on the 23-hour day in spring, to detect code that counts hours instead of days.
  const begin = Date.parse(cap.unit === "day" ? "2025-03-29T23:00:00Z" : "2019-12-31T23:00:00Z");
  const start = calendar.startOf(unit as CalendarUnit, begin);
  return { start, end: calendar.startOf(unit as CalendarUnit, latestEnd(start, cap, calendar)) };
}

/** One valid request of each operation, with typical values. */
export function representative(service: ServiceUnderTest, operation: OperationId): Values {
  const { interface: face, range } = operationOf(operation);
  if (face === "thirdParty") return thirdPartyValues[operation] ?? {};
  if (operation === "addresses") return {};
  const { danishAddressId: addressId } = service;
  return range ? { addressId, ...SMALL_RANGE, [range.unitFrom]: "hour" } : { addressId };
}

/** Returns all requests of the suite that have data as response. */
export function lookedAt(service: ServiceUnderTest): { readonly operation: OperationId; readonly values: Values }[] {
  const { now, danishAddressId: addressId } = service;
  return operationIds.flatMap((operation) => {
    const { range } = operationOf(operation);
    if (!range) return [{ operation, values: representative(service, operation) }];
    const ranges = (unit: string) => {
      const longest = longestRange(operation, unit);
      return [
        ...[SMALL_RANGE, UNEVEN_RANGE, recentRange(now)],
        ...(longest ? [{ from: formatInstant(longest.start), to: formatInstant(longest.end) }] : []),
        ...(operation === "prices" ? [todayRange(now), futureRange(now)] : []),
      ];
    };
    return Object.keys(range.caps).flatMap((unit) =>
      ranges(unit).map((asked) => ({ operation, values: { addressId, ...asked, [range.unitFrom]: unit } })),
    );
  });
}
