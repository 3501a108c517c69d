import { expect, test } from "vitest";
import { at, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR } from "../../support/plans/shown-plans.ts";

/** Price in tenths equals the hour of the local day; from 23:00 to 01:00 it is zero. */
const timeline = timelineOf(
  points(daysOf("2026-01-28", "2026-02-05"), (i) => (i % 24 === 23 || i % 24 === 0 ? 0 : (i % 24) / 10), {
    unit: "hour",
  }),
);
/**
 * Window from 18:00 to 06:00 local time. A run of two hours at 18:00 costs 1.85 per kWh; the mean of the night is 1.15.
 */
const washer = definitionOf({
  kind: "window",
  hoursMs: 2 * HOUR,
  kwh: 2,
  from: 18 * 60,
  readyBy: 6 * 60,
  enabled: true,
});
const NIGHT_MEAN = (1.8 + 1.9 + 2 + 2.1 + 2.2 + 0 + 0 + 0.1 + 0.2 + 0.3 + 0.4 + 0.5) / 12;

/** Advances time and returns the history at the end. */
function historyOf(life: PlansOnDisk, from: number, to: number) {
  return life.until(from, to).history;
}

test("a run and its saving count in the local month in which it ends; the previous month stays available", () => {
  using life = new PlansOnDisk({ definitions: [washer], timeline });
  const noon = at("2026-01-29T11:00:00Z");
  // Runs on 29, 30 and 31 January at 23:00 local time (22:00 UTC). The last one ends in February.
  const morning = at("2026-02-01T08:00:00Z");
  const february = historyOf(life, noon, morning);
  expect(february.month).toMatchObject({ start: at("2026-01-31T23:00:00Z"), runs: 1, hours: 2, cost: 0 });
  expect(february.month.saving.againstWindowStart).toBeCloseTo(2 * 1.85);
  expect(february.monthBefore).toMatchObject({ start: at("2025-12-31T23:00:00Z"), runs: 2, hours: 4, cost: 0 });
  expect(february.monthBefore.saving.againstWindowStart).toBeCloseTo(2 * 2 * 1.85);
  expect(february.monthBefore.saving.againstMean).toBeCloseTo(2 * 2 * NIGHT_MEAN);
  expect(february.lastRun).toMatchObject({
    start: at("2026-01-31T22:00:00Z"),
    end: at("2026-02-01T00:00:00Z"),
    kwh: 2,
  });
  expect(february.lastRun?.meanPrice).toBeCloseTo(0);
  expect(february.lastRun?.windowStartPrice).toBeCloseTo(1.85);
  expect(february.lastRun?.windowPrice).toBeCloseTo(NIGHT_MEAN);

  life.restart();
  const next = historyOf(life, morning, at("2026-02-02T08:00:00Z"));
  expect(next.month).toMatchObject({ runs: 2, hours: 4 });
  expect(next.month.saving.againstWindowStart).toBeCloseTo(2 * 2 * 1.85);
  expect(next.monthBefore).toMatchObject({ runs: 2, hours: 4 });
});

test("the month changes at local midnight, not at midnight UTC, also during a run", () => {
  using life = new PlansOnDisk({ definitions: [washer], timeline });
  const before = historyOf(life, at("2026-01-29T11:00:00Z"), at("2026-01-31T22:59:59Z"));
  expect(before.month).toMatchObject({ start: at("2025-12-31T23:00:00Z"), runs: 2 });
  const after = historyOf(life, at("2026-01-31T22:59:59Z"), at("2026-01-31T23:00:00Z"));
  expect(after.month).toMatchObject({ start: at("2026-01-31T23:00:00Z"), runs: 0 });
  expect(after.monthBefore.runs).toBe(2);
  const over = historyOf(life, at("2026-01-31T23:00:00Z"), at("2026-02-01T00:00:00Z"));
  expect([over.month.runs, over.monthBefore.runs]).toEqual([1, 2]);
});

test("a month has no money while the energy of each of its runs is unknown; then the money of the other runs", () => {
  const { kwh: _, ...spec } = washer.spec;
  using life = new PlansOnDisk({ definitions: [{ ...washer, spec }], timeline });
  const morning = at("2026-01-30T08:00:00Z");
  expect(historyOf(life, at("2026-01-29T11:00:00Z"), morning).month).toMatchObject({ runs: 1, cost: null });
  life.restart({ definitions: [washer] });
  const unknown = { runs: 1, hours: 2, cost: null, saving: { againstWindowStart: null, againstMean: null } };
  expect(historyOf(life, morning, morning)).toMatchObject({ month: unknown, monthBefore: { runs: 0, cost: 0 } });
  const { month } = historyOf(life, morning, at("2026-01-31T08:00:00Z"));
  expect(month).toMatchObject({ runs: 2, cost: 0 });
  expect(month.saving.againstWindowStart).toBeCloseTo(2 * 1.85);
});
