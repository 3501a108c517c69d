/** Plugs that measure, from their messages to the stored energy and the published month. */
import type { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { PlugConfig } from "../../../src/config/schema/plug-schema.ts";
import type { Wanted } from "../../../src/core/plugs/plug-types.ts";
import { Problems } from "../../../src/core/status/problem.ts";
import { HOUR_MS, MINUTE_MS, QUARTER_MS } from "../../../src/core/time/interval.ts";
import { publishedPlugState } from "../../../src/mqtt/topics/plug-topics.ts";
import type { PlugManager } from "../../../src/plugs/plug-manager.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { PlugEnergyStore } from "../../../src/storage/plug-energy-store.ts";
import { openPlugs } from "../../support/plugs/plug-manager.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

const T0 = Date.UTC(2026, 2, 10, 12);
const MONTH = { start: Date.UTC(2026, 2, 1), end: Date.UTC(2026, 3, 1) };
const TASMOTA: PlugConfig = {
  ...{ id: "washer", name: "Washer", family: "tasmota", topic: "washer", plan: "washer" },
  ...{ override: "respect", inverted: false, min_on: 0, min_off: 0 },
};

/** A plug on a real database, with prices of 1, 2, 3 … by hour. */
class MeterWorld {
  readonly store: PlugEnergyStore;
  readonly memory = new Map<string, string>();
  plugs: PlugManager;
  wanted: Wanted = { on: true, until: null };
  takes = true;
  /** What the plans received about their machine. */
  readonly machines: unknown[] = [];
  readonly said: string[] = [];
  readonly problems = new Problems(() => undefined);
  now = T0;

  readonly config: PlugConfig;

  constructor(config: PlugConfig = TASMOTA) {
    this.config = config;
    const database: DatabaseSync = openDatabase(":memory:");
    this.store = new PlugEnergyStore(database);
    this.plugs = this.#start();
  }

  #start(): PlugManager {
    const plugs = openPlugs({
      plugs: [this.config],
      publishOnce: (_topic, payload) => this.said.push(payload) > 0,
      wanted: () => this.wanted,
      machineIs: (_plug, machine) => void this.machines.push(machine),
      takesMachine: () => this.takes,
      whenLost: () => "off",
      energy: {
        add: (quarters) => this.store.add(quarters),
        priceAt: (_plug, at) => (at < T0 + 4 * HOUR_MS ? 1 + Math.floor((at - T0) / HOUR_MS) : null),
        months: () => {
          const { kwh, cost } = this.store.totals("washer", MONTH);
          return [
            { start: MONTH.start, kwh, cost, currency: "DKK" },
            { start: 0, kwh: 0, cost: null, currency: "DKK" },
          ];
        },
      },
      memory: new TestMemory(this.memory),
      problems: this.problems,
    });
    plugs.onUp();
    return plugs;
  }

  /** Ends the daemon, and starts another. */
  async restart(): Promise<void> {
    await this.plugs.close();
    this.plugs = this.#start();
  }

  at(now: number, ...messages: readonly [topic: string, payload: string][]): void {
    this.now = now;
    for (const [topic, payload] of messages) this.plugs.onMessage({ topic, payload, retained: false });
    this.plugs.tick(now);
  }

  shown() {
    const [plug] = this.plugs.snapshots();
    return plug ? publishedPlugState(plug) : null;
  }
}

const sensor = (total: number, watts = 0): [string, string] => [
  "tele/washer/SENSOR",
  `{"ENERGY":{"Total":${total},"Power":${watts}}}`,
];
const ON: [string, string] = ["stat/washer/POWER", "ON"];

