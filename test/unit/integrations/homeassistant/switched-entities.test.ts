/** Tests plugs that are entities of Home Assistant: the real client and the plugs' rules, with an emulated Home Assistant. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { PlugConfig } from "../../../../src/config/schema/plug-schema.ts";
import type { PlugSnapshot } from "../../../../src/core/plugs/plug-snapshot.ts";
import type { Wanted } from "../../../../src/core/plugs/plug-types.ts";
import type { Clock } from "../../../../src/core/runtime/clock.ts";
import { Problems } from "../../../../src/core/status/problem.ts";
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../../src/core/time/interval.ts";
import { SharedConnection } from "../../../../src/integrations/homeassistant/shared-connection.ts";
import { SwitchedEntities } from "../../../../src/integrations/homeassistant/switched-entities.ts";
import { openHttpPlug } from "../../../../src/plugs/http-plug.ts";
import type { PlugManager } from "../../../../src/plugs/plug-manager.ts";
import { EmulatedHomeAssistant } from "../../../support/home/emulated-home-assistant.ts";
import { noEnergy, openPlugs } from "../../../support/plugs/plug-manager.ts";
import { TestMemory } from "../../../support/storage/test-memory.ts";

const T0 = Date.UTC(2026, 2, 10, 12);
const OFF: Wanted = { on: false, until: null };
const SWITCH = "switch.washer";
/** Turns of the event loop after which something counts as never happening. */
const MAX_TURNS = 20_000;

class SteppedClock implements Clock {
  readonly boot = "stepped";
  time = T0;
  readonly #sleepers = new Map<() => void, EpochMs>();

  now(): EpochMs {
    return this.time;
  }

  monotonicMs(): number {
    return this.time - T0;
  }

  sleepUntil(at: EpochMs, signal: AbortSignal): Promise<void> {
    if (at <= this.time || signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      this.#sleepers.delete(wake);
      resolve();
    };
    this.#sleepers.set(wake, at);
    signal.addEventListener("abort", wake, { once: true });
    return promise;
  }

  moveTo(at: EpochMs): void {
    this.time = at;
    for (const [wake, due] of this.#sleepers) if (due <= at) wake();
  }
}

/** The daemon's plugs and Home Assistant, with a clock that the test moves. */
class World implements AsyncDisposable {
  readonly clock = new SteppedClock();
  readonly homeAssistant: EmulatedHomeAssistant;
  readonly connection: SharedConnection;
  readonly problems: Problems;
  readonly entities: SwitchedEntities;
  readonly plugs: PlugManager;
  wanted = OFF;
  measured: number[] = [];

  private constructor(homeAssistant: EmulatedHomeAssistant, config: Partial<PlugConfig>) {
    const { clock } = this;
    this.homeAssistant = homeAssistant;
    this.connection = new SharedConnection(homeAssistant);
    this.problems = new Problems(() => undefined);
    const { connection, problems } = this;
    const heartbeat = () => ({ turn: () => undefined, sleep: () => undefined });
    this.entities = new SwitchedEntities({ connection, clock, problems, random: () => 1, heartbeat });
    const memory = new Map<string, string>();
    this.plugs = openPlugs({
      ...{ baseTopic: "elbro", publishOnce: () => false, openHttp: openHttpPlug, homeAssistant: this.entities },
      plugs: [
        { name: "Washer", family: "homeassistant", override: "respect", inverted: false, ...NO_MINIMUM, ...config },
      ],
      wanted: () => this.wanted,
      energy: { ...noEnergy, add: (quarters) => void this.measured.push(...quarters.map(({ kwh }) => kwh)) },
      memory: new TestMemory(memory),
      problems,
    });
  }

