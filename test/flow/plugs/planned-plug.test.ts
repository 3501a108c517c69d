import { describe, expect, test } from "vitest";
import { type Config, configSchema } from "../../../src/config/schema/schema.ts";
import { RELEASED_AT } from "../../../src/core/status/version.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { assertDiscovery } from "../../support/home/discovery-validator.ts";
import { command, isoOf, type PlanPayload, payloadOf, planEntry, untilPlan } from "../../support/plans/plan-topics.ts";
import { MqttPlug } from "../../support/plugs/mqtt-plug.ts";

const QUARTER_MS = 15 * MINUTE_MS;
/** Maximum time by which a device extends its timer: the dead-man margin. */
const MARGIN_MS = 150_000;
/** Offset of the service's clock, larger than the movement of the manual clock while a response is in flight. */
const AHEAD_MS = 5 * HOUR_MS;
/** Interval at which the device's own time is advanced. */
const TICK_MS = 5 * MINUTE_MS;
const EVENING = Date.parse("2026-03-10T17:00:00Z");
/** Plan from 22:30 to 01:30 local time: without alternatives, and across midnight. */
const STARTS = Date.parse("2026-03-10T21:30:00Z");
const ENDS = STARTS + 3 * HOUR_MS;
const overMidnight = planEntry({ kind: "window", hours: 3, from: "22:30", ready_by: "01:30", kwh: 1.2 });
const inTheNight = planEntry({ kind: "window", hours: 3, from: "20:00", ready_by: "07:00", kwh: 1.2 });

const { plugs } = configSchema.parse({
  plans: [overMidnight],
  plugs: [{ name: "Washer plug", family: "tasmota", topic: "heater", plan: "washer" }],
});

type Options = { readonly plan?: Config["plans"][number]; readonly start?: number; readonly serviceAheadMs?: number };

/** Test daemon with a plan and a plug that follows it, at a time when the prices of the night are known. */
class DaemonWithPlug implements AsyncDisposable {
  readonly daemon: TestDaemon;
  readonly plug: MqttPlug;

  private constructor(daemon: TestDaemon) {
    this.daemon = daemon;
    this.plug = new MqttPlug("tasmota", { now: () => daemon.clock.now(), on: true, powerOn: "last" });
  }

  static async start({ plan = overMidnight, start = EVENING, serviceAheadMs }: Options = {}): Promise<DaemonWithPlug> {
    const daemon = await TestDaemon.start({
      start,
      simulator: { homes: ["danish"], publicationDelayMinutes: () => 0 },
      config: { plans: [plan], plugs },
      ...(serviceAheadMs === undefined ? {} : { serviceAheadMs }),
    });
    const made = new DaemonWithPlug(daemon);
    await made.plug.connect(daemon.brokerPort);
    return made;
  }

  get now(): number {
    return this.daemon.clock.now();
  }

  /** Moves the clock together with the device's own time. */
  async runUntil(at: number): Promise<void> {
    for (let next = this.now; next < at; ) {
      next = Math.min(at, next + TICK_MS);
      await this.daemon.clock.runUntil(next);
      this.plug.tick();
    }
  }

  /** Advances only the device's time, while the daemon is stopped. */
  async sleepUntil(at: number): Promise<void> {
    await this.daemon.clock.runUntil(at);
    this.plug.tick();
  }

  async untilPlug(on: boolean): Promise<void> {
    await expect.poll(() => this.plug.device.on).toBe(on);
  }

  untilPlan(holds: (plan: PlanPayload) => boolean, what: string): Promise<PlanPayload> {
    return untilPlan(this.daemon, holds, what);
  }

  get plugState(): Record<string, unknown> {
    return this.daemon.watcher.json("elbro/plug/washer_plug/state");
  }

  /** Returns the commands that the plug received, each as `ON` or `OFF`. */
  get commands(): string[] {
    return this.plug.got.flatMap(({ payload }) => /\bO(?:N|FF)$/.exec(payload)?.[0] ?? []);
  }

  async stop(): Promise<void> {
    await this.daemon.stop();
    this.plug.disconnect();
  }

  async restart(): Promise<void> {
    await this.daemon.restart();
    await this.plug.connect(this.daemon.brokerPort);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.plug[Symbol.asyncDispose]();
    await this.daemon[Symbol.asyncDispose]();
  }
}

