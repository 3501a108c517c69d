import { expect } from "vitest";
import { Calendar, type CalendarUnit, SERVICE_ZONE } from "../../src/core/time/calendar.ts";
import type { EpochMs } from "../../src/core/time/interval.ts";
import { readAnswer } from "../../src/service/contract/answer.ts";
import { type ErrorCode, isErrorCode } from "../../src/service/contract/errors.ts";
import type { OperationId } from "../../src/service/contract/operations.ts";
import type { Callable, ServiceAnswer } from "../support/service/service-caller.ts";
import type { Differences } from "./differences.ts";

export interface ServiceUnderTest extends Callable, AsyncDisposable {
  /** An address in DK1 or DK2 that has prices, and all else whose data is looked at. */
  readonly danishAddressId: string;
  /** An address in SE3 or SE4, where the account has one. */
  readonly swedishAddressId?: string;
  /** The server's time, which stands still but for `rest`. Its quota must allow a few hundred requests at this time. */
  readonly now: EpochMs;
  /** When its data was last the service's of then; `now` where absent. */
  readonly dataAt?: EpochMs;
  readonly differences?: Differences;
  /** Lets some time pass, where wrong keys or third-party requests in a row are too much. */
  readonly rest?: () => void;
  /** What every good request is answered with, where there is no data at all. */
  readonly insteadOfData?: { readonly status: number; readonly code: ErrorCode } | null;
}

/** The time of the data. */
export function dataAt(service: ServiceUnderTest): EpochMs {
  return service.dataAt ?? service.now;
}

/** A good request: data, or what there is instead. */
export function expectOpened({ insteadOfData }: ServiceUnderTest, answer: ServiceAnswer): void {
  if (insteadOfData) expectError(answer, insteadOfData.status, insteadOfData.code);
  else expect(answer.status).toBe(200);
}

export const calendar = new Calendar(SERVICE_ZONE);

/** An address that no account of these tests has. */
export const STRANGER = "00000000-0000-4000-8000-000000000000";

/** A range that no cap and no aggregation refuses, over the long day of autumn 2025. */
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
