import { describe, expect, test } from "vitest";
import { checkCommand, decide, type PlugDecision } from "../../../../src/core/plugs/plug-controller.ts";
import {
  MAX_DEAD_MAN_MS,
  type PlugEvent,
  type PlugRules,
  type Since,
  unknownPlug,
  type Wanted,
} from "../../../../src/core/plugs/plug-types.ts";

/** Start of a quarter hour. */
const T0 = Date.UTC(2026, 2, 10, 12);
const at = (minutes: number, seconds = 0) => T0 + (minutes * 60 + seconds) * 1_000;
const RULES: PlugRules = {
  whenLost: "off",
  deadMan: { leastSec: 12, mostSec: 64_800 },
  answers: "always",
  override: "respect",
  minOnMs: 0,
  minOffMs: 0,
};
const heard = (on: boolean, retained = false): PlugEvent => ({ kind: "reported", on, retained });
const there = (available: boolean, retained = false): PlugEvent => ({ kind: "availability", available, retained });
const MARGIN_SEC = 150;

/** Controller of one plug. Returns its commands as text: `on 1050`, `off`, `ask`. */
class ReportedHomes {
  readonly rules: PlugRules;
  trusted = true;
  wanted: Wanted | null = null;
  last: PlugDecision;

  constructor(rules: Partial<PlugRules> = {}, since: Since | null = null) {
    this.rules = { ...RULES, ...rules };
    this.last = { state: unknownPlug(since), commands: [], targetOn: null, reason: "no_broker", wakeAt: null };
  }

  hears(now: number, event: PlugEvent | "tick" | "connected" | "disconnected" = "tick"): string[] {
    const { wanted, trusted, rules } = this;
    const kinds = typeof event === "string" ? ({ kind: event } as const) : event;
    this.last = decide({ state: this.last.state, event: kinds, wanted, trusted, rules, now });
    return this.last.commands.map((command) => {
      if (command.kind === "on") return `on ${command.deadManSec ?? "-"}`;
      return command.kind === "off" && command.deadManSec !== null ? `off ${command.deadManSec}` : command.kind;
    });
  }

  /** Returns a plug that has connected, received OFF and confirmed it. */
  static atRest(rules: Partial<PlugRules> = {}, now = at(0)): ReportedHomes {
    const plug = new ReportedHomes(rules);
    plug.hears(now, "connected");
    plug.hears(now, heard(false));
    return plug;
  }

  /** Returns a plug that a plan has switched ON until `until`, confirmed. */
  static running(until: number, rules: Partial<PlugRules> = {}, now = at(0)): ReportedHomes {
    const plug = ReportedHomes.atRest(rules, now);
    plug.wanted = { on: true, until };
    plug.hears(now);
    plug.hears(now, heard(true));
    return plug;
  }
}

describe("at the start", () => {
  test("at the start sends nothing until the clock is trusted, then OFF", () => {
    const plug = new ReportedHomes();
    plug.trusted = false;
    plug.wanted = { on: true, until: at(40) };
    expect(plug.hears(at(0), "connected")).toEqual([]);
    expect([plug.last.reason, plug.last.targetOn, plug.last.wakeAt]).toEqual(["clock_not_trusted", null, null]);
    plug.wanted = null;
    plug.trusted = true;
    expect(plug.hears(at(1))).toEqual(["off"]);
  });
});

describe("ON with a timer", () => {
  test("ON with a timer ends shortly after its quarter hour, is renewed at each, and ends shortly after the run", () => {
    const plug = ReportedHomes.running(at(40), {}, at(10));
    const said: string[] = [];
    for (let minute = 10; minute <= 42; minute++) {
      const commands = plug.hears(at(minute));
      if (commands[0]) plug.hears(at(minute), heard(commands[0] !== "off"));
      if (minute === 39) plug.wanted = { on: true, until: at(40) };
      said.push(...commands.map((command) => `${minute}: ${command}`));
    }
    expect(said).toEqual([`15: on ${900 + MARGIN_SEC}`, `30: on ${600 + MARGIN_SEC}`, "40: off"]);
  });

  test("ON with a timer is repeated every quarter hour for a family without a timer", () => {
    const plug = ReportedHomes.running(at(40), { deadMan: null });
    expect(plug.hears(at(15))).toEqual(["on -"]);
  });

  test("ON with a timer keeps the timer limits of the device", () => {
    const tight = ReportedHomes.atRest({ deadMan: { leastSec: 1, mostSec: 60 } });
    tight.wanted = { on: true, until: at(40) };
    expect(tight.hears(at(0))).toEqual(["on 60"]);
    const coarse = ReportedHomes.atRest({ deadMan: { leastSec: 2_000, mostSec: 4_000 } });
    coarse.wanted = { on: true, until: at(40) };
    expect(coarse.hears(at(0))).toEqual(["on 2000"]);
  });

  test("ON with a timer is followed by OFF if the clock is no longer trusted or the plan is unknown", () => {
    const doubted = ReportedHomes.running(at(40));
    doubted.trusted = false;
    expect(doubted.hears(at(3))).toEqual(["off"]);
    const forgotten = ReportedHomes.running(at(40));
    forgotten.wanted = null;
    expect(forgotten.hears(at(3))).toEqual(["off"]);
    expect(forgotten.last.reason).toBe("no_signal");
  });
});

