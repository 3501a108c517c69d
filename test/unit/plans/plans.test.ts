import { describe, expect, test } from "vitest";
import type { ShownPlans } from "../../../src/plans/plans.ts";
import { at, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR, WASHER } from "../../support/plans/shown-plans.ts";

const MINUTE = 60_000;
const NOW = at("2026-03-10T17:00:00Z");
/** Cheapest from 02:00 to 05:00 local time; every hour before and after is more expensive. */
const prices = points(daysOf("2026-03-07", "2026-03-11"), (i) => 1 + Math.abs(((i + 8) % 24) - 11) / 10, {
  unit: "hour",
});
const timeline = timelineOf(prices);
const STARTS = at("2026-03-11T01:00:00Z");
const washer = definitionOf(WASHER);
const dryer = { ...definitionOf({ ...WASHER, hoursMs: 2 * HOUR }, "dryer"), name: "Dryer" };

describe("plans keep across a restart", () => {
  test("a run in progress with its end", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.until(NOW, STARTS + 10 * MINUTE);
    world.restart({ timeline: null });
    expect(world.plans.wanted("washer", null, STARTS + 11 * MINUTE)).toMatchObject({
      on: true,
      until: STARTS + 3 * HOUR,
    });
  });

  test("a command, also if others follow", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.at(NOW);
    expect(world.plans.act("washer", "skip", NOW)).toEqual({ kind: "done" });
    world.restart();
    expect(world.at(NOW + MINUTE)).toMatchObject({ state: "skipped", runs: [] });
  });

  test("changed settings, until the plan is removed from the file", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.at(NOW);
    expect(world.plans.command(["home", "washer", "hours", "set"], "2", NOW)).toEqual({ kind: "done" });
    world.restart();
    expect(world.at(NOW).settings.hours).toMatchObject({ value: 2, changed: true });
    world.restart({ definitions: [dryer] });
    world.restart({ definitions: [washer] });
    expect(world.at(NOW).settings.hours).toMatchObject({ value: 3, changed: false });
  });
});

describe("a plan command", () => {
  test("a plan command calls onChange, unless it changes nothing", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.at(NOW);
    world.plans.act("washer", "run_now", NOW);
    expect([world.changeCount, world.plans.wanted("washer", null, NOW)?.on]).toEqual([1, true]);
    world.plans.act("washer", "run_now", NOW);
    expect(world.changeCount).toBe(1);
    world.plans.command(["home", "washer", "enabled", "set"], "OFF", NOW);
    expect([world.changeCount, world.plans.wanted("washer", null, NOW)?.on]).toEqual([2, false]);
  });

  test("that was rejected is displayed with the plan until one succeeds", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    expect(world.at(NOW)).toMatchObject({ refused: null });
    const refused = world.plans.command(["home", "washer", "hours", "set"], "30", NOW);
    expect(refused).toMatchObject({ kind: "refused" });
    expect([world.changeCount, world.at(NOW)?.refused]).toEqual([1, "reason" in refused && refused.reason]);
    world.plans.command(["home", "washer", "hours", "set"], "30", NOW);
    expect(world.changeCount).toBe(1);
    world.plans.command(["home", "washer", "hours", "set"], "2", NOW);
    expect([world.changeCount, world.at(NOW)?.refused]).toEqual([2, null]);
  });

  test("that is refused has a reason in the configured language, as has the plan", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline, language: "da" });
    world.plans.command(["home", "washer", "stop", "set"], "PRESS", NOW);
    expect(world.at(NOW)).toMatchObject({ refused: "planen kører ikke", reason: { code: "scheduled" } });
    expect(world.at(NOW).reason.text).toMatch(/ i gennemsnit; næstbedst ons\. kl\. 01\.00 til /);
    world.plans.command(["home", "washer", "enabled", "set"], "OFF", NOW);
    expect(world.at(NOW).reason).toEqual({ code: "disabled", text: "planen er slået fra" });
  });

  test("that would switch is rejected while the clock is not trusted; a setting is accepted", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline, trusted: false });
    world.at(NOW);
    for (const action of ["run_now", "skip", "stop"] as const)
      expect(world.plans.act("washer", action, NOW)).toMatchObject({ kind: "refused" });
    expect(world.plans.command(["home", "washer", "hours", "set"], "2", NOW)).toEqual({ kind: "done" });
    expect(world.plans.wanted("washer", null, STARTS)).toMatchObject({ on: false });
  });
});

describe("the state that a plan wants of a plug", () => {
  test("the state that a plan wants of a plug is ON until the end of the run, then OFF until the next; null for a plan of another home", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    expect(world.plans.wanted("washer", "home", NOW)).toMatchObject({ on: false, until: STARTS });
    expect(world.plans.wanted("washer", "cabin", NOW)).toBeNull();
    expect(world.plans.wanted("dryer", null, NOW)).toBeNull();
    world.until(NOW, STARTS + HOUR);
    expect(world.plans.wanted("washer", null, STARTS + HOUR)).toMatchObject({ on: true, until: STARTS + 3 * HOUR });
    world.until(STARTS + HOUR, STARTS + 3 * HOUR);
    expect(world.plans.wanted("washer", null, STARTS + 3 * HOUR)).toMatchObject({ on: false });
  });
});

