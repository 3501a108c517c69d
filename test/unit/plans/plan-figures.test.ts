import { expect, test } from "vitest";
import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import { mergeRuns } from "../../../src/core/planning/model/plan-windows.ts";
import { aheadIn } from "../../../src/core/planning/snapshot/plan-reason.ts";
import { runPrice } from "../../../src/core/planning/snapshot/plan-savings.ts";
import type { PlanSnapshot } from "../../../src/core/planning/snapshot/plan-snapshot.ts";
import { twoDecimals } from "../../../src/core/text/rounding.ts";
import { lengthOf } from "../../../src/core/time/interval.ts";
import { at, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { randomFrom } from "../../support/plans/plan-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { definitionOf, HOUR } from "../../support/plans/shown-plans.ts";

const NOON = at("2026-03-10T11:00:00Z");
/** End of the window. */
const END = at("2026-03-11T06:00:00Z");
const SEED = 3;
const LIVES = process.env.ELBRO_NIGHTLY === "1" ? 200 : 20;

type Seen = { readonly now: number; readonly plan: PlanSnapshot };

/** Returns a plan with hours that are whole steps or not, and prices of the night. */
function lifeOf(seed: number) {
  const random = randomFrom(seed);
  const kind = random() < 0.5 ? "window" : "slots";
  const spec = {
    ...{ kind, hoursMs: (0.4 + random() * 5) * HOUR, kwh: 1 + random() * 20, enabled: true },
    ...{ from: (18 + Math.floor(random() * 6)) * 60, readyBy: 7 * 60 },
    ...(kind === "window" && random() < 0.5 ? { profile: [3, 1, 2] } : {}),
  } as PlanSpec;
  const unit = random() < 0.5 ? ("hour" as const) : ("fifteenMinutes" as const);
  const prices = points(daysOf("2026-03-08", "2026-03-12"), () => random() * 3 - 0.3, { unit });
  return { spec, prices, isRestarted: random() < 0.5 };
}

/** Lives through a night. Returns every decision. */
function live(seed: number) {
  const { spec, prices, isRestarted } = lifeOf(seed);
  using world = new PlansOnDisk({ definitions: [definitionOf(spec)], timeline: timelineOf(prices) });
  const seen: Seen[] = [];
  for (let now = NOON; now <= END; ) {
    const until = Math.min(world.decide(now), (Math.floor(now / (HOUR / 4)) + 1) * (HOUR / 4));
    const plan = world.plans.snapshot("washer");
    if (plan) seen.push({ now, plan });
    if (isRestarted && now % HOUR === 0) world.restart();
    now = until;
  }
  const runs = world.plans.results.runs({ home: null, plan: null }, { start: NOON, end: END }, 99);
  const month = seen.at(-1)?.plan.history.month;
  return { spec, prices, month, seen: seen.filter(({ now }) => now < END), runs: runs.map(({ run }) => run) };
}

test.each(Array.from({ length: LIVES }, (_, i) => SEED + i))(
  "seed %i: one baseline in all decisions of a night, and the saving of the last one is that of its runs",
  (seed) => {
    const { spec, prices, seen, runs, month } = live(seed);
    const round = seen.filter(({ plan }) => plan.meanPrice !== null);
    const { now, plan } = round[0] as Seen;
    const opensAt = plan.runs.length > 0 ? Math.max(windowStart(spec), NOON) : now;
    const hours = { start: opensAt, end: opensAt + ("hoursMs" in spec ? spec.hoursMs : 0) };
    const baseline = runPrice(prices, hours, "confirmed", spec.kind === "window" ? spec.profile : undefined) ?? 0;
    for (const { plan: each } of round)
      expect((each.savingPerKwh.againstWindowStart ?? 0) + (each.meanPrice ?? 0)).toBeCloseTo(baseline, 9);
    const last = (round.at(-1) as Seen).plan;
    const sum = (of: (run: (typeof runs)[number]) => number) => runs.reduce((total, run) => total + of(run), 0);
    expect(sum(({ kwh }) => kwh ?? 0)).toBeCloseTo(spec.kwh ?? 0, 9);
    expect(sum(({ meanPrice, kwh }) => (meanPrice ?? 0) * (kwh ?? 0))).toBeCloseTo(last.cost ?? 0, 9);
    const saving = sum(
      ({ windowStartPrice, meanPrice, kwh }) => ((windowStartPrice ?? 0) - (meanPrice ?? 0)) * (kwh ?? 0),
    );
    expect(saving).toBeCloseTo(last.saving.againstWindowStart ?? 0, 9);
    expect(month?.saving.againstWindowStart).toBeCloseTo(saving, 9);
  },
);

test.each(Array.from({ length: LIVES }, (_, i) => SEED + i))(
  "seed %i: the prices in a reason are those of the stored prices",
  (seed) => {
    const { prices, seen, spec } = live(seed);
    const texts = new Set<string>();
    const profile = spec.kind === "window" ? spec.profile : undefined;
    const priceOf = (start: number, length: number) =>
      twoDecimals(runPrice(prices, { start, end: start + length }, "confirmed", profile) ?? Number.NaN);
    for (const { now, plan } of seen) {
      const { text } = plan.reason;
      const named = aheadIn(mergeRuns(plan.runs), now);
      const own = named.reduce(
        (sum, run) =>
          sum + ((runPrice(prices, run, "confirmed", profile) ?? 0) * (run.end - run.start)) / lengthOf(named),
        0,
      );
      const average = / (-?\d+\.\d\d) DKK\/kWh on average/.exec(text)?.[1];
      if (average !== undefined) expect(Math.abs(Number(average) - own)).toBeLessThan(0.0051);
      const atStart = /instead of (-?\d+\.\d\d)/.exec(text)?.[1];
      if (atStart !== undefined)
        expect(atStart).toBe(priceOf(Math.max(windowStart(spec), NOON), "hoursMs" in spec ? spec.hoursMs : 0));
      for (const [found] of text.matchAll(/-?\d+\.\d\d/g)) texts.add(found);
    }
    expect(texts.size).toBeGreaterThan(0);
  },
);

test.each(Array.from({ length: LIVES }, (_, i) => SEED + i))(
  "seed %i: a reason changes only when a run is planned, begins or ends, and at midnight",
  (seed) => {
    const { seen } = live(seed);
    const happenings = new Map<string, Set<string>>();
    for (const { now, plan } of seen) {
      const runs = plan.runs.map(({ start, end }) => [start, end, now < start, now < end]);
      const key = JSON.stringify([runs, plan.state, clockAt(now) >= "12:00"]);
      happenings.set(key, (happenings.get(key) ?? new Set()).add(plan.reason.text));
    }
    for (const texts of happenings.values()) expect([...texts]).toHaveLength(1);
  },
);

/** Returns the local time of an instant, which is an hour after UTC. */
function clockAt(at: number): string {
  return new Date(at + HOUR).toISOString().slice(11, 16);
}

function windowStart({ from = 0 }: PlanSpec): number {
  return at("2026-03-09T23:00:00Z") + from * 60_000;
}
