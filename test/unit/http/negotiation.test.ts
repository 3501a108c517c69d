import { describe, expect, test } from "vitest";
import { codingsFor, holdsTag } from "../../../src/http/negotiation.ts";

describe("accepted encodings, the best first:", () => {
  test.each([
    [undefined, ["identity"]],
    ["", ["identity"]],
    ["gzip", ["gzip", "identity"]],
    ["x-gzip", ["gzip", "identity"]],
    ["GZIP", ["gzip", "identity"]],
    ["gzip, deflate, br", ["br", "gzip", "identity"]],
    ["gzip, deflate, br, zstd", ["br", "gzip", "identity"]],
    ["br;q=0.5, gzip;q=0.8", ["gzip", "br", "identity"]],
    ["br ; q=0.5,gzip ; q=0.8", ["gzip", "br", "identity"]],
    ["gzip;q=0", ["identity"]],
    ["gzip;q=0.000, br", ["br", "identity"]],
    ["identity", ["identity"]],
    ["identity;q=1, gzip;q=0.5", ["identity", "gzip"]],
    ["identity;q=0, gzip", ["gzip"]],
    ["*", ["br", "gzip", "identity"]],
    ["*;q=0", ["identity"]],
    ["*;q=0, gzip", ["gzip"]],
    ["gzip, *;q=0.1", ["gzip", "br", "identity"]],
    ["br;q=0, *", ["gzip", "identity"]],
    ["deflate", ["identity"]],
    ["zstd;q=1, identity;q=0", ["identity"]],
    ["gzip;q=2", ["identity"]],
    ["gzip;level=9", ["identity"]],
    [",, gzip ,", ["gzip", "identity"]],
    [`gzip,${"x,".repeat(5_000)}`, ["identity"]],
  ])("%o", (header, expected) => {
    expect(codingsFor(header)).toEqual(expected);
    // The second time it comes from the cache.
    expect(codingsFor(header)).toEqual(expected);
  });
});

describe("holdsTag", () => {
  test.each([
    [undefined, false],
    ["", false],
    ['"a"', true],
    ['W/"a"', true],
    ['"b"', false],
    ['"b", "a"', true],
    ['"b","c" ,\t W/"a"', true],
    ['"b, "a"', true],
    ["*", true],
    [" * ", true],
    ['"*"', false],
    ["a", false],
    ['"A"', false],
    ['"a', false],
    ['"a-br"', false],
    ['"ba"', false],
    [`"a"${',"b"'.repeat(2_000)}`, false],
  ])("%s: %s", (header, expected) => expect(holdsTag(header, '"a"')).toBe(expected));
});
