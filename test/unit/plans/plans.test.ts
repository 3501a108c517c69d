import { describe, expect, test } from "vitest";
import { textIn } from "../../../src/core/language/text.ts";
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
    world.decide(STARTS + 11 * MINUTE);
    expect(world.plans.wanted("washer", null)).toMatchObject({ on: true, until: STARTS + 3 * HOUR });
  });

  test("a command, also if others follow", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.at(NOW);
    expect(world.plans.commands.act("washer", "skip", NOW)).toEqual({ kind: "done" });
    world.restart();
    expect(world.at(NOW + MINUTE)).toMatchObject({ state: "skipped", runs: [] });
  });

  test("changed settings, until the plan is removed from the file", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.at(NOW);
    expect(world.plans.commands.take(["home", "washer", "hours", "set"], "2", NOW)).toEqual({ kind: "done" });
    world.restart();
    expect(world.at(NOW).settings.hours).toMatchObject({ value: 2, changed: true });
    world.restart({ definitions: [dryer] });
    world.restart({ definitions: [washer] });
    expect(world.at(NOW).settings.hours).toMatchObject({ value: 3, changed: false });
  });
});

describe("a plan command", () => {
  test.each(["skip", "run_now"] as const)("`replan` takes %s back: the plan is as before", (command) => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    const { runs, state } = world.at(NOW);
    world.plans.commands.act("washer", command, NOW);
    expect(world.at(NOW)).not.toMatchObject({ runs, state });
    expect(world.plans.commands.act("washer", "replan", NOW)).toEqual({ kind: "done" });
    expect(world.at(NOW)).toMatchObject({ runs, state, on: false });
  });

  test("a plan command decides its plan at once, unless it is refused", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.at(NOW);
    world.plans.commands.act("washer", "run_now", NOW);
    expect([world.decisions, world.plans.wanted("washer", null)?.on]).toEqual([2, true]);
    world.plans.commands.act("washer", "run_now", NOW);
    expect(world.decisions).toBe(2);
    world.plans.commands.take(["home", "washer", "enabled", "set"], "OFF", NOW);
    expect([world.decisions, world.plans.wanted("washer", null)?.on]).toEqual([3, false]);
  });

  test("that was rejected is displayed with the plan until one succeeds", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    expect(world.at(NOW)).toMatchObject({ refused: null });
    const refused = world.plans.commands.take(["home", "washer", "hours", "set"], "30", NOW);
    expect(refused).toMatchObject({ kind: "refused" });
    const reason = refused.kind === "refused" && textIn("en", refused.reason);
    expect([world.decisions, world.plans.snapshot("washer")?.refused]).toEqual([2, reason]);
    world.plans.commands.take(["home", "washer", "hours", "set"], "30", NOW);
    expect(world.decisions).toBe(2);
    world.plans.commands.take(["home", "washer", "hours", "set"], "2", NOW);
    expect([world.decisions, world.plans.snapshot("washer")?.refused]).toEqual([3, null]);
  });

  test("that is refused has a reason in the configured language, as has the plan", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline, language: "da" });
    world.plans.commands.take(["home", "washer", "stop", "set"], "PRESS", NOW);
    expect(world.at(NOW)).toMatchObject({ refused: "planen kører ikke", reason: { code: "scheduled" } });
    expect(world.at(NOW).reason.text).toMatch(/ i gennemsnit i stedet for \d,\d\d DKK\/kWh fra kl\. 22\.00/);
    world.plans.commands.take(["home", "washer", "enabled", "set"], "OFF", NOW);
    expect(world.at(NOW).reason).toEqual({ code: "disabled", text: "planen er slået fra" });
  });

  test("that would switch is rejected while the clock is not trusted; a setting is accepted", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline, trusted: false });
    world.at(NOW);
    for (const action of ["run_now", "skip", "stop"] as const)
      expect(world.plans.commands.act("washer", action, NOW)).toMatchObject({ kind: "refused" });
    expect(world.plans.commands.take(["home", "washer", "hours", "set"], "2", NOW)).toEqual({ kind: "done" });
    world.decide(STARTS);
    expect(world.plans.wanted("washer", null)).toMatchObject({ on: false });
  });
});

