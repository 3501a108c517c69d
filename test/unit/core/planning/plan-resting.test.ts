import { expect, test } from "vitest";
import type { PlanSpec } from "../../../../src/core/planning/model/plan-spec.ts";
import type { PlanInput } from "../../../../src/core/planning/plan-input.ts";
import { newRecord, type PlanRecord } from "../../../../src/core/planning/plan-record.ts";
import { awakened, gapEndsAt, isLost, rested } from "../../../../src/core/planning/plan-resting.ts";
import { solvePlan } from "../../../../src/core/planning/solve-plan.ts";
import { HOUR_MS } from "../../../../src/core/time/interval.ts";
import { calendar, timelineOf } from "../../../support/home/price-days.ts";
import { nightPrices, OPENS, slots, washer } from "../../../support/plans/plan-life.ts";

const CLOSES = OPENS + 9 * HOUR_MS;
const record = newRecord({ start: OPENS, end: CLOSES, until: CLOSES }, OPENS, []);
const run = (basis: "prices" | "fallback", hours = 1) => ({
  ...{ start: OPENS, end: OPENS + hours * HOUR_MS, basis, settled: false },
});

/** A plan in its window, without prices. */
const without: PlanInput = {
  ...{ now: OPENS + HOUR_MS, spec: washer, memory: null, timeline: null, calendar, blocked: [] },
  ...{ after: { kind: "free" }, finishBy: null, trusted: true, graceUntil: 0, solve: solvePlan },
};
const disabled: PlanSpec = { ...washer, enabled: false };

test.each<readonly [string, Partial<PlanInput>, PlanRecord | null, boolean]>([
  ["in its window without prices", {}, record, true],
  ["that was never decided", {}, null, false],
  ["that is disabled", { spec: disabled }, record, false],
  ["that has ended", {}, { ...record, ended: "stopped" }, false],
  ["before its window", { now: OPENS - 1 }, record, false],
  ["at the start of its window", { now: OPENS }, record, true],
  ["with a price", { timeline: timelineOf(nightPrices()) }, record, false],
  ["without a trusted clock", { trusted: false, timeline: timelineOf(nightPrices()) }, null, true],
  ["that has run its hours", {}, { ...record, startedRuns: [run("prices", 2)] }, false],
  ["that has run a part of its hours", {}, { ...record, startedRuns: [run("prices")] }, true],
  ["planned on prices", {}, { ...record, planned: [run("prices")] }, false],
  ["planned as a fallback", {}, { ...record, planned: [run("fallback")] }, true],
  ["of no hours, planned on prices", { spec: { ...disabled, enabled: true, kind: "below" } }, record, true],
  [
    "whose missing prices are overdue",
    { timeline: timelineOf(nightPrices()) },
    { ...record, outcome: { kind: "missing", from: CLOSES, overdueAt: OPENS + HOUR_MS } },
    true,
  ],
  [
    "whose missing prices are not overdue",
    { timeline: timelineOf(nightPrices()) },
    { ...record, outcome: { kind: "missing", from: CLOSES, overdueAt: OPENS + HOUR_MS + 1 } },
    false,
  ],
])("a plan %s is lost or not", (_, change, memory, expected) => {
  expect(isLost({ ...without, memory, ...change }, memory)).toBe(expected);
});

test("the longest time OFF counts from the end of the last run, or from when the plan was first seen", () => {
  const spec: PlanSpec = { kind: "avoid", hoursMs: HOUR_MS, maxGapMs: 2 * HOUR_MS, enabled: true };
  expect(gapEndsAt(spec, record)).toBe(OPENS + 2 * HOUR_MS);
  expect(gapEndsAt(spec, { ...record, before: [run("prices", 3)], startedRuns: [run("prices")] })).toBe(
    OPENS + 5 * HOUR_MS,
  );
  const { maxGapMs: _, ...unlimited } = spec;
  const others = [gapEndsAt(spec, null), gapEndsAt(unlimited, record), gapEndsAt(slots, record)];
  expect(others).toEqual(Array(3).fill(Number.POSITIVE_INFINITY));
});

test("a rest begins once and becomes a run that is planned around when it ends", () => {
  const resting = rested(record, OPENS + 1);
  expect(resting.restingSince).toBe(OPENS + 1);
  expect(rested(resting, OPENS + 2)).toBe(resting);
  expect(awakened(record, OPENS)).toBe(record);
  const later = { ...run("prices"), start: OPENS + HOUR_MS, end: OPENS + 2 * HOUR_MS };
  const awake = awakened({ ...resting, startedRuns: [later], madeFrom: "before" }, OPENS + HOUR_MS);
  const rest = { start: OPENS + 1, end: OPENS + HOUR_MS, basis: "resting", settled: false };
  expect(awake).toMatchObject({ startedRuns: [rest, later], restingSince: null, madeFrom: null });
  expect(awakened(resting, OPENS + 1).startedRuns).toEqual([]);
});
