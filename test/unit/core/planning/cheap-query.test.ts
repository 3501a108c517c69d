import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textIn } from "../../../../src/core/language/text.ts";
import {
  askCheap,
  type CheapSettings,
  type CheapSpec,
  type CheapState,
  cheapIsKnown,
  cheapKey,
  cheapSpec,
} from "../../../../src/core/planning/cheap-query.ts";
import { horizonOf } from "../../../../src/core/planning/model/plan-windows.ts";
import type { PricePoint } from "../../../../src/core/prices/timeline.ts";
import { type EpochMs, HOUR_MS, type Interval, MINUTE_MS } from "../../../../src/core/time/interval.ts";
import { at, calendar, daysOf, points, timelineOf } from "../../../support/home/price-days.ts";

const NIGHT: CheapSettings = { kind: "window", hoursMs: 3 * HOUR_MS, from: null, readyBy: 7 * 60, maxPrice: null };

function specOf(settings: Partial<CheapSettings> = {}): CheapSpec {
  const read = cheapSpec({ ...NIGHT, ...settings });
  if (read.kind === "mistake") throw new Error(textIn("en", read.said));
  return read.spec;
}

interface Device {
  readonly spec: CheapSpec;
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly everyMs?: number;
  /** Returns the prices that are known at an instant. */
  readonly known: (now: EpochMs) => readonly PricePoint[];
}

/** Returns when a polling device gets ON. Shape: one entry per run, from the first ON to the first OFF. */
function runsSeen({ spec, from, to, everyMs = MINUTE_MS, known }: Device): Interval[] {
  let state: CheapState | null = null;
  let began: EpochMs | null = null;
  const runs: Interval[] = [];
  for (let now = from; now < to; now += everyMs) {
    const timeline = timelineOf(known(now));
    state = askCheap({ spec, now, timeline, calendar, trusted: true }, state);
    const on = state.advance.running !== null;
    if (on && began === null) began = now;
    if (!on && began !== null) runs.push({ start: began, end: now });
    if (!on) began = null;
  }
  return runs;
}

/** Returns the windows of a query that are completely between two instants. */
function windowsIn(spec: CheapSpec, from: EpochMs, to: EpochMs): Interval[] {
  const found: Interval[] = [];
  for (let now = from; ; ) {
    const window = horizonOf(spec, now, calendar);
    if (!window || window.end > to) return found;
    if (window.start >= from) found.push({ start: window.start, end: window.end });
    now = window.end;
  }
}

/** Returns the parts of runs inside a window. A run at its end may touch the first run of the next window. */
const within = (runs: readonly Interval[], window: Interval) =>
  runs
    .map((run) => ({ start: Math.max(run.start, window.start), end: Math.min(run.end, window.end) }))
    .filter((run) => run.start < run.end);
const lengthOf = (runs: readonly Interval[]) => runs.reduce((sum, { start, end }) => sum + end - start, 0);

/** Days around clock changes, and other days. */
const SPANS = [
  ["2026-06-09", "2026-06-12"],
  ["2026-03-27", "2026-03-31"],
  ["2026-10-23", "2026-10-27"],
] as const;

const settingsOf = fc.record({
  kind: fc.constantFrom("window" as const, "slots" as const),
  hoursMs: fc.integer({ min: 1, max: 12 }).map((quarters) => quarters * 30 * MINUTE_MS),
  from: fc.constantFrom(null, 0, 2 * 60, 13 * 60, 22 * 60),
  readyBy: fc.constantFrom(null, 0, 2 * 60 + 30, 7 * 60, 15 * 60),
  maxPrice: fc.constant(null),
});
const everyMs = fc.constantFrom(1, 3, 5).map((minutes) => minutes * MINUTE_MS);
const prices = fc.infiniteStream(fc.integer({ min: -20, max: 300 }).map((oere) => oere / 100));

/** Returns a price for every quarter hour of a span, from a stream of numbers. */
function pricesOf(span: readonly [string, string], stream: Iterator<number>): PricePoint[] {
  return points(daysOf(span[0], span[1]), () => Number(stream.next().value));
}

/** Time limit of tests that simulate days of polling. */
const SLOW_MS = 60_000;

test(
  "a device that polls every few minutes is ON for exactly its hours in every window, in one run for kind window, on days of 23, 24 and 25 hours",
  () => {
    fc.assert(
      fc.property(settingsOf, fc.constantFrom(...SPANS), prices, everyMs, (settings, span, stream, everyMs) => {
        const read = cheapSpec(settings);
        fc.pre(read.kind === "spec");
        if (read.kind !== "spec") return;
        const { spec } = read;
        const all = pricesOf(span, stream);
        const range = daysOf(span[0], span[1]);
        const windows = windowsIn(spec, range.start, range.end);
        const first = windows[0]?.start ?? range.start;
        const runs = runsSeen({ spec, from: first, to: range.end + MINUTE_MS, everyMs, known: () => all });
        for (const window of windows) {
          const seen = within(runs, window);
          // The skipped hour in spring may leave less than the hours: slots then run all of it, a window nothing.
          const length = window.end - window.start;
          const isShort = length < spec.hoursMs;
          expect(lengthOf(seen)).toBe(!isShort ? spec.hoursMs : spec.kind === "slots" ? length : 0);
          if (!isShort && spec.kind === "window") expect(seen.length).toBe(1);
        }
      }),
      { numRuns: 20 },
    );
  },
  SLOW_MS,
);

