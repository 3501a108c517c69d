/** Plan snapshots for tests of tables, documents and messages. */

import type { PlanDefinition } from "../../../src/core/planning/model/plan-definition.ts";
import type { PlanSpec, WindowPlan } from "../../../src/core/planning/model/plan-spec.ts";
import { advancePlan } from "../../../src/core/planning/plan-state-machine.ts";
import { planReasonOf } from "../../../src/core/planning/snapshot/plan-reason.ts";
import { type PlanSnapshot, planSnapshot } from "../../../src/core/planning/snapshot/plan-snapshot.ts";
import { solvePlan } from "../../../src/core/planning/solve-plan.ts";
import type { Timeline } from "../../../src/core/prices/timeline.ts";
import { at, calendar, daysOf, points, timelineOf } from "../home/price-days.ts";

export const HOUR = 3_600_000;
const NOW = at("2026-03-10T13:07:00Z");

export const WASHER: WindowPlan = {
  kind: "window",
  hoursMs: 3 * HOUR,
  from: 22 * 60,
  readyBy: 7 * 60,
  kwh: 1.2,
  enabled: true,
};

export function definitionOf(spec: PlanSpec, id = "washer"): PlanDefinition {
  return { id, name: "Washer", home: "home", spec, after: null };
}

/** Returns a plan over prices that are low at night, or without prices. */
export function planOf(spec: PlanSpec, prices: "prices" | "none" = "prices", now = NOW): PlanSnapshot {
  const timeline: Timeline | null =
    prices === "none"
      ? null
      : timelineOf(points(daysOf("2026-03-07", "2026-03-11"), (i) => 1 + Math.sin((i % 96) / 15)));
  const advance = advancePlan({
    now,
    spec,
    memory: null,
    timeline,
    calendar,
    blocked: [],
    after: { kind: "free" },
    finishBy: null,
    trusted: true,
    graceUntil: now,
    solve: solvePlan,
  });
  const currency = timeline?.currency ?? null;
  const reason = planReasonOf({ spec, advance, now, calendar, trusted: true, currency, home: null, language: "en" });
  const none = {
    againstNow: null,
    againstWindowStart: "kwh" in spec ? 1.5 : null,
    againstMean: "kwh" in spec ? 0.5 : null,
  };
  const month = {
    start: at("2026-02-28T23:00:00Z"),
    runs: 4,
    hours: 12,
    cost: "kwh" in spec ? 9.25 : null,
    saving: none,
  };
  const history = { month, monthBefore: { ...month, start: at("2026-01-31T23:00:00Z") }, lastRun: null };
  return planSnapshot({ definition: definitionOf(spec), spec, advance, reason, currency, history, refused: null, now });
}
