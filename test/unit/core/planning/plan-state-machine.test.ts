import { describe, expect, test } from "vitest";
import type { PlanSpec } from "../../../../src/core/planning/model/plan-spec.ts";
import { runNow, skip, stop } from "../../../../src/core/planning/plan-commands.ts";
import type { PlanRecord } from "../../../../src/core/planning/plan-record.ts";
import { at, daysOf, points, timelineOf } from "../../../support/home/price-days.ts";
import { iso, live, nightPrices, OPENS, slots, step, timesOf, washer } from "../../../support/plans/plan-life.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;

describe("a window plan at night", () => {
  test("a window plan at night is scheduled, running and done, each from an exact boundary", () => {
    const planned = step({ now: OPENS - 5 * HOUR });
    expect([planned.state, timesOf(planned.memory)]).toEqual(["scheduled", ["01:00-03:00"]]);
    expect(planned.nextChangeAt).toBe(at("2026-03-11T01:00:00Z"));
    const running = step({ now: at("2026-03-11T01:00:00Z"), memory: planned.memory });
    expect([running.state, running.running?.end, running.nextChangeAt]).toEqual([
      "running",
      at("2026-03-11T03:00:00Z"),
      at("2026-03-11T01:15:00Z"),
    ]);
    const almost = live({ now: at("2026-03-11T01:00:00Z"), memory: running.memory }, at("2026-03-11T02:59:59Z"));
    expect([almost.state, almost.nextChangeAt]).toEqual(["running", at("2026-03-11T03:00:00Z")]);
    const done = step({ now: at("2026-03-11T03:00:00Z"), memory: almost.memory });
    expect([done.state, done.running, done.finished.length]).toEqual(["done", null, 1]);
    expect(done.finished[0]?.meanPrice).toBeCloseTo(0.5);
    const next = step({ now: at("2026-03-11T06:00:00Z"), memory: done.memory });
    expect([next.state, next.memory?.before.length]).toEqual(["scheduled", 1]);
  });

  test("a window plan at night continues unchanged from a record that was stored as JSON", () => {
    const planned = step({ now: OPENS });
    const again = step({ now: OPENS + HOUR, memory: JSON.parse(JSON.stringify(planned.memory)) as PlanRecord });
    expect(again.memory).toEqual(planned.memory);
  });

  test("a window plan at night moves a run that has not started when prices change", () => {
    const planned = step({ now: OPENS });
    const cheaper = nightPrices().map((point) =>
      point.start === at("2026-03-11T04:00:00Z") ? { ...point, price: -5 } : point,
    );
    const moved = step({ now: OPENS + HOUR, memory: planned.memory, timeline: timelineOf(cheaper) });
    expect(timesOf(moved.memory)).toEqual(["03:00-05:00"]);
  });

  test("a window plan at night does not move a started run when prices or settings change", () => {
    const running = step({ now: at("2026-03-11T01:00:00Z"), memory: step({ now: OPENS }).memory });
    const cheaper = nightPrices().map((point) => ({ ...point, price: -point.price }));
    const spec = { ...washer, hoursMs: HOUR };
    const later = step({
      now: at("2026-03-11T01:15:00Z"),
      memory: running.memory,
      timeline: timelineOf(cheaper),
      spec,
    });
    expect([later.state, timesOf(later.memory)]).toEqual(["running", ["01:00-03:00"]]);
  });

  test("a window plan at night starts immediately after a missed start if no later run is cheaper", () => {
    const late = step({ now: at("2026-03-11T01:20:00Z"), memory: step({ now: OPENS }).memory });
    expect([late.state, timesOf(late.memory)]).toEqual(["running", ["01:20-03:20"]]);
  });

  test("a window plan at night is planned again after a missed start if a later run is cheaper", () => {
    const cheapLater = nightPrices().map((point) =>
      point.start >= at("2026-03-11T04:00:00Z") ? { ...point, price: 0.4 } : point,
    );
    const memory = step({ now: OPENS }).memory;
    const late = step({ now: at("2026-03-11T02:20:00Z"), memory, timeline: timelineOf(cheapLater) });
    expect([late.state, timesOf(late.memory)]).toEqual(["scheduled", ["04:00-06:00"]]);
  });

  test("a window plan at night is impossible after a missed start if the remaining window is too short", () => {
    const late = step({ now: at("2026-03-11T04:30:00Z"), memory: step({ now: OPENS }).memory });
    expect([late.state, late.memory?.outcome.kind]).toEqual(["impossible", "impossible"]);
  });

  test("neither starts nor is ON while the clock is not trusted", () => {
    const memory = step({ now: OPENS }).memory;
    const begun = step({ now: at("2026-03-11T01:00:00Z"), memory });
    for (const known of [memory, begun.memory]) {
      const untrusted = step({ now: at("2026-03-11T01:30:00Z"), memory: known, trusted: false });
      expect([untrusted.running, untrusted.memory?.startedRuns]).toEqual([null, known?.startedRuns]);
    }
  });
});

