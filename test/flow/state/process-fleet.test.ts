import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { shardOf } from "../../../src/core/sharding/shard.ts";
import { databasePathIn } from "../../../src/storage/open-storage.ts";
import { archived, storedIn } from "../../support/archive/running-archive.ts";
import { ProcessFleet } from "../../support/processes/process-fleet.ts";
import { lacks } from "../../support/runner/needs.ts";
import { HANG_MS } from "../../support/runner/time-limits.ts";

const ACCOUNTS = 12;
/** Fast clock: the wait for unknown requests (92 s) and the offsets of the accounts (8 min) pass in 6 s. */
const CLOCK = { at: "2026-03-10T09:00:00Z", speed: 100 };
const ARCHIVE_QUIET_MS = 2_000;

describe.skipIf(lacks("Mosquitto", "PostgreSQL"))("shards with Mosquitto and PostgreSQL", () => {
  test("that are killed, lose a volume or change in number publish each home once and archive each row once", async () => {
    await using fleet = await ProcessFleet.open({
      ...{ accounts: ACCOUNTS, clock: CLOCK },
      broker: { config: ["log_type all"] },
    });
    const { broker, database, numbers } = fleet;
    /** Returns the shards that published the price of each home, from the broker's log after character `from`. */
    const publishers = (from: number) => {
      const published = /Received PUBLISH from elbro_shard-(\d+)_\w+ \([^']*'elbro\/house-(\d+)\/price'/g;
      const found = [...broker.said().slice(from).matchAll(published)];
      return numbers.map((number) => {
        const own = found.flatMap(([, shard, house]) => (Number(house) === number ? Number(shard) : []));
        return [...new Set(own)].join();
      });
    };
    const owners = (count: number) => numbers.map((number) => String(shardOf(`a${number}`, count)));

    await fleet.start(2);
    expect(await fleet.settled(HANG_MS)).toEqual([]);
    await expect.poll(() => publishers(0)).toEqual(owners(2));

    for (const [index, volume] of [
      [1, "kept"],
      [0, "empty"],
    ] as const) {
      const before = broker.said().length;
      await fleet.restart(index, volume);
      expect(await fleet.settled(HANG_MS)).toEqual([]);
      // The other shard publishes its homes only if their price has changed.
      const seen = () =>
        publishers(before).map((owner, i) => (owner === "" && owners(2)[i] !== String(index) ? owners(2)[i] : owner));
      await expect.poll(seen).toEqual(owners(2));
    }

    await fleet.stop();
    const [from, before] = [fleet.watcher.seen.length, broker.said().length];
    expect(new Set(owners(3)).size).toBe(3);
    await fleet.start(3);
    expect(await fleet.settled(HANG_MS)).toEqual([]);
    await expect.poll(() => publishers(before)).toEqual(owners(3));
    expect(fleet.cleared(from)).toBe(0);
    expect(await fleet.denied()).toBe(0);

    await fleet.archived(ARCHIVE_QUIET_MS);
    await fleet.stop();
    // `archived` rejects if the archive contains a row twice.
    const rows = await archived(database);
    expect(new Set([...rows.keys()].map((key) => key.split(" ")[0]))).toEqual(new Set(numbers.map((i) => `a${i}`)));
    for (const index of [0, 1, 2]) {
      using disk = new DatabaseSync(databasePathIn(fleet.dataDir(index)), { readOnly: true });
      const own = [...storedIn(disk)].filter(([key]) => shardOf(key.split(" ")[0] ?? "", 3) === index);
      expect(own.length).toBeGreaterThan(0);
      for (const [key, row] of own) expect(rows.get(key), key).toEqual(row);
    }
  });
});
