/**
 * Tests plug control against a model with faults of daemon, broker, plug, clock and messages: no plug may stay ON.
 *
 * Runs 1,000 random sequences in `npm test` and 200,000 with ELBRO_NIGHTLY=1.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { livePlug, type PlugLife, plugLives } from "../../../support/plugs/plug-schedules.ts";

const NIGHTLY = process.env.ELBRO_NIGHTLY === "1";
const LIVES = NIGHTLY ? 200_000 : 1_000;

describe("plug control in a model with faults", () => {
  test(`in ${LIVES} random sequences no plug is ON after its run and timer, and without faults plugs follow their plan`, () => {
    const seen = { commands: 0, onCommands: 0, liveHours: 0 };
    fc.assert(
      fc.property(plugLives, (life) => {
        const { judge } = livePlug(life);
        seen.commands += judge.commands;
        seen.onCommands += judge.onCommands;
        seen.liveHours += judge.liveMs / 3_600_000;
        expect(judge.violations).toEqual([]);
      }),
      // Shrinking a long sequence would take longer than the time limit, which cannot interrupt it.
      { numRuns: LIVES, endOnFailure: true },
    );
    expect(seen.onCommands / LIVES, "a life without an ON proves nothing").toBeGreaterThan(2);
    expect(seen.liveHours / LIVES).toBeGreaterThan(0.5);
  });
});

/** Tasmota plug with default settings. */
const tasmota: PlugLife["setup"] = {
  family: "tasmota",
  whenLost: "off",
  powerOn: "off",
  override: "respect",
  minOnMs: 0,
  minOffMs: 0,
  persistentSession: false,
  startsOn: false,
  runs: [],
};

describe("regressions found by random sequences", () => {
  /** Messages are 30 s late. The daemon cannot distinguish this from a manual change that is reported in time. */
  const leftOverTooLate: PlugLife = {
    setup: { ...tasmota, runs: [{ start: 300_000, end: 600_000 }] },
    actions: [
      { kind: "foreign", afterMs: 0 },
      { kind: "wifiOff", afterMs: 0 },
      { kind: "late", ms: 25_000, afterMs: 0 },
      { kind: "wifiOn", afterMs: 599_000 },
      { kind: "late", ms: 0, afterMs: 1_000 },
    ],
  };

  test("an ON from another client that is reported too late counts as a manual override until the next change", () => {
    const { judge, plug } = livePlug(leftOverTooLate);
    expect({ violations: judge.violations, on: plug.on, cause: plug.cause }).toEqual({
      violations: [],
      on: true,
      cause: "foreign",
    });
  });

  test("an ON from another client that is reported in time is reverted", () => {
    const { setup, actions } = leftOverTooLate;
    const inTime = actions.map((action) => (action.kind === "late" ? { ...action, ms: 0 } : action));
    const { judge, plug } = livePlug({ setup, actions: inTime });
    expect({ violations: judge.violations, on: plug.on }).toEqual({ violations: [], on: false });
  });
});

describe("a timer started before the broker was disconnected", () => {
  /** Renewed at 8,100 s, the ON lasts until 9,150 s. The commands after the broker's return are lost. */
  const renewalsLost: PlugLife = {
    setup: { ...tasmota, runs: [{ start: 3_600_000, end: 9_300_000 }] },
    actions: [
      { kind: "brokerDown", afterMs: 8_925_855 },
      { kind: "loseToPlug", count: 4, afterMs: 68_828 },
      { kind: "brokerUp", ms: 100, afterMs: 5_067 },
    ],
  };

  test("a timer started before the broker was disconnected does not count as a manual override when it fires: the plug gets ON again", () => {
    const { judge } = livePlug(renewalsLost);
    expect(judge.violations).toEqual([]);
  });

  test("a timer started before the broker was disconnected does not count as a manual override with when_lost: on, when it ends an OFF", () => {
    const { judge } = livePlug({ ...renewalsLost, setup: { ...renewalsLost.setup, whenLost: "on" } });
    expect(judge.violations).toEqual([]);
  });
});

