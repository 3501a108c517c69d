import type { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { newRecord, type PlanRecord } from "../../../src/core/planning/plan-record.ts";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import { SeriesRepository } from "../../../src/state/series-repository.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { PlanStore } from "../../../src/storage/plan-store.ts";
import { RequestLog } from "../../../src/storage/request-log.ts";
import { WriteGuard, writeTroubleOf } from "../../../src/storage/write-guard.ts";
import { spendOf } from "../../support/storage/spend.ts";
import { calendar, dayOf, StoreOnDisk } from "../../support/storage/store-on-disk.ts";

const LONG = "x".repeat(10_000);
const range = dayOf("2026-03-10");
const NOW = range.end;

/** Ways in which a database rejects writes and accepts them again. */
const ways = [
  {
    name: "full",
    code: "disk_full",
    fill: (database: DatabaseSync) =>
      setMostPages(database, Number(database.prepare("pragma page_count").get()?.page_count)),
    free: (database: DatabaseSync) => setMostPages(database, 1_000_000),
  },
  {
    name: "read-only",
    code: "database_not_writable",
    fill: (database: DatabaseSync) => database.exec("pragma query_only = on"),
    free: (database: DatabaseSync) => database.exec("pragma query_only = off"),
  },
] as const;

function setMostPages(database: DatabaseSync, pages: number): void {
  database.exec(`pragma max_page_count = ${pages}`);
}

describe.each(ways)("while a database is $name", ({ code, fill, free }) => {
  test("settings are kept in memory until they can be written, the newest of each name", () => {
    using store = new StoreOnDisk();
    const writing = new WriteGuard(store.database);
    const settings = new KeyValueStore(store.database, writing);
    settings.write("before", "1");
    fill(store.database);
    settings.write("long", LONG);
    settings.write("before", "2");
    settings.write("before", "3");
    expect(writing.trouble?.code).toBe(code);
    expect([settings.read("long"), settings.read("before")]).toEqual([LONG, "3"]);
    expect(new KeyValueStore(store.database).read("before")).toBe("1");
    expect(writing.recover()).toBe(false);
    free(store.database);
    expect(writing.recover()).toBe(true);
    const known = new KeyValueStore(store.reopen());
    expect([writing.trouble, known.read("long"), known.read("before"), known.read("room")]).toEqual([
      null,
      LONG,
      "3",
      null,
    ]);
  });

  test("the results of requests that were not written are kept", () => {
    using store = new StoreOnDisk();
    const writing = new WriteGuard(store.database);
    const repository = new SeriesRepository(store.database, calendar, () => NOW, writing);
    const id = repository.requestLog.spend(spendOf({ account: "consumer", at: NOW - HOUR_MS }));
    repository.requestLog.settle(id, 429, null, NOW);
    fill(store.database);
    for (let i = 0; i < 100; i++) repository.spends.spend(spendOf({ account: LONG, at: NOW }));
    free(store.database);
    writing.recover();
    repository.close();
    expect(new RequestLog(store.reopen()).spentSince("consumer", 0)).toEqual([{ share: "poll", status: 429 }]);
  });

  test("a changed plan setting is rejected, but the plan's state is kept", () => {
    using store = new StoreOnDisk();
    const writing = new WriteGuard(store.database);
    const plans = new PlanStore(store.database, writing);
    const memory = memoryOf(LONG);
    fill(store.database);
    const run = { ...range, basis: "prices", meanPrice: 1, windowStartPrice: 2, windowPrice: 2, kwh: 1 } as never;
    plans.write("washer", memory, [run]);
    expect(plans.writeSettings("washer", { hours: LONG })).toBe(false);
    expect(plans.memory("washer")).toEqual(memory);
    free(store.database);
    writing.recover();
    const known = new PlanStore(store.reopen());
    expect([known.memory("washer"), known.settings("washer")]).toMatchObject([memory, {}]);
    expect(known.lastRun("washer")?.start).toBe(range.start);
  });

  test("the states of several plans that are written together are kept", () => {
    using store = new StoreOnDisk();
    const writing = new WriteGuard(store.database);
    const plans = new PlanStore(store.database, writing);
    fill(store.database);
    plans.gather(() => {
      for (const plan of ["washer", "car"]) plans.write(plan, memoryOf(plan + LONG), []);
    });
    expect(plans.memory("car")).toEqual(memoryOf(`car${LONG}`));
    free(store.database);
    writing.recover();
    const known = new PlanStore(store.reopen());
    expect([known.memory("washer"), known.memory("car")]).toMatchObject([
      memoryOf(`washer${LONG}`),
      memoryOf(`car${LONG}`),
    ]);
  });
});

test("states of plans in one transaction are one write with the last of each, also if a decision throws", () => {
  using store = new StoreOnDisk();
  const plans = new PlanStore(store.database);
  let begun = 0;
  const exec = store.database.exec.bind(store.database);
  store.database.exec = (sql: string) => {
    if (/^begin/i.test(sql)) begun++;
    exec(sql);
  };
  const decide = () =>
    plans.gather(() => {
      for (const plan of ["a", "b", "a"]) plans.write(plan, memoryOf(`${plan}${begun}`), []);
      throw new RangeError("undecided");
    });
  expect(decide).toThrow("undecided");
  expect(begun).toBe(1);
  plans.write("b", memoryOf("alone"), []);
  const known = new PlanStore(store.reopen());
  expect([known.memory("a"), known.memory("b")]).toMatchObject([memoryOf("a0"), memoryOf("alone")]);
});

/** Returns the state of a plan, identified by `madeFrom`. */
function memoryOf(madeFrom: string): PlanRecord {
  const begun = { ...range, basis: "prices", settled: false } as const;
  return { ...newRecord({ ...range, until: range.end }, range.start, []), startedRuns: [begun], madeFrom };
}

test("only disk errors are reported as trouble; other errors are thrown", () => {
  using store = new StoreOnDisk();
  const writing = new WriteGuard(store.database);
  expect(() => writing.attempt(() => store.database.exec("insert into nowhere values (1)"))).toThrow("no such table");
  expect(writing.trouble).toBeNull();
  const codes = [10, 778, 13, 8, 14, 11, 26, 19, 5].map(
    (errcode) => writeTroubleOf(Object.assign(new Error(), { errcode }))?.code,
  );
  const failing = "database_not_writable";
  expect(codes).toEqual([failing, failing, "disk_full", failing, failing, undefined, undefined, undefined, undefined]);
});

test("plan states stored with former field names are read", () => {
  using store = new StoreOnDisk();
  new PlanStore(store.database).write("a", memoryOf("a0"), []);
  const { startedRuns: begun, ...rest } = memoryOf("a0");
  store.database
    .prepare("update plan_state set memory = ?1, digest = digest(plan, ?1)")
    .run(JSON.stringify({ ...rest, begun }));
  expect(new PlanStore(store.reopen()).memory("a")).toEqual(memoryOf("a0"));
});
