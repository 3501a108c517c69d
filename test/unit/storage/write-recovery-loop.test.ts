import { expect, test } from "vitest";
import { Problems } from "../../../src/core/status/problem.ts";
import { MINUTE_MS, SECOND_MS } from "../../../src/core/time/interval.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { WriteGuard } from "../../../src/storage/write-guard.ts";
import { WriteRecoveryLoop } from "../../../src/storage/write-recovery-loop.ts";
import { SingleLoopClock } from "../../support/clock/single-loop-clock.ts";
import { StoreOnDisk } from "../../support/storage/store-on-disk.ts";

const NOW = Date.parse("2026-03-10T09:00:00Z");

test("writes are tried again after 5 s, 10 s, … and every 5 min; the problem ends with the first that succeeds", async () => {
  using store = new StoreOnDisk();
  const clock = new SingleLoopClock(NOW);
  const changes: string[] = [];
  const problems = new Problems(({ code }, state) => changes.push(`${state} ${code}`));
  const writing = new WriteGuard(store.database);
  const tries: number[] = [];
  const recover = writing.recover.bind(writing);
  writing.recover = () => {
    tries.push((clock.now() - NOW) / SECOND_MS);
    return recover();
  };
  const loop = new WriteRecoveryLoop({ writing, clock, problems, onRecovered: () => changes.push("recovered") });
  const end = new AbortController();
  const ended = loop.run(end.signal);
  const settings = new KeyValueStore(store.database, writing);
  const isReadOnly = (value: "on" | "off") => store.database.exec(`pragma query_only = ${value}`);
  isReadOnly("on");
  settings.write("a", "1");
  await clock.runUntil(NOW + 16 * MINUTE_MS);
  expect(tries).toEqual([5, 15, 35, 75, 155, 315, 615, 915]);
  expect(changes).toEqual(["started database_not_writable"]);
  isReadOnly("off");
  await clock.runUntil(NOW + 21 * MINUTE_MS);
  expect(changes).toEqual(["started database_not_writable", "ended database_not_writable", "recovered"]);
  // The next trouble starts with the short wait again.
  isReadOnly("on");
  settings.write("a", "2");
  await clock.runUntil(NOW + 22 * MINUTE_MS);
  expect(tries.at(-1)).toBe(21 * 60 + 35);
  end.abort();
  await ended;
});
