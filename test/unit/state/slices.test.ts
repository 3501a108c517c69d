import fc from "fast-check";
import { expect, test } from "vitest";
import { inSlices } from "../../../src/state/slices.ts";

const SLICE_MS = 10;

test("work in slices handles the items in order, ends at the first false, and no slice starts an item after 10 ms", async () => {
  const items = fc.array(fc.record({ ms: fc.nat({ max: 12 }), isLast: fc.boolean() }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(items, async (all) => {
      let now = 0;
      let began = 0;
      const done: unknown[] = [];
      const nextTurn = async () => {
        expect(now - began).toBeGreaterThanOrEqual(SLICE_MS);
        began = ++now;
      };
      const work = (item: (typeof all)[number]) => {
        expect(now - began).toBeLessThan(SLICE_MS);
        done.push(item);
        now += item.ms;
        return item.isLast ? false : undefined;
      };
      const end = all.findIndex(({ isLast }) => isLast);
      expect(await inSlices(all, work, { nowMs: () => now, nextTurn })).toBe(end < 0);
      expect(done).toEqual(end < 0 ? all : all.slice(0, end + 1));
    }),
  );
});
