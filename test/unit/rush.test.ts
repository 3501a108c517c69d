import { expect, test } from "vitest";
import { Rush } from "../../src/server/rush.ts";

function rushOf(): { readonly come: (requests: number, everyMs: number) => void; readonly told: () => number } {
  let now = 0;
  let told = 0;
  const rush = new Rush(
    () => {
      told++;
    },
    () => now,
  );
  return {
    come(requests, everyMs) {
      for (let i = 0; i < requests; i++) {
        now += everyMs;
        rush.came();
      }
    },
    told: () => told,
  };
}

test("requests by the hundred a second are a rush, told once", () => {
  const { come, told } = rushOf();
  come(999, 1);
  expect(told()).toBe(0);
  come(1, 1);
  expect(told()).toBe(1);
  come(100_000, 1);
  expect(told()).toBe(1);
});

test("a house that asks fifty times a second for days is none", () => {
  const { come, told } = rushOf();
  come(1_000_000, 20);
  expect(told()).toBe(0);
});

test("a rush after a quiet year is one", () => {
  const { come, told } = rushOf();
  come(10_000, 3_600_000);
  come(1_500, 10);
  expect(told()).toBe(1);
});
