import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { Semaphore } from "../../../../src/service/client/semaphore.ts";

test("Semaphore limits concurrency, keeps the order, and frees the place of a failed task", async () => {
  const semaphore = new Semaphore(2);
  const inside = new Set<number>();
  const order: number[] = [];
  let most = 0;
  const pass = (i: number) =>
    semaphore.pass(async () => {
      inside.add(i);
      order.push(i);
      most = Math.max(most, inside.size);
      await nextTurn();
      inside.delete(i);
      if (i === 1) throw new Error("broken");
      return i;
    });
  const ended = await Promise.allSettled([0, 1, 2, 3, 4].map(pass));
  expect(ended.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled", "fulfilled"]);
  expect(order).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
});
