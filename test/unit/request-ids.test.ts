import { expect, test } from "vitest";
import { requestIds } from "../../src/request-ids.ts";

test("ids are UUIDs of version 8 that count", () => {
  const next = requestIds("6f9619ff-8b86-4011-b42d-00cf4fc964ff");
  expect([next(), next()]).toEqual(["6f9619ff-8b86-8011-b42d-000000000001", "6f9619ff-8b86-8011-b42d-000000000002"]);
});

test("another run of the program has others", () => {
  expect(requestIds()().slice(0, 23)).not.toBe(requestIds()().slice(0, 23));
});
