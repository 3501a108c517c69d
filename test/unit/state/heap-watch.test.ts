import { expect, test } from "vitest";
import { heapFlagsFor } from "../../../src/core/status/heap-size.ts";
import { Problems } from "../../../src/core/status/problem.ts";
import { HeapWatch } from "../../../src/state/heap-watch.ts";
import { NODE_FLAGS } from "../../support/processes/node-flags.ts";

function problemsOf(limitMb: number, homes: readonly number[]) {
  const problems = new Problems(() => undefined);
  const watch = new HeapWatch(limitMb);
  for (const count of homes) watch.report(problems, count, 0);
  return problems.list();
}

test("a thousand homes in the memory for ten are a problem whose advice names the flags", () => {
  expect(problemsOf(67, [1_000])).toMatchObject([
    {
      code: "memory_too_small",
      detail: "1000 homes need 312 MB; the limit of Node is 67 MB",
      advice: expect.stringContaining('NODE_OPTIONS="--max-semi-space-size=8 --max-old-space-size=312"'),
    },
  ]);
});

test("the problem ends with fewer homes", () => {
  expect(problemsOf(67, [1_000, 10])).toEqual([]);
});

test("npm start has the heap flags for ten homes", () => {
  expect(NODE_FLAGS.join(" ")).toBe(heapFlagsFor(10));
});