describe("a plug that follows its plan", () => {
  test("a plug that follows its plan is scheduled, ON at the boundary, renewed every quarter hour, and OFF at the end, with reasons", async () => {
    await using at = await DaemonWithPlug.start();
    const scheduled = await at.untilPlan(({ state }) => state === "scheduled", "the plan");
    expect(scheduled.reason).toMatch(
      /^22:30-Wed 01:30, \d\.\d\d DKK\/kWh on average( instead of \d\.\d\d DKK\/kWh from 22:30)?$/,
    );
    await at.untilPlug(false);
    const isTold = () => at.plugState.on === false && at.plugState.reason === scheduled.reason;
    await at.daemon.watcher.until(isTold, "the plug's state");
    expect(at.plugState).toMatchObject({ wanted: false, reason_code: "wanted_off" });

    await at.runUntil(STARTS - 1);
    expect(at.plug.device.on).toBe(false);
    await at.daemon.clock.runUntil(STARTS);
    await at.untilPlug(true);
    expect(at.plug.device.timerAt).toBeLessThanOrEqual(STARTS + QUARTER_MS + MARGIN_MS);
    const running = await at.untilPlan(({ state }) => state === "running", "the run");
    expect(running.reason).toMatch(/^runs until Wed 01:30: 22:30-Wed 01:30, \d\.\d\d DKK\/kWh on average/);
    await at.daemon.watcher.until(() => at.plugState.on === true, "the plug's state");
    expect(at.plugState).toMatchObject({ wanted: true, reason: running.reason, reason_code: "wanted_on" });

    for (let quarter = STARTS + QUARTER_MS; quarter < ENDS; quarter += QUARTER_MS) {
      await at.runUntil(quarter);
      await expect.poll(() => at.plug.device.timerAt).toBeGreaterThan(quarter + QUARTER_MS);
      expect(at.plug.device.timerAt).toBeLessThanOrEqual(quarter + QUARTER_MS + MARGIN_MS);
      expect(at.plug.device.on).toBe(true);
    }
    await at.runUntil(ENDS - 1);
    expect(at.plug.device.on).toBe(true);
    await at.daemon.clock.runUntil(ENDS);
    await at.untilPlug(false);
    expect(at.plug.device.cause).toBe("command");
    await at.daemon.watcher.until(() => at.plugState.on === false, "the plug's state");
    const commands = at.commands.filter((text, i, all) => text !== all[i - 1]);
    expect(commands).toEqual(["OFF", "ON", "OFF"]);
    const { watcher } = at.daemon;
    assertDiscovery(watcher.topics().map((topic) => ({ topic, payload: watcher.payload(topic) ?? "" })));
    const { components } = watcher.json("homeassistant/device/elbro_plug_washer_plug/config") as { components: object };
    expect(Object.keys(components)).toEqual(["on", "wanted", "reason", "problem", "available"]);
  });

  test.each([
    ["23", "2026-03-28", "2026-03-28T23:00:00Z", 5],
    ["25", "2026-10-24", "2026-10-24T22:00:00Z", 7],
  ])("over the night of the %s-hour day is ON for exactly its hours", async (_day, date, midnight, hours) => {
    const plan = planEntry({ kind: "slots", hours: hours - 1, from: "00:00", ready_by: "06:00" });
    await using at = await DaemonWithPlug.start({ plan, start: Date.parse(`${date}T16:00:00Z`) });
    await at.untilPlan(({ state }) => state === "scheduled", "the plan");
    const opens = Date.parse(midnight);
    let quarters = 0;
    for (let time = opens - QUARTER_MS; time < opens + (hours + 1) * HOUR_MS; time += QUARTER_MS) {
      await at.runUntil(time);
      const on = () =>
        payloadOf(at.daemon).runs.some((run) => Date.parse(run.start) <= time && time < Date.parse(run.end));
      await at.daemon.watcher.until(
        () => at.daemon.watcher.json("elbro/home/price/state").start === isoOf(time),
        `the price at ${isoOf(time)}`,
      );
      await expect.poll(() => at.plug.device.on === on()).toBe(true);
      if (!at.plug.device.on) continue;
      quarters++;
      expect(time).toBeGreaterThanOrEqual(opens);
      expect(time).toBeLessThan(opens + hours * HOUR_MS);
    }
    expect(quarters).toBe(4 * (hours - 1));
  });
});