describe("a plug that rests ON (when_lost: on)", () => {
  const FREEZER = { whenLost: "on" } as const;

  test("a plug that rests ON is ON if its plan is unknown, for any `lost` of the plan", () => {
    const plug = new ReportedHomes(FREEZER);
    plug.wanted = { on: false, until: null, lost: "off" };
    expect(plug.hears(at(0), "connected")).toEqual(["on -"]);
    expect(plug.last.reason).toBe("no_signal");
  });

  test("a plug that rests ON gets an OFF with a timer that ends shortly after the quarter hour or the run, and is renewed", () => {
    const plug = new ReportedHomes(FREEZER);
    plug.hears(at(0), "connected");
    plug.hears(at(0), heard(true));
    plug.wanted = { on: false, until: at(40) };
    expect(plug.hears(at(10))).toEqual([`off ${300 + MARGIN_SEC}`]);
    plug.hears(at(10), heard(false));
    expect(plug.hears(at(15))).toEqual([`off ${900 + MARGIN_SEC}`]);
    plug.hears(at(15), heard(false));
    expect(plug.hears(at(30))).toEqual(["off 610"]);
    plug.hears(at(30), heard(false));
    expect(plug.hears(at(40))).toEqual(["on -"]);
    plug.hears(at(40), heard(true));
    plug.wanted = { on: false, until: at(45) };
    expect(plug.hears(at(41))).toEqual(["off 250"]);
  });

  test("a plug that rests ON gets ON immediately if the clock is no longer trusted or prices are missing, even within min_off", () => {
    for (const change of [{ trusted: false }, { wanted: null }]) {
      const plug = new ReportedHomes(FREEZER);
      plug.hears(at(0), "connected");
      plug.hears(at(0), heard(true));
      plug.wanted = { on: false, until: at(40) };
      plug.hears(at(10));
      plug.hears(at(10), heard(false));
      expect(plug.hears(at(12), Object.assign(plug, change) && "tick")).toEqual(["on -"]);
    }
  });
});

describe("a plug that keeps its state (when_lost: keep)", () => {
  test("a plug that keeps its state gets no command before the first signal, then keeps the last wanted state; commands have no timer", () => {
    const plug = new ReportedHomes({ whenLost: "keep", deadMan: null });
    expect(plug.hears(at(0), "connected")).toEqual([]);
    plug.wanted = { on: true, until: at(40) };
    expect(plug.hears(at(1))).toEqual(["on -"]);
    plug.hears(at(1), heard(true));
    plug.wanted = null;
    expect(plug.hears(at(2))).toEqual([]);
    plug.wanted = { on: false, until: null };
    expect(plug.hears(at(3))).toEqual(["off"]);
  });
});

describe("a timer that may not work", () => {
  const UNSURE = { isTimerUnsure: true, answers: "asked" } as const;
  const atItsEnd = (rules: Partial<PlugRules> = {}): ReportedHomes => {
    const plug = ReportedHomes.running(at(7), { ...UNSURE, ...rules });
    plug.wanted = { on: false, until: null };
    return plug;
  };

  test("a timer of at most 255 s is not a test: a device that keeps 8 bits of the seconds would pass it", () => {
    // A restart shortly before the end of a run.
    const plug = ReportedHomes.running(at(14), UNSURE, at(13));
    plug.wanted = { on: false, until: null };
    expect([plug.hears(at(14)), plug.last.reason]).toEqual([["off"], "wanted_off"]);
    expect(plug.last.state.timerWorks).toBeNull();
  });

  test("a timer that may not work is not tested if a run is stopped, or if the timer is known to work", () => {
    const stopped = ReportedHomes.running(at(60), UNSURE);
    stopped.wanted = { on: false, until: null };
    expect(stopped.hears(at(2))).toEqual(["off"]);
    expect(atItsEnd({ isTimerUnsure: false }).hears(at(7))).toEqual(["off"]);
  });

  test("a plug that does not confirm a repeated timed ON is asked at each renewal, and is not unresponsive", () => {
    const plug = ReportedHomes.running(at(40), UNSURE);
    expect(plug.hears(at(15))).toEqual([`on ${900 + MARGIN_SEC}`, "ask"]);
    plug.hears(at(15, 1), heard(true));
    expect([plug.hears(at(15, 10)), plug.last.state.unresponsive]).toEqual([[], false]);
  });
});

