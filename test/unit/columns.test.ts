import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CHUNK_SEPARATOR, decodeRows, encodeRows, readColumns } from "../../src/core/columns.ts";
import { writingRowsJson } from "../../src/core/columns-json.ts";
import { DAY_MS, formatInstant, HOUR_MS, QUARTER_MS } from "../../src/core/interval.ts";
import type { Row } from "../../src/core/series.ts";
import { haveRealPrices, readRealPrices } from "../support/real-prices.ts";
import { rowsJson } from "../support/rows-json.ts";

const YEAR_2025_MS = Date.UTC(2025, 0, 1);

/** Rows as the service could send them: what JSON can say. */
const anyRows = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 6 }).map(asSent);
const instant = fc.integer({ min: -1e9, max: 5e9 }).map((seconds) => formatInstant(seconds * 1_000));
const decimal = fc
  .tuple(fc.integer({ min: -(2 ** 31), max: 2 ** 31 }), fc.integer({ min: 0, max: 8 }))
  .map(([n, digits]) => n / 10 ** digits);
const cell = fc.oneof(
  instant,
  decimal,
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string(),
);
/** Rows of one shape, by column: each column of one kind, as in a series. */
const evenRows = fc
  .tuple(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 5 }), fc.integer({ min: 0, max: 30 }))
  .chain(([names, count]) => {
    const kinds = [instant, decimal, fc.option(decimal), fc.boolean(), fc.constant(null), cell];
    const column = fc.oneof(
      ...kinds.map((kind) => fc.array(kind as fc.Arbitrary<unknown>, { minLength: count, maxLength: count })),
      cell.map((value) => new Array<unknown>(count).fill(value)),
    );
    return fc
      .tuple(...names.map(() => column))
      .map((columns) =>
        asSent(
          Array.from({ length: count }, (_, i) => Object.fromEntries(names.map((name, c) => [name, columns[c]?.[i]]))),
        ),
      );
  });

function asSent(rows: readonly object[]): Row[] {
  return JSON.parse(JSON.stringify(rows)) as Row[];
}

function jsonOf(chunks: readonly string[]): string {
  return new TextDecoder().decode(rowsJson({ head: "[", rows: chunks.join(CHUNK_SEPARATOR), tail: "]" }));
}

