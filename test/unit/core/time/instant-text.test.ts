import fc from "fast-check";
import { expect, test } from "vitest";
import { readInstantSeconds } from "../../../../src/core/time/instant-text.ts";
import { formatInstant } from "../../../../src/core/time/interval.ts";

/** The first second of the year 0 and the last of 9999: the years that a text of 20 characters can name. */
const FIRST_SECOND = Date.parse("0000-01-01T00:00:00Z") / 1_000;
const LAST_SECOND = Date.parse("9999-12-31T23:59:59Z") / 1_000;
const anySecond = fc.integer({ min: FIRST_SECOND, max: LAST_SECOND });

test("an instant is read as Date writes it", () => {
  fc.assert(
    fc.property(fc.oneof(anySecond, fc.constantFrom(FIRST_SECOND, LAST_SECOND, -1, 0)), (seconds) => {
      expect(readInstantSeconds(formatInstant(seconds * 1_000))).toBe(seconds);
    }),
    { numRuns: 2_000 },
  );
});

test("every day from 1896 to 2105 is read", () => {
  for (let at = Date.UTC(1896, 0, 1); at < Date.UTC(2105, 0, 1); at += 86_400_000) {
    const text = formatInstant(at);
    if (readInstantSeconds(text) !== at / 1_000) expect(text).toBe("read");
  }
});

test.each([
  "2026-02-29T00:00:00Z",
  "2100-02-29T00:00:00Z",
  "2026-04-31T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-00-01T00:00:00Z",
  "2026-01-00T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2026-01-01T00:60:00Z",
  "2026-01-01T00:00:60Z",
  "2026-01-01 00:00:00Z",
  "2026-01-01T00:00:00z",
  "2026-1-001T00:00:00Z",
  "2026-01-01T00:00:0 Z",
  "2026-01-01T00:00:00.000Z",
  "2026-01-01T01:00:00+01:00",
  "+02026-01-01T00:00:00Z",
  "",
])('"%s" is not in the form of the service', (text) => {
  expect(readInstantSeconds(text)).toBeNull();
});
