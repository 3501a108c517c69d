import { describe, expect, test } from "vitest";
import { Problems } from "../../../../src/core/status/problem.ts";
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import type { Condition } from "../../../../src/integrations/notify/conditions.ts";
import { NotifyLoop } from "../../../../src/integrations/notify/notify-loop.ts";
import { type NotifyAccount, publish } from "../../../../src/integrations/notify/publish.ts";
import { at, calendar } from "../../../support/home/price-days.ts";
import { EmulatedNtfy } from "../../../support/notify/emulated-ntfy.ts";
import { TestMemory } from "../../../support/storage/test-memory.ts";

const NOON = at("2026-03-10T11:00:00Z");

function condition(id: string, given: Partial<Condition> = {}): Condition {
  const note = { title: id, message: "-", priority: 3, tags: ["zap"] } as const;
  return { id, event: "tomorrow", patience: "none", note, ...given };
}

/** A loop with an emulated server and a manual clock. */
class Watched {
  now: EpochMs = NOON;
  holding: readonly Condition[] = [];
  readonly memory = new Map<string, string>();
  readonly problems = new Problems(() => undefined);
  readonly ntfy: EmulatedNtfy;
  readonly account: NotifyAccount;
  isTimeTrusted = true;
  #loop: NotifyLoop;

  constructor(ntfy: EmulatedNtfy, given: Partial<NotifyAccount> = {}) {
    this.ntfy = ntfy;
    this.account = {
      topic_url: `${ntfy.origin}/house`,
      events: ["tomorrow", "negative_prices", "plan", "plug", "problem"],
      ...given,
    };
    this.#loop = this.#open();
  }

  #open(): NotifyLoop {
    return new NotifyLoop({
      ...{ account: this.account, calendar, problems: this.problems, random: () => 0.5, click: "http://elbro/" },
      conditions: async () => this.holding,
      publish: (note, signal) => publish(this.account, note, signal),
      isTimeTrusted: () => this.isTimeTrusted,
      clock: { boot: "x", now: () => this.now, monotonicMs: () => this.now, sleepUntil: async () => undefined },
      memory: new TestMemory(this.memory),
      heartbeat: { turn: () => undefined, sleep: () => undefined },
      log: { info: () => undefined },
    });
  }

  restart(): void {
    this.#loop = this.#open();
  }

  /** Runs the loop every minute for `ms`. Returns the titles of the received messages. */
  async pass(ms: number = MINUTE_MS): Promise<(string | undefined)[]> {
    const before = this.ntfy.messages.length;
    for (const end = this.now + ms; this.now < end; this.now += MINUTE_MS)
      await this.#loop.check(new AbortController().signal);
    return this.ntfy.messages.slice(before).map(({ title }) => title);
  }
}

describe("a condition is sent", () => {
  test("once, with all fields of the app", async () => {
    await using ntfy = await EmulatedNtfy.start();
    const watched = new Watched(ntfy);
    watched.holding = [condition("one")];
    expect(await watched.pass(HOUR_MS)).toEqual(["one"]);
    expect(ntfy.messages).toEqual([
      { topic: "house", title: "one", message: "-", priority: 3, tags: ["zap"], click: "http://elbro/" },
    ]);
  });

  test("once, also across a restart, and again after it has ended for an hour", async () => {
    await using ntfy = await EmulatedNtfy.start();
    const watched = new Watched(ntfy);
    watched.holding = [condition("one")];
    expect(await watched.pass()).toEqual(["one"]);
    watched.restart();
    watched.holding = [];
    expect(await watched.pass(30 * MINUTE_MS)).toEqual([]);
    watched.holding = [condition("one")];
    expect(await watched.pass(2 * HOUR_MS)).toEqual([]);
    watched.holding = [];
    await watched.pass(2 * HOUR_MS);
    watched.holding = [condition("one")];
    expect(await watched.pass()).toEqual(["one"]);
  });

  test("after five minutes if it is a problem", async () => {
    await using ntfy = await EmulatedNtfy.start();
    const watched = new Watched(ntfy);
    watched.holding = [condition("plug", { event: "plug", patience: "some" })];
    expect(await watched.pass(4 * MINUTE_MS)).toEqual([]);
    watched.holding = [];
    await watched.pass();
    watched.holding = [condition("plug", { event: "plug", patience: "some" })];
    expect(await watched.pass(5 * MINUTE_MS)).toEqual([]);
    expect(await watched.pass()).toEqual(["plug"]);
  });

  test("not if its event is not configured or the clock is wrong", async () => {
    await using ntfy = await EmulatedNtfy.start();
    const watched = new Watched(ntfy, { events: ["plan"] });
    watched.holding = [condition("tomorrow"), condition("plan", { event: "plan" })];
    watched.isTimeTrusted = false;
    expect(await watched.pass(HOUR_MS)).toEqual([]);
    watched.isTimeTrusted = true;
    expect(await watched.pass(HOUR_MS)).toEqual(["plan"]);
  });
});

