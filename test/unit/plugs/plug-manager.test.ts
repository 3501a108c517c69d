import { describe, expect, test } from "vitest";
import type { PlugConfig } from "../../../src/config/schema/plug-schema.ts";
import type { Wanted } from "../../../src/core/plugs/plug-types.ts";
import { type Problem, Problems } from "../../../src/core/status/problem.ts";
import { plugMessages } from "../../../src/mqtt/topics/plug-topics.ts";
import type { PlugManager } from "../../../src/plugs/plug-manager.ts";
import { takeBrokenPromises } from "../../support/daemon/broken-promises.ts";
import { openPlugs } from "../../support/plugs/plug-manager.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

const T0 = Date.UTC(2026, 2, 10, 12);
const TASMOTA: PlugConfig = {
  id: "heater",
  name: "Heater",
  family: "tasmota",
  topic: "heater",
  override: "respect",
  inverted: false,
  min_on: 0,
  min_off: 0,
};
const SIGNALLED: PlugConfig = { ...TASMOTA, signal_topic: "house/boost" };
const ESPHOME: PlugConfig = { ...TASMOTA, id: "boiler", family: "esphome", topic: "boiler", channel: "relay" };

/** PlugManager that records all its outputs. */
class Around {
  readonly said: string[] = [];
  readonly log: string[] = [];
  readonly memory = new Map<string, string>();
  readonly problems: Problem[] = [];
  /** Subjects of problems that ended. */
  readonly ended: string[] = [];
  readonly plugs: PlugManager;
  wanted: Wanted | null = null;
  changes = 0;
  wakes = 0;

  constructor(setups: readonly PlugConfig[], memory: Readonly<Record<string, string>> = {}) {
    for (const [name, text] of Object.entries(memory)) this.memory.set(name, text);
    const kept = new Problems((problem, state) =>
      state === "started" ? this.problems.push(problem) : this.ended.push(problem.subject),
    );
    this.plugs = openPlugs({
      plugs: setups,
      publishOnce: (topic, payload) => this.said.push(`${topic} ${payload}`) > 0,
      wanted: () => this.wanted,
      memory: new TestMemory(this.memory),
      problems: kept,
      log: { info: (_facts, text) => void this.log.push(text) },
      wake: () => this.wakes++,
      onChange: () => this.changes++,
    });
  }

  /** Returns the commands after the connection. */
  connects(): string[] {
    this.plugs.onUp();
    return this.looks(T0);
  }

  /** Returns the commands of one tick. */
  looks(now: number): string[] {
    this.said.length = 0;
    this.plugs.tick(now);
    return [...this.said];
  }

  hears(topic: string, payload: string, retained = false): void {
    this.plugs.onMessage({ topic, payload, retained });
  }

  state(id = "heater"): Record<string, unknown> {
    const plug = this.plugs.snapshots().find((each) => each.id === id);
    const [message] = plug ? plugMessages("elbro", plug) : [];
    return JSON.parse(message?.payload ?? "{}") as Record<string, unknown>;
  }
}

test("an ON without a timer is not sent: a clock that shows no time gives none, and that is a problem", () => {
  const around = new Around([TASMOTA]);
  around.plugs.onUp();
  around.looks(T0 - 1_000);
  around.wanted = { on: true, until: null };
  expect(around.looks(Number.NaN)).toEqual([]);
  const detail = "invariant: an ON has a timer (plug heater, elbro 1.0.0)";
  expect(around.problems).toMatchObject([{ code: "promise_broken", subject: "promise of plug heater", detail }]);
  expect(around.looks(T0)).toEqual(["cmnd/heater/Backlog0 PowerOnState 0; PulseTime1 1150; Power1 ON"]);
  expect(takeBrokenPromises()).toEqual([detail]);
});

test.each([
  ["on, without a timer", ["plug_without_timer"], { ...ESPHOME, when_lost: "on" as const }],
  ["on, with a timer", [], { ...TASMOTA, when_lost: "on" as const }],
  ["off, without a timer", [], ESPHOME],
])("a plug with when_lost: %s has the problems %j", (_, codes, setup) => {
  const around = new Around([setup]);
  around.connects();
  expect(around.problems.map(({ code }) => code)).toEqual(codes);
});

describe("a signal topic of the owner", () => {
  test("without a retained message is awaited for 2 s, then the plug gets OFF", () => {
    const around = new Around([SIGNALLED]);
    around.plugs.onUp();
    expect(around.plugs.tick(T0)).toBe(T0 + 2_000);
    expect(around.looks(T0 + 1_999)).toEqual([]);
    expect(around.looks(T0 + 2_000)).toEqual(["cmnd/heater/Backlog0 PulseTime1 0; Power1 OFF"]);
    expect(around.state()).toMatchObject({
      wanted: false,
      reason: "the signal it follows is unknown, so it is OFF",
      reason_code: "no_signal",
    });
  });

  test("that is awaited does not delay messages of the plug", () => {
    const around = new Around([{ ...ESPHOME, signal_topic: "house/boost" }]);
    around.plugs.onUp();
    around.hears("boiler/switch/relay/state", "OFF", true);
    around.looks(T0);
    around.looks(T0 + 2_000);
    expect(around.looks(T0 + 60_000)).toEqual([]);
    expect([around.state("boiler").on, around.problems]).toEqual([false, []]);
  });
});

