import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { newRecord } from "../../../src/core/planning/plan-record.ts";
import type { FinishedRun } from "../../../src/core/planning/snapshot/plan-savings.ts";
import { HOUR_MS } from "../../../src/core/time/interval.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { SCHEMA_VERSION } from "../../../src/storage/migrations.ts";
import { PlanStore } from "../../../src/storage/plan-store.ts";
import { PlugEnergyStore } from "../../../src/storage/plug-energy-store.ts";
import { damageIn, damageInFile, dropDamagedRows } from "../../../src/storage/recovery/damage-scan.ts";
import { copyPathOf, openOrRestore, SPENDS_UNKNOWN } from "../../../src/storage/recovery/recovery.ts";
import { RequestLog } from "../../../src/storage/request-log.ts";
import { deleteOld } from "../../../src/storage/retention.ts";
import { SeriesStore } from "../../../src/storage/series/series-store.ts";
import { WriteGuard } from "../../../src/storage/write-guard.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";
import { calendar, dayOf, rowsOf, StoreOnDisk, seriesOf } from "../../support/storage/store-on-disk.ts";

const START = dayOf("2026-03-01").start;
const range = { start: START, end: dayOf("2026-03-04").end };
const hours = seriesOf("hour");
const envelope = { currency: "DKK", vatIncluded: true };
const record = newRecord({ start: START, end: START + 24 * HOUR_MS, until: START + 24 * HOUR_MS }, START, []);
const run: FinishedRun = {
  ...{ start: START, end: START + HOUR_MS, basis: "prices", meanPrice: 1.5, windowStartPrice: 2, windowPrice: 1.75 },
  kwh: 3,
};
const spend = { account: "consumer", share: "poll", at: START, boot: "a", monotonicMs: 5, serverMs: START } as const;

/** Returns a database with rows in every table. */
function filled(): StoreOnDisk {
  const store = new StoreOnDisk();
  const { database } = store;
  new KeyValueStore(database).write("client_id", "elbro_4711");
  new SeriesStore(database, calendar).store(hours, range, rowsOf("hour", range), envelope);
  const requestLog = new RequestLog(database);
  for (let i = 0; i < 20; i++) {
    const id = requestLog.spend({ ...spend, seriesId: 1, range });
    requestLog.settle(id, 200, "1f0a", START + i);
    requestLog.writeAnswered(1, range, START + i);
  }
  const plans = new PlanStore(database);
  plans.write("dishwasher", record, [run]);
  plans.writeSettings("dishwasher", { hours: "3" });
  new PlugEnergyStore(database).add([{ plug: "washer", start: START, kwh: 1, measuredMs: HOUR_MS / 4, cost: 2 }]);
  return store;
}

/** Returns all data that is read at start and later, one value for each part that can be lost separately. */
function contentOf(database: StoreOnDisk["database"], damages: string[] = []): Record<string, unknown> {
  const writing = new WriteGuard(database);
  writing.onDamage((what) => damages.push(what));
  dropDamagedRows(database, writing);
  const settings = new KeyValueStore(database, writing);
  const series = new SeriesStore(database, calendar, writing);
  const plans = new PlanStore(database, writing);
  const requestLog = new RequestLog(database);
  const days = calendar.intervals("day", range).map((day) => [`day ${day.start}`, series.rowsByChunk(hours, day)[0]]);
  const states = calendar
    .intervals("day", range)
    .map(({ start }) => [`state ${start}`, series.stateOf(hours).chunk(start) ?? undefined]);
  const attempts = requestLog.recent("consumer", 100).map((each) => [`attempt ${each.id}`, each]);
  requestLog.spentSince("consumer", 0);
  const serverTime = requestLog.serverTime();
  if (serverTime !== null) new Date(serverTime).toISOString();
  const deleting = deleteOld({ store: series, requestLog, calendar }, 100, START);
  while (!deleting.next().done);
  return {
    ...Object.fromEntries([...days, ...states, ...attempts]),
    setting: settings.read("client_id") ?? undefined,
    envelope: series.envelope(hours) ?? undefined,
    record: plans.memory("dishwasher") ?? undefined,
    planSettings: plans.settings("dishwasher").hours,
    run: plans.lastRun("dishwasher") ?? undefined,
    energy: new PlugEnergyStore(database, writing).totals("washer", { start: START, end: START + 1 }).kwh || undefined,
    kwh: plans.totals("dishwasher", START, START + 99 * HOUR_MS).cost || undefined,
  };
}