describe("a plug that measures", () => {
  test("stores each quarter-hour with its cost, and shows power and month", () => {
    const world = new MeterWorld();
    world.at(T0, ON, sensor(10));
    expect(world.shown()).toMatchObject({ watts: 0, month: { kwh: 0 } });
    for (let minutes = 5; minutes <= 120; minutes += 5)
      world.at(T0 + minutes * MINUTE_MS, sensor(10 + minutes / 60, 1_000));
    const quarters = world.store.quarters("washer", { start: T0, end: T0 + 3 * HOUR_MS });
    expect(quarters).toHaveLength(8);
    expect(quarters[3]).toEqual({
      start: T0 + 3 * QUARTER_MS,
      kwh: expect.closeTo(0.25, 9),
      measuredMs: QUARTER_MS,
      cost: expect.closeTo(0.25, 9),
    });
    expect(world.shown()).toMatchObject({ watts: 1_000, month: { kwh: 2, cost: 3, currency: "DKK" } });
  });

  test("continues its counter after a restart, also over the time without elbro", async () => {
    const world = new MeterWorld();
    world.at(T0, ON, sensor(10));
    world.at(T0 + QUARTER_MS, sensor(10.5));
    await world.restart();
    world.at(T0 + HOUR_MS, ON, sensor(11.5));
    world.at(T0 + 2 * HOUR_MS, sensor(11.5));
    expect(world.store.totals("washer", MONTH)).toMatchObject({ kwh: expect.closeTo(1.5, 9), unpricedKwh: 0 });
  });

  test("a wrong reading changes neither month nor cost, and is a problem for a day", () => {
    const world = new MeterWorld();
    world.at(T0, ON, sensor(5.05));
    world.at(T0 + 5 * MINUTE_MS, sensor(0));
    expect(world.problems.list()).toEqual([]);
    world.at(T0 + 10 * MINUTE_MS, sensor(5.1));
    expect(world.problems.list()).toMatchObject([
      { code: "plug_meter", detail: "its counter reported 0 kWh, which the next reading contradicts" },
    ]);
    world.at(T0 + QUARTER_MS, sensor(5.1));
    expect(world.store.totals("washer", MONTH).kwh).toBeCloseTo(0.05, 9);
    expect(world.shown()).toMatchObject({ month: { kwh: 0.05, cost: 0.05 } });
    world.at(T0 + 24 * HOUR_MS, sensor(5.1));
    expect(world.problems.list()).toHaveLength(1);
    world.at(T0 + 24 * HOUR_MS + 10 * MINUTE_MS, sensor(5.1));
    expect(world.problems.list()).toEqual([]);
  });

  test("energy without a known price has no cost, and the rest of the month keeps its own", () => {
    const world = new MeterWorld();
    world.at(T0 + 3 * HOUR_MS, ON, sensor(0));
    world.at(T0 + 5 * HOUR_MS, sensor(2));
    world.at(T0 + 6 * HOUR_MS, sensor(2));
    expect(world.store.totals("washer", MONTH)).toMatchObject({
      kwh: expect.closeTo(2, 9),
      cost: expect.closeTo(4, 9),
      unpricedKwh: expect.closeTo(1, 9),
    });
  });

  test("power that changes every second changes what is shown every 30 s at most", () => {
    const world = new MeterWorld();
    world.at(T0, ON, sensor(0, 5));
    const shown = new Set<unknown>();
    for (let s = 1; s <= 60; s++) {
      world.at(T0 + s * 1_000, sensor(0, 100 + s));
      shown.add(world.shown()?.watts);
    }
    expect([...shown]).toEqual([5, 130, 160]);
  });

  test("while a plug is tested, its power is shown every second", () => {
    const world = new MeterWorld();
    world.wanted = { on: false, until: null };
    world.at(T0, ["stat/washer/POWER", "OFF"], sensor(0, 0));
    expect(world.plugs.tryOut("washer", T0)).toBeNull();
    world.at(T0 + 1_000, ON, sensor(0, 700));
    expect(world.shown()?.watts).toBe(700);
    world.at(T0 + 11_000, sensor(0, 900));
    expect(world.shown()?.watts).toBe(700);
  });

  test("a retained measurement is no reading", () => {
    const world = new MeterWorld();
    world.plugs.onMessage({ topic: sensor(3)[0], payload: sensor(3)[1], retained: true });
    world.at(T0);
    expect(world.shown()).not.toHaveProperty("month");
  });

  test("topics of the owner are subscribed and read", () => {
    const world = new MeterWorld({
      ...TASMOTA,
      power: { topic: "house/power", key: "w" },
      energy: { topic: "house/kwh" },
    });
    expect(world.plugs.subscriptions).toEqual(expect.arrayContaining(["house/power", "house/kwh"]));
    world.at(T0, ON, ["house/kwh", "7"]);
    world.at(T0 + HOUR_MS, ["house/kwh", "7.5"], ["house/power", '{"w":40}']);
    world.at(T0 + 2 * HOUR_MS);
    expect(world.shown()).toMatchObject({ watts: 40, month: { kwh: 0.5 } });
  });
});