describe("a plug whose state cannot be read", () => {
  test("is a problem that quotes it, until the plug reports ON or OFF", () => {
    const around = new Around([TASMOTA]);
    around.plugs.onUp();
    around.hears("stat/heater/RESULT", '{"POWER":"aus"}');
    around.looks(T0);
    const detail = "it reports its state as aus: set the device to report ON and OFF";
    expect(around.problems).toMatchObject([{ code: "plug_refuses", subject: "access to plug heater", detail }]);
    around.hears("stat/heater/RESULT", '{"POWER":"OFF"}');
    around.looks(T0 + 1_000);
    expect([around.state().on, around.ended]).toEqual([false, ["access to plug heater"]]);
  });

  test("is no problem if another message on its topic said it", () => {
    const around = new Around([TASMOTA]);
    around.plugs.onUp();
    around.hears("stat/heater/POWER", "OFF");
    around.looks(T0);
    around.hears("stat/heater/POWER", "Blink OFF");
    around.looks(T0 + 1_000);
    expect([around.state().on, around.problems]).toEqual([false, []]);
  });

  test("because it has no such switch is a problem with its error", () => {
    const around = new Around([{ ...TASMOTA, family: "shelly_gen4", channel: "3" }]);
    around.connects();
    around.hears(
      "elbro/plug/heater/rpc",
      '{"id":2,"error":{"code":-105,"message":"Argument \'id\', value 3 not found!"}}',
    );
    around.looks(T0 + 100);
    const detail = "it answers with the error: Argument 'id', value 3 not found!";
    expect(around.problems).toMatchObject([{ code: "plug_refuses", detail }]);
  });
});

describe("a custom plug with a regular expression", () => {
  const custom = (id: string, on: string) => ({
    ...{ id, name: id, family: "custom" as const, when_lost: "on" as const, plan: "p" },
    ...{ on: { topic: `${id}/set`, payload: "on" }, off: { topic: `${id}/set`, payload: "off" } },
    state: { topic: `${id}/is`, on, off: "off" },
  });
  const BOTH = [custom("a", "/^(a+)+$/"), custom("b", "/^(on|heat)$/")].map((plug) => ({
    ...TASMOTA,
    ...plug,
    topic: undefined,
  }));

  test("that cannot be read follows when_lost and is a problem; the others follow their plan", () => {
    const around = new Around(BOTH);
    around.wanted = { on: false, until: T0 + 600_000 };
    expect(around.connects()).toEqual(["a/set on", "b/set off"]);
    around.hears("a/is", `${"a".repeat(60)}!`);
    around.hears("b/is", "heat");
    around.looks(T0 + 1_000);
    expect([around.state("a").reason_code, around.state("b").on]).toEqual(["no_signal", true]);
    expect(around.plugs.snapshots()).toMatchObject([{ plan: "p" }, { plan: "p" }]);
    expect(around.problems.filter(({ code }) => code === "plug_refuses")).toMatchObject([
      { code: "plug_refuses", subject: "access to plug a", detail: expect.stringContaining("/^(a+)+$/") },
    ]);
  });
});

describe("the published state", () => {
  test("the published state contains state, wanted state, reason, availability and time of the last change", () => {
    const around = new Around([TASMOTA]);
    expect(around.state()).toMatchObject({ on: null, wanted: null, available: false, reason_code: "no_broker" });
    around.looks(T0);
    expect(around.state()).toMatchObject({ on: null, available: false, reason_code: "no_broker" });
    around.wanted = { on: true, until: T0 + 600_000, reason: "cheap at Home" };
    around.connects();
    around.hears("stat/heater/POWER", "ON");
    around.looks(T0 + 1_000);
    expect(around.state()).toEqual({
      on: true,
      wanted: true,
      reason: "cheap at Home",
      reason_code: "wanted_on",
      available: true,
      problem: false,
      since: "2026-03-10T12:00:01Z",
    });
    const { changes } = around;
    around.looks(T0 + 2_000);
    expect(around.changes).toBe(changes);
    around.hears("tele/heater/LWT", "Offline");
    around.looks(T0 + 3_000);
    expect(around.state()).toMatchObject({ on: null, available: false, since: null });
    expect(around.changes).toBe(changes + 1);
  });

  test.each([
    ["its state", "stat/heater/POWER", "OFF", true],
    ["that it is there", "tele/heater/LWT", "Online", true],
    ["that it is not there", "tele/heater/LWT", "Offline", false],
  ])(
    "the published state has unknown availability until the plug has reported %s",
    (_what, topic, payload, expected) => {
      const around = new Around([TASMOTA]);
      around.connects();
      expect(around.state().available).toBeNull();
      around.hears(topic, payload, true);
      around.looks(T0 + 1_000);
      expect(around.state().available).toBe(expected);
    },
  );

  test("the published state is accompanied by one log line per switch and manual change, not per renewal or connection", () => {
    const around = new Around([TASMOTA]);
    around.connects();
    const { wakes } = around;
    around.plugs.onDown();
    expect(around.wakes).toBe(wakes + 1);
    around.looks(T0 + 1_000);
    around.plugs.onUp();
    expect(around.wakes).toBe(wakes + 2);
    around.looks(T0 + 2_000);
    around.hears("stat/heater/POWER", "OFF");
    around.looks(T0 + 3_000);
    expect(around.log).toEqual(["command sent to plug"]);
    around.hears("stat/heater/POWER", "ON");
    around.looks(T0 + 60_000);
    expect(around.log).toEqual(["command sent to plug", "plug switched manually"]);
  });
});

