import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Home } from "../../../../src/core/prices/home-snapshot.ts";
import type { Clock } from "../../../../src/core/runtime/clock.ts";
import { Problems } from "../../../../src/core/status/problem.ts";
import {
  DAY_MS,
  type EpochMs,
  formatInstant,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
} from "../../../../src/core/time/interval.ts";
import { SharedConnection } from "../../../../src/integrations/homeassistant/shared-connection.ts";
import { StatisticsLoop } from "../../../../src/integrations/homeassistant/statistics-loop.ts";
import { KeyValueStore } from "../../../../src/storage/key-value-store.ts";
import { SeriesStore } from "../../../../src/storage/series/series-store.ts";
import { EmulatedHomeAssistant } from "../../../support/home/emulated-home-assistant.ts";
import { at, calendar, dayOf, HOME } from "../../../support/home/price-days.ts";
import { StoreOnDisk } from "../../../support/storage/store-on-disk.ts";

const START = at("2026-03-10T08:00:00Z");
const SERIES = { account: HOME.account, place: HOME.addressId, operation: "consumption", unit: "hour" } as const;

/** Clock that does not advance while the loop works. */
class LoopClock implements Clock {
  readonly boot = "loop";
  #now = START;
  #sleeper: { readonly at: EpochMs; readonly wake: () => void } | null = null;

  now(): EpochMs {
    return this.#now;
  }

  monotonicMs(): number {
    return this.#now - START;
  }

  sleepUntil(at: EpochMs, signal: AbortSignal): Promise<void> {
    if (at <= this.#now || signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      this.#sleeper = null;
      resolve();
    };
    this.#sleeper = { at, wake };
    signal.addEventListener("abort", wake, { once: true });
    return promise;
  }

  /** Moves to `at`, or to the loop's next wake-up if that is earlier. */
  async moveTo(at: EpochMs): Promise<void> {
    while (!this.#sleeper) await pause(1);
    const { at: wakesAt, wake } = this.#sleeper;
    this.#now = Math.min(at, wakesAt);
    if (wakesAt > at) return;
    wake();
    await pause(1);
    while (!this.#sleeper) await pause(1);
  }
}

/** Loop with its Home Assistant, and a clock that the test moves. */
class RunningLoop implements AsyncDisposable {
  readonly disk = new StoreOnDisk();
  readonly clock = new LoopClock();
  readonly problems = new Problems(() => undefined);
  readonly store = new SeriesStore(this.disk.database, calendar);
  readonly loop: StatisticsLoop;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor({ url, token }: { url: string; token: string }, homes: readonly Home[] = [HOME]) {
    this.put("2026-03-08");
    const { clock, problems, store } = this;
    this.loop = new StatisticsLoop({
      language: "en",
      ...{ clock, problems, store, calendar },
      connection: new SharedConnection({ url, token }),
      homes: { list: () => homes },
      memory: new KeyValueStore(this.disk.database),
      retentionYears: 10,
      log: { info: () => undefined },
      random: () => 1,
      heartbeat: { turn: () => undefined, sleep: () => undefined },
    });
    this.#running = this.loop.run(this.#stop.signal);
  }

  put(date: string): void {
    const day = dayOf(date);
    const rows = calendar
      .intervals("hour", day)
      .map(({ start, end }) => ({ start: formatInstant(start), end: formatInstant(end), energyKWh: 1 }));
    this.store.store(SERIES, day, rows, {});
  }

  codes(): string[] {
    return this.problems.list().map(({ code, subject }) => `${code} ${subject}`);
  }

  async runUntil(at: EpochMs): Promise<void> {
    while (this.clock.now() < at) await this.clock.moveTo(at);
  }

  /** Moves the clock until `holds` returns true. Returns the time. */
  async until(what: string, holds: () => boolean, withinMs: number): Promise<EpochMs> {
    const end = this.clock.now() + withinMs;
    while (!holds()) {
      if (this.clock.now() >= end) throw new Error(`not within ${withinMs / SECOND_MS} s: ${what}`);
      await this.clock.moveTo(Math.min(end, this.clock.now() + 10 * SECOND_MS));
    }
    return this.clock.now();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.disk[Symbol.dispose]();
  }
}

const rows = ({ imports }: EmulatedHomeAssistant) => imports.reduce((sum, each) => sum + each.rows, 0);

describe("statistics are imported", () => {
  test("at the start, after changes have settled, and once a day", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    await using running = new RunningLoop(homeAssistant);
    await running.until("the start", () => rows(homeAssistant) === 24, MINUTE_MS);
    running.put("2026-03-09");
    running.loop.changed(SERIES);
    const changedAt = running.clock.now();
    const importedAt = await running.until("the change", () => rows(homeAssistant) === 48, 2 * MINUTE_MS);
    expect(importedAt - changedAt).toBeGreaterThanOrEqual(30 * SECOND_MS);
    const { logins } = homeAssistant;
    homeAssistant.statistics.clear();
    await running.runUntil(running.clock.now() + DAY_MS - HOUR_MS);
    expect(homeAssistant.logins).toBe(logins);
    await running.until("the look", () => rows(homeAssistant) === 96, 2 * HOUR_MS);
  });

  test("after 15 min if changes continue", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    await using running = new RunningLoop(homeAssistant);
    await running.until("the start", () => rows(homeAssistant) === 24, MINUTE_MS);
    running.put("2026-03-09");
    const from = running.clock.now();
    const change = () => {
      running.loop.changed(SERIES);
      return rows(homeAssistant) === 48;
    };
    const importedAt = await running.until("the change", change, HOUR_MS);
    expect(importedAt - from).toBeGreaterThanOrEqual(15 * MINUTE_MS);
    expect(importedAt - from).toBeLessThan(17 * MINUTE_MS);
  });

  test("for usage changes only, not for prices", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    await using running = new RunningLoop(homeAssistant);
    await running.until("the start", () => rows(homeAssistant) === 24, MINUTE_MS);
    const { logins } = homeAssistant;
    running.loop.changed({ ...SERIES, operation: "prices", unit: "fifteenMinutes" });
    running.loop.changed({ ...SERIES, unit: "day" });
    await running.runUntil(running.clock.now() + HOUR_MS);
    expect(homeAssistant.logins).toBe(logins);
  });
});

