/** A freezer with an `avoid` plan: three simulated days with a night without prices, and a crash while it is OFF. */
import { expect, test } from "vitest";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, QUARTER_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { planEntry } from "../../support/plans/plan-topics.ts";
import { MqttPlug } from "../../support/plugs/mqtt-plug.ts";

/** The evening before, when the prices of the first day are known. */
const START = Date.parse("2026-03-10T17:00:00Z");
const DAY_1 = Date.parse("2026-03-10T23:00:00Z");
const MAX_GAP_MS = 1.5 * HOUR_MS;
const DEAD_MAN_MS = QUARTER_MS + 150_000;
/** Interval at which the device's own time is advanced. */
const TICK_MS = 2.5 * MINUTE_MS;

const config = {
  plans: [planEntry({ name: "Freezer", kind: "avoid", hours: 4, max_gap: 1.5 })],
  plugs: configSchema.parse({
    plans: [{ name: "Freezer", home: "home", kind: "avoid", hours: 4 }],
    plugs: [{ name: "Freezer plug", family: "shelly_gen3", topic: "shellyplugsg3-3", plan: "freezer" }],
  }).plugs,
};

/** Daemon with its freezer. Measures how long the freezer was OFF, longest and in total. */
class FreezerDays implements AsyncDisposable {
  readonly daemon: TestDaemon;
  readonly plug: MqttPlug;
  offMs = 0;
  longestOffMs = 0;
  #offSince: number | null = null;
  #runs = true;

  private constructor(daemon: TestDaemon) {
    this.daemon = daemon;
    this.plug = new MqttPlug("shelly_gen3", { now: () => daemon.clock.now(), on: false, powerOn: "off" });
  }

  static async start(): Promise<FreezerDays> {
    const simulator = { homes: ["danish"], publicationDelayMinutes: () => 0 } as const;
    const days = new FreezerDays(await TestDaemon.start({ start: START, simulator, config }));
    await days.plug.connect(days.daemon.brokerPort);
    return days;
  }

  get now(): number {
    return this.daemon.clock.now();
  }

  /** Advances the clocks of daemon and device, and observes the freezer. */
  async runUntil(end: number): Promise<void> {
    while (this.now < end) {
      const next = Math.min(end, (Math.floor(this.now / TICK_MS) + 1) * TICK_MS);
      const step = next - this.now;
      await this.daemon.clock.runUntil(next);
      this.plug.tick();
      if (this.#runs) await this.#untilAsWanted();
      this.#note(step);
    }
  }

  #note(step: number): void {
    if (this.plug.device.on) this.#offSince = null;
    else {
      this.#offSince ??= this.now;
      this.offMs += step;
      this.longestOffMs = Math.max(this.longestOffMs, this.now - this.#offSince);
    }
  }

  /** Waits in real time for the messages of a real broker. */
  async #untilAsWanted(): Promise<void> {
    const state = () => this.daemon.watcher.json("elbro/plug/freezer_plug/state") as { wanted?: boolean };
    const isRenewed = () => this.plug.device.on || (this.plug.device.timerAt ?? 0) > this.now;
    await expect.poll(() => this.plug.device.on === state().wanted && isRenewed()).toBe(true);
  }

  /** Stops the daemon's messages to the plug, like a SIGKILL. `killed-plug.test.ts` kills a process. */
  async kill(): Promise<void> {
    this.plug.disconnect();
    this.#runs = false;
    await this.daemon.stop();
  }

  async restart(): Promise<void> {
    await this.daemon.restart();
    await this.plug.connect(this.daemon.brokerPort);
    this.#runs = true;
  }

  async untilOff(): Promise<void> {
    const limit = this.now + DAY_MS;
    while (this.plug.device.on && this.now < limit) await this.runUntil(this.now + QUARTER_MS);
    expect(this.plug.device.on).toBe(false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.plug[Symbol.asyncDispose]();
    await this.daemon[Symbol.asyncDispose]();
  }
}

test("a freezer is OFF only in the most expensive hours, ON without prices, and ON by its timer if elbro dies", async () => {
  await using freezer = await FreezerDays.start();

  // First day: OFF in its expensive hours, never for too long.
  await freezer.runUntil(DAY_1);
  freezer.offMs = 0;
  await freezer.runUntil(DAY_1 + 12 * HOUR_MS);
  freezer.daemon.simulator.setFaults([{ operation: "*", fault: "lostConnection" }]);
  await freezer.runUntil(DAY_1 + DAY_MS);
  expect(freezer.offMs / HOUR_MS).toBeGreaterThan(3.5);
  expect(freezer.offMs / HOUR_MS).toBeLessThanOrEqual(4.25);

  // A night and a morning without prices: ON throughout.
  freezer.offMs = 0;
  await freezer.runUntil(DAY_1 + DAY_MS + 10 * HOUR_MS);
  expect([freezer.plug.device.on, freezer.offMs]).toEqual([true, 0]);
  expect(freezer.daemon.watcher.json("elbro/plug/freezer_plug/state")).toMatchObject({ wanted: true, on: true });

  // Prices are available again. elbro dies while the plug is OFF on the third day; it is ON within 17.5 min.
  freezer.daemon.simulator.setFaults([]);
  await freezer.runUntil(DAY_1 + 2 * DAY_MS);
  await freezer.untilOff();
  await freezer.kill();
  const killedAt = freezer.now;
  await freezer.runUntil(killedAt + DEAD_MAN_MS);
  expect([freezer.plug.device.on, freezer.plug.device.cause]).toEqual([true, "timer"]);
  await freezer.runUntil(killedAt + 2 * HOUR_MS);
  expect(freezer.plug.device.on).toBe(true);

  // elbro is restarted, and the rest of the day follows the plan.
  await freezer.restart();
  await freezer.runUntil(DAY_1 + 3 * DAY_MS);
  expect(freezer.longestOffMs).toBeLessThanOrEqual(MAX_GAP_MS + TICK_MS);
});
