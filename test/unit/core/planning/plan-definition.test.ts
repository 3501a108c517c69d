import { expect, test } from "vitest";
import { circleFrom } from "../../../../src/core/planning/model/plan-definition.ts";

test.each([
  ["a", { a: "b", b: "c" }, null],
  ["a", { a: "b", b: "c", c: "a" }, ["a", "b", "c", "a"]],
  ["a", { a: "a" }, ["a", "a"]],
  // The circle of b and c does not start at a.
  ["a", { a: "b", b: "c", c: "b" }, null],
])("the circle of predecessors from %s in %o is %o", (id, after, circle) => {
  const afterOf = new Map(Object.entries(after));
  expect(circleFrom(id, (each) => afterOf.get(each))).toEqual(circle);
});
