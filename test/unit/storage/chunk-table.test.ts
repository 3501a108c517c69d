import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Row, WHOLE } from "../../../src/core/series/series.ts";
import { DAY_MS, HOUR_MS } from "../../../src/core/time/interval.ts";
import {
  chunkDigest,
  deflateText,
  inflateTexts,
  rowsOfText,
  textOfRows,
} from "../../../src/storage/series/chunk-text.ts";
import { SeriesStore } from "../../../src/storage/series/series-store.ts";
import { haveRealPrices, readRealPrices } from "../../support/plans/real-prices.ts";
import { calendar, dayOf, rowsOf, StoreOnDisk, seriesOf } from "../../support/storage/store-on-disk.ts";

const hours = seriesOf("hour");
const envelope = { currency: "DKK" };

describe("stored rows", () => {
  /** JSON values that are easily corrupted: long strings, all Unicode planes, extreme numbers. */
  const anyValue = fc.oneof(
    fc.jsonValue({ depthSize: "small" }),
    fc.constantFrom(1e21, -0, 5e-324, Number.MAX_SAFE_INTEGER, 0.1 + 0.2, 1.7976931348623157e308),
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.string({ unit: "binary", minLength: 1, maxLength: 3 }).map((text) => text.repeat(5_000)),
    fc.constantFrom("\ud800", "\u0000", "\u2028", '"],[{"', "\x1e\n,"),
  );
  const anyRows = fc.array(fc.dictionary(fc.string({ unit: "binary" }), anyValue), { maxLength: 5 });

  test("of any JSON are read back as equal values in the same order", () => {
    using store = new StoreOnDisk();
    store.database.exec("pragma synchronous = off");
    fc.assert(
      fc.property(anyRows, (rows) => {
        const key = seriesOf("latest");
        new SeriesStore(store.database, calendar).store(key, WHOLE, rows, envelope);
        const again = new SeriesStore(store.database, calendar);
        expect(JSON.stringify(again.latest(key))).toBe(JSON.stringify(rows));
        expect(again.json(key, WHOLE, ["[", "]"]).toString()).toBe(JSON.stringify(rows));
      }),
      { numRuns: 100 },
    );
  });

  test("of earlier versions can be read with the current dictionary", () => {
    const text =
      '{"start":"2026-03-27T23:00:00Z","end":"2026-03-28T00:00:00Z","totalPricePerKWh":1.25,"variableChargesPerKWh":null}';
    const stored = Buffer.from("4237cf58d7c83cc4c818bb79c6ba46162896619a67a867648a37d06a01000000ffff", "hex");
    expect(inflateTexts([stored, stored]).map(String)).toEqual([text, text]);
    expect(chunkDigest(29_577_060, { complete: true, estimated: false }, stored)).toBe(1793505645);
  });

  test("with a final block, as the first versions wrote them, are read together with newer ones", () => {
    using store = new StoreOnDisk();
    const range = { start: dayOf("2026-03-27").start, end: dayOf("2026-03-30").end };
    const rows = rowsOf("hour", range);
    new SeriesStore(store.database, calendar).store(hours, range, rows, envelope);
    const [row] = store.database.prepare("select key, rows from chunk order by key limit 1").all();
    const bytes = Buffer.concat([row?.rows as Uint8Array, Buffer.from([3, 0])]);
    const digest = chunkDigest(Number(row?.key), { complete: true, estimated: false }, bytes);
    store.database.prepare("update chunk set rows = ?, digest = ? where key = ?").run(bytes, digest, Number(row?.key));
    const again = new SeriesStore(store.database, calendar);
    expect(again.rows(hours, range)).toEqual(rows);
    expect(again.json(hours, range, ["[", "]"]).toString()).toBe(JSON.stringify(rows));
    expect(again.covers(hours, range)).toBe(true);
  });

  test.runIf(haveRealPrices)("of real prices take at most 12 bytes per row of two values", () => {
    const days = new Map<number, Row[]>();
    for (const { start, end, spotPerKwh } of readRealPrices()) {
      const price = Math.round((spotPerKwh + 0.9) * 1.25 * 1e6) / 1e6;
      const row = { ...rowsOf("hour", { start, end })[0], totalPricePerKWh: price, variableChargesPerKWh: 0.9 };
      const day = Math.floor(start / DAY_MS);
      days.set(day, [...(days.get(day) ?? []), row]);
    }
    let bytes = 0;
    let count = 0;
    for (const rows of days.values()) {
      const text = textOfRows(rows);
      const deflated = deflateText(text);
      expect(inflateTexts([deflated, deflated]).map(rowsOfText)).toEqual([rows, rows]);
      bytes += deflated.length;
      count += rows.length;
    }
    expect(bytes / count).toBeLessThan(12);
  });
});

