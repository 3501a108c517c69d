import { describe, expect, test } from "vitest";
import { runNow, stop } from "../../../../src/core/planning/plan-commands.ts";
import { newRecord, type PlanRecord } from "../../../../src/core/planning/plan-record.ts";
import { endedRest } from "../../../../src/core/planning/plan-resting.ts";
import { at, timelineOf } from "../../../support/home/price-days.ts";
import {
  iso,
  live,
  nightPrices,
  OPENS,
  slots,
  step,
  timesOf,
  washer,
  wordsOf,
} from "../../../support/plans/plan-life.ts";

const MINUTE = 60_000;
const PLANNED = step({ now: OPENS }).memory;
const STARTS = at("2026-03-11T01:00:00Z");
const ENDS = at("2026-03-11T03:00:00Z");

/** Returns the stored record of a run, as of the last moment at which elbro was running. */
function leftAt(now: number, spec = washer): PlanRecord {
  const planned = step({ now: OPENS, spec }).memory;
  return JSON.parse(JSON.stringify(live({ now: STARTS, memory: planned, spec }, now).memory)) as PlanRecord;
}

describe("an interrupted run of a window plan", () => {
  test("an interrupted run of a window plan continues unchanged if elbro is back before the plug's timer ended it", () => {
    const found = step({ now: at("2026-03-11T02:02:00Z"), memory: leftAt(at("2026-03-11T01:46:00Z")) });
    expect([found.state, timesOf(found.memory)]).toEqual(["running", ["01:00-03:00"]]);
  });

  test("an interrupted run of a window plan counts until the plug's timer ended it, and the missing time follows immediately", () => {
    const now = at("2026-03-11T02:30:00Z");
    const found = step({ now, memory: leftAt(at("2026-03-11T01:20:00Z")) });
    // The plug's timer was set at 01:15 to end at 01:32:30.
    expect([found.state, timesOf(found.memory)]).toEqual(["running", ["01:00-01:32", "02:30-03:57"]]);
    expect(found.finished).toMatchObject([{ start: STARTS, end: at("2026-03-11T01:32:30Z") }]);
    expect(wordsOf(found, now)).toMatch(/^runs until 04:57: 03:30-04:57, \d\.\d\d DKK\/kWh on average/);
    expect(wordsOf(found, now)).toContain("; was OFF 02:32-03:30, because elbro was not running");
    const done = live({ now, memory: found.memory }, at("2026-03-11T04:00:00Z"));
    expect([done.state, done.memory?.owedMs]).toEqual(["done", 0]);
    expect(wordsOf(done, now)).toMatch(/^has run: .*; was OFF 02:32-03:30, because elbro was not running$/);
    const all = [...(done.memory?.startedRuns ?? [])].reduce((sum, run) => sum + run.end - run.start, 0);
    expect(all).toBe(washer.hoursMs);
  });

  test("an interrupted run of a window plan counts as complete if the plug's timer ended it no earlier than the plan", () => {
    const found = step({ now: at("2026-03-11T03:10:00Z"), memory: leftAt(at("2026-03-11T02:46:00Z")) });
    expect([found.state, timesOf(found.memory), found.memory?.owedMs]).toEqual(["done", ["01:00-03:00"], 0]);
  });

  test("also continues after its planned end, because hours are missing", () => {
    const found = step({ now: at("2026-03-11T04:10:00Z"), memory: leftAt(at("2026-03-11T01:01:00Z")) });
    expect([found.state, timesOf(found.memory)]).toEqual(["running", ["01:00-01:17", "04:10-05:52"]]);
  });

  test("an interrupted run of a window plan gets the rest of its window, and the reason contains the missing hours", () => {
    const now = at("2026-03-11T05:30:00Z");
    const found = step({ now, memory: leftAt(at("2026-03-11T01:01:00Z")) });
    expect(timesOf(found.memory)).toEqual(["01:00-01:17", "05:30-06:00"]);
    const almost = live({ now, memory: found.memory }, at("2026-03-11T05:59:59Z"));
    expect([almost.state, (almost.memory?.owedMs ?? 0) / MINUTE]).toEqual(["running", 72.5]);
    const late = step({ now: at("2026-03-11T06:00:00Z"), memory: almost.memory });
    expect(late.finished.map(({ start, end }) => `${iso(start)}-${iso(end)}`)).toEqual(["05:30-06:00"]);
    expect(late.memory?.window.start).toBe(at("2026-03-11T21:00:00Z"));
  });

  test("an interrupted run of a window plan waits for another plan of its group, until a quarter-hour boundary", () => {
    const now = at("2026-03-11T02:40:00Z");
    const blocked = [{ start: at("2026-03-11T02:30:00Z"), end: at("2026-03-11T03:20:00Z") }];
    const found = step({ now, memory: leftAt(at("2026-03-11T01:46:00Z")), blocked });
    expect([found.state, found.nextChangeAt]).toEqual(["waiting", at("2026-03-11T02:45:00Z")]);
    expect(wordsOf(found, now)).toContain("; 0.96 h are missing, because elbro was not running");
    const free = live({ now, memory: found.memory, blocked }, at("2026-03-11T03:30:00Z"));
    expect([free.state, timesOf(free.memory)]).toEqual(["running", ["01:00-02:02", "03:30-04:27"]]);
  });

  test("waits without a current price, and the reason contains the missing hours", () => {
    const now = at("2026-03-11T02:10:00Z");
    const memory = leftAt(at("2026-03-11T01:01:00Z"));
    const found = step({ now, memory, timeline: timelineOf(nightPrices("2026-03-10")) });
    expect([found.state, found.nextChangeAt]).toEqual(["waiting", at("2026-03-11T02:15:00Z")]);
    expect(wordsOf(found, now)).toMatch(/^has run: 02:00-02:17.*; 1\.71 h are missing, because elbro was not running$/);
    const later = step({ now: at("2026-03-11T02:15:00Z"), memory: found.memory });
    expect([later.state, timesOf(later.memory)]).toEqual(["running", ["01:00-01:17", "02:15-03:57"]]);
  });

  test("an interrupted run of a window plan stays unchanged while the clock is not trusted", () => {
    const memory = leftAt(at("2026-03-11T01:20:00Z"));
    const now = at("2026-03-11T02:30:00Z");
    const doubted = step({ now, memory, trusted: false, graceUntil: now + 5 * MINUTE });
    expect([doubted.running, doubted.memory, doubted.finished]).toEqual([null, memory, []]);
    const found = step({ now: now + MINUTE, memory: doubted.memory });
    expect(wordsOf(found, now)).toContain("because elbro was not running");
  });

  test.each([
    ["at its renewal", "01:30"],
    ["after a step of the clock", "02:30"],
  ])("a run that elbro did not renew because of the clock, %s, is not said to be missed by elbro", (_, time) => {
    const memory = leftAt(at("2026-03-11T01:20:00Z"));
    const doubted = step({ now: at(`2026-03-11T${time}:00Z`), memory, trusted: false });
    const now = at("2026-03-11T02:45:00Z");
    const found = step({ now, memory: doubted.memory });
    expect(wordsOf(found, now)).toContain("; was OFF 02:32-03:45, because elbro did not trust the clock");
    expect(wordsOf(found, now)).not.toContain("running,");
    const late = step({ now: at("2026-03-11T05:30:00Z"), memory: doubted.memory, timeline: null });
    expect(wordsOf(late, now)).toMatch(/ h are missing, because elbro did not trust the clock$/);
    const again = live({ now, memory: found.memory }, at("2026-03-11T03:01:00Z")).memory;
    const stopped = step({ now: at("2026-03-11T04:00:00Z"), memory: again });
    expect(wordsOf(stopped, now)).toContain("was OFF 04:17-05:00, because elbro was not running");
  });

  test("a run that continues after a short doubt about the clock has no interruption", () => {
    const memory = leftAt(at("2026-03-11T01:20:00Z"));
    const doubted = step({ now: at("2026-03-11T01:25:00Z"), memory, trusted: false });
    const found = step({ now: at("2026-03-11T01:26:00Z"), memory: doubted.memory });
    expect([found.state, found.memory]).toEqual(["running", memory]);
  });

  test("an interrupted run of a window plan stays unchanged after the clock was set back", () => {
    const found = step({ now: at("2026-03-11T01:10:00Z"), memory: leftAt(at("2026-03-11T02:20:00Z")) });
    expect([found.state, timesOf(found.memory)]).toEqual(["running", ["01:00-03:00"]]);
  });
});

