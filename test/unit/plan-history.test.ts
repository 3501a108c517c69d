import { expect, test } from "vitest";
import { Plans } from "../../src/plans.ts";
import { openDatabase } from "../../src/store/database.ts";
import { PlanStore } from "../../src/store/plan-store.ts";
import { at, calendar, daysOf, HOME, points, timelineOf } from "../support/price-days.ts";
import { definitionOf, HOUR } from "../support/shown-plans.ts";
import { TempDir } from "../support/temp-dir.ts";

/** An hour costs its number in the local day, in tenths; from 23:00 to 01:00 it costs nothing. */
const timeline = timelineOf(
  points(daysOf("2026-01-28", "2026-02-05"), (i) => (i % 24 === 23 || i % 24 === 0 ? 0 : (i % 24) / 10), {
    unit: "hour",
  }),
);
/** 18:00 to 06:00 local time; at 18:00 a run of two hours costs (1.8 + 1.9) / 2 a kWh, in the mean of the night 1.15. */
const washer = definitionOf({
  kind: "window",
  hoursMs: 2 * HOUR,
  kwh: 2,
  from: 18 * 60,
  readyBy: 6 * 60,
  useForecast: false,
  enabled: true,
});
const NIGHT_MEAN = (1.8 + 1.9 + 2 + 2.1 + 2.2 + 0 + 0 + 0.1 + 0.2 + 0.3 + 0.4 + 0.5) / 12;

class Life implements Disposable {
  readonly #dir = new TempDir();
  #database = openDatabase(`${this.#dir.path}/elbro.db`);
  #plans = this.#open();

  #open(): Plans {
    return new Plans({
      definitions: [washer],
      store: new PlanStore(this.#database),
      homes: { list: () => [HOME], known: true },
      timelineOf: () => timeline,
      calendar,
      isTimeTrusted: () => true,
      problems: { start: () => undefined, end: () => undefined },
      startedAt: 0,
      onChange: () => undefined,
    });
  }

  restart(): void {
    this.#database.close();
    this.#database = openDatabase(`${this.#dir.path}/elbro.db`);
    this.#plans = this.#open();
  }

  /** Lives from a moment to another; gives back what is known of the runs then. */
  until(from: number, to: number) {
    let shown = this.#plans.at(from);
    for (let now = from; now < to; ) {
      now = Math.min(to, shown.until ?? to);
      shown = this.#plans.at(now);
    }
    const plan = shown.plans[0];
    if (!plan) throw new Error("no plan is shown");
    return plan.history;
  }

  [Symbol.dispose](): void {
    this.#database.close();
    this.#dir[Symbol.dispose]();
  }
}

test("a run counts in the local month in which it is over, with what it saved; the month before stays known", () => {
  using life = new Life();
  const noon = at("2026-01-29T11:00:00Z");
  // Runs from 29, 30 and 31 January 23:00 local, which is 22:00 UTC. The last is over in February.
  const morning = at("2026-02-01T08:00:00Z");
  const february = life.until(noon, morning);
  expect(february.month).toMatchObject({ start: at("2026-01-31T23:00:00Z"), runs: 1, hours: 2, cost: 0 });
  expect(february.month.saving.againstNow).toBeCloseTo(2 * 1.85);
  expect(february.monthBefore).toMatchObject({ start: at("2025-12-31T23:00:00Z"), runs: 2, hours: 4, cost: 0 });
  expect(february.monthBefore.saving.againstNow).toBeCloseTo(2 * 2 * 1.85);
  expect(february.monthBefore.saving.againstMean).toBeCloseTo(2 * 2 * NIGHT_MEAN);
  expect(february.lastRun).toMatchObject({
    start: at("2026-01-31T22:00:00Z"),
    end: at("2026-02-01T00:00:00Z"),
    kwh: 2,
  });
  expect(february.lastRun?.meanPrice).toBeCloseTo(0);
  expect(february.lastRun?.startedNowPrice).toBeCloseTo(1.85);
  expect(february.lastRun?.windowPrice).toBeCloseTo(NIGHT_MEAN);

  life.restart();
  const next = life.until(morning, at("2026-02-02T08:00:00Z"));
  expect(next.month).toMatchObject({ runs: 2, hours: 4 });
  expect(next.month.saving.againstNow).toBeCloseTo(2 * 2 * 1.85);
  expect(next.monthBefore).toMatchObject({ runs: 2, hours: 4 });
});

test("the month changes at local midnight, not at that of UTC, also while a run goes on", () => {
  using life = new Life();
  const before = life.until(at("2026-01-29T11:00:00Z"), at("2026-01-31T22:59:59Z"));
  expect(before.month).toMatchObject({ start: at("2025-12-31T23:00:00Z"), runs: 2 });
  const after = life.until(at("2026-01-31T22:59:59Z"), at("2026-01-31T23:00:00Z"));
  expect(after.month).toMatchObject({ start: at("2026-01-31T23:00:00Z"), runs: 0 });
  expect(after.monthBefore.runs).toBe(2);
  const over = life.until(at("2026-01-31T23:00:00Z"), at("2026-02-01T00:00:00Z"));
  expect([over.month.runs, over.monthBefore.runs]).toEqual([1, 2]);
});