describe("a timer started before the daemon crashed", () => {
  /** Started at 300 s, the ON lasts until 1,050 s. The commands after the restart are lost. */
  const restarted: PlugLife = {
    setup: { ...tasmota, family: "zigbee2mqtt", runs: [{ start: 300_000, end: 7_200_000 }] },
    actions: [
      { kind: "crash", afterMs: 850_000 },
      { kind: "loseToPlug", count: 3, afterMs: 0 },
      { kind: "start", afterMs: 60_000 },
    ],
  };

  test("a timer started before the daemon crashed does not count as a manual override when it fires: the plug gets ON again", () => {
    const { judge, plug } = livePlug(restarted);
    expect({ violations: judge.violations, cause: plug.cause }).toEqual({ violations: [], cause: "command" });
  });

  test("a timer started before the daemon crashed is not confused with a manual OFF before it could fire: the plug stays OFF", () => {
    const press = { kind: "press", afterMs: 30_000 } as const;
    const { judge, plug } = livePlug({ ...restarted, actions: [...restarted.actions, press] });
    expect({ violations: judge.violations, on: plug.on }).toEqual({ violations: [], on: false });
  });
});

describe("Tasmota's PulseTime, stored in the device,", () => {
  const setup: PlugLife["setup"] = { ...tasmota, powerOn: "last", runs: [{ start: 300_000, end: 1_200_000 }] };

  test.each([
    ["after a run", []],
    [
      "after a crash in a run",
      [
        { kind: "crash", afterMs: 600_000 },
        { kind: "start", afterMs: 3_600_000 },
      ],
    ],
    [
      "while the broker was away since a run",
      [
        { kind: "brokerDown", afterMs: 600_000 },
        { kind: "brokerUp", ms: 100, afterMs: 3_600_000 },
      ],
    ],
  ] as const)("Tasmota's PulseTime, stored in the device, does not end a manual ON: %s", (_, before) => {
    const { plug, judge } = livePlug({ setup, actions: [...before, { kind: "press", afterMs: 4_000_000 }] });
    expect([plug.on, plug.cause, plug.timerAt, judge.violations]).toEqual([true, "hand", null, []]);
  });

  test("Tasmota's PulseTime, stored in the device, is cleared after a manual change if the OFF command was lost", () => {
    const actions = [
      { kind: "loseToPlug", count: 7, afterMs: 1_199_000 },
      { kind: "press", afterMs: 100_000 },
      { kind: "press", afterMs: 10_000 },
    ] as const;
    const { plug, judge } = livePlug({ setup, actions });
    expect([plug.on, plug.cause, plug.timerAt, judge.violations]).toEqual([true, "hand", null, []]);
  });

  test("with when_lost: on also ends the OFF of a plug that had a power cut", () => {
    const rests: PlugLife["setup"] = { ...setup, whenLost: "on", powerOn: "off" };
    const dead = [
      { kind: "crash", afterMs: 600_000 },
      { kind: "powerOff", afterMs: 1_000 },
    ] as const;
    const { plug } = livePlug({ setup: rests, actions: [...dead, { kind: "powerOn", ms: 100, afterMs: 60_000 }] });
    expect([plug.on, plug.cause]).toEqual([true, "timer"]);
  });
});

describe("Tasmota's PowerOnState, stored in the device,", () => {
  test("with value 5 from an earlier when_lost: on, does not prevent the timer from ending an ON", () => {
    const setup: PlugLife["setup"] = { ...tasmota, powerOnState: 5, runs: [{ start: 300_000, end: 1_200_000 }] };
    const { plug, judge } = livePlug({ setup, actions: [{ kind: "crash", afterMs: 600_000 }] });
    expect([plug.on, plug.cause, judge.violations]).toEqual([false, "timer", []]);
  });
});
