import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Home } from "../../../../src/core/prices/home-snapshot.ts";
import { formatInstant, HOUR_MS, type Interval } from "../../../../src/core/time/interval.ts";
import { StatisticsApi } from "../../../../src/integrations/homeassistant/statistics-api.ts";
import { StatisticsImport } from "../../../../src/integrations/homeassistant/statistics-import.ts";
import { HomeAssistantClient } from "../../../../src/integrations/homeassistant/websocket-client.ts";
import { KeyValueStore } from "../../../../src/storage/key-value-store.ts";
import { SeriesStore } from "../../../../src/storage/series/series-store.ts";
import { EmulatedHomeAssistant } from "../../../support/home/emulated-home-assistant.ts";
import { at, calendar, dayOf, daysOf, HOME } from "../../../support/home/price-days.ts";
import { StoreOnDisk } from "../../../support/storage/store-on-disk.ts";

const HISTORY = { start: at("2016-01-01T00:00:00Z"), end: at("2026-05-01T00:00:00Z") };
const CONSUMPTION = "elbro:home_consumption";

let disk: StoreOnDisk;
let homeAssistant: EmulatedHomeAssistant;
let store: SeriesStore;

beforeEach(async () => {
  disk = new StoreOnDisk();
  disk.database.exec("pragma synchronous = off");
  store = new SeriesStore(disk.database, calendar);
  homeAssistant = await EmulatedHomeAssistant.start();
});

afterEach(async () => {
  await homeAssistant[Symbol.asyncDispose]();
  disk[Symbol.dispose]();
});

type Value = (index: number) => number | null;

/** Stores the hours of a range. An hour without a value is omitted. */
function put(range: Interval, value: Value, home: Home = HOME): void {
  const rows = calendar.intervals("hour", range).flatMap(({ start, end }, i) => {
    const energyKWh = value(i);
    return energyKWh === null ? [] : [{ start: formatInstant(start), end: formatInstant(end), energyKWh }];
  });
  const key = { account: home.account, place: home.addressId, operation: "consumption", unit: "hour" } as const;
  store.store(key, range, rows, {});
}

function putCosts(range: Interval, currency: string, home: Home = HOME): void {
  const rows = calendar
    .intervals("hour", range)
    .map(({ start, end }) => ({ start: formatInstant(start), end: formatInstant(end), totalCost: 2 }));
  const key = { account: home.account, place: home.addressId, operation: "consumptionCosts", unit: "hour" } as const;
  store.store(key, range, rows, { currency });
}

/** Runs one import with a new connection, as after a restart: only the database is kept. */
async function run(home: Home = HOME, operation: "consumption" | "consumptionCosts" = "consumption"): Promise<number> {
  const client = await HomeAssistantClient.connect(homeAssistant, new AbortController().signal);
  const memory = new KeyValueStore(disk.database);
  try {
    const kept = { store: new SeriesStore(disk.database, calendar), calendar, memory };
    const importing = new StatisticsImport({ ...kept, language: "da" });
    return await importing.run(new StatisticsApi(client), home, operation, HISTORY);
  } finally {
    client.close();
  }
}

/** Expects Home Assistant to have exactly the stored hours with their changes. */
function expectHours(range: Interval, value: Value, id: string = CONSUMPTION): void {
  const expected = calendar.intervals("hour", range).flatMap(({ start }, i) => {
    const hour = value(i);
    return hour === null ? [] : [[start, hour, hour]];
  });
  expect(homeAssistant.hours(id)).toEqual(expected);
}

describe("the whole history", () => {
  const range = daysOf("2025-10-20", "2026-04-02");
  const value: Value = (i) => Number((0.1 + (i % 7) / 10).toFixed(3));

  test("the whole history is imported by month, with both clock changes, each hour at its own time", async () => {
    put(range, value);
    expect(await run()).toBe(range.end / HOUR_MS - range.start / HOUR_MS);
    expectHours(range, value);
    expect(homeAssistant.imports).toHaveLength(7);
    const onDay = (date: string) =>
      homeAssistant.hours(CONSUMPTION).filter(([start]) => start >= dayOf(date).start && start < dayOf(date).end)
        .length;
    expect([onDay("2025-10-26"), onDay("2026-03-28"), onDay("2026-03-29")]).toEqual([25, 24, 23]);
    expect(homeAssistant.statistics.get(CONSUMPTION)?.metadata).toEqual({
      has_sum: true,
      mean_type: 0,
      name: "Home forbrug",
      source: "elbro",
      statistic_id: CONSUMPTION,
      unit_class: "energy",
      unit_of_measurement: "kWh",
    });
  });

  test("the whole history continues after a lost connection, without repeating a month", async () => {
    put(range, value);
    homeAssistant.endsAfterImports = 3;
    await expect(run()).rejects.toMatchObject({ kind: "unreachable" });
    homeAssistant.endsAfterImports = Number.POSITIVE_INFINITY;
    await run();
    expectHours(range, value);
    // The month whose response was lost had been stored.
    expect(homeAssistant.imports).toHaveLength(7);
  });

  test("the whole history is imported again if Home Assistant responded but did not store it", async () => {
    put(daysOf("2026-03-01", "2026-03-02"), value);
    homeAssistant.stores = "late";
    expect(await run()).toBe(48);
    expectHours(daysOf("2026-03-01", "2026-03-02"), value);
  });

  test("the whole history is imported again into a new database, and completed in a restored one", async () => {
    put(range, value);
    await run();
    homeAssistant.statistics.clear();
    await run();
    expectHours(range, value);
    const rows = homeAssistant.statistics.get(CONSUMPTION)?.rows;
    for (const start of [...(rows?.keys() ?? [])]) if (start >= dayOf("2026-03-20").start) rows?.delete(start);
    expect(await run()).toBe((range.end - dayOf("2026-03-20").start) / HOUR_MS);
    expectHours(range, value);
  });
});