describe("storage", () => {
  test("storage keeps the time of OFF across a restart if there is a minimum time", () => {
    const careful = { ...TASMOTA, min_off: 5 };
    const first = new Around([careful]);
    first.plugs.onUp();
    first.looks(T0);
    first.hears("stat/heater/POWER", "OFF");
    first.looks(T0);
    const second = new Around([careful], Object.fromEntries(first.memory));
    second.wanted = { on: true, until: T0 + 3_600_000 };
    second.plugs.onUp();
    expect(second.looks(T0 + 60_000)).toEqual(["cmnd/heater/Backlog0 PulseTime1 0; Power1 OFF"]);
    second.hears("stat/heater/POWER", "OFF");
    second.looks(T0 + 61_000);
    expect(second.looks(T0 + 300_000)).toEqual([expect.stringContaining("Power1 ON")]);
  });
});

test("the queue of incoming messages is bounded, but connection events are kept", () => {
  const around = new Around([TASMOTA]);
  around.plugs.onUp();
  for (let i = 0; i < 10_000; i++) around.hears("stat/heater/POWER", i % 2 ? "ON" : "OFF");
  expect(around.looks(T0).length).toBeLessThan(70);
  expect(around.state().available).toBe(true);
});

describe("tryOut", () => {
  const off = { on: false, until: null };

  test.each([
    ["rests ON", { ...TASMOTA, when_lost: "on" as const }, off, /its when_lost is on/],
    ["has no timer", ESPHOME, off, /cannot end an ON by itself/],
    ["it is already ON", TASMOTA, { on: true, until: null }, /it is already ON/],
  ])("tryOut does not switch a plug that %s", (_, setup, wanted, why) => {
    const around = new Around([setup]);
    around.wanted = wanted;
    around.connects();
    around.said.length = 0;
    expect(around.plugs.tryOut(setup.id ?? "", T0 + 1_000)).toMatch(why);
    expect(around.said).toEqual([]);
  });

  test("tryOut does not switch an unavailable plug, or one within its minimum off time", () => {
    const away = new Around([TASMOTA]);
    expect(away.plugs.tryOut("heater", T0)).toBe("it cannot be reached");
    const around = new Around([{ ...TASMOTA, min_off: 5 }], { "plug/heater": JSON.stringify({ on: false, at: T0 }) });
    around.wanted = off;
    around.connects();
    expect(around.plugs.tryOut("heater", T0 + 1_000)).toMatch(/minimum time/);
    expect(around.looks(T0 + 2_000)).toEqual([]);
  });

  test("tryOut does not switch a plug that does not respond, until it does", () => {
    const around = new Around([TASMOTA]);
    around.wanted = off;
    around.plugs.onUp();
    for (let at = T0; at <= T0 + 50_000; at += 10_000) around.looks(at);
    expect(around.plugs.snapshots()).toMatchObject([{ silent: true, available: null }]);
    around.said.length = 0;
    expect(around.plugs.tryOut("heater", T0 + 51_000)).toBe("it does not respond");
    expect(around.plugs.tryOut("heater", T0 + 51_000, "sv")).toBe("det svarar inte");
    expect(around.said).toEqual([]);
    around.hears("stat/heater/POWER", "OFF");
    around.looks(T0 + 52_000);
    expect(around.plugs.tryOut("heater", T0 + 53_000)).toBeNull();
  });
});

test("a change of plugs keeps the others running; a removed one gets OFF, which clears its timer", () => {
  const other = { ...TASMOTA, id: "lamp", name: "Lamp", topic: "lamp" };
  const around = new Around([TASMOTA, other]);
  around.wanted = { on: true, until: null };
  around.connects();
  around.said.length = 0;
  const { gone, left, topics } = around.plugs.configure([other, { ...TASMOTA, id: "oven", topic: "oven" }], true);
  expect(gone).toEqual(["heater"]);
  expect(left).toContain("stat/heater/POWER");
  expect(topics).toContain("stat/oven/POWER");
  expect(around.said).toEqual(["cmnd/heater/Backlog0 PulseTime1 0; Power1 OFF"]);
  expect(around.looks(T0 + 1_000)).toEqual([expect.stringContaining("cmnd/oven/Backlog0")]);
});
