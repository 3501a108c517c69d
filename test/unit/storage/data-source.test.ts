import { expect, test } from "vitest";
import { sourceOf, takeSource } from "../../../src/storage/data-source.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { PlanStore } from "../../../src/storage/plan-store.ts";
import { damageIn } from "../../../src/storage/recovery/damage-scan.ts";
import { RequestLog } from "../../../src/storage/request-log.ts";
import { SeriesStore } from "../../../src/storage/series/series-store.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";
import { writeEarlierDatabase } from "../../support/storage/earlier-database.ts";
import { calendar, dayOf } from "../../support/storage/store-on-disk.ts";

const place = "5d0c9f0e-6a1b-4c5e-9b64-1f1f4a7e2d01";
const prices = { account: "consumer", place, operation: "prices", unit: "fifteenMinutes" } as const;
const FIRST = sourceOf("https://first.example", false);
const SECOND = sourceOf("https://second.example/api/", false);

test("data of another service is not read, and returns unchanged with its service", () => {
  using dir = new TempDir();
  writeEarlierDatabase(5, dir.file("elbro.db"));
  const database = openDatabase(dir.file("elbro.db"));
  const settings = new KeyValueStore(database);
  const counts = () => {
    const plans = new PlanStore(database);
    return {
      prices: new SeriesStore(database, calendar).rows(prices, dayOf("2026-03-11")).length,
      attempts: new RequestLog(database).recent("consumer", 100).length,
      serverTime: new RequestLog(database).serverTime() !== null,
      plan: plans.memory("washer") !== null,
      runs: plans.lastRuns("washer", 10).length,
      // What the owner has set belongs to no service.
      hours: plans.settings("washer").hours,
    };
  };
  const rows = () =>
    ["series", "attempt", "plan_state", "plan_run", "chunk"].map((table) => {
      const statement = database.prepare(`select * from ${table}`);
      statement.setReadBigInts(true);
      return statement.all();
    });
  const own = { prices: 96, attempts: 33, serverTime: true, plan: true, runs: 1, hours: "2" };
  const none = { prices: 0, attempts: 0, serverTime: false, plan: false, runs: 0, hours: "2" };
  expect(counts()).toEqual(own);
  takeSource(database, settings, FIRST);
  expect(counts()).toEqual(own);
  const before = rows();

  takeSource(database, settings, SECOND);
  expect([counts(), damageIn(database)]).toEqual([none, []]);
  expect(settings.read("limits/consumer")).toBeNull();
  new PlanStore(database).keepOnly(["washer"]);
  takeSource(database, settings, SECOND);
  takeSource(database, settings, sourceOf("http://127.0.0.1:4711", true));
  expect([counts(), damageIn(database)]).toEqual([none, []]);

  takeSource(database, settings, FIRST);
  expect([counts(), damageIn(database)]).toEqual([own, []]);
  expect(rows()).toEqual(before);
  database.close();
});

test("a damaged row stays damaged when its service ends", () => {
  using dir = new TempDir();
  writeEarlierDatabase(5, dir.file("elbro.db"));
  const database = openDatabase(dir.file("elbro.db"));
  const settings = new KeyValueStore(database);
  takeSource(database, settings, FIRST);
  database.exec("update plan_run set mean_price = 0.5; update attempt set account = 'consumes' where id = 1");
  const damage = damageIn(database);
  expect(damage).toHaveLength(2);
  takeSource(database, settings, SECOND);
  expect(damageIn(database)).toEqual(damage);
  database.close();
});

test.each([
  ["https://api.minstroem.app", "https://api.minstroem.app/"],
  ["https://API.minstroem.app:443/", "https://api.minstroem.app"],
])("%s and %s are the same service", (a, b) => {
  expect(sourceOf(a, false)).toBe(sourceOf(b, false));
});
