/**
 * A year of a home with a simulated roof of 6 kW and real prices, by month: three plans that count the usual surplus of the last
 * three weeks at the export price, against the same plans without. `MONTH_percent`: how much less they cost, in percent.
 */
import { decideCircle } from "../../src/core/planning/group/circle-decision.ts";
import type { PlanSlot } from "../../src/core/planning/group/plan-dependencies.ts";
import type { PlanSpec } from "../../src/core/planning/model/plan-spec.ts";
import { UNDECIDED } from "../../src/core/planning/plan-state-machine.ts";
import { type HomeHour, kilowattsOf, type PoweredRun, usualSurplus } from "../../src/core/planning/sun.ts";
import { type PricePoint, pointAt, pointsIn, type Timeline } from "../../src/core/prices/timeline.ts";
import { clipped, DAY_MS, type EpochMs, HOUR_MS, type Interval } from "../../src/core/time/interval.ts";
import { calendar, timelineOf } from "../support/home/price-days.ts";
import { randomFrom, realPoints } from "../support/plans/plan-days.ts";
import { haveRealPrices } from "../support/plans/real-prices.ts";
import { definitionOf } from "../support/plans/shown-plans.ts";
import { TAX, tariffs, VAT } from "./household.ts";

const plan = (kind: "window" | "slots", count: number, kw: number, from: number, until: number): PlanSpec => ({
  ...{ enabled: true, kind, hoursMs: count * HOUR_MS, kwh: count * kw, from: from * 60, readyBy: until * 60 },
});
/** The first one uses the surplus first. */
const plans = [plan("slots", 3, 2, 0, 0), plan("slots", 4, 3.7, 8, 7), plan("window", 2, 1, 8, 8)];
const ROOF_KW = 6;
const LATITUDE = (56 * Math.PI) / 180;
const WEEKS_MS = 21 * DAY_MS;
const PUBLISHED_MINUTE = 13 * 60 + 10;
const FEE = 0.03;

export function run(): Record<string, number> {
  if (!haveRealPrices) {
    console.log("  skipped: there are no real prices in ../shared/data");
    return {};
  }
  const spot = realPoints();
  const imports = spot.map((point) => ({
    ...point,
    price: (point.price + tariffs.time_of_day(calendar.minuteOfDay(point.start) / 60) + TAX) * VAT,
  }));
  const exported = timelineOf(spot.map((point) => ({ ...point, price: point.price - FEE })));
  const [without, withSun] = [false, true].map((sun) => costs(live(imports, exported, sun), imports, exported));
  const figures: Record<string, number> = {};
  for (const [month, cost] of without ?? []) {
    const own = withSun?.get(month) ?? 0;
    figures[`${month}_percent`] = (100 * (cost - own)) / Math.abs(cost);
    console.log(`  ${month}: ${cost.toFixed(2)} kr. without, ${own.toFixed(2)} with the sun`);
  }
  return figures;
}

/** Returns the power of the roof that the base load leaves. Clouds last for days and vary by hour. Unit: kW. */
function surplusAt(start: EpochMs): number {
  const day = Math.floor(start / DAY_MS);
  const declination = -0.409 * Math.cos((2 * Math.PI * ((day % 365) + 10)) / 365.25);
  const angle = ((start / HOUR_MS + 0.6) % 24) - 12;
  const height =
    Math.sin(LATITUDE) * Math.sin(declination) +
    Math.cos(LATITUDE) * Math.cos(declination) * Math.cos((angle * Math.PI) / 12);
  const front = (randomFrom(day)() + randomFrom(day - 1)()) / 2;
  const clouds = Math.min(1, 0.1 + 1.1 * front) * (0.7 + 0.3 * randomFrom(Math.floor(start / HOUR_MS))());
  const baseKw = 0.3 + 0.3 * randomFrom(Math.floor(start / HOUR_MS) + 7)();
  return ROOF_KW * Math.max(0, height) ** 1.2 * clouds - baseKw;
}

