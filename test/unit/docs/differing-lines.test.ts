import { expect, test } from "vitest";
import { expectLines } from "../../support/golden/differing-lines.ts";

test("a file that differs is an error with its line, the differing lines, and the command", () => {
  expect(() => expectLines("a.txt", "one\ntwo\nthree", "one\n2\nthree", "npm run docs")).toThrow(
    "a.txt:2 is not what the code writes. If it should be: npm run docs\n- 2: two\n+ 2: 2",
  );
  expect(() => expectLines("a.txt", "one\ntwo", "two\none", "npm run docs")).toThrow("a.txt:1 is not");
  expect(() => expectLines("a.txt", "one", "one", "npm run docs")).not.toThrow();
});