describe("the confirmation of a command", () => {
  test("the confirmation of a command must report the wanted state, or that the command was executed", () => {
    const plug = new ReportedHomes();
    plug.hears(at(0), "connected");
    plug.hears(at(0, 1), heard(true));
    expect(plug.hears(at(0, 10))).toEqual(["off", "ask"]);
    plug.hears(at(0, 11), { kind: "done", on: false });
    expect(plug.hears(at(0, 30))).toEqual([]);
  });

  test("the confirmation of a command is not needed if the state stays and the plug reports only changes, unless an earlier command was lost", () => {
    const plug = ReportedHomes.atRest({ answers: "changes" });
    plug.hears(at(1), "disconnected");
    plug.hears(at(2), "connected");
    plug.hears(at(2), heard(false, true));
    plug.wanted = { on: true, until: at(4) };
    plug.hears(at(3));
    plug.hears(at(3, 10));
    expect(plug.hears(at(4))).toEqual(["off"]);
    expect(plug.last.state.sent?.settled).toBe(false);
  });

  test("the confirmation of a command is not awaited from a plug that never reports", () => {
    const plug = new ReportedHomes({ answers: "never" });
    plug.hears(at(0), "connected");
    expect([plug.last.state.sent?.settled, plug.last.state.unresponsive]).toEqual([true, false]);
  });

  test("the confirmation of a command must follow a renewal: the plug's earlier ON does not settle it", () => {
    const plug = ReportedHomes.running(at(40));
    expect(plug.hears(at(15))).toEqual([`on ${900 + MARGIN_SEC}`]);
    expect(plug.hears(at(15, 10))).toEqual([`on ${890 + MARGIN_SEC}`]);
  });
});

describe("a plug that reconnects", () => {
  test.each([
    ["the broker was away", [["disconnected"], ["connected"]]],
    ["the plug was away", [[there(false)], [there(true)]]],
    ["the plug was away unnoticed", [[there(true)]]],
  ] as const)("a plug that reconnects gets its command again: %s", (_, events) => {
    const plug = ReportedHomes.running(at(40));
    const said = events.flatMap(([event]) => plug.hears(at(2), event));
    expect(said).toEqual([`on ${780 + MARGIN_SEC}`]);
  });

  test("a plug that reconnects does not get its command again for a retained availability message", () => {
    const plug = ReportedHomes.running(at(40));
    expect(plug.hears(at(2), there(true, true))).toEqual([]);
  });

  test("a plug that reconnects gets a corrected command after it executed a retained one, which is not a manual override", () => {
    const plug = ReportedHomes.atRest();
    plug.hears(at(2), there(false));
    expect(plug.hears(at(3), there(true))).toEqual(["off"]);
    plug.hears(at(3, 1), heard(false));
    expect(plug.hears(at(3, 3), heard(true))).toEqual(["off", "ask"]);
    expect(plug.last.state.manualOverride).toBeNull();
  });
});

describe("a manual override", () => {
  test("a manual override that switches a freezer OFF ends after its longest time OFF", () => {
    const plug = new ReportedHomes({ whenLost: "on" });
    plug.wanted = { on: true, until: at(600), maxOffMs: 90 * 60_000 };
    plug.hears(at(0), "connected");
    plug.hears(at(0), heard(true));
    plug.hears(at(20), heard(false));
    expect(plug.last).toMatchObject({ reason: "switched_off_by_hand", wakeAt: at(110) });
    expect(plug.hears(at(109))).toEqual([]);
    expect(plug.hears(at(110))).toEqual(["on -"]);
  });

  test("to ON outside of runs lasts until the next planned change and is not renewed", () => {
    const plug = ReportedHomes.atRest();
    plug.wanted = { on: false, until: at(60) };
    expect(plug.hears(at(5), heard(true))).toEqual(["clear_timer"]);
    expect(plug.hears(at(30))).toEqual([]);
    expect([plug.last.reason, plug.last.targetOn]).toEqual(["switched_on_by_hand", null]);
    plug.wanted = { on: true, until: at(70) };
    expect(plug.hears(at(60))).toEqual([`on ${600 + MARGIN_SEC}`]);
    plug.hears(at(60), heard(true));
    plug.wanted = { on: false, until: null };
    expect(plug.hears(at(70))).toEqual(["off"]);
  });

  test("to ON during the minimum off time ends with the run", () => {
    const plug = ReportedHomes.atRest({ minOffMs: 10 * 60_000 });
    plug.wanted = { on: true, until: at(20) };
    plug.hears(at(5));
    expect(plug.hears(at(6), heard(true))).toEqual(["clear_timer"]);
    plug.wanted = { on: false, until: null };
    expect(plug.hears(at(20))).toEqual(["off"]);
  });

  test("to OFF ends when the plug is switched on manually; it immediately gets a timer", () => {
    const plug = ReportedHomes.running(at(40));
    plug.hears(at(5), heard(false));
    expect(plug.hears(at(6), heard(true))).toEqual([`on ${540 + MARGIN_SEC}`]);
  });

  test("a manual override is reverted with override: enforce, at most a few times per minute", () => {
    const plug = ReportedHomes.running(at(40), { override: "enforce" });
    expect(plug.hears(at(5), heard(false))).toEqual([`on ${600 + MARGIN_SEC}`, "ask"]);
    plug.hears(at(5), heard(true));
    const seconds = Array.from({ length: 150 }, (_, second) => second);
    const sent = seconds.filter((second) => {
      const commands = [...plug.hears(at(5, second), heard(false)), ...plug.hears(at(5, second))];
      plug.hears(at(5, second), heard(true));
      return commands.length > 0;
    });
    expect(sent).toEqual([2, 4, 64, 66, 68, 70, 130, 132, 134, 136]);
    expect(plug.last.state.unresponsive).toBe(false);
  });

  test("a manual override is not assumed for a retained message", () => {
    const plug = ReportedHomes.running(at(40));
    plug.hears(at(5), heard(false, true));
    expect([plug.last.state.manualOverride, plug.last.state.reported]).toEqual([null, true]);
  });
});

