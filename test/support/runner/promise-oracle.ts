/** Fails each test in which a promise of the program did not hold (`invariant`), although the program went on. */
import { afterEach, beforeEach, expect } from "vitest";
import { takeBrokenPromises } from "../daemon/broken-promises.ts";
import { noteTest } from "./current-test.ts";

beforeEach(() => {
  const { testPath, currentTestName } = expect.getState();
  noteTest(`${testPath} ${currentTestName}`);
});

afterEach(() => {
  expect(takeBrokenPromises(), "promises that did not hold").toEqual([]);
});
