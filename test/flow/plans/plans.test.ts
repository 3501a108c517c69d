import { describe, expect, test } from "vitest";
import { runPrice } from "../../../src/core/planning/snapshot/plan-savings.ts";
import { pricePoints } from "../../../src/core/prices/timeline.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { assertDiscovery } from "../../support/home/discovery-validator.ts";
import { command, isOn, isoOf, payloadOf, planEntry, untilPlan, untilSignal } from "../../support/plans/plan-topics.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const EVENING = Date.parse("2026-03-10T17:00:00Z");
const washer = planEntry({ kind: "window", hours: 3, from: "20:00", ready_by: "07:00", kwh: 1.2 });

interface Options {
  readonly start?: number;
  readonly plans?: readonly ReturnType<typeof planEntry>[];
  readonly dir?: TempDir;
  readonly delay?: () => number;
}

function startDaemon({ start = MORNING, plans = [washer], dir, delay = () => 0 }: Options = {}): Promise<TestDaemon> {
  return TestDaemon.start({
    start,
    ...(dir ? { dir } : {}),
    simulator: { homes: ["danish"], publicationDelayMinutes: delay },
    config: { plans: [...plans] },
  });
}

/** Returns the cheapest start for a number of hours among the LAN API's prices, by trying each. */
async function cheapestOf(daemon: TestDaemon, from: number, to: number, hours: number): Promise<number> {
  const range = `from=${isoOf(from)}&to=${isoOf(to)}&resolution=fifteenMinutes`;
  const answer = await daemon.request(
    `/consumer/v1/me/addresses/${daemon.simulator.addressIds.danish}/prices?${range}`,
  );
  const { data } = (await answer.json()) as { data: Record<string, unknown>[] };
  const points = pricePoints(data, false);
  let best = { start: 0, mean: Number.POSITIVE_INFINITY };
  for (let start = from; start + hours * HOUR_MS <= to; start += 15 * MINUTE_MS) {
    const mean = runPrice(points, { start, end: start + hours * HOUR_MS }, "confirmed");
    if (mean !== null && mean < best.mean - 1e-9) best = { start, mean };
  }
  return best.start;
}

/** Resolves with the start of tonight's run when it is published. Until then an earlier plan may be published. */
async function tonightsStart(daemon: Parameters<typeof untilPlan>[0]): Promise<number> {
  const start = await cheapestOf(daemon, Date.parse("2026-03-10T19:00:00Z"), Date.parse("2026-03-11T06:00:00Z"), 3);
  await untilPlan(daemon, ({ next_start }) => next_start === isoOf(start), "the plan with tomorrow's prices");
  return start;
}