describe("a window that is moved after the plan has run", () => {
  const now = at("2026-03-11T03:00:00Z");
  const hasRun = live({ now: OPENS, spec: slots }, now).memory;

  test.each<[string, object, string, string[]]>([
    ["to a later from does not give the hours twice", { from: 4 * 60 }, "05:45", ["01:00-03:00"]],
    ["to a later ready_by does not give the hours twice", { readyBy: 9 * 60 }, "07:45", ["01:00-03:00"]],
    ["to an earlier from does not give the hours twice", { from: 20 * 60 }, "05:45", ["01:00-03:00"]],
    [
      "gives more hours in the new window",
      { from: 5 * 60, hoursMs: 3 * HOUR },
      "05:45",
      ["01:00-03:00", "04:00-05:00"],
    ],
  ])("%s", (_, change, until, runs) => {
    const spec = { ...slots, ...change } as PlanSpec;
    expect(timesOf(live({ now, spec, memory: hasRun }, at(`2026-03-11T${until}:00Z`)).memory)).toEqual(runs);
  });
});

describe("missing prices", () => {
  test("missing prices are waited for until 14:00 of the day before; then the state is no_prices", () => {
    const timeline = timelineOf(nightPrices("2026-03-09"));
    const morning = step({ now: at("2026-03-10T08:00:00Z"), timeline });
    expect([morning.state, morning.nextChangeAt]).toEqual(["no_prices", at("2026-03-11T06:00:00Z")]);
    const today = timelineOf(nightPrices("2026-03-10"));
    const early: PlanSpec = { ...washer, from: 30, readyBy: 7 * 60 };
    const waiting = step({ now: at("2026-03-10T08:00:00Z"), timeline: today, spec: early });
    expect([waiting.state, waiting.nextChangeAt]).toEqual(["waiting", at("2026-03-10T13:00:00Z")]);
    const overdue = step({ now: at("2026-03-10T13:00:00Z"), timeline: today, spec: early, memory: waiting.memory });
    expect(overdue.state).toBe("no_prices");
  });

  test("missing prices are replaced by estimates for planning, but a run starts only at a confirmed price", () => {
    const estimated = nightPrices().map((point) => ({ ...point, estimate: point.start >= at("2026-03-10T23:00:00Z") }));
    const spec: PlanSpec = { ...washer };
    const planned = step({ now: OPENS - 9 * HOUR, spec, timeline: timelineOf(estimated) });
    expect([planned.state, planned.memory?.planned[0]?.basis]).toEqual(["scheduled", "estimates"]);
    const due = step({
      now: at("2026-03-11T01:00:00Z"),
      spec,
      timeline: timelineOf(estimated),
      memory: planned.memory,
    });
    expect([due.running, due.memory?.startedRuns]).toEqual([null, []]);
    const confirmed = step({ now: at("2026-03-11T01:00:00Z"), spec, memory: planned.memory });
    expect([confirmed.state, timesOf(confirmed.memory)]).toEqual(["running", ["01:00-03:00"]]);
  });

  test("limit a started run of slots to its confirmed part", () => {
    const cut = at("2026-03-11T02:00:00Z");
    const estimated = nightPrices().map((point) => ({ ...point, estimate: point.start >= cut }));
    const spec: PlanSpec = { ...slots };
    const memory = step({ now: OPENS, spec, timeline: timelineOf(estimated) }).memory;
    const running = step({ now: at("2026-03-11T01:00:00Z"), spec, timeline: timelineOf(estimated), memory });
    expect(running.memory?.startedRuns).toMatchObject([{ start: at("2026-03-11T01:00:00Z"), end: cut }]);
  });

  test("lead to fallback hours only after the grace period of a start", () => {
    const spec: PlanSpec = { ...slots, fallback: [{ from: 120, until: 240 }] };
    const now = at("2026-03-11T01:02:00Z");
    const waiting = step({ now, spec, timeline: null, graceUntil: now + 8 * MINUTE });
    expect([waiting.state, waiting.running, waiting.nextChangeAt]).toEqual(["fallback", null, now + 8 * MINUTE]);
    const running = step({
      now: now + 8 * MINUTE,
      spec,
      timeline: null,
      memory: waiting.memory,
      graceUntil: now + 8 * MINUTE,
    });
    expect([running.state, iso(running.running?.end ?? 0)]).toEqual(["fallback", "03:00"]);
  });
});