/** Lives the plans through all prices. Returns what ran. */
function live(imports: readonly PricePoint[], exported: Timeline, isCounted: boolean): PoweredRun[] {
  const last = imports.at(-1)?.end ?? 0;
  let now = calendar.add("day", calendar.startOf("day", imports[0]?.start ?? 0), 4);
  let circle: readonly PlanSlot[] = plans.map((spec, i) => {
    return { definition: definitionOf(spec, `plan${i}`), spec, advance: UNDECIDED };
  });
  const begun = new Map<string, PoweredRun>();
  const context = { calendar, trusted: true, graceUntil: 0, language: "en", onBroken: () => {} } as const;
  let seen = seenAt(now, imports, begun);
  while (now < last - 2 * DAY_MS) {
    if (now >= seen.next) seen = seenAt(now, imports, begun);
    const { timeline, surplus } = seen;
    const prices = {
      home: "listed" as const,
      lacksExport: false,
      timeline,
      ...(isCounted && { sun: { surplus, exported } }),
    };
    circle = decideCircle(circle, { ...context, now, pricesOf: () => prices });
    for (const { definition, spec, advance } of circle)
      for (const run of advance.memory?.startedRuns ?? [])
        begun.set(`${definition.id} ${run.start}`, { start: run.start, end: run.end, kw: kilowattsOf(spec) });
    now = Math.min(seen.next, ...circle.map(({ advance }) => advance.nextChangeAt ?? seen.next));
  }
  return [...begun.values()];
}

/** Returns the prices that are known at `now`, and the surplus of the three weeks before. */
function seenAt(now: EpochMs, imports: readonly PricePoint[], begun: ReadonlyMap<string, PoweredRun>) {
  const today = calendar.startOf("day", now);
  const tomorrow = calendar.add("day", today, 1);
  const publishedAt = calendar.timeOnDay(today, PUBLISHED_MINUTE);
  const until = now >= publishedAt ? calendar.add("day", today, 2) : tomorrow;
  const timeline = timelineOf(pointsIn(imports, { start: calendar.add("day", today, -3), end: until }));
  const ran = [...begun.values()].filter((run) => run.end > today - WEEKS_MS);
  const hours = calendar.intervals("hour", { start: today - WEEKS_MS, end: today });
  const metered = hours.map((hour) => meteredIn(hour, ran));
  return { next: now < publishedAt ? publishedAt : tomorrow, timeline, surplus: usualSurplus(metered, ran, calendar) };
}

/** Returns what the meter counts in an hour: surplus minus plans. */
function meteredIn(hour: Interval, runs: readonly PoweredRun[]): HomeHour {
  const net = surplusAt(hour.start) - usedIn(hour, runs);
  return { ...hour, imported: Math.max(0, -net), exported: Math.max(0, net) };
}

function usedIn(span: Interval, runs: readonly PoweredRun[]): number {
  return runs.reduce((sum, run) => {
    const part = clipped(run, span);
    return part ? sum + (run.kw * (part.end - part.start)) / HOUR_MS : sum;
  }, 0);
}

/** Returns what the plans cost by month: bought energy, and what the used surplus would have earned. */
function costs(runs: readonly PoweredRun[], imports: readonly PricePoint[], exported: Timeline) {
  const months = new Map<string, number>();
  for (const point of imports) {
    const used = usedIn(
      point,
      runs.filter((run) => run.start < point.end && run.end > point.start),
    );
    if (used === 0) continue;
    const own = Math.min(used, (Math.max(0, surplusAt(point.start)) * (point.end - point.start)) / HOUR_MS);
    const sold = pointAt(exported.points, point.start)?.price ?? 0;
    const month = calendar.dateOf(point.start).slice(0, "2025-03".length);
    for (const key of [month, "year"])
      months.set(key, (months.get(key) ?? 0) + own * sold + (used - own) * point.price);
  }
  return months;
}