describe("a failed import", () => {
  test("a failed import is a problem only if Home Assistant is unreachable for longer than a restart takes, until it responds again", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    await homeAssistant.down();
    await using running = new RunningLoop(homeAssistant);
    await running.runUntil(START + 4 * MINUTE_MS);
    expect(running.codes()).toEqual([]);
    await running.until("the problem", () => running.codes().length > 0, HOUR_MS);
    expect(running.codes()).toEqual(["home_assistant_unreachable Home Assistant"]);
    await running.runUntil(START + 105 * MINUTE_MS);
    await homeAssistant.up();
    await running.until("the end of the problem", () => running.codes().length === 0, 11 * MINUTE_MS);
    expect(rows(homeAssistant)).toBe(24);
  });

  test("with a rejected token is a problem immediately, and the token is used again after six hours", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    await using running = new RunningLoop({ url: homeAssistant.url, token: "old-token" });
    await running.until("the problem", () => running.codes().length > 0, MINUTE_MS);
    expect(running.codes()).toEqual(["home_assistant_refused Home Assistant"]);
    expect(running.problems.list()[0]?.advice).toContain("long-lived access token of an administrator");
    running.loop.changed(SERIES);
    await running.runUntil(START + 5 * HOUR_MS);
    expect(homeAssistant.logins).toBe(1);
    await running.until("another try", () => homeAssistant.logins === 2, HOUR_MS + 5 * MINUTE_MS);
  });

  test("a failed import is a problem until one succeeds", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    homeAssistant.isRecorderLoaded = false;
    await using running = new RunningLoop(homeAssistant);
    await running.until("the problem", () => running.codes().length > 0, MINUTE_MS);
    expect(running.problems.list()[0]).toMatchObject({
      code: "home_assistant_refused",
      detail: "the recorder integration is not loaded",
    });
    homeAssistant.isRecorderLoaded = true;
    await running.until("the end", () => running.codes().length === 0, 11 * MINUTE_MS);
  });

  test("of two homes with the same statistic id imports the first and reports the other", async () => {
    await using homeAssistant = await EmulatedHomeAssistant.start();
    const homes = ["my-home", "my_home"].map((id) => ({ ...HOME, id }));
    await using running = new RunningLoop(homeAssistant, homes);
    await running.until("the import", () => rows(homeAssistant) === 24, MINUTE_MS);
    expect(running.codes()).toEqual(["statistic_ids_collide statistics of my_home"]);
    expect(running.problems.list()[0]?.advice).toContain("my-home has the same id");
  });
});
