import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addQuotaHeaders,
  parseQuotaHeaders,
  parseRetryAfterSec,
  type QuotaStanding,
} from "../../../../src/service/contract/quota-headers.ts";

const standing: QuotaStanding = {
  minute: { limit: 60, remaining: 0, resetSec: 1_792_900_860 },
  day: { limit: 2_000, remaining: 1_999, resetSec: 1_792_972_800 },
};

function quotaHeaders(of: QuotaStanding): Record<string, string> {
  const headers = {};
  addQuotaHeaders(headers, of);
  return headers;
}

function lookup(headers: Readonly<Record<string, string>>) {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name: string) => lower.get(name);
}

test("the six headers are written as plain integers", () => {
  expect(quotaHeaders(standing)).toEqual({
    "X-RateLimit-Limit-Minute": "60",
    "X-RateLimit-Remaining-Minute": "0",
    "X-RateLimit-Reset-Minute": "1792900860",
    "X-RateLimit-Limit-Day": "2000",
    "X-RateLimit-Remaining-Day": "1999",
    "X-RateLimit-Reset-Day": "1792972800",
  });
});

test("written headers are parsed to the same values", () => {
  const window = fc
    .record({ remaining: fc.nat(), used: fc.integer({ min: 1, max: 1_000 }), resetSec: fc.nat(4_102_444_800) })
    .map(({ remaining, used, resetSec }) => ({ limit: remaining + used, remaining, resetSec }));
  fc.assert(
    fc.property(fc.record({ minute: window, day: window }), (any) => {
      expect(parseQuotaHeaders(lookup(quotaHeaders(any)))).toEqual(any);
    }),
  );
});

describe("a window with an invalid number is omitted, the other is kept:", () => {
  test.each([
    ["X-RateLimit-Limit-Minute", "0"],
    ["X-RateLimit-Limit-Minute", ""],
    ["X-RateLimit-Limit-Minute", "-60"],
    ["X-RateLimit-Limit-Minute", "60.5"],
    ["X-RateLimit-Limit-Minute", "60, 60"],
    ["X-RateLimit-Remaining-Minute", "-1"],
    ["X-RateLimit-Remaining-Minute", "many"],
    ["X-RateLimit-Remaining-Minute", "0x10"],
    ["X-RateLimit-Remaining-Minute", "1e3"],
    ["X-RateLimit-Reset-Minute", "Sun, 25 Oct 2026 01:01:00 GMT"],
    ["X-RateLimit-Reset-Minute", " 1792900860"],
    ["X-RateLimit-Reset-Minute", "9".repeat(16)],
  ])("%s: %o", (name, value) => {
    expect(parseQuotaHeaders(lookup({ ...quotaHeaders(standing), [name]: value }))).toEqual({ day: standing.day });
  });

  test.each(Object.keys(quotaHeaders(standing)))("without %s", (name) => {
    const { [name]: _, ...others } = quotaHeaders(standing);
    const { minute, day } = standing;
    expect(parseQuotaHeaders(lookup(others))).toEqual(name.endsWith("Day") ? { minute } : { day });
  });

  const NOW = 1_792_900_830_000;
  test.each([
    ["more remains than the limit", { remaining: 61 }],
    ["it ends in the year 5138", { resetSec: 99_999_999_999 }],
    ["it ends after more than its length", { resetSec: NOW / 1_000 + 121 }],
    ["it ended before the response", { resetSec: NOW / 1_000 - 61 }],
  ])("%s", (_, change) => {
    const impossible = { ...standing, minute: { ...standing.minute, ...change } };
    expect(parseQuotaHeaders(lookup(quotaHeaders(impossible)), NOW)).toEqual({ day: standing.day });
  });

  test("without any header", () => {
    expect(parseQuotaHeaders(() => undefined)).toEqual({});
  });
});

test.each([
  ["1", 1],
  ["0060", 60],
  ["86400", 86_400],
  ["0", null],
  ["-1", null],
  ["1.5", null],
  ["", null],
  ["soon", null],
  ["Sun, 25 Oct 2026 01:01:00 GMT", null],
  [undefined, null],
])("Retry-After: %o is %o", (text, seconds) => {
  expect(parseRetryAfterSec(text)).toBe(seconds);
});