describe("later changes:", () => {
  const range = daysOf("2026-01-10", "2026-03-20");

  test("a corrected reading changes its hour and every later sum", async () => {
    put(range, () => 1);
    await run();
    const corrected = dayOf("2026-02-03");
    put(corrected, () => 1.5);
    const from = (corrected.start - range.start) / HOUR_MS;
    expect(await run()).toBe((range.end - corrected.start) / HOUR_MS);
    expectHours(range, (i) => (i >= from && i < from + 24 ? 1.5 : 1));
  });

  test("a correction that was interrupted continues where it ended", async () => {
    put(range, () => 1);
    await run();
    put(dayOf("2026-01-10"), () => 3);
    homeAssistant.endsAfterImports = homeAssistant.imports.length + 1;
    await expect(run()).rejects.toMatchObject({ kind: "unreachable" });
    homeAssistant.endsAfterImports = Number.POSITIVE_INFINITY;
    await run();
    expectHours(range, (i) => (i < 24 ? 3 : 1));
  });

  test("unknown hours are omitted and imported later", async () => {
    const gap: Value = (i) => (i >= 5 && i < 9 ? null : 1);
    put(range, gap);
    await run();
    expectHours(range, gap);
    put(range, () => 1);
    await run();
    expectHours(range, () => 1);
  });

  test("a withdrawn reading counts as zero", async () => {
    put(range, () => 1);
    await run();
    const day = dayOf("2026-02-03");
    const key = { account: HOME.account, place: HOME.addressId, operation: "consumption", unit: "hour" } as const;
    const hour = { start: formatInstant(day.start), end: formatInstant(day.start + HOUR_MS), energyKWh: null };
    store.store(key, day, [hour], {});
    await run();
    const withdrawn = (day.start - range.start) / HOUR_MS;
    expectHours(range, (i) => (i === withdrawn ? 0 : 1));
  });

  test("history before the first stored day changes every sum", async () => {
    put(range, () => 1);
    await run();
    put(daysOf("2025-11-15", "2026-01-09"), () => 2);
    await run();
    const whole = daysOf("2025-11-15", "2026-03-20");
    const older = (range.start - whole.start) / HOUR_MS;
    expectHours(whole, (i) => (i < older ? 2 : 1));
  });

  test("later changes: hours deleted in elbro stay in Home Assistant, and the sums continue", async () => {
    put(range, () => 1);
    await run();
    homeAssistant.imports.length = 0;
    store.deleteBefore(dayOf("2026-02-01").start, 1_000);
    put(dayOf("2026-03-21"), () => 2);
    expect(await run()).toBe(24);
    const whole = daysOf("2026-01-10", "2026-03-21");
    const last = (dayOf("2026-03-21").start - whole.start) / HOUR_MS;
    expectHours(whole, (i) => (i >= last ? 2 : 1));
  });

  test("a new elbro database continues the sums in Home Assistant", async () => {
    put(range, () => 1);
    await run();
    disk[Symbol.dispose]();
    disk = new StoreOnDisk();
    store = new SeriesStore(disk.database, calendar);
    const newer = daysOf("2026-03-11", "2026-03-25");
    put(newer, () => 1);
    expect(await run()).toBe(5 * 24);
    expectHours(daysOf("2026-01-10", "2026-03-25"), () => 1);
  });
});

describe("statistics of homes:", () => {
  const range = daysOf("2026-03-01", "2026-03-10");

  test("an id that Home Assistant does not allow gets underscores for invalid characters", async () => {
    put(range, () => 1);
    await run({ ...HOME, id: "my--home_-2_" });
    expect([...homeAssistant.statistics.keys()]).toEqual(["elbro:my_home_2_consumption"]);
  });

  test("each home has its own statistics", async () => {
    const cabin = { ...HOME, id: "cabin", name: "Cabin", addressId: "6f1c0a52-7c86-4f0e-9d0e-000000000002" };
    put(range, () => 1);
    put(range, () => 2, cabin);
    await run();
    await run(cabin);
    expectHours(range, () => 1);
    expectHours(range, () => 2, "elbro:cabin_consumption");
  });

  test("a home that moves keeps its imported hours; the new address continues them", async () => {
    const moved = { ...HOME, addressId: "6f1c0a52-7c86-4f0e-9d0e-000000000003" };
    put(range, () => 1);
    await run();
    put(daysOf("2026-02-01", "2026-03-12"), () => 3, moved);
    expect(await run(moved)).toBe(48);
    const whole = daysOf("2026-03-01", "2026-03-12");
    expectHours(whole, (i) => (i < 240 ? 1 : 3));
    expect(await run(moved)).toBe(0);
  });

  test("money has its currency as unit, and a changed currency starts another statistic", async () => {
    putCosts(range, "DKK");
    await run(HOME, "consumptionCosts");
    expect(homeAssistant.statistics.get("elbro:home_cost")?.metadata).toMatchObject({
      unit_class: null,
      unit_of_measurement: "DKK",
    });
    putCosts(daysOf("2026-03-11", "2026-03-12"), "SEK");
    await run(HOME, "consumptionCosts");
    expectHours(range, () => 2, "elbro:home_cost");
    expectHours(daysOf("2026-03-11", "2026-03-12"), () => 2, "elbro:home_cost_sek");
    expect(await run(HOME, "consumptionCosts")).toBe(0);
  });

  test("a series without readings imports nothing", async () => {
    expect(await run()).toBe(0);
    put(range, () => null);
    expect(await run()).toBe(0);
    expect(homeAssistant.imports).toEqual([]);
  });
});