describe("an interrupted rest", () => {
  const window = { start: OPENS, end: OPENS + 600 * MINUTE, until: OPENS + 600 * MINUTE };
  const resting = (lastsUntil: number | null) => ({
    ...newRecord(window, OPENS, []),
    ...{ restingSince: OPENS, lastsUntil },
  });

  test.each([
    ["until the plug's timer ended it", OPENS + 17 * MINUTE, 60, 17],
    ["until the window ended, if the timer was later", window.end + MINUTE, 602, 600],
    ["and goes on before the timer ends it", OPENS + 17 * MINUTE, 16, null],
    ["until the window ended, without a timer", null, 601, 600],
  ])("an interrupted rest counts %s", (_, lastsUntil, nowMinutes, end) => {
    const found = endedRest(resting(lastsUntil), OPENS + nowMinutes * MINUTE);
    const run = { start: OPENS, end: OPENS + (end ?? 0) * MINUTE, basis: "resting", settled: false };
    expect([found.restingSince, found.startedRuns]).toEqual(end === null ? [OPENS, []] : [null, [run]]);
  });
});

describe("interruptions of other kinds", () => {
  test("interruptions of other kinds slots lose the missed time and are planned again", () => {
    const spec = { ...slots, hoursMs: washer.hoursMs } as typeof slots;
    const planned = step({ now: OPENS, spec }).memory;
    const left = live({ now: STARTS, memory: planned, spec }, at("2026-03-11T01:01:00Z")).memory;
    const found = step({ now: at("2026-03-11T04:00:00Z"), memory: left, spec });
    const hours = [...(found.memory?.startedRuns ?? []), ...(found.memory?.planned ?? [])];
    expect(timesOf(found.memory)[0]).toBe("01:00-01:17");
    expect(hours.reduce((sum, run) => sum + run.end - run.start, 0)).toBeGreaterThanOrEqual(washer.hoursMs);
  });

  test("a manual run continues only to its original end", () => {
    const done = runNow(washer, PLANNED, OPENS);
    if (done.kind === "refused") throw new Error(done.why);
    const { memory } = step({ now: OPENS, memory: done.memory });
    const found = step({ now: OPENS + 60 * MINUTE, memory });
    expect([found.state, timesOf(found.memory)]).toEqual(["running", ["21:00-21:17", "22:00-23:00"]]);
    const over = step({ now: OPENS + 130 * MINUTE, memory });
    expect([over.state, timesOf(over.memory)]).toEqual(["done", ["21:00-21:17"]]);
  });

  test("the rest of a stopped run does not follow", () => {
    const stopped = stop(leftAt(at("2026-03-11T01:20:00Z")), at("2026-03-11T02:30:00Z"), washer);
    if (stopped.kind === "refused") throw new Error(stopped.why);
    const after = step({ now: at("2026-03-11T02:30:00Z"), memory: stopped.memory });
    expect([after.state, timesOf(after.memory)]).toEqual(["skipped", ["01:00-01:32"]]);
  });

  test("a run counts as not started if elbro was not running at its start", () => {
    const found = step({ now: at("2026-03-11T04:30:00Z"), memory: PLANNED });
    expect([found.state, found.memory?.startedRuns, found.finished]).toEqual(["impossible", [], []]);
    expect(step({ now: ENDS, memory: PLANNED }).memory?.startedRuns).toMatchObject([{ start: ENDS }]);
  });
});