describe("a damaged chunk", () => {
  const range = { start: dayOf("2026-03-27").start, end: dayOf("2026-03-30").end };
  const rows = rowsOf("hour", range, (start) => Math.round(1e6 * Math.sin(start / HOUR_MS)) / 1e6);
  const second = dayOf("2026-03-28");
  const without = rows.filter((row) => !rowsOf("hour", second).some(({ start }) => start === row.start));

  function stored(): StoreOnDisk {
    const store = new StoreOnDisk();
    new SeriesStore(store.database, calendar).store(hours, range, rows, envelope);
    return store;
  }

  const damages: [string, string][] = [
    ["another text", "rows = (select rows from chunk order by key limit 1)"],
    ["a text that is cut off", "rows = substr(rows, 1, length(rows) - 1)"],
    ["no text", "rows = x''"],
    ["another digest", "digest = digest + 1"],
    ["a complete chunk with the flag of an incomplete one", "complete = 1 - complete"],
    ["the flag of estimates", "estimated = 1 - estimated"],
  ];

  test.each(damages)("with %s counts as not requested, is not returned, and is replaced", (_, change) => {
    using store = stored();
    store.database.exec(`update chunk set ${change} where start_ms = ${second.start}`);
    const seriesStore = new SeriesStore(store.database, calendar);
    expect(seriesStore.covers(hours, range)).toBe(false);
    expect(seriesStore.stateOf(hours).chunk(second.start)).toBeNull();
    expect(seriesStore.newestGap(hours, range)).toEqual(second);
    expect(seriesStore.rows(hours, range)).toEqual(without);
    expect(seriesStore.json(hours, range, ["[", "]"]).toString()).toBe(JSON.stringify(without));
    expect(seriesStore.store(hours, second, rows, envelope).changed).toBe(true);
    expect(seriesStore.covers(hours, range)).toBe(true);
    expect(new SeriesStore(store.reopen(), calendar).rows(hours, range)).toEqual(rows);
  });

  test("under the key of another day is not used for that day", () => {
    using store = stored();
    store.database.exec(`delete from chunk where start_ms = ${second.start}`);
    const next = calendar.next("day", second.start);
    store.database.exec(
      `update chunk set key = key - ((${next - second.start} / 60000) << 20) where start_ms = ${next}`,
    );
    const seriesStore = new SeriesStore(store.database, calendar);
    expect(seriesStore.covers(hours, second)).toBe(false);
    expect(seriesStore.rows(hours, second)).toEqual([]);
  });

  test("that is detected after it was known changes the version of its series once", () => {
    using store = stored();
    const seriesStore = new SeriesStore(store.database, calendar);
    expect(seriesStore.covers(hours, range)).toBe(true);
    const before = seriesStore.versionOf(hours);
    store.database.exec(`update chunk set digest = 0 where start_ms = ${second.start}`);
    expect(seriesStore.rows(hours, range)).toEqual(without);
    const after = seriesStore.versionOf(hours);
    expect(after).not.toBe(before);
    expect(seriesStore.covers(hours, range)).toBe(false);
    seriesStore.rows(hours, range);
    expect(seriesStore.versionOf(hours)).toBe(after);
  });

  test("a damaged chunk is also one with a valid digest and invalid text", () => {
    using store = stored();
    const [row] = store.database.prepare(`select key from chunk where start_ms = ${second.start}`).all();
    const noise = Buffer.from("no deflated text");
    const digest = chunkDigest(Number(row?.key), { complete: true, estimated: false }, noise);
    store.database.prepare("update chunk set rows = ?, digest = ? where key = ?").run(noise, digest, Number(row?.key));
    const seriesStore = new SeriesStore(store.database, calendar);
    expect(seriesStore.json(hours, range, ["[", "]"]).toString()).toBe(JSON.stringify(without));
    expect(seriesStore.rows(hours, range)).toEqual(without);
    expect(seriesStore.covers(hours, range)).toBe(false);
  });
});
