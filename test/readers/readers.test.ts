import { expect, test } from "vitest";
import { readers, readingOf } from "./readers.ts";

test.each(readers)("$name gets the right price for each step, also on days with a clock change", (reader) => {
  const { right, all, wrong } = readingOf(reader);
  expect(wrong).toBeNull();
  expect(all).toBeGreaterThan(3_000);
  expect(right).toBe(all);
});