test("is ON for when_lost: on and unchanged for when_lost: keep while no home is known", () => {
  const freezer = definitionOf(
    { kind: "avoid", hoursMs: 4 * HOUR, maxGapMs: 2 * HOUR, useForecast: false, enabled: true },
    "freezer",
  );
  const keeper = definitionOf({ ...WASHER, whenLost: "keep" }, "keeper");
  using world = new PlansOnDisk({ definitions: [freezer, keeper, washer], timeline, known: false });
  const wanted = () => ["freezer", "keeper", "washer"].map((id) => world.plans.wanted(id, null, STARTS)?.on);
  expect(wanted()).toEqual([true, false, false]);
  world.restart({ known: true });
  world.until(NOW, STARTS + 10 * MINUTE);
  world.restart({ known: false });
  expect(wanted()).toEqual([true, true, false]);
});

test("is ON for fallback hours only ten minutes after a start, because prices may arrive", () => {
  const plan = definitionOf({ ...WASHER, kind: "slots", fallback: [{ from: 2 * 60, until: 5 * 60 }] });
  using world = new PlansOnDisk({ definitions: [plan], timeline: null, startedAt: STARTS });
  expect(world.at(STARTS + 9 * MINUTE)).toMatchObject({ state: "fallback", on: false });
  expect(world.at(STARTS + 10 * MINUTE)).toMatchObject({ state: "fallback", on: true });
});

test("moves to better hours for the first plan of a group, even if another was planned there", () => {
  const grouped = [washer, dryer].map((plan) => ({ ...plan, powerLimit: "kitchen" }));
  using world = new PlansOnDisk({ definitions: grouped, timeline });
  world.at(NOW);
  const cheap = at("2026-03-10T23:00:00Z");
  const cheaper = prices.map((point) =>
    cheap <= point.start && point.start < cheap + 3 * HOUR ? { ...point, price: 0.1 } : point,
  );
  world.world.timeline = timelineOf(cheaper);
  expect(world.at(NOW + MINUTE).runs).toMatchObject([{ start: cheap, end: cheap + 3 * HOUR }]);
  const [other] = world.at(NOW + MINUTE, "dryer").runs;
  expect(other?.start).toBeGreaterThanOrEqual(cheap + 3 * HOUR);
});

describe("a replaced list of plans", () => {
  const elsewhere = { ...definitionOf(WASHER, "sauna"), home: "cabin" };

  test("a replaced list of plans returns the circles whose plans are new, changed or removed", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    expect(world.plans.take([washer, elsewhere])).toEqual(["cabin"]);
    expect(world.plans.take([washer, dryer, elsewhere])).toEqual([washer.home]);
    expect(world.plans.take([washer, dryer, elsewhere])).toEqual([]);
    expect(world.plans.take([washer, elsewhere])).toEqual([washer.home]);
    expect([world.plans.take([washer]), [...world.plans.circles.keys()]]).toEqual([[], [washer.home]]);
  });

  test("a replaced list of plans keeps the decisions of the other circles", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.at(NOW);
    expect(world.plans.snapshots).toHaveLength(1);
    world.plans.take([washer, elsewhere]);
    expect(world.plans.snapshots.map(({ definition }) => definition.id)).toEqual(["washer"]);
    world.plans.take([{ ...washer, name: "Other washer" }, elsewhere]);
    expect(world.plans.snapshots).toEqual([]);
    expect(world.at(NOW)).toMatchObject({ state: "scheduled", definition: { name: "Other washer" } });
  });
});

describe("plans as they will be", () => {
  const shown = ({ plans }: ShownPlans) => plans.map(({ on, state, runs }) => ({ on, state, runs }));

  test("equal those decided at that time, and change nothing now, neither in memory nor on disk", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    const circle = washer.home;
    for (const [from, now, at] of [
      [NOW, STARTS - MINUTE, STARTS],
      [STARTS, STARTS + 3 * HOUR - MINUTE, STARTS + 3 * HOUR],
    ] as const) {
      world.until(from, now);
      const before = world.plans.at(now, circle);
      const ahead = world.plans.ahead(at, circle);
      expect(ahead.plans.map(({ on }) => on)).not.toEqual(before.plans.map(({ on }) => on));
      expect(world.plans.snapshots).toEqual(before.plans);
      expect(world.plans.at(now, circle)).toEqual(before);
      world.restart();
      expect(shown(world.plans.at(now, circle))).toEqual(shown(before));
      // The totals of the month contain a finished run only after it was stored.
      expect(shown(world.plans.at(at, circle))).toEqual(shown(ahead));
    }
  });

  test("one plan is decided without the plans of other circles", () => {
    const elsewhere = { ...definitionOf(WASHER, "sauna"), home: "cabin" };
    using world = new PlansOnDisk({ definitions: [washer, elsewhere], timeline });
    expect(world.plans.snapshot("washer", NOW)).toMatchObject({ state: "scheduled" });
    expect(world.plans.snapshots.map(({ definition }) => definition.id)).toEqual(["washer"]);
    expect(world.plans.snapshot("unknown", NOW)).toBeNull();
  });
});

test("all decides the plans in slices, and none for an earlier time than another caller meanwhile", async () => {
  using world = new PlansOnDisk({ definitions: [washer, { ...dryer, home: "cabin" }], timeline });
  const before = world.plans.at(NOW).plans;
  let later: ShownPlans["plans"] = [];
  let nowMs = 0;
  const plans = await world.plans.all(NOW + MINUTE, {
    nowMs: () => (nowMs += 10),
    async nextTurn() {
      if (nowMs > 20) later = world.plans.at(NOW + 2 * MINUTE, "cabin").plans;
    },
  });
  expect(plans.map(({ definition }) => definition.id)).toEqual(["washer", "dryer"]);
  expect(plans[0]).not.toBe(before[0]);
  expect(later).toHaveLength(1);
  expect(plans[1]).toBe(later[0]);
});