describe("a run that its plan's owner disables and enables again", () => {
  const begins = at("2026-03-11T01:00:00Z");
  const halted = (minutes: number) => {
    const running = live({ now: OPENS }, begins + 20 * MINUTE - 1);
    const off = { ...washer, enabled: false };
    const disabled = step({ now: begins + 20 * MINUTE, memory: running.memory, spec: off });
    return step({ now: begins + (20 + minutes) * MINUTE, memory: disabled.memory, spec: off }).memory;
  };

  test("continues at once, for its missing time", () => {
    const back = begins + 20 * MINUTE + 10_000;
    const again = live({ now: back, memory: halted(0) }, back);
    expect(again.running).toMatchObject({ start: back, end: begins + 2 * 60 * MINUTE + 10_000 });
    const later = live({ now: begins + 60 * MINUTE, memory: halted(40) }, begins + 4 * 60 * MINUTE);
    expect(later.state).toBe("done");
    expect(timesOf(later.memory)).toEqual(["01:00-01:20", "02:00-03:40"]);
    expect(wordsOf(later, begins + 4 * 60 * MINUTE)).toContain("was OFF 02:20-03:00, because the plan was disabled");
  });

  test("says what is missing if the window ends before", () => {
    const end = at("2026-03-11T05:50:00Z");
    const again = live({ now: end, memory: halted(4 * 60) }, at("2026-03-11T06:00:00Z") - 1);
    expect(again.running?.end).toBe(at("2026-03-11T06:00:00Z"));
    const over = step({ now: begins + 30 * MINUTE, memory: halted(0), blocked: [{ start: begins, end: end }] });
    expect(over.state).toBe("waiting");
    expect(wordsOf(over, begins + 30 * MINUTE)).toContain("1.67 h are missing, because the plan was disabled");
  });
});
