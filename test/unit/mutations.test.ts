import { expect, test } from "vitest";
import { mutationsOf } from "../mutants/mutations.ts";

/** Returns the source with each mutation, one at a time. */
function mutantsOf(source: string): string[] {
  return mutationsOf("a.ts", source).map(
    ({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end),
  );
}

test.each([
  ["export const a = b < 3;", ["export const a = b <= 3;", "export const a = b < 4;"]],
  ["export const a = (b) && (!c);", ["export const a = (b) || (!c);", "export const a = (b) && (c);"]],
  ["export const a = b ? 'c' : d;", ["export const a = b ? d : 'c';"]],
  ["if (a) b(c);", ["if (false) b(c);", "if (a) ;"]],
  ["const A = 10;", ["const A = 20;"]],
  ['this.#log.info({ b: c + 1 }, "d"); log.e(f);', ['this.#log.info({ b: c + 1 }, "d"); ;']],
  ["if (a > b) log.info({}, 'c');", []],
  ["type A = 1 | true; export const a: 2 = b;", []],
])("%s", (source, mutants) => {
  expect(mutantsOf(source)).toEqual(mutants);
});
