import fc from "fast-check";
import { expect, test } from "vitest";
import { freeSlug, slugOf } from "../../../../src/core/text/slug.ts";

test.each([
  ["Home", "home"],
  ["Sommerhus Rågeleje", "sommerhus_raageleje"],
  ["Ærø / Ørsted — Ålborg", "aeroe_oersted_aalborg"],
  ["A\u030Alborg", "aalborg"],
  ["Café Über-Straße 12, 2. th.", "cafe_ueber_strasse_12_2_th"],
  ["__x__", "x"],
  ["東京", "home"],
  ["  ", "home"],
  ["", "home"],
])('slugOf("%s") is %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test("slugOf returns a valid topic level for any name, and does not change a slug", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (name) => {
      const slug = slugOf(name);
      expect(slug).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/);
      expect(slugOf(slug)).toBe(slug);
    }),
    { numRuns: 1_000 },
  );
});

test("freeSlug returns the next free number for a taken slug", () => {
  expect(freeSlug("home", new Set())).toBe("home");
  expect(freeSlug("home", new Set(["home"]))).toBe("home_2");
  expect(freeSlug("home", new Set(["home", "home_2", "home_4"]))).toBe("home_3");
});