describe("the state that a plan wants of a plug", () => {
  test("the state that a plan wants of a plug is ON until the end of the run, then OFF until the next; null for a plan of another home", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.decide(NOW);
    expect(world.plans.wanted("washer", "home")).toMatchObject({ on: false, until: STARTS });
    expect(world.plans.wanted("washer", "cabin")).toBeNull();
    expect(world.plans.wanted("dryer", null)).toBeNull();
    world.until(NOW, STARTS + HOUR);
    expect(world.plans.wanted("washer", null)).toMatchObject({ on: true, until: STARTS + 3 * HOUR });
    world.until(STARTS + HOUR, STARTS + 3 * HOUR);
    expect(world.plans.wanted("washer", null)).toMatchObject({ on: false });
  });
});

test("a plan is ON for when_lost: on and unchanged for when_lost: keep while no home is known", () => {
  const freezer = definitionOf({ kind: "avoid", hoursMs: 4 * HOUR, maxGapMs: 2 * HOUR, enabled: true }, "freezer");
  const keeper = definitionOf({ ...WASHER, whenLost: "keep" }, "keeper");
  using world = new PlansOnDisk({ definitions: [freezer, keeper, washer], timeline, known: false });
  const wanted = () => ["freezer", "keeper", "washer"].map((id) => world.plans.wanted(id, null)?.on);
  expect(wanted()).toEqual([true, false, false]);
  world.restart({ known: true });
  world.until(NOW, STARTS + 10 * MINUTE);
  world.restart({ known: false });
  expect(wanted()).toEqual([true, true, false]);
});

test("a plan is ON for fallback hours only ten minutes after a start, because prices may arrive", () => {
  const plan = definitionOf({ ...WASHER, kind: "slots", fallback: [{ from: 2 * 60, until: 5 * 60 }] });
  using world = new PlansOnDisk({ definitions: [plan], timeline: null, startedAt: STARTS });
  expect(world.at(STARTS + 9 * MINUTE)).toMatchObject({ state: "fallback", on: false });
  expect(world.at(STARTS + 10 * MINUTE)).toMatchObject({ state: "fallback", on: true });
});

test("a plan moves to better hours for the first plan of a group, even if another was planned there", () => {
  const grouped = [washer, dryer].map((plan, i) => ({
    ...plan,
    power: { group: "kitchen", limitWatts: 1, watts: 1, priority: i + 1 },
  }));
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
    expect(world.plans.configure([washer, elsewhere])).toEqual(["cabin"]);
    expect(world.plans.configure([washer, dryer, elsewhere])).toEqual([washer.home]);
    expect(world.plans.configure([washer, dryer, elsewhere])).toEqual([]);
    expect(world.plans.configure([washer, elsewhere])).toEqual([washer.home]);
    expect([world.plans.configure([washer]), [...world.plans.circles]]).toEqual([["cabin"], [washer.home]]);
  });

  test("a replaced list of plans keeps the snapshots of the plans that remain, until they are decided again", () => {
    using world = new PlansOnDisk({ definitions: [washer], timeline });
    world.at(NOW);
    expect(world.plans.snapshots).toHaveLength(1);
    world.plans.configure([washer, elsewhere]);
    expect(world.plans.snapshots.map(({ definition }) => definition.id)).toEqual(["washer"]);
    world.plans.configure([{ ...washer, name: "Other washer" }, elsewhere]);
    expect(world.plans.snapshots.map(({ definition }) => definition.name)).toEqual([washer.name]);
    expect(world.at(NOW)).toMatchObject({ state: "scheduled", definition: { name: "Other washer" } });
    world.plans.configure([elsewhere]);
    expect(world.plans.snapshots.map(({ definition }) => definition.id)).toEqual(["sauna"]);
  });
});

test("a decision of one circle decides no plan of another one", () => {
  const elsewhere = { ...definitionOf(WASHER, "sauna"), home: "cabin" };
  using world = new PlansOnDisk({ definitions: [washer, elsewhere], timeline });
  world.plans.decide("home", NOW);
  expect(world.plans.snapshot("washer")).toMatchObject({ state: "scheduled" });
  expect(world.plans.snapshots.map(({ definition }) => definition.id)).toEqual(["washer"]);
  expect(world.plans.snapshot("unknown")).toBeNull();
});

test("a plan is due while a decision that can change it is missing", () => {
  using world = new PlansOnDisk({ definitions: [washer], timeline });
  const isDue = (now: number) => world.plans.isDue(["washer"], now);
  expect([isDue(NOW), world.plans.isDue(["unknown"], NOW)]).toEqual([true, false]);
  world.until(NOW, STARTS - MINUTE);
  expect([isDue(STARTS - 1), isDue(STARTS)]).toEqual([false, true]);
  world.at(STARTS);
  expect(isDue(STARTS)).toBe(false);
  world.restart({ known: false });
  expect(isDue(STARTS)).toBe(false);
});
