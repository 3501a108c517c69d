import { describe, expect, test } from "vitest";
import { decide, type PlugDecision } from "../../../../src/core/plugs/plug-controller.ts";
import {
  MAX_DEAD_MAN_MS,
  type PlugEvent,
  type PlugRules,
  type Since,
  unknownPlug,
  type Wanted,
} from "../../../../src/core/plugs/plug-types.ts";

/** A quarter begins here. */
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

/** One plug, told what happens to it. What it is told to do is written as `on 1050`, `off`, `ask`. */
class Told {
  readonly rules: PlugRules;
  trusted = true;
  wanted: Wanted | null = null;
  last: PlugDecision;

  constructor(rules: Partial<PlugRules> = {}, since: Since | null = null) {
    this.rules = { ...RULES, ...rules };
    this.last = { state: unknownPlug(since), commands: [], aim: null, reason: "no_broker", wakeAt: null };
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

  /** Connected, told OFF and answered. */
  static atRest(rules: Partial<PlugRules> = {}, now = at(0)): Told {
    const plug = new Told(rules);
    plug.hears(now, "connected");
    plug.hears(now, heard(false));
    return plug;
  }

  /** ON by a plan until a time, and answered. */
  static running(until: number, rules: Partial<PlugRules> = {}, now = at(0)): Told {
    const plug = Told.atRest(rules, now);
    plug.wanted = { on: true, until };
    plug.hears(now);
    plug.hears(now, heard(true));
    return plug;
  }
}

describe("at the start", () => {
  test("OFF comes first, also where nothing is known and where nothing is wanted", () => {
    expect(new Told().hears(at(0), "connected")).toEqual(["off"]);
    const waiting = new Told();
    waiting.wanted = { on: false, until: at(30) };
    expect(waiting.hears(at(0), "connected")).toEqual(["off"]);
  });

  test("unless the running plan says ON", () => {
    const plug = new Told();
    plug.wanted = { on: true, until: at(40) };
    expect(plug.hears(at(5), "connected")).toEqual([`on ${600 + MARGIN_SEC}`]);
  });

  test("nothing at all before the clock is trusted; then OFF", () => {
    const plug = new Told();
    plug.trusted = false;
    plug.wanted = { on: true, until: at(40) };
    expect(plug.hears(at(0), "connected")).toEqual([]);
    expect([plug.last.reason, plug.last.aim, plug.last.wakeAt]).toEqual(["clock_not_trusted", null, null]);
    plug.wanted = null;
    plug.trusted = true;
    expect(plug.hears(at(1))).toEqual(["off"]);
  });
});

describe("an ON has an end", () => {
  test("a little after its quarter, renewed at each; the last one a little after the run", () => {
    const plug = Told.running(at(40), {}, at(10));
    const said: string[] = [];
    for (let minute = 10; minute <= 42; minute++) {
      const commands = plug.hears(at(minute));
      if (commands[0]) plug.hears(at(minute), heard(commands[0] !== "off"));
      if (minute === 39) plug.wanted = { on: true, until: at(40) };
      said.push(...commands.map((command) => `${minute}: ${command}`));
    }
    expect(said).toEqual([`15: on ${900 + MARGIN_SEC}`, `30: on ${600 + MARGIN_SEC}`, "40: off"]);
  });

  test("its end is a moment to look at", () => {
    expect(Told.running(at(7)).last.wakeAt).toBe(at(7));
    expect(Told.running(at(40)).last.wakeAt).toBe(at(15));
  });

  test("what the plan forgets to end is ended: an `until` that has passed is OFF", () => {
    expect(Told.running(at(7)).hears(at(7))).toEqual(["off"]);
  });

  test("a family without a timer is told ON anew each quarter", () => {
    const plug = Told.running(at(40), { deadMan: null });
    expect(plug.hears(at(15))).toEqual(["on -"]);
  });

  test("the device's limits are kept", () => {
    const tight = Told.atRest({ deadMan: { leastSec: 1, mostSec: 60 } });
    tight.wanted = { on: true, until: at(40) };
    expect(tight.hears(at(0))).toEqual(["on 60"]);
    const coarse = Told.atRest({ deadMan: { leastSec: 2_000, mostSec: 4_000 } });
    coarse.wanted = { on: true, until: at(40) };
    expect(coarse.hears(at(0))).toEqual(["on 2000"]);
  });

  test("OFF where the time is no longer trusted, and where what is wanted is no longer known", () => {
    const doubted = Told.running(at(40));
    doubted.trusted = false;
    expect(doubted.hears(at(3))).toEqual(["off"]);
    const forgotten = Told.running(at(40));
    forgotten.wanted = null;
    expect(forgotten.hears(at(3))).toEqual(["off"]);
    expect(forgotten.last.reason).toBe("no_signal");
  });
});

describe("a plug that rests ON (when_lost: on)", () => {
  const FREEZER = { whenLost: "on" } as const;

  test("is ON at the start, without prices and before the clock is trusted, and its ON has no end", () => {
    const unknown = new Told(FREEZER);
    unknown.trusted = false;
    expect(unknown.hears(at(0), "connected")).toEqual(["on -"]);
    expect([unknown.last.reason, unknown.last.aim]).toEqual(["clock_not_trusted", true]);
    expect(new Told(FREEZER).hears(at(0), "connected")).toEqual(["on -"]);
  });

  test("is ON where its plan knows nothing, whatever the plan says", () => {
    const plug = new Told(FREEZER);
    plug.wanted = { on: false, until: null, lost: "off" };
    expect(plug.hears(at(0), "connected")).toEqual(["on -"]);
    expect(plug.last.reason).toBe("no_signal");
  });

  test("an OFF ends by itself a little after its quarter, with the gap at the latest; it is renewed", () => {
    const plug = new Told(FREEZER);
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
  });

  test("is ON as soon as the time is no longer trusted or the prices are gone, whatever its minimum off time", () => {
    for (const change of [{ trusted: false }, { wanted: null }]) {
      const plug = new Told(FREEZER);
      plug.hears(at(0), "connected");
      plug.hears(at(0), heard(true));
      plug.wanted = { on: false, until: at(40) };
      plug.hears(at(10));
      plug.hears(at(10), heard(false));
      expect(plug.hears(at(12), Object.assign(plug, change) && "tick")).toEqual(["on -"]);
    }
  });

  test("its own timer is no hand: it is told OFF again while the gap lasts", () => {
    const plug = new Told(FREEZER);
    plug.hears(at(0), "connected");
    plug.hears(at(0), heard(true));
    plug.wanted = { on: false, until: at(40) };
    plug.hears(at(10));
    plug.hears(at(10), heard(false));
    plug.hears(at(15));
    for (const second of [10, 20, 30, 40]) plug.hears(at(15, second));
    plug.hears(at(17, 30), heard(true));
    expect(plug.last.state.manualOverride).toBeNull();
  });
});

describe("a plug that keeps its state (when_lost: keep)", () => {
  test("is told nothing while nothing was ever known, and keeps what was wanted last; no command has an end", () => {
    const plug = new Told({ whenLost: "keep", deadMan: null });
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

describe("a timer that may not exist", () => {
  const UNSURE = { isTimerUnsure: true, answers: "asked" } as const;
  const atItsEnd = (rules: Partial<PlugRules> = {}): Told => {
    const plug = Told.running(at(7), { ...UNSURE, ...rules });
    plug.wanted = { on: false, until: null };
    return plug;
  };

  test("is observed at the end of the first run: the plug switches itself off, and is trusted from then on", () => {
    const plug = atItsEnd();
    expect(plug.hears(at(7))).toEqual([]);
    expect([plug.last.reason, plug.last.aim]).toEqual(["timer_test", true]);
    plug.hears(at(9, 30), heard(false));
    expect([plug.last.state.timerWorks, plug.last.aim, plug.last.state.manualOverride]).toEqual([true, false, null]);
    plug.wanted = { on: true, until: at(20) };
    plug.hears(at(15));
    plug.hears(at(15), heard(true));
    plug.wanted = { on: false, until: null };
    expect(plug.hears(at(20))).toEqual(["off"]);
  });

  test("is none if the plug stays ON ten seconds longer: then it is switched off", () => {
    const plug = atItsEnd();
    plug.hears(at(7));
    expect(plug.last.wakeAt).toBe(at(9, 40));
    expect(plug.hears(at(9, 40))).toEqual(["off"]);
    expect(plug.last.state.timerWorks).toBe(false);
  });

  test("is not waited for where a run is stopped, nor where its timer is known", () => {
    const stopped = Told.running(at(60), UNSURE);
    stopped.wanted = { on: false, until: null };
    expect(stopped.hears(at(2))).toEqual(["off"]);
    expect(atItsEnd({ isTimerUnsure: false }).hears(at(7))).toEqual(["off"]);
  });

  test("a plug that is already ON says nothing to a timed ON: it is asked at each renewal, and is not silent", () => {
    const plug = Told.running(at(40), UNSURE);
    expect(plug.hears(at(15))).toEqual([`on ${900 + MARGIN_SEC}`, "ask"]);
    plug.hears(at(15, 1), heard(true));
    expect([plug.hears(at(15, 10)), plug.last.state.unresponsive]).toEqual([[], false]);
  });
});

describe("a bridge", () => {
  test("that goes takes its plugs along; when it comes back they are told again", () => {
    const plug = Told.running(at(40));
    expect(plug.hears(at(2), { kind: "bridge", up: true })).toEqual([]);
    plug.hears(at(2), { kind: "bridge", up: false });
    expect(plug.last.state.available).toBe(false);
    expect(plug.hears(at(3), { kind: "bridge", up: true })).toEqual([`on ${720 + MARGIN_SEC}`]);
    expect(plug.last.state.available).toBeNull();
  });
});

describe("the echo", () => {
  test("is awaited for ten seconds, three retries, then the plug is silent until it answers", () => {
    const plug = new Told();
    plug.hears(at(0), "connected");
    expect(plug.last.wakeAt).toBe(at(0, 10));
    expect(plug.hears(at(0, 9))).toEqual([]);
    const tries = [10, 20, 30, 40].map((second) => plug.hears(at(0, second)));
    expect(tries).toEqual([["off"], ["off"], ["off"], []]);
    expect(plug.last.state.unresponsive).toBe(true);
    expect([plug.last.wakeAt, plug.hears(at(15))]).toEqual([at(15), ["off"]]);
    plug.hears(at(15, 1), heard(false));
    expect(plug.last.state.unresponsive).toBe(false);
    expect(plug.hears(at(30))).toEqual([]);
  });

  test("the wrong echo is none; that a command was done is one", () => {
    const plug = new Told();
    plug.hears(at(0), "connected");
    plug.hears(at(0, 1), heard(true));
    expect(plug.hears(at(0, 10))).toEqual(["off", "ask"]);
    plug.hears(at(0, 11), { kind: "done", on: false });
    expect(plug.hears(at(0, 30))).toEqual([]);
  });

  test("a plug that tells changes only is believed where nothing is to change, unless a command before was lost", () => {
    const plug = Told.atRest({ answers: "changes" });
    plug.hears(at(1), "disconnected");
    plug.hears(at(2), "connected");
    plug.hears(at(2), heard(false, true));
    plug.wanted = { on: true, until: at(4) };
    plug.hears(at(3));
    plug.hears(at(3, 10));
    expect(plug.hears(at(4))).toEqual(["off"]);
    expect(plug.last.state.sent?.settled).toBe(false);
  });

  test("nobody waits for a plug that never tells", () => {
    const plug = new Told({ answers: "never" });
    plug.hears(at(0), "connected");
    expect([plug.last.state.sent?.settled, plug.last.state.unresponsive]).toEqual([true, false]);
  });

  test("a renewal is not settled by being asked after: a plug that is still ON may have missed it", () => {
    const plug = Told.running(at(40));
    expect(plug.hears(at(15))).toEqual([`on ${900 + MARGIN_SEC}`]);
    expect(plug.hears(at(15, 10))).toEqual([`on ${890 + MARGIN_SEC}`]);
  });
});

describe("a plug that comes back", () => {
  test.each([
    ["the broker was away", [["disconnected"], ["connected"]]],
    ["the plug was away", [[there(false)], [there(true)]]],
    ["the plug was away unnoticed", [[there(true)]]],
  ] as const)("is told again: %s", (_, events) => {
    const plug = Told.running(at(40));
    const said = events.flatMap(([event]) => plug.hears(at(2), event));
    expect(said).toEqual([`on ${780 + MARGIN_SEC}`]);
  });

  test("is not told again because the broker remembers that it is there", () => {
    const plug = Told.running(at(40));
    expect(plug.hears(at(2), there(true, true))).toEqual([]);
  });

  test("and does what lay in the broker is told otherwise: that is no hand", () => {
    const plug = Told.atRest();
    plug.hears(at(2), there(false));
    expect(plug.hears(at(3), there(true))).toEqual(["off"]);
    plug.hears(at(3, 1), heard(false));
    expect(plug.hears(at(3, 3), heard(true))).toEqual(["off", "ask"]);
    expect(plug.last.state.manualOverride).toBeNull();
  });

  test("nothing is sent while there is no broker", () => {
    const plug = Told.running(at(40));
    expect(plug.hears(at(2), "disconnected")).toEqual([]);
    expect(plug.hears(at(40))).toEqual([]);
    expect(plug.last.reason).toBe("no_broker");
    expect(plug.hears(at(41), "connected")).toEqual(["off"]);
  });
});

describe("a hand on the button", () => {
  test("counts until the next planned edge: OFF in a run", () => {
    const plug = Told.running(at(40));
    expect(plug.hears(at(5), heard(false))).toEqual([]);
    expect([plug.last.reason, plug.last.aim]).toEqual(["switched_off_by_hand", false]);
    expect(plug.hears(at(15))).toEqual([]);
    plug.wanted = { on: false, until: at(60) };
    expect(plug.hears(at(40))).toEqual(["off"]);
    plug.hears(at(40), heard(false));
    plug.wanted = { on: true, until: at(90) };
    expect(plug.hears(at(60))).toEqual([`on ${900 + MARGIN_SEC}`]);
  });

  test("counts until the next planned edge: ON outside of runs, which is not renewed", () => {
    const plug = Told.atRest();
    plug.wanted = { on: false, until: at(60) };
    expect(plug.hears(at(5), heard(true))).toEqual(["clear_timer"]);
    expect(plug.hears(at(30))).toEqual([]);
    expect([plug.last.reason, plug.last.aim]).toEqual(["switched_on_by_hand", null]);
    plug.wanted = { on: true, until: at(70) };
    expect(plug.hears(at(60))).toEqual([`on ${600 + MARGIN_SEC}`]);
    plug.hears(at(60), heard(true));
    plug.wanted = { on: false, until: null };
    expect(plug.hears(at(70))).toEqual(["off"]);
  });

  test("ends with the run also where it had switched on what a minimum time held OFF", () => {
    const plug = Told.atRest({ minOffMs: 10 * 60_000 });
    plug.wanted = { on: true, until: at(20) };
    plug.hears(at(5));
    expect(plug.hears(at(6), heard(true))).toEqual(["clear_timer"]);
    plug.wanted = { on: false, until: null };
    expect(plug.hears(at(20))).toEqual(["off"]);
  });

  test("is taken back by a hand: ON gets its end at once", () => {
    const plug = Told.running(at(40));
    plug.hears(at(5), heard(false));
    expect(plug.hears(at(6), heard(true))).toEqual([`on ${540 + MARGIN_SEC}`]);
  });

  test("does not count with override: enforce; a plug that fights is told a few times a minute at most", () => {
    const plug = Told.running(at(40), { override: "enforce" });
    expect(plug.hears(at(5), heard(false))).toEqual([`on ${600 + MARGIN_SEC}`, "ask"]);
    plug.hears(at(5), heard(true));
    const seconds = Array.from({ length: 150 }, (_, second) => second);
    const told = seconds.filter((second) => {
      const commands = [...plug.hears(at(5, second), heard(false)), ...plug.hears(at(5, second))];
      plug.hears(at(5, second), heard(true));
      return commands.length > 0;
    });
    expect(told).toEqual([2, 4, 64, 66, 68, 70, 130, 132, 134, 136]);
    expect(plug.last.state.unresponsive).toBe(false);
  });

  test("is not what a device's timer does: an ON whose renewals were lost is said again", () => {
    const plug = Told.running(at(40));
    plug.hears(at(15));
    for (const second of [10, 20, 30, 40]) plug.hears(at(15, second));
    expect(plug.hears(at(17, 30), heard(false))).toEqual([]);
    expect(plug.last.state.manualOverride).toBeNull();
  });

  test("is not what an old message of the broker says", () => {
    const plug = Told.running(at(40));
    plug.hears(at(5), heard(false, true));
    expect([plug.last.state.manualOverride, plug.last.state.reported]).toEqual([null, true]);
  });
});

describe("minimum times", () => {
  const minOnMs = 10 * 60_000;

  test("an ON that ends too soon goes on, and is not renewed", () => {
    const plug = Told.running(at(13), { minOnMs }, at(10));
    plug.wanted = { on: false, until: null };
    expect(plug.hears(at(13))).toEqual([]);
    expect([plug.last.reason, plug.last.wakeAt]).toEqual(["minimum_on_time", at(13) + MARGIN_SEC * 1_000]);
    expect(plug.hears(at(15))).toEqual([]);
  });

  test("but never beyond the end that the device was given", () => {
    const plug = Told.running(at(1), { minOnMs: 60 * 60_000 });
    plug.wanted = { on: false, until: null };
    plug.hears(at(1));
    expect(plug.last.wakeAt).toBe(at(1) + MARGIN_SEC * 1_000);
    expect(plug.hears(plug.last.wakeAt ?? 0)).toEqual(["off"]);
    expect(at(1) + MARGIN_SEC * 1_000 - at(1)).toBeLessThanOrEqual(MAX_DEAD_MAN_MS);
  });

  test("an ON waits for the minimum off time, also one that began before a restart", () => {
    const plug = new Told({ minOffMs: 5 * 60_000 }, { on: false, at: at(0) });
    plug.wanted = { on: true, until: at(40) };
    expect(plug.hears(at(2), "connected")).toEqual(["off"]);
    plug.hears(at(2), heard(false));
    expect([plug.last.reason, plug.last.wakeAt]).toEqual(["minimum_off_time", at(5)]);
    expect(plug.hears(at(5))).toEqual([`on ${600 + MARGIN_SEC}`]);
  });

  test("do not hold an ON whose time is no longer trusted", () => {
    const plug = Told.running(at(40), { minOnMs });
    plug.trusted = false;
    expect(plug.hears(at(1))).toEqual(["off"]);
  });
});

describe("a clock that is set back", () => {
  test("does not make a minimum time of an earlier life longer", () => {
    const plug = new Told({ minOffMs: 5 * 60_000 }, { on: false, at: at(600) });
    plug.wanted = { on: true, until: at(40) };
    plug.hears(at(2), "connected");
    expect(plug.last.wakeAt).toBeLessThanOrEqual(at(7));
  });

  test("leaves no echo, renewal or end further ahead than it can be", () => {
    const plug = Told.running(at(600), {}, at(120));
    plug.hears(at(135));
    expect(plug.last.state.sent?.echoBy).toBe(at(135, 10));
    plug.hears(at(0));
    const { sent, since, ends } = plug.last.state;
    expect(sent?.echoBy).toBe(at(0, 10));
    expect(sent?.renewAt).toBeLessThanOrEqual(at(15));
    expect(Math.max(...ends)).toBeLessThanOrEqual(at(0) + MAX_DEAD_MAN_MS);
    expect(since?.at).toBeLessThanOrEqual(at(0));
  });
});