/** Returns a deterministic pseudorandom generator. */
function numbers(): (below: number) => number {
  let state = 4_711;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** Size of the file header: 100 bytes. Source: https://www.sqlite.org/fileformat2.html, section 1.3. */
const HEAD_BITS = 800;
const NIGHTLY = process.env.ELBRO_NIGHTLY === "1";
const FLIPS = Number(process.env.ELBRO_TEST_FLIPS ?? (NIGHTLY ? 10_000 : 500));
/** Every bit at night, otherwise every seventh, which is another bit of each byte. */
const HEAD_STEP = NIGHTLY ? 1 : 7;

test(`after ${FLIPS} damaged bytes and truncations, every value is either as written or missing`, () => {
  using store = filled();
  const sound = contentOf(store.database);
  store.database.close();
  const bytes = readFileSync(store.path);
  const upTo = numbers();
  const found = { read: 0, reported: 0, restored: 0 };
  const began = performance.now();
  for (let i = 0; i < FLIPS; i++) {
    const at = upTo(bytes.length);
    const damaged = Buffer.from(i % 20 === 0 ? bytes.subarray(0, at) : bytes);
    if (i % 20 !== 0) damaged[at] = (damaged[at] ?? 0) ^ (i % 3 === 0 ? 1 + upTo(255) : 1 << upTo(8));
    using dir = new TempDir();
    writeFileSync(dir.file("elbro.db"), damaged);
    const { database, recovery } = openOrRestore(dir.file("elbro.db"), START);
    database.exec("pragma synchronous = off");
    if (recovery) found.restored++;
    const damages: string[] = [];
    const content = contentOf(database, damages);
    const wrong = Object.entries(content).filter(
      ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(sound[name]),
    );
    expect({ at, i, wrong }).toEqual({ at, i, wrong: [] });
    const isWhole = JSON.stringify(content) === JSON.stringify(sound);
    found[isWhole ? "read" : "reported"]++;
    if (!isWhole && !recovery && damages.length === 0)
      expect({ at, i, damages: damageIn(database) }).not.toEqual({ at, i, damages: [] });
    database.close();
  }
  process.stdout.write(`flips: ${JSON.stringify(found)} in ${((performance.now() - began) / 1_000).toFixed(0)} s\n`);
  expect(found.reported + found.restored).toBeGreaterThan(FLIPS / 10);
});

test("after a flipped bit in the header the file is used, or replaced by its copy", () => {
  using store = filled();
  store.database.close();
  const bytes = readFileSync(store.path);
  for (let bit = 0; bit < HEAD_BITS; bit += HEAD_STEP) {
    using file = new StoreOnDisk();
    file.database.close();
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    writeFileSync(file.path, damaged);
    writeFileSync(copyPathOf(file.path), bytes);
    file.database = openOrRestore(file.path, START).database;
    expect([bit, new KeyValueStore(file.database).read("client_id")]).toEqual([bit, "elbro_4711"]);
  }
});

test.each([0, 1, 15, 16, 99, 100, 511])("a database truncated to %i bytes is reported as damaged", (length) => {
  using store = filled();
  store.database.close();
  truncateSync(store.path, length);
  const { database, recovery } = openOrRestore(store.path, START);
  store.database = database;
  expect(recovery?.damage).toMatch(/empty|malformed|not a database/);
});

test("a database of a newer program, with its own tables, is rejected", () => {
  using store = filled();
  store.database.exec(`create table newer (a text); pragma user_version = ${SCHEMA_VERSION + 1}`);
  store.database.close();
  expect(() => openOrRestore(store.path, START)).toThrow(/newer elbro/);
});

describe("a damaged value", () => {
  test.each([
    ["setting", "value = 'elbro_4712'"],
    ["series", `envelope = '{"currency":"SEK"}'`],
    ["attempt", "answered_ms = 9007199254740993"],
    ["attempt", "at_ms = at_ms - 65536"],
    ["attempt", "account = 'consumeq'"],
    ["plan_state", "memory = '{'"],
    ["plan_setting", "value = '4'"],
    ["plan_run", "mean_price = 0.5"],
    ["plug_energy", "kwh = 0.5"],
    ["chunk", "rows = x'00'"],
  ])("in the table %s is detected, removed and reported: %s", (table, change) => {
    using store = filled();
    const sound = contentOf(store.database);
    store.database.exec(`update ${table} set ${change}`);
    store.database.close();
    expect(damageInFile(store.path)).toEqual([expect.stringMatching(`^\\d+ damaged rows in the table ${table}$`)]);
    const damages: string[] = [];
    const content = contentOf(store.reopen(), damages);
    expect(damages).not.toEqual([]);
    for (const [name, value] of Object.entries(content)) if (value !== undefined) expect(value).toEqual(sound[name]);
    expect(damageIn(store.database)).toEqual([]);
  });

  test("in the table of attempts counts as unknown requests, so that the quota is not exceeded", () => {
    using store = filled();
    const unknown = () => new KeyValueStore(store.database).read(SPENDS_UNKNOWN);
    const requestLog = new RequestLog(store.database);
    requestLog.settle(requestLog.spend({ ...spend, seriesId: 1, range }), 503, "1f0b", START + 99);
    requestLog.spend({ ...spend, seriesId: null, range: null });
    contentOf(store.database);
    expect(unknown()).toBe(null);
    store.database.exec("update attempt set monotonic_ms = 4 where id = 7");
    contentOf(store.database);
    expect([unknown(), new RequestLog(store.database).recent("consumer", 100).length]).toEqual(["yes", 21]);
  });

  test.each(["setting", "series", "chunk", "plan_state", "plan_setting", "plan_run", "plug_energy"])(
    "a missing table %s means a damaged file, which the copy replaces",
    (table) => {
      using store = filled();
      store.database.exec(`pragma foreign_keys = off; drop table ${table}`);
      store.database.close();
      expect(damageInFile(store.path)).toEqual([`the table ${table} is missing or damaged`]);
      const { database, recovery } = openOrRestore(store.path, START);
      store.database = database;
      expect(recovery?.damage).toBe(`the table ${table} is missing or damaged`);
    },
  );
});