  static async start(
    config: Partial<PlugConfig> = { entity: SWITCH },
    entities: Readonly<Record<string, { state: string; [attribute: string]: unknown }>> = {
      [SWITCH]: { state: "off" },
    },
  ): Promise<World> {
    const homeAssistant = await EmulatedHomeAssistant.start();
    for (const [id, state] of Object.entries(entities)) homeAssistant.entities.set(id, state);
    return new World(homeAssistant, config);
  }

  get plug(): PlugSnapshot {
    const [plug] = this.plugs.snapshots();
    if (!plug) throw new Error("no plug");
    return plug;
  }

  get details(): (string | undefined)[] {
    return this.problems.list().map(({ code, detail }) => `${code}: ${JSON.stringify(detail)}`);
  }

  /** Ticks until the condition holds. */
  async until(holds: () => boolean): Promise<void> {
    for (let turns = 0; turns < MAX_TURNS; turns++) {
      this.plugs.tick(this.clock.time);
      if (holds()) return;
      await nextTurn();
    }
    throw new Error(JSON.stringify([this.plug, this.details, this.homeAssistant.calls]));
  }

  async wants(wanted: Wanted): Promise<void> {
    this.wanted = wanted;
    const calls = this.homeAssistant.calls.length;
    await this.until(() => this.homeAssistant.calls.length > calls && this.plug.on === wanted.on);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.plugs.close();
    await this.entities.close();
    await this.homeAssistant[Symbol.asyncDispose]();
  }
}

const NO_MINIMUM = { min_on: 0, min_off: 0 };
const runUntil = (until: EpochMs): Wanted => ({ on: true, until });

describe("an entity of Home Assistant as a plug", () => {
  test("gets OFF at the start, ON in its run, renewed every quarter-hour, and OFF at its end", async () => {
    await using world = await World.start();
    const { calls } = world.homeAssistant;
    await world.until(() => world.plug.on === false && calls.length === 1);
    expect(world.plug).toMatchObject({ available: true, code: "wanted_off" });
    await world.wants(runUntil(T0 + HOUR_MS));
    world.clock.moveTo(T0 + 15 * MINUTE_MS);
    await world.until(() => calls.length === 3);
    await world.wants(OFF).catch(() => undefined);
    const data = JSON.stringify({ entity_id: SWITCH });
    expect(calls).toEqual([
      `homeassistant/turn_off ${data}`,
      `homeassistant/turn_on ${data}`,
      `homeassistant/turn_on ${data}`,
      `homeassistant/turn_off ${data}`,
    ]);
    expect(world.details).toEqual([]);
  });

  test.each([
    [
      "climate.hall",
      { state: "heat", preset_mode: "eco" },
      { on: "comfort", off: "eco" },
      "climate/set_preset_mode",
      "preset_mode",
    ],
    ["number.charger", { state: "0" }, { on: 16, off: 0 }, "number/set_value", "value"],
  ] as const)("%s is ON with one value and OFF with another", async (entity, state, values, action, field) => {
    await using world = await World.start({ entity, values }, { [entity]: state });
    await world.until(() => world.plug.on === false);
    await world.wants(runUntil(T0 + HOUR_MS));
    expect(world.homeAssistant.calls.at(-1)).toBe(
      `${action} ${JSON.stringify({ entity_id: entity, [field]: values.on })}`,
    );
  });

  test.each([26 * SECOND_MS, MINUTE_MS])("manual switching in Home Assistant is respected after %i ms", async (ms) => {
    await using world = await World.start();
    await world.wants(runUntil(T0 + HOUR_MS));
    world.clock.moveTo(T0 + ms);
    world.homeAssistant.show(SWITCH, "off");
    await world.until(() => world.plug.code === "switched_off_by_hand");
    expect(world.homeAssistant.entities.get(SWITCH)?.state).toBe("off");
  });

  test("a restart of Home Assistant is bridged, and the state is sent again", async () => {
    await using world = await World.start();
    await world.wants(runUntil(T0 + HOUR_MS));
    await world.homeAssistant.down();
    await world.until(() => world.plug.available === false);
    expect(world.plug).toMatchObject({ code: "no_broker", reason: "not connected to Home Assistant" });
    world.homeAssistant.entities.set(SWITCH, { state: "unavailable" });
    world.homeAssistant.state = "STARTING";
    await world.homeAssistant.up();
    world.clock.moveTo(T0 + 10 * SECOND_MS);
    await world.until(() => world.plug.code === "wanted_on" && world.plug.available === false);
    world.homeAssistant.show(SWITCH, "off");
    await world.until(() => world.plug.on === true);
    expect(world.details).toEqual([]);
  });

  test("a long outage of Home Assistant is one problem, which ends with it", async () => {
    await using world = await World.start();
    await world.until(() => world.plug.on === false);
    await world.homeAssistant.down();
    await world.until(() => world.plug.available === false);
    for (let at = T0; world.details.length === 0 && at < T0 + HOUR_MS; at += MINUTE_MS) {
      world.clock.moveTo(at);
      for (let turns = 0; turns < 50; turns++) await nextTurn();
    }
    expect(world.clock.time - T0).toBeGreaterThan(8 * MINUTE_MS);
    expect(world.details).toEqual([expect.stringContaining("home_assistant_unreachable")]);
    await world.homeAssistant.up();
    world.clock.moveTo(world.clock.time + MINUTE_MS);
    await world.until(() => world.details.length === 0);
  });

  test("a missing entity and a refused action are reported with Home Assistant's words", async () => {
    await using world = await World.start({ entity: SWITCH }, {});
    await world.until(() => world.details.length > 0);
    expect(world.details[0]).toContain("no entity switch.washer");
    world.homeAssistant.refusesCalls = "device offline";
    world.homeAssistant.show(SWITCH, "off");
    await world.until(() => world.details.some((detail) => detail?.includes("device offline")));
    world.homeAssistant.refusesCalls = null;
    await world.wants(runUntil(T0 + HOUR_MS));
    expect(world.details).toEqual([]);
  });

  test("sensors measure it in their own units", async () => {
    const sensors = {
      "sensor.power": { state: "1.5", unit_of_measurement: "kW" },
      "sensor.energy": { state: "unknown", unit_of_measurement: "Wh" },
    };
    const config = { entity: SWITCH, power: { entity: "sensor.power" }, energy: { entity: "sensor.energy" } };
    await using world = await World.start(config, { [SWITCH]: { state: "off" }, ...sensors });
    await world.until(() => world.plug.measured !== null);
    world.clock.moveTo(T0 + MINUTE_MS);
    await world.until(() => world.plug.measured?.watts === 1_500);
    world.homeAssistant.show("sensor.energy", "5000");
    await nextTurn();
    world.clock.moveTo(T0 + 10 * MINUTE_MS);
    world.homeAssistant.show("sensor.energy", "5250");
    await world.until(() => world.measured.length > 0 || world.clock.time > T0 + 20 * MINUTE_MS || step(world));
    expect(world.measured[0]).toBeCloseTo(0.25);
  });

  test("the connection is shared, checked every 30 s, and closed after the last plug", async () => {
    await using world = await World.start();
    const { homeAssistant } = world;
    await world.until(() => world.plug.on === false);
    const shared = await world.connection.use(
      (client) => client.ask({ type: "get_config" }),
      new AbortController().signal,
    );
    expect([shared, homeAssistant.logins, homeAssistant.connections]).toEqual([{ state: "RUNNING" }, 1, 1]);
    world.clock.moveTo(T0 + 30 * SECOND_MS);
    await world.until(() => homeAssistant.pings === 1);
    world.plugs.configure([], true);
    await world.until(() => homeAssistant.connections === 0);
  });
});

/** Moves the clock past the quarter-hour, after the messages have arrived. */
function step(world: World): false {
  if (world.plug.measured) world.clock.moveTo(world.clock.time + MINUTE_MS);
  return false;
}