describe("a plan for an appliance at night", () => {
  test("a plan for an appliance at night runs at its optimum across midnight from boundary to boundary, and is then done with its saving", async () => {
    await using daemon = await startDaemon();
    const { clock } = daemon;
    await clock.runUntil(MORNING);
    await untilPlan(daemon, ({ state }) => state === "scheduled" || state === "waiting", "a first plan");
    await clock.runUntil(EVENING);
    const start = await tonightsStart(daemon);
    const plan = payloadOf(daemon);
    expect(plan).toMatchObject({
      next_start: isoOf(start),
      next_end: isoOf(start + 3 * HOUR_MS),
      runs: [{ start: isoOf(start), end: isoOf(start + 3 * HOUR_MS), basis: "prices", begun: false }],
    });
    expect(plan.reason).toMatch(
      /^(Wed )?\d\d:\d\d-(Wed )?\d\d:\d\d, \d\.\d\d DKK\/kWh on average instead of \d\.\d\d DKK\/kWh from 20:00/,
    );
    await clock.runUntil(start - MINUTE_MS);
    expect(isOn(daemon)).toBe(false);
    await clock.runUntil(start);
    await untilSignal(daemon, "ON");
    await clock.runUntil(start + 3 * HOUR_MS - MINUTE_MS);
    expect(isOn(daemon)).toBe(true);
    await clock.runUntil(start + 3 * HOUR_MS);
    await untilSignal(daemon, "OFF");
    const done = await untilPlan(daemon, ({ month }) => month.runs === 1, "the run of this month");
    expect(done).toMatchObject({ state: "done", code: "done" });
    expect(done.month.cost).toBeCloseTo((plan.mean_price ?? 0) * 1.2, 4);
    expect(done.month.against_window_start).toBeGreaterThanOrEqual(0);
    const tree = daemon.watcher.topics().map((topic) => ({ topic, payload: daemon.watcher.payload(topic) ?? "" }));
    assertDiscovery(tree);
  });

  test("a plan for an appliance at night moves a run that has not started when late prices arrive, never one in progress", async () => {
    const late = planEntry({ kind: "window", hours: 2, from: "16:00", ready_by: "12:00" });
    await using daemon = await startDaemon({ plans: [late], delay: () => 240 });
    const { clock } = daemon;
    await clock.runUntil(Date.parse("2026-03-10T14:30:00Z"));
    const before = await untilPlan(daemon, ({ state }) => state === "scheduled", "a provisional plan");
    expect(before).toMatchObject({ provisional: true, next_start: null, code: "scheduled_on_estimates" });
    await clock.runUntil(Date.parse("2026-03-10T17:30:00Z"));
    await daemon.watcher.until(() => daemon.watcher.json("elbro/home/prices").tomorrow_valid === true, "late prices");
    const best = await cheapestOf(daemon, Date.parse("2026-03-10T17:30:00Z"), Date.parse("2026-03-11T11:00:00Z"), 2);
    await untilPlan(daemon, ({ next_start }) => next_start === isoOf(best), "the plan with tomorrow's prices");
  });

  test("a plan for an appliance at night continues a run to its end with any new prices", async () => {
    const soon = planEntry({ kind: "window", hours: 4, from: "17:00", ready_by: "16:00" });
    await using daemon = await startDaemon({ plans: [soon], delay: () => 480 });
    const { clock } = daemon;
    await clock.runUntil(Date.parse("2026-03-10T15:30:00Z"));
    await untilPlan(daemon, ({ provisional }) => provisional, "the plan");
    // It waits for tomorrow's prices as long as today's hours are enough.
    const start = Date.parse("2026-03-10T19:00:00Z");
    await clock.runUntil(start);
    const running = await untilPlan(daemon, ({ state }) => state === "running", "the run");
    await clock.runUntil(start + 4 * HOUR_MS - MINUTE_MS);
    await daemon.watcher.until(
      () => daemon.watcher.json("elbro/home/prices").tomorrow_valid === true,
      "tomorrow's prices while it runs",
    );
    expect(payloadOf(daemon).runs).toEqual(running.runs);
    expect(isOn(daemon)).toBe(true);
    await clock.runUntil(start + 4 * HOUR_MS);
    await untilSignal(daemon, "OFF");
  });
});

describe("plan commands", () => {
  test("change settings, which survive a restart, are marked as changed, and can be reset to the file's", async () => {
    using dir = new TempDir();
    await using daemon = await startDaemon({ dir });
    await daemon.clock.runUntil(EVENING);
    expect(await command(daemon, "hours", "2")).toMatchObject({ ok: true });
    await untilPlan(daemon, ({ settings }) => settings.hours?.value === 2, "two hours");
    expect(await command(daemon, "hours", "12")).toMatchObject({
      ok: false,
      reason: expect.stringContaining("at most the 11 h"),
    });
    expect(await command(daemon, "from", "25:00")).toMatchObject({
      ok: false,
      reason: expect.stringContaining("25:00"),
    });
    expect(await command(daemon, "colour", "red")).toMatchObject({
      ok: false,
      reason: expect.stringContaining("ready_by"),
    });
    expect(await command(daemon, "hours", "2", "dryer")).toMatchObject({
      ok: false,
      reason: 'home has no plan "dryer"',
    });
    await daemon.restart();
    const kept = await untilPlan(daemon, ({ settings }) => settings.hours?.changed === true, "the kept setting");
    expect(kept.settings).toMatchObject({
      hours: { value: 2, changed: true },
      from: { value: "20:00", changed: false },
    });
    await command(daemon, "hours", "3");
    await untilPlan(daemon, ({ settings }) => settings.hours?.changed === false, "the file's setting");
  });

  test("reset all settings to the file's with reset_settings", async () => {
    await using daemon = await startDaemon();
    await daemon.clock.runUntil(EVENING);
    for (const [setting, text] of [
      ["hours", "2"],
      ["max_price", "1.5"],
      ["enabled", "OFF"],
    ] as const)
      expect(await command(daemon, setting, text)).toMatchObject({ ok: true });
    const changed = ({ settings }: Awaited<ReturnType<typeof untilPlan>>) =>
      Object.entries(settings).flatMap(([name, setting]) => (setting?.changed ? [name] : []));
    await untilPlan(daemon, (plan) => changed(plan).length === 3, "the changed settings");
    expect(await command(daemon, "reset_settings", "PRESS")).toMatchObject({ ok: true });
    const plan = await untilPlan(daemon, (each) => changed(each).length === 0, "the file's settings");
    expect(plan.settings).toMatchObject({ hours: { value: 3 }, max_price: { value: null }, enabled: { value: true } });
  });

  test("skip one night, and the next one is planned", async () => {
    await using daemon = await startDaemon();
    await daemon.clock.runUntil(EVENING);
    await untilPlan(daemon, ({ state }) => state === "scheduled", "the plan");
    await command(daemon, "skip", "PRESS");
    await untilPlan(daemon, ({ state, runs }) => state === "skipped" && runs.length === 0, "skipped");
    await daemon.clock.runUntil(EVENING + 24 * HOUR_MS);
    const next = await untilPlan(daemon, ({ state }) => state === "scheduled", "the next night");
    expect(Date.parse(String(next.next_start))).toBeGreaterThan(EVENING + 24 * HOUR_MS);
  });
});

