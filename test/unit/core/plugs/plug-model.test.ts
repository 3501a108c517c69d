/**
 * The plugs against a toy world: whatever happens to the daemon, the broker, the plug, the clock and the messages, no
 * plug stays ON.
 *
 * 3,000 random lives in `npm test`; 200,000 with ELBRO_NIGHTLY=1.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plugMutants } from "../../../support/plugs/plug-mutants.ts";
import { livePlug, type PlugLife, plugLives } from "../../../support/plugs/plug-schedules.ts";

const NIGHTLY = process.env.ELBRO_NIGHTLY === "1";
const LIVES = NIGHTLY ? 200_000 : 3_000;
/** The rarest is found in one life of five thousand on average; it ends with the first. */
const MAX_RUNS_OF_A_MUTANT = 150_000;
const TEST_TIMEOUT_MS = NIGHTLY ? 3_600_000 : 60_000;

describe("plugs in a world that misbehaves", () => {
  test(
    `in ${LIVES} lives no plug is ON beyond its run and its dead-man, and every wish is fulfilled once all is well`,
    () => {
      const seen = { commands: 0, onCommands: 0, liveHours: 0 };
      fc.assert(
        fc.property(plugLives, (life) => {
          const { judge } = livePlug(life);
          seen.commands += judge.commands;
          seen.onCommands += judge.onCommands;
          seen.liveHours += judge.liveMs / 3_600_000;
          expect(judge.violations).toEqual([]);
        }),
        { numRuns: LIVES },
      );
      expect(seen.onCommands / LIVES, "a life without an ON proves nothing").toBeGreaterThan(2);
      expect(seen.liveHours / LIVES).toBeGreaterThan(0.5);
    },
    TEST_TIMEOUT_MS,
  );
});

/** A Tasmota plug on default settings. */
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

describe("what random lives have found", () => {
  /** Its messages are half a minute late: nobody can tell this from a hand that was told of in time. */
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

  test("an ON from somebody else that is told of too late counts as a hand until the next edge", () => {
    const { judge, plug } = livePlug(leftOverTooLate);
    expect({ violations: judge.violations, on: plug.on, cause: plug.cause }).toEqual({
      violations: [],
      on: true,
      cause: "foreign",
    });
  });

  test("one that is told of in time is taken back", () => {
    const { setup, actions } = leftOverTooLate;
    const inTime = actions.map((action) => (action.kind === "late" ? { ...action, ms: 0 } : action));
    const { judge, plug } = livePlug({ setup, actions: inTime });
    expect({ violations: judge.violations, on: plug.on }).toEqual({ violations: [], on: false });
  });
});

describe("a timer that was given before the broker was away", () => {
  /** Renewed at 8,100 s, the ON lasts until 9,150 s; the commands after the broker came back are lost. */
  const renewalsLost: PlugLife = {
    setup: { ...tasmota, runs: [{ start: 3_600_000, end: 9_300_000 }] },
    actions: [
      { kind: "brokerDown", afterMs: 8_925_855 },
      { kind: "loseToPlug", count: 4, afterMs: 68_828 },
      { kind: "brokerUp", ms: 100, afterMs: 5_067 },
    ],
  };

  test("is not taken for a hand when it fires: the plug is switched ON again", () => {
    const { judge } = livePlug(renewalsLost);
    expect(judge.violations).toEqual([]);
  });

  test("and neither with when_lost: on, where it ends an OFF", () => {
    const { judge } = livePlug({ ...renewalsLost, setup: { ...renewalsLost.setup, whenLost: "on" } });
    expect(judge.violations).toEqual([]);
  });
});

describe("Tasmota's PulseTime, which is stored in the device", () => {
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
  ] as const)("does not cut what a hand switched on: %s", (_, before) => {
    const { plug, judge } = livePlug({ setup, actions: [...before, { kind: "press", afterMs: 4_000_000 }] });
    expect([plug.on, plug.cause, plug.timerAt, judge.violations]).toEqual([true, "hand", null, []]);
  });

  test("and is cleared when a hand finds it set: the OFF was lost", () => {
    const actions = [
      { kind: "loseToPlug", count: 7, afterMs: 1_199_000 },
      { kind: "press", afterMs: 100_000 },
      { kind: "press", afterMs: 10_000 },
    ] as const;
    const { plug, judge } = livePlug({ setup, actions });
    expect([plug.on, plug.cause, plug.timerAt, judge.violations]).toEqual([true, "hand", null, []]);
  });

  test("with when_lost: on it ends the OFF of a plug that was without power, too", () => {
    const rests: PlugLife["setup"] = { ...setup, whenLost: "on", powerOn: "off" };
    const dead = [
      { kind: "crash", afterMs: 600_000 },
      { kind: "powerOff", afterMs: 1_000 },
    ] as const;
    const { plug } = livePlug({ setup: rests, actions: [...dead, { kind: "powerOn", ms: 100, afterMs: 60_000 }] });
    expect([plug.on, plug.cause]).toEqual([true, "timer"]);
  });
});

describe("Tasmota's PowerOnState, which is stored in the device", () => {
  test("with 5 from when the plug had when_lost: on, an ON ends by itself all the same", () => {
    const setup: PlugLife["setup"] = { ...tasmota, powerOnState: 5, runs: [{ start: 300_000, end: 1_200_000 }] };
    const { plug, judge } = livePlug({ setup, actions: [{ kind: "crash", afterMs: 600_000 }] });
    expect([plug.on, plug.cause, judge.violations]).toEqual([false, "timer", []]);
  });
});

describe("the model is strict", () => {
  test.each(Object.entries(plugMutants))("it would notice %s", { timeout: TEST_TIMEOUT_MS }, (_, mutant) => {
    const caught = fc.check(
      fc.property(plugLives, (life) => livePlug(life, mutant).judge.violations.length === 0),
      { numRuns: MAX_RUNS_OF_A_MUTANT, endOnFailure: true },
    );
    expect(caught.failed).toBe(true);
  });
});