describe("quiet hours", () => {
  test("delay a condition across midnight until their end, and drop it if it has ended", async () => {
    await using ntfy = await EmulatedNtfy.start();
    const watched = new Watched(ntfy, { quiet_hours: "22:00-07:00" });
    watched.now = at("2026-03-10T21:00:00Z");
    watched.holding = [condition("over"), condition("lasting")];
    expect(await watched.pass(8 * HOUR_MS)).toEqual([]);
    watched.restart();
    watched.holding = [condition("lasting")];
    expect(await watched.pass(HOUR_MS)).toEqual([]);
    expect(watched.now).toBe(at("2026-03-11T06:00:00Z"));
    expect(await watched.pass()).toEqual(["lasting"]);
  });

  test("use local time, also with a clock change, and can be within a day", async () => {
    await using ntfy = await EmulatedNtfy.start();
    const night = new Watched(ntfy, { quiet_hours: "22:00-07:00" });
    night.now = at("2026-03-29T04:59:00Z");
    night.holding = [condition("spring")];
    expect(await night.pass()).toEqual([]);
    expect(await night.pass()).toEqual(["spring"]);
    const day = new Watched(ntfy, { quiet_hours: "12:00-14:00" });
    day.holding = [condition("noon")];
    expect(await day.pass(2 * HOUR_MS)).toEqual([]);
    expect(await day.pass()).toEqual(["noon"]);
  });
});

describe("an ntfy server", () => {
  test("with 429 gets the message after Retry-After, and no request before", async () => {
    await using ntfy = await EmulatedNtfy.start();
    const watched = new Watched(ntfy);
    watched.holding = [condition("one"), condition("two")];
    ntfy.fault = { status: 429, headers: { "retry-after": "1800" } };
    await watched.pass(30 * MINUTE_MS);
    expect(ntfy.requests).toBe(1);
    ntfy.fault = null;
    expect(await watched.pass(2 * MINUTE_MS)).toEqual(["one", "two"]);
    expect(watched.problems.list()).toEqual([]);
  });

  test("with 503 is retried with back-off; after ten minutes it is a problem, and the message expires", async () => {
    await using ntfy = await EmulatedNtfy.start();
    const watched = new Watched(ntfy);
    watched.holding = [condition("one")];
    ntfy.fault = { status: 503 };
    await watched.pass(5 * MINUTE_MS);
    expect(watched.problems.list()).toEqual([]);
    await watched.pass(15 * MINUTE_MS);
    expect(watched.problems.list()).toMatchObject([
      { code: "notifications_failed", detail: expect.stringContaining("the server answered with status 503") },
    ]);
    await watched.pass(DAY_MS);
    expect(ntfy.requests).toBe(16);
    ntfy.fault = null;
    watched.holding = [condition("one"), condition("two")];
    expect(await watched.pass(HOUR_MS)).toEqual(["two"]);
    expect(watched.problems.list()).toEqual([]);
  });

  test("that refuses the token is a problem at once, with its error, and is tried again after six hours", async () => {
    await using ntfy = await EmulatedNtfy.start({ authorization: "Bearer tk_right" });
    const watched = new Watched(ntfy, { token: "tk_wrong" });
    watched.holding = [condition("one")];
    await watched.pass(6 * HOUR_MS);
    expect(ntfy.requests).toBe(1);
    expect(watched.problems.list()).toMatchObject([
      { detail: "the server answered with status 401: unauthorized; next attempt 2026-03-10T17:00:00Z" },
    ]);
    expect(JSON.stringify(watched.problems.list())).not.toContain("tk_wrong");
    await watched.pass();
    expect(ntfy.requests).toBe(2);
  });

  test.each([
    ["a token", { token: "tk_right" }, "Bearer tk_right"],
    ["user and password", { username: "phil", password: "mypass" }, "Basic cGhpbDpteXBhc3M="],
  ])("an ntfy server accepts %s", async (_what, given, authorization) => {
    await using ntfy = await EmulatedNtfy.start({ authorization });
    const watched = new Watched(ntfy, given);
    watched.holding = [condition("one")];
    expect(await watched.pass()).toEqual(["one"]);
  });

  test("that cannot be reached is a problem", async () => {
    const ntfy = await EmulatedNtfy.start();
    const watched = new Watched(ntfy);
    await ntfy[Symbol.asyncDispose]();
    watched.holding = [condition("one")];
    await watched.pass(3 * HOUR_MS);
    expect(watched.problems.list()).toMatchObject([{ detail: expect.stringContaining("refuses the connection") }]);
  });
});

test("publish shortens a message to 4,096 bytes, above which ntfy makes it an attachment", async () => {
  await using ntfy = await EmulatedNtfy.start();
  const note = { title: "long", message: "æ".repeat(5_000), priority: 3, tags: [] } as const;
  await publish({ topic_url: `${ntfy.origin}/house`, events: ["plan"] }, note, new AbortController().signal);
  expect(Buffer.byteLength(ntfy.messages[0]?.message ?? "")).toBeLessThanOrEqual(4_096);
});
