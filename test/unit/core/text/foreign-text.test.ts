import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textIn } from "../../../../src/core/language/text.ts";
import {
  type ForeignSource,
  foreignSources,
  foreignValue,
  readForeign,
} from "../../../../src/core/text/foreign-text.ts";
import { longDeviceList } from "../../../support/plugs/long-device-list.ts";

const sources = Object.keys(foreignSources) as ForeignSource[];

/** Returns why a text is not read; null if it is. */
function whyNot(source: ForeignSource, text: string): string | null {
  const reading = readForeign(source, text);
  return reading.kind === "mistake" ? textIn("en", reading.why) : null;
}

const keys = (count: number) => Array.from({ length: count }, (_, i) => `"k${i.toString(36)}":1`);

describe("JSON of others", () => {
  test.each([
    '{"data":[{"start":"2026-01-01T00:00:00Z","price":1.5,"isEstimate":false}]}',
    `${"[".repeat(32)}1${"]".repeat(32)}`,
    `{"text":"${"[{,:".repeat(2_000)}"}`,
    String.raw`{"text":"a \" quote [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[ \\","b":1}`,
    '{"a":{"a":{"a":1}},"1":2}',
    "null",
  ])("is read within the budget: %#", (text) => {
    for (const source of sources) expect(foreignValue(source, text)).toEqual(JSON.parse(text));
  });

  test.each(sources)("that is not JSON is a mistake, for instance of %s", (source) => {
    for (const text of ["", "{", '{"open":"text', "]]]]]]]]]]", '":,":,', "\ud800"])
      expect(whyNot(source, text)).toBe("not JSON");
  });

  test.each(sources)(
    "is not parsed when it is longer, deeper or has more values and keys than %s may send",
    (source) => {
      const { length, values } = foreignSources[source];
      expect(whyNot(source, `"${"a".repeat(length)}"`)).toBe(`${length + 2} characters instead of at most ${length}`);
      expect(whyNot(source, "[".repeat(33))).toMatch(/^more than the expected 32 levels of lists .* at character 32$/);
      expect(whyNot(source, '{"a":'.repeat(33))).toMatch(/^more than the expected 32 levels .* at character 160$/);
      const many = `[${"1,".repeat(values)}1]`;
      expect(whyNot(source, many)).toMatch(many.length > length ? /characters/ : /^more than the expected \d+ values/);
    },
  );

  test("is not parsed when it would need more memory than its source has", () => {
    const objects = Array.from({ length: 249_000 }, (_, i) => `{"k${i.toString(36)}":1}`);
    const shapes = {
      "one object with many keys": `{${keys(300_000).join(",")}}`,
      "objects of different keys": `[${objects.join(",")}]`,
      "lists in lists": `[${`${"[".repeat(30)}${"]".repeat(30)},`.repeat(6_000)}1]`,
      "empty objects": `[${"{},".repeat(190_000)}1]`,
      "objects whose keys are numbers": `[${'{"35":1},'.repeat(100_000)}1]`,
      "escaped numbers as keys": `[${String.raw`{"\u00335":1},`.repeat(100_000)}1]`,
    };
    for (const [name, text] of Object.entries(shapes))
      for (const source of ["home_assistant", "devices"] as const)
        expect(whyNot(source, text), name).toMatch(/^more than the expected 14 MB of memory at character \d+$/);
  });

  test("of any form is a value or a mistake, and never an exception", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      fc.string({ unit: fc.constantFrom(...'[]{},:"\\1a ') }),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom(...sources), (text, source) => {
        const reading = readForeign(source, text);
        if (reading.kind === "value") expect(reading.value).toEqual(JSON.parse(text));
        else expect(textIn("da", reading.why)).not.toContain("{");
      }),
    );
  });
});

describe("a long text of a real house is read", () => {
  test("a year of quarter-hours with nine fields", () => {
    const rows = Array.from({ length: 366 * 96 }, (_, i) => {
      const [start, end] = [new Date(i * 900_000).toISOString(), new Date((i + 1) * 900_000).toISOString()];
      const price = Math.sin(i);
      return {
        start,
        end,
        price,
        spot: price / 2,
        charges: price / 3,
        vat: price / 5,
        unit: "kWh",
        note: null,
        isEstimate: false,
      };
    });
    expect(whyNot("service", JSON.stringify({ currency: "DKK", data: rows }))).toBeNull();
  });

  test("the devices of a bridge with 120 devices, 755 kB", () => {
    const list = longDeviceList(120, 755_000);
    expect(list.length).toBeGreaterThanOrEqual(755_000);
    expect(foreignValue("devices", list)).toHaveLength(120);
  });
});
