/** Fails each test in which a promise of the program did not hold (`invariant`), although the program went on. */
import { afterEach, expect } from "vitest";
import { takeBrokenPromises } from "../daemon/broken-promises.ts";

afterEach(() => {
  expect(takeBrokenPromises(), "promises that did not hold").toEqual([]);
});
