/** Tests plugs behind Zigbee2MQTT with its real converters. Skipped if these are not installed. */
import { describe, expect, test } from "vitest";
import type { PlugConfig } from "../../../src/config/schema/plug-schema.ts";
import type { Wanted } from "../../../src/core/plugs/plug-types.ts";
import { type Problem, Problems } from "../../../src/core/status/problem.ts";
import { MINUTE_MS, QUARTER_MS } from "../../../src/core/time/interval.ts";
import type { PlugManager } from "../../../src/plugs/plug-manager.ts";
import {
  converters,
  EmulatedZigbee2mqtt,
  type TimedOn,
  type ZigbeeModel,
  zigbeeModels,
} from "../../support/plugs/emulated-zigbee2mqtt.ts";
import { openPlugs } from "../../support/plugs/plug-manager.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

const T0 = Date.UTC(2026, 2, 10, 12);

/** The daemon's plugs and Zigbee2MQTT, with a manual clock. */
class ZigbeeWorld {
  now = T0;
  wanted: Wanted = { on: false, until: null };
  readonly memory: Map<string, string>;
  readonly problems: Problem[] = [];
  readonly said: string[] = [];
  /** Lists of devices that the bridge published. */
  readonly announced: string[] = [];
  readonly plugs: PlugManager;
  bridge!: EmulatedZigbee2mqtt;
  #queue: [topic: string, payload: string][] = [];
  #lookAt = T0;

  private constructor(config: PlugConfig, memory: Map<string, string>) {
    this.memory = memory;
    const kept = new Problems((problem, state) => {
      if (state === "started") this.problems.push(problem);
      else this.problems.splice(this.problems.indexOf(problem), 1);
    });
    this.plugs = openPlugs({
      plugs: [config],
      publishOnce: (topic, payload) => this.said.push(`${topic} ${payload}`) + this.#queue.push([topic, payload]) > 0,
      wanted: () => this.wanted,
      memory: new TestMemory(memory),
      problems: kept,
      wake: () => {
        this.#lookAt = this.now;
      },
    });
  }

  static async open(
    model: ZigbeeModel,
    { topic = "Kitchen plug", memory = new Map<string, string>(), more = {} } = {},
  ): Promise<ZigbeeWorld> {
    const config = { name: "Plug", family: "zigbee2mqtt", topic, override: "respect", inverted: false } as const;
    const world = new ZigbeeWorld({ ...config, min_on: 0, min_off: 0, ...more }, memory);
    if (!converters) throw new Error("the converters are not installed");
    world.bridge = await EmulatedZigbee2mqtt.open(converters, model, topic, (topicOf, payload, retained) => {
      if (topicOf === "zigbee2mqtt/bridge/devices") world.announced.push(payload);
      if (world.plugs.subscriptions.includes(topicOf)) world.plugs.onMessage({ topic: topicOf, payload, retained });
    });
    world.plugs.onUp();
    world.bridge.announce();
    await world.settle();
    return world;
  }

  /** Sets the state that the plan wants, effective immediately. */
  async wants(wanted: Wanted): Promise<void> {
    this.wanted = wanted;
    this.#lookAt = this.now;
    await this.settle();
  }

