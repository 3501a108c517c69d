import { expect } from "vitest";
import type { CalendarUnit } from "../../src/core/time/calendar.ts";
import type { EpochMs } from "../../src/core/time/interval.ts";
import { readAnswer } from "../../src/service/contract/answer.ts";
import { type ErrorCode, isErrorCode } from "../../src/service/contract/errors.ts";
import type { OperationId } from "../../src/service/contract/operations.ts";
import { serviceCalendar } from "../../src/service/service-calendar.ts";
import type { Callable, ServiceAnswer } from "../support/service/service-caller.ts";
import type { Differences } from "./differences.ts";

export interface ServiceUnderTest extends Callable, AsyncDisposable {
  /** Address in DK1 or DK2 with prices and all other data. */
  readonly danishAddressId: string;
  /** Address in SE3 or SE4, if the account has one. */
  readonly swedishAddressId?: string;
  /** The server's time, which only `rest` changes. Its quota must allow a few hundred requests at this time. */
  readonly now: EpochMs;
  /** Time at which its data was last equal to the service's; `now` if absent. */
  readonly dataAt?: EpochMs;
  readonly differences?: Differences;
  /** Lets time pass, if repeated wrong keys or third-party requests would be rejected. */
  readonly rest?: () => void;
  /** Response to every valid request if there is no data. */
  readonly insteadOfData?: { readonly status: number; readonly code: ErrorCode } | null;
}

/** Returns the time of the data. */
export function dataAt(service: ServiceUnderTest): EpochMs {
  return service.dataAt ?? service.now;
}

/** Expects data, or the response in place of data. */
export function expectOpened({ insteadOfData }: ServiceUnderTest, answer: ServiceAnswer): void {
  if (insteadOfData) expectError(answer, insteadOfData.status, insteadOfData.code);
  else expect(answer.status).toBe(200);
}

export const calendar = serviceCalendar();

/** Address that no account of these tests has. */
export const STRANGER = "00000000-0000-4000-8000-000000000000";

/** Range within every cap, on the 25-hour day in autumn 2025. */
export const SMALL_RANGE = { from: "2025-10-25T22:00:00Z", to: "2025-10-26T23:00:00Z" };

export function expectError(answer: ServiceAnswer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.json?.errorCode }).toEqual({ status, code });
  expect(answer.json.error).toBe(true);
  expect(answer.json.reason).toBeTypeOf("string");
  expect(isErrorCode(answer.json.errorCode)).toBe(true);
}

export async function expectFits(operation: OperationId, answer: ServiceAnswer): Promise<void> {
  expect(await readAnswer(operation, answer.json, async () => undefined)).toMatchObject({ kind: "body" });
}

export function expectAscending(
  json: { from?: string; to?: string; data: { start: string; end: string }[] },
  unit: string,
): void {
  let before = json.from === undefined ? -Infinity : Date.parse(json.from);
  for (const row of json.data) {
    const start = Date.parse(row.start);
    expect(start).toBeGreaterThanOrEqual(before);
    before = Date.parse(row.end);
    expect(before).toBe(calendar.next(unit as CalendarUnit, start));
    expect(calendar.startOf(unit as CalendarUnit, start)).toBe(start);
    expect(row.start.endsWith("Z") && row.end.endsWith("Z")).toBe(true);
  }
  if (json.to !== undefined) expect(before).toBeLessThanOrEqual(Date.parse(json.to));
}

export function startsOf(json: { data: { start: string }[] }): EpochMs[] {
  return json.data.map(({ start }) => Date.parse(start));
}
