import { expect, test } from "vitest";
import { finishedRun } from "../../../src/core/planning/snapshot/plan-payload.ts";
import type { FinishedRun } from "../../../src/core/planning/snapshot/plan-savings.ts";
import { HOUR_MS, MINUTE_MS, QUARTER_MS } from "../../../src/core/time/interval.ts";
import { measuredRuns } from "../../../src/plans/measured-runs.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { PlugEnergyStore } from "../../../src/storage/plug-energy-store.ts";

const T0 = Date.UTC(2026, 2, 10, 2);
const RUN: FinishedRun = {
  ...{ start: T0 + 7 * MINUTE_MS, end: T0 + HOUR_MS, basis: "prices", meanPrice: 0.5, kwh: 1.2 },
  ...{ windowStartPrice: null, windowPrice: null },
};

/** Returns the store with a quarter-hour of each given energy of a plug, from T0 on. */
function storeWith(energies: Readonly<Record<string, readonly (number | null)[]>>): PlugEnergyStore {
  const store = new PlugEnergyStore(openDatabase(":memory:"));
  for (const [plug, list] of Object.entries(energies))
    store.add(
      list.flatMap((kwh, i) =>
        kwh === null ? [] : { plug, start: T0 + i * QUARTER_MS, kwh, measuredMs: QUARTER_MS, cost: kwh * 2 },
      ),
    );
  return store;
}

const measured = (store: PlugEnergyStore, plugs: readonly string[]) =>
  finishedRun(measuredRuns(store, () => plugs).with("washer", RUN)).measured;

test("a run has the energy and cost of its quarter-hours, of all plugs of its plan, next to the assumed ones", () => {
  const store = storeWith({ drum: [0.1, 0.5, 0.2, 0, 9], heater: [0, 1, 0, 0, 9] });
  expect(measured(store, ["drum"])).toEqual({ kwh: 0.8, cost: 1.6 });
  expect(measured(store, ["drum", "heater"])).toEqual({ kwh: 1.8, cost: 3.6 });
  expect(finishedRun(RUN)).toMatchObject({ cost: 0.6, measured: null });
});

test("a run that a plug of its plan did not measure, or not completely, has no measured energy", () => {
  const store = storeWith({ drum: [0.1, 0.5, 0.2, 0], gappy: [0.1, null, null, 0] });
  expect([measured(store, ["drum", "gappy"]), measured(store, ["other"]), measured(store, [])]).toEqual([
    null,
    null,
    null,
  ]);
});

test("a quarter-hour without a price leaves the energy, and no cost", () => {
  const store = storeWith({ drum: [0.1, 0.5, 0.2, 0] });
  store.add([{ plug: "drum", start: T0, kwh: 0, measuredMs: 0, cost: null }]);
  expect(measured(store, ["drum"])).toEqual({ kwh: 0.8, cost: null });
});
