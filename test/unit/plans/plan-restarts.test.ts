import { expect, test } from "vitest";
import type { PlanSpec } from "../../../src/core/planning/model/plan-spec.ts";
import { DEAD_MAN_MARGIN_MS, RENEWED_EVERY_MS } from "../../../src/core/plugs/plug-types.ts";
import { formatInstant, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { at, daysOf, points, timelineOf } from "../../support/home/price-days.ts";
import { PlansOnDisk } from "../../support/plans/plans-on-disk.ts";
import { definitionOf, WASHER } from "../../support/plans/shown-plans.ts";

const MORNING = at("2026-03-10T07:00:00Z");
const END = MORNING + 30 * HOUR_MS;
const common = { from: 9 * 60, readyBy: 7 * 60, enabled: true };
const specs: Readonly<Record<string, PlanSpec>> = {
  window: { ...common, kind: "window", hoursMs: 2 * HOUR_MS },
  "window with a tolerance": {
    ...common,
    kind: "window",
    hoursMs: 2 * HOUR_MS,
    tolerance: { percent: 20, side: "latest" },
  },
  slots: { ...common, kind: "slots", hoursMs: 4 * HOUR_MS, minRunMs: 30 * MINUTE_MS },
  below: { kind: "below", percent: 35, minRunMs: 30 * MINUTE_MS, enabled: true } as PlanSpec,
  avoid: { kind: "avoid", hoursMs: 3 * HOUR_MS, maxGapMs: 2 * HOUR_MS, enabled: true },
};

/** Returns the end of the timer that a plug has at `now`. */
const timerEnd = (now: number) =>
  Math.floor(now / RENEWED_EVERY_MS) * RENEWED_EVERY_MS + RENEWED_EVERY_MS + DEAD_MAN_MARGIN_MS;

/** Returns the times when the plan was ON, checked every minute except while the daemon is down. */
function edges(spec: PlanSpec, prices: readonly number[], downs: readonly number[]) {
  const timeline = timelineOf(points(daysOf("2026-03-07", "2026-03-11"), (i) => prices[i % prices.length] ?? 1));
  using world = new PlansOnDisk({ definitions: [definitionOf({ ...WASHER, ...spec } as PlanSpec)], timeline });
  const seen: string[] = [];
  let on = false;
  let pending = downs;
  for (let now = MORNING; now < END; now += MINUTE_MS) {
    const { on: isOn, runs } = world.at(now);
    if (isOn !== on) seen.push(`${isOn ? "ON" : "OFF"} ${formatInstant(now)}`);
    on = isOn;
    const [down] = pending;
    if (!down || now < down) continue;
    pending = pending.filter((from) => from > now);
    // No run starts or ends while elbro is stopped; that case is tested elsewhere.
    const next = runs.flatMap(({ start, end }) => [start, end]).filter((edge) => edge > now);
    const until = Math.min(timerEnd(now), ...next) - 1;
    if (until <= now + MINUTE_MS) continue;
    now += Math.floor((until - now) / MINUTE_MS) * MINUTE_MS - MINUTE_MS;
    world.restart();
  }
  return seen;
}

/** One restart every 45 min, each as long as the timers allow. */
const downs = Array.from({ length: 40 }, (_, i) => MORNING + i * 45 * MINUTE_MS + 7 * MINUTE_MS);
const prices = Array.from({ length: 96 }, (_, i) => 1 + Math.sin(i * i));

test.each(Object.entries(specs))("%s: restarts shorter than the timers do not change the runs", (_, spec) => {
  const whole = edges(spec, prices, []);
  expect(whole.length).toBeGreaterThan(1);
  expect(edges(spec, prices, downs)).toEqual(whole);
});