describe("a restart in the middle of a run", () => {
  test("a restart in the middle of a run leaves the plug ON without an OFF, and its end unchanged", async () => {
    await using at = await DaemonWithPlug.start();
    await at.runUntil(STARTS + 20 * MINUTE_MS);
    await at.untilPlug(true);
    await at.stop();
    await at.sleepUntil(STARTS + 24 * MINUTE_MS);
    expect(at.plug.device.on).toBe(true);
    const before = at.commands.length;
    await at.restart();
    const running = await at.untilPlan(({ state }) => state === "running", "the run again");
    expect(running.next_end).toBe(isoOf(ENDS));
    await expect.poll(() => at.commands.length).toBeGreaterThan(before);
    await at.runUntil(ENDS - 1);
    expect(at.commands.slice(before)).not.toContain("OFF");
    expect(at.plug.device.on).toBe(true);
    await at.daemon.clock.runUntil(ENDS);
    await at.untilPlug(false);
    expect(payloadOf(at.daemon).runs.filter(({ begun }) => begun)).toEqual([]);
  });

  test("after the run's end finds the plug switched off by its timer, and counts only the actual run", async () => {
    await using at = await DaemonWithPlug.start({ plan: inTheNight });
    const { next_start } = await at.untilPlan(({ state }) => state === "scheduled", "the plan");
    const start = Date.parse(String(next_start));
    await at.runUntil(start + 40 * MINUTE_MS);
    await at.untilPlug(true);
    await at.stop();
    const found = start + 2 * HOUR_MS;
    // Its timer started with the last ON, at the latest when the daemon ended.
    await at.sleepUntil(start + 40 * MINUTE_MS + QUARTER_MS + MARGIN_MS + 1);
    expect([at.plug.device.on, at.plug.device.cause]).toEqual([false, "timer"]);
    await at.sleepUntil(found);
    await at.restart();
    const running = await at.untilPlan(({ state }) => state === "running", "the rest of the run");
    await at.untilPlug(true);
    const ran = 45 * MINUTE_MS + MARGIN_MS;
    const end = found + 3 * HOUR_MS - ran;
    expect(running).toMatchObject({ next_end: isoOf(end), month: { runs: 1 } });
    expect(running.month.hours).toBeCloseTo(ran / HOUR_MS, 4);
    expect(running.reason).toContain("because elbro was not running");
    await at.runUntil(end - MINUTE_MS);
    expect(at.plug.device.on).toBe(true);
    await at.runUntil(end);
    await at.untilPlug(false);
    await at.untilPlan(({ month }) => Math.abs(month.hours - 3) < 1e-4, "three hours in two runs");
  });

  test("after a missed start makes up for the run, or plans it again", async () => {
    await using at = await DaemonWithPlug.start({ plan: inTheNight });
    const { next_start } = await at.untilPlan(({ state }) => state === "scheduled", "the plan");
    const found = Date.parse(String(next_start)) + 20 * MINUTE_MS;
    await at.stop();
    await at.sleepUntil(found);
    await at.restart();
    const plan = await at.untilPlan(({ state }) => state === "running" || state === "scheduled", "what follows");
    const runs = plan.runs.map(({ start, end }) => [Date.parse(start), Date.parse(end)] as const);
    expect(runs[0]?.[0]).toBeGreaterThanOrEqual(found);
    expect((runs[0]?.[1] ?? 0) - (runs[0]?.[0] ?? 0)).toBe(3 * HOUR_MS);
    await at.untilPlug(plan.state === "running");
  });
});

describe("a command over MQTT takes effect immediately, without progress of the clock:", () => {
  test("run now, stop, and disabling during a run", async () => {
    await using at = await DaemonWithPlug.start();
    await at.untilPlan(({ state }) => state === "scheduled", "the plan");
    await at.untilPlug(false);
    await command(at.daemon, "run_now", "PRESS");
    await at.untilPlug(true);
    await at.daemon.watcher.until(() => String(at.plugState.reason).startsWith("started manually"), "why");
    await command(at.daemon, "stop", "PRESS");
    await at.untilPlug(false);
    await at.daemon.watcher.until(() => String(at.plugState.reason).startsWith("22:30"), "its next round");
    await command(at.daemon, "run_now", "PRESS");
    await at.untilPlug(true);
    await command(at.daemon, "enabled", "OFF");
    await at.untilPlug(false);
    expect(at.now).toBe(EVENING);
  });

  test("changed times move a run that has not started, and the plug with it", async () => {
    await using at = await DaemonWithPlug.start();
    await at.untilPlan(({ state }) => state === "scheduled", "the plan");
    await command(at.daemon, "hours", "1");
    await command(at.daemon, "from", "19:15");
    await command(at.daemon, "ready_by", "20:15");
    const start = Date.parse("2026-03-10T18:15:00Z");
    await at.untilPlan(({ next_start }) => next_start === isoOf(start), "the new hours");
    await at.runUntil(start - 1);
    expect(at.plug.device.on).toBe(false);
    await at.daemon.clock.runUntil(start);
    await at.untilPlug(true);
    await at.runUntil(start + HOUR_MS);
    await at.untilPlug(false);
    await at.runUntil(STARTS + MINUTE_MS);
    expect(at.plug.device.on).toBe(false);
  });
});

test("without a trusted clock no plan switches a plug ON, with that reason; after a correction it does", async () => {
  const start = RELEASED_AT + 30 * DAY_MS - (RELEASED_AT % DAY_MS) + 17 * HOUR_MS;
  await using at = await DaemonWithPlug.start({ start, serviceAheadMs: AHEAD_MS });
  await at.untilPlan(({ code }) => code === "clock_not_trusted", "doubt");
  expect(await command(at.daemon, "run_now", "PRESS")).toMatchObject({
    ok: false,
    reason: "the clock of this machine cannot be trusted, so plans accept no commands",
  });
  await at.runUntil(start + 6 * HOUR_MS);
  expect(at.commands).not.toContain("ON");
  expect(at.plugState).toMatchObject({ reason_code: "clock_not_trusted" });
  at.daemon.serviceAheadMs = 0;
  await at.runUntil(start + 24 * HOUR_MS);
  await at.untilPlan(({ state }) => state === "scheduled", "the plan");
  await at.runUntil(start + 30 * HOUR_MS);
  expect(at.commands).toContain("ON");
});
