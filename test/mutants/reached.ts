/** Setup of the tests: notes the functions that each test reaches, and those that its file reached before it. */
import { afterEach, beforeEach } from "vitest";

declare global {
  var elbroReached: Set<number> | undefined;
}

declare module "vitest" {
  interface TaskMeta {
    reached?: number[];
    reachedBefore?: number[];
  }
}

function taken(): number[] {
  const numbers = [...(globalThis.elbroReached ?? [])];
  globalThis.elbroReached?.clear();
  return numbers;
}

beforeEach(({ task }) => {
  task.meta.reachedBefore = taken();
});

afterEach(({ task }) => {
  task.meta.reached = taken();
});