describe("commands", () => {
  const memory = step({ now: OPENS }).memory;

  test("run_now runs for the whole length, even beyond the window, and the next occurrence follows", () => {
    const now = at("2026-03-11T05:00:00Z");
    const done = runNow(washer, memory, now);
    if (done.kind === "refused") throw new Error(done.why);
    const running = step({ now, memory: done.memory });
    expect([running.state, iso(running.running?.end ?? 0)]).toEqual(["running", "07:00"]);
    const past = live({ now, memory: running.memory }, at("2026-03-11T06:59:00Z"));
    expect(past.state).toBe("running");
    const over = step({ now: at("2026-03-11T07:00:00Z"), memory: past.memory });
    expect(over.memory?.window.start).toBe(at("2026-03-11T21:00:00Z"));
  });

  test("stop ends a run; its price covers only the time until then", () => {
    const running = live({ now: at("2026-03-11T01:00:00Z"), memory }, at("2026-03-11T01:59:00Z"));
    const stopped = stop(running.memory, at("2026-03-11T02:00:00Z"), washer);
    if (stopped.kind === "refused") throw new Error(stopped.why);
    const after = step({ now: at("2026-03-11T02:00:00Z"), memory: stopped.memory });
    expect([after.state, timesOf(after.memory), after.finished.length]).toEqual(["skipped", ["01:00-02:00"], 1]);
  });

  test("skip is rejected during a run and after it", () => {
    const running = live({ now: at("2026-03-11T01:00:00Z"), memory }, at("2026-03-11T02:59:00Z"));
    expect(skip(running.memory, at("2026-03-11T02:00:00Z"))).toMatchObject({ kind: "refused" });
    const done = step({ now: at("2026-03-11T03:00:00Z"), memory: running.memory });
    expect(skip(done.memory, at("2026-03-11T03:00:00Z"))).toMatchObject({ kind: "refused" });
  });
});

describe("tolerance", () => {
  test("tolerance does not move a plan later when the best start is over", () => {
    const spec: PlanSpec = { ...washer, hoursMs: HOUR, tolerance: { percent: 20, side: "latest" } };
    const rising = points(daysOf("2026-03-07", "2026-03-11"), (i) => 1 + 0.06 * ((i + 3) % 24), { unit: "hour" });
    const timeline = timelineOf(rising);
    let { memory } = step({ now: OPENS, spec, timeline });
    const [chosen] = timesOf(memory);
    for (let now = OPENS; now < at("2026-03-11T05:00:00Z"); now += 15 * MINUTE) {
      ({ memory } = step({ now, spec, timeline, memory }));
      expect(timesOf(memory)).toEqual([chosen]);
    }
  });
});