test("without prices the fallback hours run to the minute, with that reason", async () => {
  const entry = planEntry({ kind: "slots", hours: 2, from: "01:00", ready_by: "07:00", fallback: ["02:00-04:00"] });
  await using daemon = await startDaemon({ plans: [entry], delay: () => 10_000 });
  const { clock } = daemon;
  await clock.runUntil(EVENING);
  const planned = await untilPlan(daemon, ({ state }) => state === "fallback", "the fallback hours");
  expect(planned).toMatchObject({ code: "fallback_planned", next_start: "2026-03-11T01:00:00Z" });
  await clock.runUntil(Date.parse("2026-03-11T00:59:00Z"));
  expect(isOn(daemon)).toBe(false);
  await clock.runUntil(Date.parse("2026-03-11T01:00:00Z"));
  await untilSignal(daemon, "ON");
  await untilPlan(daemon, ({ state, code }) => state === "fallback" && code === "running_fallback", "the reason");
  await clock.runUntil(Date.parse("2026-03-11T02:59:00Z"));
  expect(isOn(daemon)).toBe(true);
  await clock.runUntil(Date.parse("2026-03-11T03:00:00Z"));
  await untilSignal(daemon, "OFF");
});

test("without prices and fallback nothing runs, with that reason", async () => {
  const entry = planEntry({ kind: "window", hours: 2, from: "01:00", ready_by: "07:00" });
  await using daemon = await startDaemon({ plans: [entry], delay: () => 10_000 });
  await daemon.clock.runUntil(MORNING + HOUR_MS);
  await untilPlan(daemon, ({ code }) => code === "scheduled_on_estimates", "what will probably happen");
  await daemon.clock.runUntil(Date.parse("2026-03-11T00:01:00Z"));
  const plan = await untilPlan(daemon, ({ state }) => state === "no_prices", "no prices");
  expect(plan.reason).toContain("no prices from");
  await daemon.clock.runUntil(EVENING + 14 * HOUR_MS);
  expect(daemon.watcher.seen.some(({ topic, payload }) => topic === "elbro/home/plan/washer" && payload === "ON")).toBe(
    false,
  );
});

test("all topics and settings of a plan are removed with it from the file", async () => {
  await using daemon = await startDaemon({
    plans: [washer, planEntry({ kind: "below", cheap_below: "cheap", name: "Heater" })],
  });
  await daemon.clock.runUntil(EVENING);
  await command(daemon, "hours", "2");
  await daemon.watcher.until(() => daemon.watcher.payload("elbro/home/plan/heater") !== null, "the heater");
  await daemon.restart({ plans: [planEntry({ kind: "below", cheap_below: "cheap", name: "Heater" })] });
  await daemon.watcher.until(() => daemon.watcher.payload("elbro/home/plan/heater") !== null, "the heater");
  await daemon.clock.settle();
  expect(daemon.watcher.topics().filter((topic) => topic.includes("washer"))).toEqual([]);
  await daemon.restart({ plans: [washer] });
  const back = await untilPlan(daemon, ({ state }) => state === "scheduled", "the washer again");
  expect(back.settings.hours).toEqual({ value: 3, changed: false, file: 3 });
});

test("a plan for an unknown home has that reason and is a problem", async () => {
  await using daemon = await startDaemon({ plans: [planEntry({ kind: "window", hours: 1, home: "summerhouse" })] });
  await daemon.clock.runUntil(MORNING + HOUR_MS);
  const seen = () => daemon.watcher.json("elbro/summerhouse/plan/washer/state");
  await daemon.watcher.until(() => seen().code === "unknown_home", "the reason");
  expect(daemon.log.some(({ text }) => text.includes('set home of the plan "Washer" to one of home'))).toBe(true);
});
