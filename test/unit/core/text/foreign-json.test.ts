import { describe, expect, test } from "vitest";
import { flawOf } from "../../../../src/core/text/foreign-json.ts";

const flaw = (text: string) => flawOf(Buffer.from(text));

describe("JSON from other programs, before it is parsed,", () => {
  test.each([
    '{"data":[{"start":"2026-01-01T00:00:00Z","price":1.5,"isEstimate":false}]}',
    `${"[".repeat(32)}1${"]".repeat(32)}`,
    `{"text":"${"[{,".repeat(400_000)}"}`,
    String.raw`{"text":"a \" quote [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[ \\","b":1}`,
    '{"open":"text',
    "",
  ])("JSON from other programs, before it is parsed, is accepted within the limits: %#", (text) => {
    expect(flaw(text)).toBeNull();
  });

  test("JSON from other programs, before it is parsed, is rejected with 33 levels of lists or objects", () => {
    expect(flaw("[".repeat(33))).toBe("is nested more than 32 deep");
    expect(flaw('{"a":'.repeat(33))).toBe("is nested more than 32 deep");
  });

  test.each(["[],", '{"a":1},', "1,"])(
    "JSON from other programs, before it is parsed, is rejected with 600,000 values of %j",
    (value) => {
      expect(flaw(`[${value.repeat(600_000)}1]`)).toBe("has more than 500000 values");
    },
  );
});