  async settle(): Promise<void> {
    while (this.#queue.length > 0 || this.#lookAt <= this.now) {
      if (this.#lookAt <= this.now) this.#lookAt = this.plugs.tick(this.now);
      for (const [topic, payload] of this.#queue.splice(0)) await this.bridge.receive(topic, payload, this.now);
    }
  }

  async runUntil(end: number): Promise<void> {
    while (this.now < end) {
      this.now = Math.min(end, this.#lookAt, this.bridge.offAt ?? end);
      this.bridge.tick(this.now);
      await this.settle();
    }
  }

  /** Starts a run at the next quarter hour. Returns its end. */
  async runsFor(ms: number): Promise<number> {
    const start = (Math.floor(this.now / QUARTER_MS) + 1) * QUARTER_MS;
    await this.runUntil(start);
    await this.wants({ on: true, until: start + ms });
    await this.runUntil(start + ms - 1);
    this.wanted = { on: false, until: null };
    return start + ms;
  }

  get codes(): string[] {
    return this.problems.map(({ code }) => code);
  }
}

const cases = Object.entries(zigbeeModels);
/** Timers that end an ON at the time that elbro sets. */
const FITTING: readonly TimedOn[] = ["tenths", "seconds"];

describe.skipIf(!converters)("plugs with the real Zigbee2MQTT converters", () => {
  test.each(cases)(
    "%s gets ON with a timer, renewed every quarter hour, and never counts as unresponsive",
    async (_, model) => {
      const world = await ZigbeeWorld.open(model);
      const hasMisfit = model.timedOn === "seconds in 8 bits";
      const before = world.now;
      const end = await world.runsFor(2 * 60 * MINUTE_MS);
      expect([world.bridge.on, world.codes]).toEqual([true, hasMisfit ? ["plug_without_timer"] : []]);
      expect(world.now - before).toBeGreaterThan(2 * 60 * MINUTE_MS - 1);
      if (FITTING.includes(model.timedOn)) {
        expect(world.bridge.offAt).toBeGreaterThan(end);
        expect(world.bridge.offAt).toBeLessThanOrEqual(end + 151_000);
      }
      await world.runUntil(end + 4 * MINUTE_MS);
      expect([world.bridge.on, world.plugs.snapshots()[0]?.on]).toEqual([false, false]);
    },
  );

  test.each(cases)("%s switches off by its timer after a crash in a run, if its firmware can", async (_, model) => {
    const world = await ZigbeeWorld.open(model);
    await world.runsFor(20 * MINUTE_MS);
    world.plugs.onDown();
    const { bridge, now } = world;
    for (let at = now; at <= now + 18 * MINUTE_MS; at += MINUTE_MS) bridge.tick(at);
    expect(bridge.on).toBe(!FITTING.includes(model.timedOn));
  });

  test.each(cases)("%s gets `countdown` if bridge/devices contains it, otherwise `on_time`", async (name, model) => {
    const world = await ZigbeeWorld.open(model);
    await world.runsFor(20 * MINUTE_MS);
    const timed = world.said.filter((text) => text.includes('"ON"'));
    const isTuya = /^(Tuya|Nous)/.test(name);
    expect(timed.filter((text) => /countdown|on_time/.test(text)).length).toBeGreaterThan(0);
    if (model.timedOn !== "seconds in 8 bits")
      expect(timed.every((text) => text.includes(isTuya ? '"countdown":' : '"on_time":'))).toBe(true);
  });

  test("without a working timer are detected at the end of their first run and reported with a remedy", async () => {
    const world = await ZigbeeWorld.open(zigbeeModels["Sonoff S60ZBTPF"]);
    const end = await world.runsFor(20 * MINUTE_MS);
    await world.runUntil(end + MINUTE_MS);
    expect(world.plugs.snapshots()[0]?.code).toBe("timer_test");
    await world.runUntil(end + 3 * MINUTE_MS);
    expect([world.bridge.on, world.codes]).toEqual([false, ["plug_without_timer"]]);
    expect(world.problems[0]).toMatchObject({
      subject: "timer of plug plug",
      detail: "its timer did not end an ON",
    });
    const { memory } = world;
    const again = await ZigbeeWorld.open(zigbeeModels["Sonoff S60ZBTPF"], { memory });
    expect(again.codes).toEqual(["plug_without_timer"]);
    const recovered = await ZigbeeWorld.open(zigbeeModels.IKEA, { memory });
    const later = await recovered.runsFor(20 * MINUTE_MS);
    await recovered.runUntil(later + 3 * MINUTE_MS);
    expect([recovered.codes, memory.get("plug/plug/timer")]).toEqual([[], "works"]);
    const secondEnd = await recovered.runsFor(20 * MINUTE_MS);
    await recovered.runUntil(secondEnd);
    expect(recovered.bridge.on).toBe(false);
  });

  test("with a timer of 8 bits are ON again at once, get no timer in this run, and are reported", async () => {
    const world = await ZigbeeWorld.open(zigbeeModels["Nous A1Z, 8 bits"]);
    await world.runUntil(T0 + QUARTER_MS);
    await world.wants({ on: true, until: T0 + 3 * QUARTER_MS });
    // 1,050 s modulo 256 are 26 s.
    await world.runUntil(T0 + QUARTER_MS + 25_000);
    expect(world.said.at(-2)).toContain('"countdown":1050');
    world.said.length = 0;
    await world.runUntil(T0 + QUARTER_MS + 27_000);
    expect([world.bridge.on, world.bridge.offAt, world.plugs.snapshots()[0]?.code]).toEqual([true, null, "wanted_on"]);
    expect(world.problems).toMatchObject([
      { code: "plug_without_timer", detail: "its timer ended an ON much too early, so elbro sends none" },
    ]);
    await world.runUntil(T0 + 3 * QUARTER_MS - 1);
    expect([world.bridge.on, world.said.some((text) => text.includes("countdown"))]).toEqual([true, false]);
  });

  test("switched off manually in the first run stay off, unless it is when a timer of 8 bits would end", async () => {
    const world = await ZigbeeWorld.open(zigbeeModels["Nous A1Z"]);
    await world.runUntil(T0 + QUARTER_MS);
    await world.wants({ on: true, until: T0 + 3 * QUARTER_MS });
    await world.runUntil(T0 + QUARTER_MS + 5 * MINUTE_MS);
    world.bridge.press();
    await world.settle();
    await world.runUntil(T0 + 2 * QUARTER_MS);
    expect([world.bridge.on, world.plugs.snapshots()[0]?.code, world.codes]).toEqual([
      ...[false, "switched_off_by_hand", []],
    ]);
  });

  test("plugs with the real Zigbee2MQTT converters may have a friendly name with slashes", async () => {
    const world = await ZigbeeWorld.open(zigbeeModels.IKEA, { topic: "cellar/fan" });
    await world.runsFor(20 * MINUTE_MS);
    expect([world.bridge.on, world.codes]).toEqual([true, []]);
    expect(world.said.at(-1)).toMatch(/^zigbee2mqtt\/cellar\/fan\//);
  });

  test("of Sonoff that switch themselves off without a load are sent ON again each quarter-hour, and a button counts", async () => {
    const world = await ZigbeeWorld.open(zigbeeModels["Sonoff S60ZBTPF"]);
    await world.wants({ on: true, until: world.now + 2 * 60 * MINUTE_MS });
    await world.runUntil(world.now + 11_000);
    world.bridge.press();
    await world.settle();
    expect(world.plugs.snapshots()[0]).toMatchObject({ on: false, code: "wanted_on" });
    await world.runUntil(T0 + QUARTER_MS + 1_000);
    expect(world.bridge.on).toBe(true);
    await world.runUntil(T0 + QUARTER_MS + MINUTE_MS);
    world.bridge.press();
    await world.settle();
    expect(world.plugs.snapshots()[0]).toMatchObject({ on: false, code: "switched_off_by_hand" });
  });

  test("plugs with the real Zigbee2MQTT converters have a manual override when their button is pressed", async () => {
    const world = await ZigbeeWorld.open(zigbeeModels.Tuya);
    await world.runUntil(T0 + MINUTE_MS);
    world.bridge.press();
    await world.settle();
    await world.runUntil(T0 + 60 * MINUTE_MS);
    expect([world.bridge.on, world.plugs.snapshots()[0]?.code]).toEqual([true, "switched_on_by_hand"]);
  });

  test("become unavailable with their bridge; when it returns they get their commands again", async () => {
    const world = await ZigbeeWorld.open(zigbeeModels.IKEA);
    const bridge = (state: string) =>
      world.plugs.onMessage({ topic: "zigbee2mqtt/bridge/state", payload: `{"state":"${state}"}`, retained: false });
    bridge("offline");
    await world.settle();
    expect(world.plugs.snapshots()[0]?.available).toBe(false);
    world.said.length = 0;
    bridge("online");
    await world.settle();
    expect([world.said, world.plugs.snapshots()[0]?.available]).toEqual([
      ['zigbee2mqtt/Kitchen plug/set {"state":"OFF"}'],
      true,
    ]);
  });

  test("plugs with the real Zigbee2MQTT converters are unavailable once their device was renamed in Zigbee2MQTT, and back when the name is", async () => {
    const world = await ZigbeeWorld.open(zigbeeModels.IKEA);
    expect(world.plugs.snapshots()[0]?.available).toBe(true);
    const list = world.announced.at(-1) ?? "";
    const devices = async (payload: string) => {
      world.plugs.onMessage({ topic: "zigbee2mqtt/bridge/devices", payload, retained: true });
      await world.settle();
      return world.plugs.snapshots()[0]?.available;
    };
    expect(await devices("not a list")).toBe(true);
    expect(await devices(list.replaceAll("Kitchen plug", "Kettle"))).toBe(false);
    const details = () => world.problems.map(({ code, detail }) => `${code}: ${detail}`);
    expect(details()).toEqual(["plug_refuses: Zigbee2MQTT renamed it to Kettle: use this as topic"]);
    world.said.length = 0;
    expect(await devices(list)).toBe(true);
    expect(details()).toEqual([]);
    expect(world.said).toEqual(['zigbee2mqtt/Kitchen plug/set {"state":"OFF"}']);
    expect(await devices('[{"friendly_name":"Coordinator","definition":null}]')).toBe(false);
    expect(details()).toEqual(["plug_refuses: Zigbee2MQTT no longer has a device of this name"]);
  });

  test("plugs with the real Zigbee2MQTT converters cannot time an OFF, so `when_lost: on` is reported as a problem of the plug", async () => {
    const world = await ZigbeeWorld.open(zigbeeModels.Tuya, { more: { when_lost: "on" } });
    await world.wants({ on: false, until: null, lost: "off" });
    expect([world.bridge.on, world.codes]).toEqual([true, ["plug_without_timer"]]);
  });
});
