import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endpoints } from "../../../src/api/endpoints.ts";
import { jsonSchema } from "../../../src/api/openapi/openapi-operation.ts";
import { hours, price } from "../../../src/api/parameters.ts";

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

/** Every kind of parameter with a pattern, once. */
const patterns = new Map(
  endpoints.flatMap(({ params }) =>
    Object.values(params).flatMap((schema) => {
      const { pattern } = jsonSchema(schema);
      return typeof pattern === "string" ? [[pattern, schema] as const] : [];
    }),
  ),
);

/** Texts that a device may send as a time, a duration or an id. */
const written = fc.stringMatching(/^[0-9]{0,3}[.:hm]?[0-9]{0,3}[hm]?[0-9a-z_]{0,2}m?$/);

describe("the schema of a parameter equals its parser:", () => {
  test.each([...patterns])("%s: a matching text is parsed", (pattern, schema) => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(pattern, "u")), (text) => {
        // No pattern can express the maximum of a day.
        const isLong =
          pattern === jsonSchema(hours).pattern &&
          (Number.parseFloat(text) > 24 || !/[1-9]/.test(text) || /\d{4}|h\d{2}/.test(text));
        fc.pre(!isLong);
        expect(schema.safeParse(text).success, text).toBe(true);
      }),
    );
  });

  test.each([...patterns])("%s: a parsed text matches", (_, schema) => {
    const fits = ajv.compile(jsonSchema(schema));
    fc.assert(
      fc.property(written, (text) => !schema.safeParse(text).success || fits(text)),
      { numRuns: 2_000 },
    );
  });

  test("an empty text is not a duration", () => {
    expect([ajv.validate(jsonSchema(hours), ""), hours.safeParse("").success]).toEqual([false, false]);
  });

  test("a price can have any notation of a number", () => {
    const { minimum = 0, maximum = 0 } = jsonSchema(price) as { minimum?: number; maximum?: number };
    fc.assert(
      fc.property(fc.double({ min: minimum, max: maximum, noNaN: true }), (value) => {
        expect(price.parse(String(value))).toBe(value + 0);
      }),
    );
    expect(price.parse("1e-07")).toBe(1e-7);
  });
});
