import { describe, expect, test } from "vitest";
import {
  doneAt,
  type MachineMoment,
  type MachinePhase,
  type MachineRules,
  machineAt,
  NO_MACHINE,
} from "../../../../src/core/plugs/machine.ts";
import { MINUTE_MS } from "../../../../src/core/time/interval.ts";

const RULES: MachineRules = { startsWhen: { aboveWatts: 5 }, endsWhen: { belowWatts: 5, forMs: 5 * MINUTE_MS } };
const IDLE: MachineMoment = { watts: 1, isOn: true, runs: false, isTaken: true, isForced: false };
const OFF = { ...IDLE, watts: 0, isOn: false };
const RUN = { ...IDLE, runs: true };

/** Returns the phases after moments that are a minute apart. */
function phasesOf(moments: readonly MachineMoment[], rules = RULES): MachinePhase[] {
  let state = NO_MACHINE;
  return moments.map((moment, minute) => {
    state = machineAt(state, moment, rules, minute * MINUTE_MS);
    return state.phase;
  });
}

describe("a machine that is started manually", () => {
  test("waits OFF until its plan runs it, and is absent again after the run", () => {
    const moments = [IDLE, { ...IDLE, watts: 40 }, OFF, OFF, RUN, { ...RUN, watts: 2_000 }, IDLE];
    expect(phasesOf(moments)).toEqual(["absent", "waits", "waits", "waits", "runs", "runs", "absent"]);
  });

  test("is left alone if its plan does not take it, until it draws nothing", () => {
    const late = { ...IDLE, watts: 40, isTaken: false };
    expect(phasesOf([late, { ...late, isTaken: true }, IDLE, { ...IDLE, watts: 40 }])).toEqual([
      "released",
      "released",
      "absent",
      "waits",
    ]);
  });

  test("runs at once if its plug is switched ON manually while it waits, or its plan becomes impossible", () => {
    const waiting = [{ ...IDLE, watts: 40 }, OFF];
    expect(phasesOf([...waiting, { ...IDLE, isForced: true }])).toEqual(["waits", "waits", "released"]);
    expect(phasesOf([...waiting, { ...OFF, isTaken: false }])).toEqual(["waits", "waits", "released"]);
  });

  test("its power alone starts nothing without starts_when", () => {
    expect(phasesOf([{ ...IDLE, watts: 40 }], { endsWhen: { belowWatts: 5, forMs: 1 } })).toEqual(["absent"]);
  });
});

describe("the end of a run", () => {
  test("is known once the machine has drawn power and then little for the whole time; a pause does not end it", () => {
    const busy = { ...RUN, watts: 2_000 };
    const low = { ...RUN, watts: 2 };
    const moments = [low, low, low, low, low, low, low, busy, low, low, low, busy, low, low, low, low, low, low];
    expect(phasesOf(moments).indexOf("done")).toBe(17);
  });

  test("comes without another message when the time of low power is over", () => {
    const busy = machineAt(NO_MACHINE, { ...RUN, watts: 90 }, RULES, 0);
    const low = machineAt(busy, { ...RUN, watts: 0 }, RULES, MINUTE_MS);
    expect([doneAt(busy, RULES), doneAt(low, RULES)]).toEqual([null, 6 * MINUTE_MS]);
  });

  test("is not seen while the plug measures nothing, or is OFF", () => {
    const busy = { ...RUN, watts: 90 };
    expect(phasesOf([busy, ...Array.from({ length: 9 }, () => ({ ...RUN, watts: null }))])).not.toContain("done");
    expect(phasesOf([busy, ...Array.from({ length: 9 }, () => ({ ...OFF, runs: true }))])).not.toContain("done");
  });
});
