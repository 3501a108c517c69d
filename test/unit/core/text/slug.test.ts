import fc from "fast-check";
import { expect, test } from "vitest";
import { freeId, freeSlug, RESERVED_IDS, slugOf } from "../../../../src/core/text/slug.ts";

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

test("freeId returns a short id that is no topic of elbro's own, for any name", () => {
  expect(freeId("plug", new Set())).toBe("plug_2");
  expect(freeId(slugOf("å".repeat(3_000)), new Set())).toBe("aa".repeat(32));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom(...RESERVED_IDS)), (name) => {
      const id = freeId(slugOf(name), new Set(["home"]));
      expect([id.length <= 66, RESERVED_IDS.has(id), id === "home"]).toEqual([true, false, false]);
      expect(id).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/);
    }),
  );
});
