import fc from "fast-check";
import { expect, test } from "vitest";
import { isNewer, releasedVersion } from "../../../../src/core/status/release-update.ts";

test.each([
  ["v1.2.0", "1.2.0"],
  ["1.10.0", "1.10.0"],
  ["v1.2.0-beta.1", null],
  ["latest", null],
  ["1.2", null],
  ["v1.2.0\n", null],
])("the tag %j is the version %j", (tag, version) => expect(releasedVersion(tag)).toBe(version));

test("of two versions at most one is newer, by number and not by letter", () => {
  expect(isNewer("1.10.0", "1.9.9")).toBe(true);
  const version = fc.tuple(fc.nat(40), fc.nat(40), fc.nat(40));
  fc.assert(
    fc.property(version, version, (a, b) => {
      const [x, y] = [a.join("."), b.join(".")];
      const order = a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
      expect([isNewer(x, y), isNewer(y, x)]).toEqual([order > 0, order < 0]);
    }),
  );
});
