import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isOwn, shardName, shardOf } from "../../../../src/core/sharding/shard.ts";

const names = Array.from({ length: 10_000 }, (_, i) => `house-${i}`);

describe("shardOf", () => {
  test("shardOf returns the same valid shard each time, so that one process owns the account", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 64 }), (account, count) => {
        const own = shardOf(account, count);
        expect(own).toBe(shardOf(account, count));
        const owners = Array.from({ length: count }, (_, index) => index).filter((index) =>
          isOwn(account, { index, count }),
        );
        expect(owners).toEqual([own]);
      }),
    );
  });

  test("shardOf moves accounts only to the new shard if one is added", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 64 }), (account, count) => {
        const after = shardOf(account, count + 1);
        expect([shardOf(account, count), count]).toContain(after);
      }),
    );
  });

  test.each([1, 2, 4, 7, 8, 31])("shardOf moves about 1/(n+1) of the accounts from %i shards to one more", (count) => {
    const moved = names.filter((name) => shardOf(name, count) !== shardOf(name, count + 1)).length;
    const expected = names.length / (count + 1);
    expect(moved / expected).toBeGreaterThan(0.85);
    expect(moved / expected).toBeLessThan(1.15);
  });

  test.each([2, 4, 8, 16])("shardOf gives %i shards about the same number of accounts", (count) => {
    const sizes = Map.groupBy(names, (name) => shardOf(name, count));
    expect(sizes.size).toBe(count);
    for (const own of sizes.values()) expect(Math.abs(own.length / (names.length / count) - 1)).toBeLessThan(0.15);
  });

  test("shardOf returns the same shards in all versions, because accounts of a running fleet must not move", () => {
    expect(["house-0", "house-1", "third_party", "møller"].map((name) => shardOf(name, 8))).toMatchInlineSnapshot(`
      [
        2,
        1,
        5,
        1,
      ]
    `);
  });
});

test("a process without a shard owns all accounts and has no shard name", () => {
  expect(isOwn("anybody", null)).toBe(true);
  expect(shardName(null)).toBeNull();
  expect(shardName({ index: 3, count: 8 })).toBe("shard-3");
});