describe("a plug that watches a machine", () => {
  const STARTS = { ...TASMOTA, starts_when: { above_w: 5 }, ends_when: { below_w: 5, for: "5m" } };
  const OFF: [string, string] = ["stat/washer/POWER", "OFF"];

  test("is ON between runs, is switched OFF when the machine is started, and says when it is done", () => {
    const world = new MeterWorld(STARTS);
    world.wanted = { on: false, until: null };
    world.at(T0, OFF, sensor(0));
    expect(world.said.at(-1)).toMatch(/Power1 ON$/);
    world.at(T0 + 1_000, ON);
    expect(world.shown()).toMatchObject({ reason: "ready: start the machine, and it runs at the cheapest time" });
    world.at(T0 + MINUTE_MS, sensor(0, 60));
    expect([world.said.at(-1), world.machines.at(-1)]).toEqual([expect.stringMatching(/Power1 OFF$/), "waits"]);
    world.at(T0 + MINUTE_MS + 1_000, OFF);
    world.wanted = { on: true, until: T0 + 3 * HOUR_MS };
    world.at(T0 + HOUR_MS);
    expect([world.said.at(-1), world.machines.at(-1)]).toEqual([expect.stringMatching(/Power1 ON$/), "waits"]);
    world.at(T0 + HOUR_MS + 1_000, ON, sensor(0, 2_000));
    world.at(T0 + 2 * HOUR_MS, sensor(1, 1));
    expect(world.plugs.tick(T0 + 2 * HOUR_MS)).toBeLessThanOrEqual(T0 + 2 * HOUR_MS + 5 * MINUTE_MS);
    world.at(T0 + 2 * HOUR_MS + 5 * MINUTE_MS);
    expect(world.machines.at(-1)).toBe("done");
  });

  test("is left to the owner if no plan takes a machine that is started", () => {
    const world = new MeterWorld(STARTS);
    world.takes = false;
    world.wanted = { on: false, until: null };
    world.at(T0, OFF, sensor(0));
    world.at(T0 + 1_000, ON);
    world.said.length = 0;
    world.at(T0 + MINUTE_MS, sensor(0, 60));
    expect([world.machines.at(-1), world.said]).toEqual(["absent", []]);
  });

  test("still knows after a restart that the machine waits, and keeps it OFF", async () => {
    const world = new MeterWorld(STARTS);
    world.wanted = { on: false, until: null };
    world.at(T0, ON, sensor(0, 60));
    expect(world.machines).toEqual(["absent", "waits"]);
    await world.restart();
    world.said.length = 0;
    world.at(T0 + MINUTE_MS, OFF);
    expect([world.machines.at(-1), world.said]).toEqual(["waits", [expect.stringMatching(/Power1 OFF$/)]]);
  });

  test("does not switch ON while the plan knows nothing", () => {
    const world = new MeterWorld(STARTS);
    world.wanted = { on: false, until: null, lost: "off" };
    world.at(T0, OFF, sensor(0));
    expect(world.said.at(-1)).toMatch(/Power1 OFF$/);
  });
});

describe("the store of energy", () => {
  test("adds to what is stored, forgets removed plugs, and keeps 400 days", () => {
    const store = new PlugEnergyStore(openDatabase(":memory:"));
    const quarter = { plug: "a", start: T0, kwh: 1, measuredMs: 60_000, cost: 2 };
    store.add([quarter, { ...quarter, plug: "b" }]);
    store.add([{ ...quarter, kwh: 0.5, cost: null }]);
    const day = { start: T0, end: T0 + 24 * HOUR_MS };
    expect(store.quarters("a", day)).toEqual([{ start: T0, kwh: 1.5, measuredMs: 120_000, cost: null }]);
    store.keepOnly(["a"]);
    expect([store.quarters("a", day).length, store.quarters("b", day).length]).toEqual([1, 0]);
    store.add([{ ...quarter, start: T0 + 401 * 24 * HOUR_MS }]);
    expect(store.quarters("a", day)).toEqual([]);
  });
});