describe("a query for one night", () => {
  const evening = at("2026-06-10T18:00:00Z");
  /** Cheapest from two to five in the morning, local time. */
  const all = points(daysOf("2026-06-10", "2026-06-11"), (i) => (i >= 96 + 8 && i < 96 + 20 ? 0.5 : 2));
  const night = { start: at("2026-06-11T00:00:00Z"), end: at("2026-06-11T03:00:00Z") };
  const spec = specOf();

  test("a query for one night keeps a start between two requests", () => {
    const moment = { spec, timeline: timelineOf(all), calendar, trusted: true };
    const before = askCheap({ ...moment, now: night.start - 5 * MINUTE_MS }, null);
    const after = askCheap({ ...moment, now: night.start + 20 * MINUTE_MS }, before);
    expect(after.advance.running).toMatchObject(night);
  });

  test("a query for one night is planned again for a device that missed its start, if its hours still fit", () => {
    const moment = { spec, timeline: timelineOf(all), calendar, trusted: true };
    const before = askCheap({ ...moment, now: evening }, null);
    expect(before.advance.memory?.planned).toMatchObject([night]);
    const after = askCheap({ ...moment, now: at("2026-06-11T01:30:00Z") }, before);
    expect(after.advance.memory?.planned.concat(after.advance.running ?? [])).toMatchObject([
      { start: at("2026-06-11T01:30:00Z"), end: at("2026-06-11T04:30:00Z") },
    ]);
  });

  test("a query for one night continues its run after a restart if its record was stored", () => {
    const moment = { spec, timeline: timelineOf(all), calendar, trusted: true };
    let state = askCheap({ ...moment, now: night.start - MINUTE_MS }, null);
    state = askCheap({ ...moment, now: night.start }, state);
    const memory = JSON.parse(JSON.stringify(state.advance.memory));
    const restarted = askCheap({ ...moment, now: night.end - MINUTE_MS }, null, memory);
    expect(restarted.advance.running).toMatchObject(night);
    const forgotten = askCheap({ ...moment, now: night.end - MINUTE_MS }, null);
    expect(forgotten.advance.running?.start).not.toBe(night.start);
  });
});

describe("cheapIsKnown", () => {
  const spec = specOf({ from: 22 * 60 });
  const today = points(daysOf("2026-06-10", "2026-06-10"), (i) => i);
  const ask = (now: EpochMs, known: readonly PricePoint[] | null, trusted = true) => {
    const moment = { spec, now, timeline: known && timelineOf(known), calendar, trusted };
    const { advance } = askCheap(moment, null);
    return { on: advance.running !== null, known: cheapIsKnown(moment, advance) };
  };

  test.each([
    ["is true before the window opens, also without tomorrow's prices", "2026-06-10T10:00:00Z", true],
    ["is false inside the window if prices after midnight are missing", "2026-06-10T21:30:00Z", false],
  ])("%s", (_, now, isKnown) => {
    const onlyMorning = today.filter((point) => point.start < at("2026-06-10T18:00:00Z"));
    expect(ask(at(now), onlyMorning)).toEqual({ on: false, known: isKnown });
  });

  test("cheapIsKnown is false without prices and without a trusted clock", () => {
    expect(ask(at("2026-06-10T21:30:00Z"), null)).toEqual({ on: false, known: false });
    expect(ask(at("2026-06-10T10:00:00Z"), today, false)).toEqual({ on: false, known: false });
  });
});

describe("parameters of a query", () => {
  test("give the same cheapKey if only the notation of the hours differs", () => {
    const keys = [
      cheapKey("home", specOf()),
      cheapKey("home", specOf({ hoursMs: 180 * MINUTE_MS })),
      cheapKey("cabin", specOf()),
      cheapKey("home", specOf({ kind: "slots" })),
      cheapKey("home", specOf({ maxPrice: 1 })),
      cheapKey("home", specOf({ from: 0 })),
    ];
    expect(new Set(keys).size).toBe(5);
  });

  test("parameters of a query are rejected if the hours do not fit into the window; the error contains the expected value", () => {
    const read = cheapSpec({ ...NIGHT, from: 6 * 60 });
    const said = read.kind === "mistake" && textIn("en", read.said);
    expect(said).toBe("hours: expected at most the 1 h between from and ready_by, found 3 h");
  });
});
