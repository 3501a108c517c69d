import { describe, expect, test } from "vitest";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { DueLoop } from "../../../src/state/due-loop.ts";
import { ManualClock } from "../../support/clock/manual-clock.ts";

const NOON = Date.UTC(2026, 5, 10, 12);
const QUARTER_MS = 15 * MINUTE_MS;

/** Loop over homes that are due every quarter hour. Records the work as `home@minute`. */
class Looped implements AsyncDisposable {
  readonly clock = new ManualClock(NOON + MINUTE_MS, "manual", undefined, 1);
  readonly worked: string[] = [];
  readonly first: string[] = [];
  readonly kept: string[][] = [];
  turns = 0;
  duringWork = (): void => undefined;
  between = async (): Promise<void> => undefined;
  nextAfter = (now: number): number => Math.floor(now / QUARTER_MS + 1) * QUARTER_MS;
  trust: unknown = "trusted";
  /** Simulated time of the work on one home. */
  workMs = 0;
  homes: ReadonlySet<string>;
  readonly #stop = new AbortController();
  #workedMs = 0;
  readonly loop = new DueLoop({
    clock: this.clock,
    items: () => this.homes,
    work: (home, now) => {
      this.#workedMs += this.workMs;
      this.worked.push(`${home}@${(now - NOON) / MINUTE_MS}`);
      this.duringWork();
      return this.nextAfter(now);
    },
    first: (home) => void this.first.push(home),
    between: () => this.between(),
    kept: (homes) => void this.kept.push([...homes]),
    trust: () => this.trust,
    slices: { nowMs: () => this.#workedMs, nextTurn: async () => void this.turns++ },
  });
  readonly #running: Promise<void>;

  constructor(count: number) {
    this.homes = new Set(Array.from({ length: count }, (_, i) => `home${i}`));
    this.#running = this.loop.run(this.#stop.signal);
  }

  async settled(): Promise<this> {
    await this.clock.settle();
    return this;
  }

  forget(): void {
    this.worked.length = 0;
    this.turns = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

test("a changed home is worked on alone", async () => {
  await using looped = await new Looped(100).settled();
  looped.forget();
  looped.loop.changed("home7");
  await looped.settled();
  expect(looped.worked).toEqual(["home7@1"]);
});

test("ten changes of one home in one tick are one piece of work", async () => {
  await using looped = await new Looped(3).settled();
  looped.forget();
  for (let i = 0; i < 10; i++) looped.loop.changed("home1");
  await looped.settled();
  expect(looped.worked).toEqual(["home1@1"]);
});

test("a home that is due again at once is worked on once per second", async () => {
  await using looped = await new Looped(1).settled();
  looped.nextAfter = (now) => now;
  looped.loop.changed("home0");
  await looped.settled();
  looped.forget();
  await looped.clock.runUntil(looped.clock.now() + 5_000);
  expect(looped.worked).toHaveLength(5);
});

test("all homes are worked on when they are due", async () => {
  await using looped = await new Looped(3).settled();
  looped.forget();
  await looped.clock.runUntil(NOON + QUARTER_MS - 1);
  expect(looped.worked).toEqual([]);
  await looped.clock.runUntil(NOON + QUARTER_MS);
  expect(looped.worked).toEqual(["home0@15", "home1@15", "home2@15"]);
});

test("a home that another caller worked on is worked on when that caller says, also if that is earlier", async () => {
  await using looped = await new Looped(2).settled();
  looped.forget();
  looped.loop.worked("home0", NOON + 5 * MINUTE_MS);
  looped.loop.worked("home1", NOON + 20 * MINUTE_MS);
  await looped.clock.runUntil(NOON + 20 * MINUTE_MS);
  expect(looped.worked).toEqual(["home0@5", "home0@15", "home1@20"]);
});

describe("all homes are worked on", () => {
  test("if the clock is no longer trusted", async () => {
    await using looped = await new Looped(3).settled();
    looped.forget();
    looped.trust = "not trusted";
    looped.loop.wake();
    await looped.settled();
    expect(looped.worked).toEqual(["home0@1", "home1@1", "home2@1"]);
  });

  test("if the clock was set back", async () => {
    await using looped = await new Looped(2).settled();
    looped.forget();
    looped.clock.pauseMachine(-31 * MINUTE_MS);
    looped.loop.wake();
    await looped.settled();
    expect(looped.worked).toEqual(["home0@-30", "home1@-30"]);
  });
});

test("work yields after what is urgent and after every 10 ms", async () => {
  await using looped = await new Looped(1).settled();
  looped.forget();
  looped.workMs = 2;
  looped.homes = new Set(Array.from({ length: 100 }, (_, i) => `new${i}`));
  looped.loop.wake();
  await looped.settled();
  expect(looped.worked.length).toBe(100);
  expect(looped.turns).toBe(1 + 100 / 5);
});

test("the work waits for what goes between, and what that changed is worked on first", async () => {
  await using looped = await new Looped(3).settled();
  looped.forget();
  const decided = Promise.withResolvers<void>();
  looped.between = async () => {
    looped.between = async () => undefined;
    await decided.promise;
    looped.loop.changed("home2");
  };
  looped.loop.changed("home0", "home1");
  await looped.settled();
  expect([looped.first.slice(3), looped.worked]).toEqual([["home0", "home1"], []]);
  decided.resolve();
  await looped.settled();
  expect(looped.first.slice(5)).toEqual(["home2"]);
  expect(looped.worked.slice(0, 3)).toEqual(["home2@1", "home0@1", "home1@1"]);
});

test("the loop is ready while nothing is due or changed", async () => {
  await using looped = await new Looped(2).settled();
  looped.forget();
  await looped.loop.ready;
  looped.loop.changed("home0");
  await looped.loop.ready;
  expect(looped.worked).toEqual(["home0@1"]);
  const { ready } = looped.loop;
  await looped.clock.runUntil(NOON + QUARTER_MS);
  await Promise.all([ready, looped.loop.ready]);
  expect(looped.worked).toHaveLength(3);
});

test("only an added home is worked on, and removed homes are reported", async () => {
  await using looped = await new Looped(2).settled();
  looped.forget();
  looped.homes = new Set(["home1", "home2"]);
  looped.loop.wake();
  await looped.settled();
  expect(looped.worked).toEqual(["home2@1"]);
  expect(looped.kept.at(-1)).toEqual(["home1", "home2"]);
});

test("a change during the work on an item is worked on at once, and then the item at its time", async () => {
  await using looped = await new Looped(1).settled();
  looped.forget();
  looped.duringWork = () => {
    looped.duringWork = () => undefined;
    looped.loop.changed("home0");
  };
  looped.loop.changed("home0");
  await looped.settled();
  expect(looped.worked).toEqual(["home0@1", "home0@1"]);
  await looped.clock.runUntil(NOON + QUARTER_MS);
  expect(looped.worked.slice(2)).toEqual(["home0@15"]);
});

test("an item whose next time is in the past does not make the loop spin", async () => {
  await using looped = await new Looped(1).settled();
  looped.nextAfter = (now) => now - QUARTER_MS;
  looped.forget();
  looped.loop.changed("home0");
  await looped.clock.runUntil(NOON + MINUTE_MS + 10_000);
  expect(looped.worked).toHaveLength(11);
});