describe("minimum times", () => {
  const minOnMs = 10 * 60_000;

  test("extend an ON that ends too soon, without renewal", () => {
    const plug = ReportedHomes.running(at(13), { minOnMs }, at(10));
    plug.wanted = { on: false, until: null };
    expect(plug.hears(at(13))).toEqual([]);
    expect([plug.last.reason, plug.last.wakeAt]).toEqual(["minimum_on_time", at(13) + MARGIN_SEC * 1_000]);
    expect(plug.hears(at(15))).toEqual([]);
  });

  test("minimum times do not extend an ON beyond its timer", () => {
    const plug = ReportedHomes.running(at(1), { minOnMs: 60 * 60_000 });
    plug.wanted = { on: false, until: null };
    plug.hears(at(1));
    expect(plug.last.wakeAt).toBe(at(1) + MARGIN_SEC * 1_000);
    expect(plug.hears(plug.last.wakeAt ?? 0)).toEqual(["off"]);
    expect(at(1) + MARGIN_SEC * 1_000 - at(1)).toBeLessThanOrEqual(MAX_DEAD_MAN_MS);
  });

  test("delay an ON by the minimum off time, also if the OFF began before a restart", () => {
    const plug = new ReportedHomes({ minOffMs: 5 * 60_000 }, { on: false, at: at(0) });
    plug.wanted = { on: true, until: at(40) };
    expect(plug.hears(at(2), "connected")).toEqual(["off"]);
    plug.hears(at(2), heard(false));
    expect([plug.last.reason, plug.last.wakeAt]).toEqual(["minimum_off_time", at(5)]);
    expect(plug.hears(at(5))).toEqual([`on ${600 + MARGIN_SEC}`]);
  });

  test("minimum times do not extend an ON if the clock is no longer trusted", () => {
    const plug = ReportedHomes.running(at(40), { minOnMs });
    plug.trusted = false;
    expect(plug.hears(at(1))).toEqual(["off"]);
  });
});

describe("a clock that was set back", () => {
  test("a clock that was set back does not extend a minimum time from before a restart", () => {
    const plug = new ReportedHomes({ minOffMs: 5 * 60_000 }, { on: false, at: at(600) });
    plug.wanted = { on: true, until: at(40) };
    plug.hears(at(2), "connected");
    expect(plug.last.wakeAt).toBeLessThanOrEqual(at(7));
  });
});

test.each([
  ["an ON without a timer", "on", null, {}, false],
  ["a timer of 0 s", "on", 0, {}, false],
  ["an OFF of what rests ON without a timer", "off", null, { whenLost: "on" }, false],
  ["a timer", "on", 900, {}, true],
  ["the resting state", "off", null, {}, true],
  ["a device without a timer", "on", null, { deadMan: null }, true],
  ["when_lost: on", "on", null, { whenLost: "on" }, true],
  ["when_lost: keep", "on", null, { whenLost: "keep", deadMan: null }, true],
] as const)(
  "a command out of the resting state has a timer, or the device has none: %s",
  (_, kind, deadManSec, more, fits) => {
    const check = () => checkCommand({ kind, deadManSec }, { ...RULES, ...more }, unknownPlug(null));
    if (fits) check();
    else expect(check).toThrow("an ON has a timer");
  },
);
