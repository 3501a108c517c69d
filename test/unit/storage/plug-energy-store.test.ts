import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, QUARTER_MS } from "../../../src/core/time/interval.ts";
import { PlugEnergyStore, type PlugQuarter } from "../../../src/storage/plug-energy-store.ts";
import { WriteGuard } from "../../../src/storage/write-guard.ts";
import { StoreOnDisk } from "../../support/storage/store-on-disk.ts";

const START = Date.UTC(2026, 2, 10);
const quarter: fc.Arbitrary<PlugQuarter> = fc.record({
  plug: fc.constantFrom("car", "boiler"),
  start: fc.nat({ max: 3 }).map((i) => START + i * QUARTER_MS),
  // Eighths, so that sums are exact.
  kwh: fc.nat({ max: 16 }).map((i) => i / 8),
  measuredMs: fc.nat({ max: QUARTER_MS }),
  cost: fc.option(fc.nat({ max: 16 }).map((i) => i / 8)),
});

test("the energy of a plug in a quarter-hour is the sum of what was added; its cost is unknown if one of them is", () => {
  const range = { start: START + QUARTER_MS, end: START + 3 * QUARTER_MS };
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  fc.assert(
    fc.property(fc.array(fc.array(quarter, { maxLength: 4 }), { maxLength: 4 }), (added) => {
      using disk = new StoreOnDisk();
      const written = new PlugEnergyStore(disk.database);
      for (const each of added) written.add(each);
      const own = added.flat().filter(({ plug, start }) => plug === "car" && start >= range.start && start < range.end);
      const expected = [...Map.groupBy(own, ({ start }) => start)]
        .sort(([a], [b]) => a - b)
        .map(([start, parts]) => ({
          ...{ start, kwh: sum(parts.map(({ kwh }) => kwh)), measuredMs: sum(parts.map((each) => each.measuredMs)) },
          cost: parts.some(({ cost }) => cost === null) ? null : sum(parts.map(({ cost }) => cost ?? 0)),
        }));
      const store = new PlugEnergyStore(disk.reopen());
      expect(store.quarters("car", range)).toEqual(expected);
      expect(store.totals("car", range)).toEqual({
        kwh: sum(expected.map(({ kwh }) => kwh)),
        cost: sum(expected.map(({ cost }) => cost ?? 0)),
        unpricedKwh: sum(expected.filter(({ cost }) => cost === null).map(({ kwh }) => kwh)),
        measuredMs: sum(expected.map(({ measuredMs }) => measuredMs)),
      });
    }),
    { numRuns: 20 },
  );
});

test("the energy of a plug is kept for 400 days", () => {
  using disk = new StoreOnDisk();
  const store = new PlugEnergyStore(disk.database);
  const at = (start: number) => ({ plug: "car", start, kwh: 1, measuredMs: 1, cost: 1 });
  const [day, next] = [START, START + QUARTER_MS];
  store.add([at(day), at(next), { ...at(day), plug: "boiler" }, at(next + 400 * DAY_MS)]);
  const all = { start: 0, end: Number.MAX_SAFE_INTEGER };
  expect(store.quarters("car", all).map(({ start }) => start)).toEqual([next, next + 400 * DAY_MS]);
  expect(store.quarters("boiler", all)).toHaveLength(1);
});

test("the energy of a plug waits while the disk is read-only, except that of a plug that was removed meanwhile", () => {
  using disk = new StoreOnDisk();
  const writing = new WriteGuard(disk.database);
  const store = new PlugEnergyStore(disk.database, writing);
  const of = (plug: string) => ({ plug, start: START, kwh: 1, measuredMs: 1, cost: null });
  store.add([of("gone")]);
  disk.database.exec("pragma query_only = on");
  store.add([of("car"), of("gone"), of("other")]);
  store.keepOnly(["car", "other"]);
  store.add([]);
  disk.database.exec("pragma query_only = off");
  expect(writing.recover()).toBe(true);
  const kwh = ["car", "gone", "other"].map(
    (plug) => new PlugEnergyStore(disk.database).totals(plug, { start: START, end: START + 1 }).kwh,
  );
  expect(kwh).toEqual([1, 0, 1]);
});
