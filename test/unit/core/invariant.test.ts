import { expect, test } from "vitest";
import { InvariantError, invariant } from "../../../src/core/invariant.ts";

test("a promise that holds has no effect, and narrows the type", () => {
  const price: number | null = [1.5, null][0] ?? null;
  invariant(price !== null, "a price is known");
  expect(price.toFixed(1)).toBe("1.5");
});

test("a promise that does not hold throws an error that names it", () => {
  const broken = () => invariant(false, "a request has a permit");
  expect(broken).toThrow(InvariantError);
  expect(broken).toThrow("invariant: a request has a permit");
});