/** A day of the real prices as the service would send them, with charges and VAT in the price. */
function realPriceRows(): Row[][] {
  const days = new Map<string, Row[]>();
  for (const { start, end, spotPerKwh } of readRealPrices()) {
    const price = Math.round((spotPerKwh + 0.9) * 1.25 * 1e6) / 1e6;
    const row = {
      start: formatInstant(start),
      end: formatInstant(end),
      totalPricePerKWh: price,
      variableChargesPerKWh: null,
    };
    const day = formatInstant(start).slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  return [...days.values()];
}

describe("rows by column", () => {
  test("any JSON objects come back as they were, in the order of their fields", () => {
    fc.assert(
      fc.property(fc.oneof(anyRows, evenRows), (rows) => {
        expect(JSON.stringify(decodeRows(encodeRows(rows)))).toBe(JSON.stringify(rows));
      }),
      { numRuns: 800 },
    );
  });

  test("the JSON written from columns is the JSON of the rows", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyRows, evenRows), { maxLength: 4 }), (chunks) => {
        expect(jsonOf(chunks.map(encodeRows))).toBe(JSON.stringify(chunks.flat()));
      }),
      { numRuns: 800 },
    );
  });

  test("also where neighbours of one shape differ in more than numbers", () => {
    expect(jsonOf([[{ a: 1 }], [{ a: 12 }], [{ a: 1 }]].map(encodeRows))).toBe('[{"a":1},{"a":12},{"a":1}]');
    const kinds = [instant, decimal, fc.option(decimal), fc.boolean(), fc.constant(null), cell];
    const column = (count: number) =>
      fc.oneof(
        ...kinds.map((kind) => fc.array(kind as fc.Arbitrary<unknown>, { minLength: count, maxLength: count })),
        cell.map((value) => new Array<unknown>(count).fill(value)),
      );
    const rows = fc
      .integer({ min: 1, max: 3 })
      .chain((count) => fc.tuple(column(count), column(count)))
      .map(([a, b]) => asSent(a.map((value, i) => ({ a: value, b: b[i] }))));
    fc.assert(
      fc.property(fc.array(rows, { minLength: 2, maxLength: 6 }), (chunks) => {
        expect(jsonOf(chunks.map(encodeRows))).toBe(JSON.stringify(chunks.flat()));
      }),
      { numRuns: 800 },
    );
  });

  test.each([
    ["no rows", []],
    ["rows without fields", [{}, {}]],
    ["a field called __proto__", asSent([JSON.parse('{"__proto__":{"polluted":1},"a":1}') as object])],
    ["fields that are numbers", [{ 2: "b", 1: "a" }]],
    ["unequal fields", [{ a: 1, b: 2 }, { a: 1 }, { b: 2, a: 1 }]],
    ["exponents", [{ a: 1e-7 }, { a: 1e21 }, { a: 5e-324 }, { a: 1.7976931348623157e308 }]],
    ["noise of binary fractions", [{ a: 0.1 + 0.2 }, { a: 1 / 3 }]],
    ["digits that end in zeros", [{ a: 100 }, { a: 0 }, { a: -0.5 }, { a: 0.000001 }, { a: 1200.5 }]],
    ["the largest scaled values side by side", [{ a: 2 ** 29 }, { a: -(2 ** 29) }, { a: 2 ** 29 }]],
    ["nulls between numbers", [{ a: null }, { a: 1.5 }, { a: null }, { a: -2 }]],
    ["nested values", [{ a: { b: [1, null, { c: "x" }] } }, { a: { b: [] } }]],
    ["texts with line ends, quotes, NUL and half surrogates", [{ "a\n\tb": 'x\n"\u0000\ud800' }, { "a\n\tb": "ø€😀" }]],
    ["instants in other forms", [{ start: "2026-01-01T00:00:00+01:00" }, { start: "2026-01-01T00:00:00.5Z" }]],
    ["instants that do not exist", [{ start: "2026-02-30T00:00:00Z" }, { start: "2026-01-01T24:00:00Z" }]],
    ["instants out of order", [{ start: "2026-01-02T00:00:00Z" }, { start: "2026-01-01T00:00:00Z" }]],
    ["instants before 1970", [{ start: "1969-12-31T23:59:59Z" }, { start: "0000-02-29T12:00:00Z" }]],
    ["an end before its start", [{ start: "2026-01-02T00:00:00Z", end: "2026-01-01T00:00:00Z" }]],
  ] as [string, Row[]][])("%s", (_, rows) => {
    const text = encodeRows(rows);
    expect(JSON.stringify(decodeRows(text))).toBe(JSON.stringify(rows));
    expect(jsonOf([text])).toBe(JSON.stringify(rows));
  });

  test.skipIf(!haveRealPrices)(
    "thirteen months of real prices (../shared/data; skipped where absent), under 4.5 characters a value",
    () => {
      const days = realPriceRows();
      const texts = days.map(encodeRows);
      expect(texts.map(decodeRows)).toEqual(days);
      expect(jsonOf(texts)).toBe(JSON.stringify(days.flat()));
      const values =
        texts.join("").length - texts.length * '["start","end","totalPricePerKWh","variableChargesPerKWh"]'.length;
      expect(values / days.flat().length).toBeLessThan(4.5);
    },
  );

  test("a day of quarter-hours is a base, a step and a distance", () => {
    const rows = Array.from({ length: 96 }, (_, i) => ({
      start: formatInstant(YEAR_2025_MS + i * QUARTER_MS),
      end: formatInstant(YEAR_2025_MS + (i + 1) * QUARTER_MS),
      isEstimate: false,
    }));
    expect(encodeRows(rows)).toBe('["start","end","isEstimate"]\n96\nt1735689600;o4B+F\n+o4B\n=false');
  });

  test("the room for a large answer is foreseen after a few days, also when the first of them is short", () => {
    const day = (i: number, hours: number) =>
      encodeRows(
        Array.from({ length: hours }, (_, hour) => ({
          start: formatInstant(YEAR_2025_MS + i * DAY_MS + hour * HOUR_MS),
          end: formatInstant(YEAR_2025_MS + i * DAY_MS + (hour + 1) * HOUR_MS),
          totalPricePerKWh: ((i * hour) % 977) / 1_000,
          variableChargesPerKWh: null,
        })),
      );
    const chunks = Array.from({ length: 366 }, (_, i) => day(i, i === 0 ? 1 : 24));
    const rooms: number[] = [];
    const writing = writingRowsJson({ head: "[", rows: chunks.join(CHUNK_SEPARATOR), tail: "]" }, (count) => {
      rooms.push(count);
      return new Uint8Array(count).fill(63);
    });
    let step = writing.next();
    while (!step.done) step = writing.next();
    expect(new TextDecoder().decode(step.value)).toBe(JSON.stringify(chunks.flatMap(decodeRows)));
    expect([rooms.length, (rooms.at(-1) ?? 0) < 1.05 * step.value.length]).toEqual([2, true]);
  });

  test("a damaged text is refused in words", () => {
    const text = encodeRows([{ a: 1 }, { a: 2 }]);
    expect(() => decodeRows(text.replace("n0", "x0"))).toThrow('a column has the form "x"; expected one of = t + n j');
    expect(() => decodeRows(text.slice(0, text.lastIndexOf("\n")))).toThrow("has 0 columns; expected 1");
    expect(() => decodeRows(text.slice(0, -1))).toThrow("where a digit belongs");
    expect(() => decodeRows('["a"]\n1\n+o4B')).toThrow("leans on instants before it");
  });
});

describe("single fields", () => {
  const rows = Array.from({ length: 3 }, (_, i) => ({
    start: formatInstant(YEAR_2025_MS + i * HOUR_MS),
    energyKWh: i === 1 ? null : i / 2,
  }));

  test("are read by name; a field the rows do not have is null", () => {
    const found = { count: 3, firstStart: YEAR_2025_MS, columns: [[0, null, 1], null] };
    expect(readColumns(encodeRows(rows), ["energyKWh", "totalCost"])).toEqual(found);
  });

  test("are read from plain JSON too", () => {
    const uneven = [...rows, { start: "2025-01-01T03:00:00Z", totalCost: 2 }];
    expect(readColumns(encodeRows(uneven), ["totalCost", "x"])).toEqual({
      count: 4,
      firstStart: YEAR_2025_MS,
      columns: [[undefined, undefined, undefined, 2], null],
    });
  });

  test("of no rows are none", () => {
    expect(readColumns(encodeRows([]), ["a"])).toEqual({ count: 0, firstStart: null, columns: [null] });
  });
});
