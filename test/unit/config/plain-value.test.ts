import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { plainValue } from "../../../src/config/plain-value.ts";

describe("a value that is read without YAML is the one that YAML reads", () => {
  test.each([
    "0",
    "1883",
    "-1",
    "0.6",
    "12.50",
    "true",
    "false",
    '[{"name":"a","key":"b"}]',
    "[]",
    '{ "a": [1, 2.5] }',
  ])("%s", (text) => {
    expect(plainValue(text)).toEqual(parse(text));
    expect(plainValue(text)).not.toBeUndefined();
  });

  test.each([
    "",
    "007",
    "1e3",
    "0x10",
    "1_000",
    "True",
    "yes",
    "null",
    "eighty",
    "[{ name: a }]",
    "{a: b}",
    " 1",
    "+1",
    "1.",
  ])("%j is left to YAML", (text) => {
    expect(plainValue(text)).toBeUndefined();
  });

  test("any text: the same, or left to YAML", () => {
    const texts = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.double({ noNaN: true }).map(String),
      fc.integer().map(String),
      fc.json(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const plain = plainValue(text);
        if (plain !== undefined) expect(plain).toEqual(parse(text));
      }),
      { numRuns: 2_000 },
    );
  });
});
