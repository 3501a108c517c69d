import { describe, expect, test } from "vitest";
import { type CheapSettings, type CheapSpec, cheapSpec } from "../../../src/core/planning/cheap-query.ts";
import { type EpochMs, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { CheapQueries } from "../../../src/state/cheap-queries.ts";
import { at, calendar, daysOf, points, timelineOf } from "../../support/home/price-days.ts";

const HOME = { kind: "home", id: "home", name: "Home" } as const;
const timeline = timelineOf(points(daysOf("2026-06-09", "2026-06-12"), (i) => 1 + ((i * 37) % 96) / 50));
const EVENING = at("2026-06-10T18:00:00Z");

function specOf(settings: Partial<CheapSettings> = {}): CheapSpec {
  const read = cheapSpec({
    kind: "slots",
    hoursMs: 3 * HOUR_MS,
    from: null,
    readyBy: 7 * 60,
    maxPrice: null,
    ...settings,
  });
  if (read.kind === "mistake") throw new Error(read.said.key);
  return read.spec;
}

/** Stored text, with the number of writes. */
class Kept {
  text: string | null = null;
  writes = 0;
  read(): string | null {
    return this.text;
  }
  write(_name: string, text: string): void {
    this.text = text;
    this.writes++;
  }
}

const open = (memory: Kept, isTimeTrusted = true) =>
  new CheapQueries({ calendar, memory, isTimeTrusted: () => isTimeTrusted });
const ask = (cheap: CheapQueries, now: EpochMs, spec = specOf()) => cheap.ask(HOME, timeline, spec, now);

/** Returns the minutes ON until 07:00 of a device that asks every minute. `cheapAt` may return a restarted instance. */
function minutesOn(cheapAt: (now: EpochMs) => CheapQueries): number {
  let on = 0;
  for (let now = EVENING; now < at("2026-06-11T05:00:00Z"); now += MINUTE_MS) if (ask(cheapAt(now), now).plan.on) on++;
  return on;
}

describe("stored queries", () => {
  test("give a daemon that restarts every half hour the same hours", () => {
    const kept = new Kept();
    let cheap = open(kept);
    const restarting = (now: EpochMs) => {
      if (now % (30 * MINUTE_MS) === 0) cheap = open(kept);
      return cheap;
    };
    expect(minutesOn(restarting)).toBe(180);
    const single = open(new Kept());
    expect(minutesOn(() => single)).toBe(180);
  });

  test("stored queries are written only when a run starts", () => {
    const kept = new Kept();
    const cheap = open(kept);
    minutesOn(() => cheap);
    const { runs } = ask(cheap, at("2026-06-11T04:59:00Z")).plan;
    expect(kept.writes).toBeLessThanOrEqual(runs.length);
    expect(kept.writes).toBeGreaterThan(0);
    expect(kept.text?.length).toBeLessThan(2_000);
  });

  test("stored queries are deleted after their window", () => {
    const kept = new Kept();
    const cheap = open(kept);
    minutesOn(() => cheap);
    for (let now = at("2026-06-11T05:00:00Z"); now < at("2026-06-12T05:00:00Z"); now += MINUTE_MS) ask(cheap, now);
    const windows = (JSON.parse(kept.text ?? "[]") as { start: number }[]).map(({ start }) => start);
    expect(windows).toEqual([at("2026-06-11T05:00:00Z")]);
  });

  test("that are not repeated are deleted when another run starts after their window", () => {
    const kept = new Kept();
    const before = open(kept);
    minutesOn(() => before);
    const after = open(kept);
    const other = specOf({ kind: "window", hoursMs: 24 * HOUR_MS });
    expect(ask(after, at("2026-06-11T05:00:00Z"), other).plan.on).toBe(true);
    expect(JSON.parse(kept.text ?? "[]")).toMatchObject([{ question: expect.stringContaining("window 24") }]);
  });

  test("give equal queries equal results, and different queries do not interfere", () => {
    const cheap = open(new Kept());
    const first = ask(cheap, EVENING);
    ask(cheap, EVENING, specOf({ hoursMs: HOUR_MS }));
    cheap.ask({ ...HOME, id: "cabin" }, timelineOf([]), specOf(), EVENING);
    expect(ask(cheap, EVENING).plan.runs).toEqual(first.plan.runs);
    expect(first.plan).toMatchObject({ currency: "DKK", reason: { text: expect.stringContaining("DKK/kWh") } });
  });

  test("stored queries are limited, but a run in progress survives a thousand other queries", () => {
    const kept = new Kept();
    const cheap = open(kept);
    const running = specOf({ kind: "window", hoursMs: 24 * HOUR_MS });
    expect(ask(cheap, at("2026-06-10T05:00:00Z"), running).plan.on).toBe(true);
    for (let i = 0; i < 1_000; i++)
      ask(cheap, at("2026-06-10T05:01:00Z"), specOf({ maxPrice: i / 100, from: 23 * 60 }));
    const later = cheap.ask(HOME, timelineOf([]), running, at("2026-06-10T06:00:00Z"));
    expect(later.plan).toMatchObject({ on: true, nextEnd: at("2026-06-11T05:00:00Z") });
    expect(kept.text?.length).toBeLessThan(64 * 1_000);
  });

  test("stored queries are OFF while the clock is not trusted, and then isKnown is false", () => {
    const answer = ask(open(new Kept(), false), EVENING);
    expect([answer.plan.on, answer.isKnown, answer.plan.reason.code]).toEqual([false, false, "clock_not_trusted"]);
  });
});
