import fc from "fast-check";
import { expect, test } from "vitest";
import { readVlq, writeVlq } from "../../src/core/vlq.ts";

const number = fc.oneof(
  fc.integer({ min: -(2 ** 30), max: 2 ** 30 }),
  fc.integer({ min: -40, max: 40 }),
  fc.constantFrom(0, -1, 2 ** 30, -(2 ** 30), 2 ** 29),
);

test("numbers come back one after the other, from any place in a text", () => {
  fc.assert(
    fc.property(fc.array(number), (numbers) => {
      const reader = { text: `x${numbers.map(writeVlq).join("")}`, at: 1 };
      expect(numbers.map(() => readVlq(reader))).toEqual(numbers.map((value) => value + 0));
      expect(reader.at).toBe(reader.text.length);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  [0, "A"],
  [-1, "D"],
  [15, "e"],
  [16, "gB"],
  [-16, "hB"],
  [900, "o4B"],
  [3_600, "ghH"],
])("%i is %s, as in a source map", (value, text) => {
  expect(writeVlq(value)).toBe(text);
});

test.each([
  ["g", "its end"],
  ["", "its end"],
  ["g~", "~"],
  ["gø", "ø"],
])('"%s" is refused', (text, found) => {
  expect(() => readVlq({ text, at: 0 })).toThrow(`a chunk has "${found}" where a digit belongs`);
});
