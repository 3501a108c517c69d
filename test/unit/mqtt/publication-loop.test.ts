import { describe, expect, test } from "vitest";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import type { Message } from "../../../src/mqtt/client/message.ts";
import { PublicationLoop } from "../../../src/mqtt/publication-loop.ts";
import { ManualClock } from "../../support/clock/manual-clock.ts";

const NOON = Date.UTC(2026, 5, 10, 12);
const QUARTER_MS = 15 * MINUTE_MS;

/** Loop over homes whose state changes every quarter hour. Records `made` and `shown` as `home@minute`. */
class Looped implements AsyncDisposable {
  readonly clock = new ManualClock(NOON + MINUTE_MS);
  readonly made: string[] = [];
  readonly shown: string[] = [];
  readonly kept: string[][] = [];
  turns = 0;
  trust: unknown = "trusted";
  /** Simulated time to make one part. */
  makeMs = 0;
  parts: ReadonlySet<string>;
  /** Parts that were made before their time. */
  readonly ahead: string[] = [];
  /** Whether parts made ahead have to be made again at their time. */
  isDecided = false;
  messages: readonly Message[] = [];
  readonly #stop = new AbortController();
  #workMs = 0;
  readonly loop = new PublicationLoop({
    clock: this.clock,
    parts: () => this.parts,
    make: (part, now) => {
      this.#workMs += this.makeMs;
      this.made.push(`${part}@${(now - NOON) / MINUTE_MS}`);
      return { messages: this.messages, until: Math.floor(now / QUARTER_MS + 1) * QUARTER_MS };
    },
    makeAhead: (part, at) => {
      this.ahead.push(part);
      const until = Math.floor(at / QUARTER_MS + 1) * QUARTER_MS;
      return { messages: this.messages, until, ...(this.isDecided ? { isAhead: true } : {}) };
    },
    show: (part) => this.shown.push(`${part}@${(this.clock.now() - NOON) / MINUTE_MS}`),
    keepParts: (parts) => void this.kept.push([...parts]),
    finish: () => Number.POSITIVE_INFINITY,
    trust: () => this.trust,
    slices: {
      nowMs: () => this.#workMs,
      nextTurn: async () => void this.turns++,
    },
  });
  readonly #running: Promise<void>;

  constructor(count: number) {
    this.parts = new Set(Array.from({ length: count }, (_, i) => `home${i}`));
    this.#running = this.loop.run(this.#stop.signal);
  }

  async settled(): Promise<this> {
    await this.clock.settle();
    return this;
  }

  forget(): void {
    for (const list of [this.made, this.shown, this.ahead]) list.length = 0;
    this.turns = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

test("new data of one home makes and publishes only that home", async () => {
  await using looped = await new Looped(100).settled();
  looped.forget();
  looped.loop.changed("home7");
  await looped.settled();
  expect([looped.made, looped.shown]).toEqual([["home7@1"], ["home7@1"]]);
});

test("ten changes of one home in one tick are published once", async () => {
  await using looped = await new Looped(3).settled();
  looped.forget();
  for (let i = 0; i < 10; i++) looped.loop.changed("home1");
  await looped.settled();
  expect(looped.made).toEqual(["home1@1"]);
});

describe("at a quarter hour", () => {
  test("a few homes are made and published", async () => {
    await using looped = await new Looped(3).settled();
    looped.forget();
    await looped.clock.runUntil(NOON + QUARTER_MS);
    expect(looped.shown).toEqual(["home0@15", "home1@15", "home2@15"]);
    expect(looped.made).toEqual(looped.shown);
  });

  test("many homes are made before it, once, and only published then", async () => {
    await using looped = await new Looped(100).settled();
    looped.forget();
    await looped.clock.runUntil(NOON + QUARTER_MS - 1);
    expect(looped.ahead).toHaveLength(100);
    expect(looped.shown).toEqual([]);
    await looped.clock.runUntil(NOON + QUARTER_MS);
    expect([looped.ahead.length, looped.made]).toEqual([100, []]);
    expect(new Set(looped.shown)).toEqual(new Set(looped.ahead.map((part) => `${part}@15`)));
  });

  test.each([
    ["nothing again if they are the same", [], 0],
    ["their messages again if they differ", [{ topic: "plan", payload: "ON" }], 100],
  ] as const)(
    "parts that are decided at the boundary are published at once, made again a second later, and publish %s",
    async (_, later, times) => {
      await using looped = await new Looped(100).settled();
      looped.isDecided = true;
      await looped.clock.runUntil(NOON + QUARTER_MS - 1);
      looped.forget();
      await looped.clock.runUntil(NOON + QUARTER_MS + 999);
      expect([looped.made.length, looped.shown.length]).toEqual([0, 100]);
      looped.forget();
      looped.messages = later;
      await looped.clock.runUntil(NOON + QUARTER_MS + 1_000);
      expect([looped.made.length, looped.shown.length, looped.ahead]).toEqual([100, times, []]);
      looped.forget();
      await looped.clock.runUntil(NOON + QUARTER_MS + MINUTE_MS);
      expect([looped.made, looped.shown]).toEqual([[], []]);
    },
  );

  test("a home whose data changed after it was made is made again", async () => {
    await using looped = await new Looped(100).settled();
    await looped.clock.runUntil(NOON + QUARTER_MS - 1);
    looped.forget();
    looped.loop.changed("home5");
    await looped.settled();
    expect([looped.made, looped.ahead]).toEqual([[`home5@${15 - 1 / MINUTE_MS}`], ["home5"]]);
    looped.forget();
    await looped.clock.runUntil(NOON + QUARTER_MS);
    expect(looped.made).toEqual([]);
    expect(looped.shown).toHaveLength(100);
  });

  test("at a quarter hour messages made before are discarded if the clock is no longer trusted", async () => {
    await using looped = await new Looped(100).settled();
    await looped.clock.runUntil(NOON + QUARTER_MS - 1);
    looped.forget();
    looped.trust = "not trusted";
    await looped.clock.runUntil(NOON + QUARTER_MS);
    expect(looped.made.filter((made) => made.endsWith("@15"))).toHaveLength(100);
  });
});

test("work yields after every 10 ms", async () => {
  await using looped = await new Looped(1).settled();
  looped.forget();
  looped.makeMs = 2;
  looped.parts = new Set(Array.from({ length: 100 }, (_, i) => `new${i}`));
  looped.loop.wake();
  await looped.settled();
  expect(looped.made).toHaveLength(100);
  expect(looped.turns).toBe(100 / 5 - 1);
});

test("only an added home is made, and removed homes are reported", async () => {
  await using looped = await new Looped(2).settled();
  looped.forget();
  looped.parts = new Set(["home1", "home2"]);
  looped.loop.wake();
  await looped.settled();
  expect(looped.made).toEqual(["home2@1"]);
  expect(looped.kept.at(-1)).toEqual(["home1", "home2"]);
});
