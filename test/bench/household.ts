/**
 * Share of the possible saving that plans reach without knowing tomorrow, on real prices with taxes and VAT, with a
 * time-of-day tariff and (`flat_…`) with a flat one: eight plans, each lived through the second half of the prices. 100 %
 * is the best choice in hindsight, 0 % a start when the window opens. `short` counts rounds that got fewer hours than
 * hindsight gives.
 *
 * - `NAME_share`: without a forecast; `NAME_forecast`: with a forecast of the prices ± 15 %.
 * - `NAME_night`: a run at a fixed time of the night, for comparison.
 * - `NAME_late4`, `NAME_late12`, `NAME_never`: with tomorrow's prices that many hours late, or absent on every third day,
 *   and the number of short rounds.
 */
import { decideCircle } from "../../src/core/planning/group/circle-decision.ts";
import type { PlanSpec, PlanWindow } from "../../src/core/planning/model/plan-spec.ts";
import { type PlanAdvance, runsOf, UNDECIDED } from "../../src/core/planning/plan-state-machine.ts";
import { runPrice } from "../../src/core/planning/snapshot/plan-savings.ts";
import { solvePlan } from "../../src/core/planning/solve-plan.ts";
import { type PricePoint, pointsIn } from "../../src/core/prices/timeline.ts";
import { DAY_MS, type EpochMs, HOUR_MS, type Interval, lengthOf, MINUTE_MS } from "../../src/core/time/interval.ts";
import { calendar, timelineOf } from "../support/home/price-days.ts";
import { randomFrom, realPoints } from "../support/plans/plan-days.ts";
import { haveRealPrices } from "../support/plans/real-prices.ts";
import { definitionOf } from "../support/plans/shown-plans.ts";

const hours = (count: number, from: number, until: number) =>
  ({ enabled: true, hoursMs: count * HOUR_MS, from: from * 60, readyBy: until * 60 }) as const;
/** Appliances, and the hour of a fixed run at night. */
const appliances: Readonly<Record<string, readonly [spec: PlanSpec, night: number]>> = {
  dishwasher: [{ kind: "window", ...hours(2, 19, 6.5) }, 1],
  dishwasher_morning: [{ kind: "window", ...hours(2, 8, 8) }, 1],
  car: [{ kind: "slots", ...hours(4, 17, 7) }, 0],
  car_at_home: [{ kind: "slots", ...hours(4, 8, 7) }, 0],
  hot_water: [{ kind: "slots", ...hours(3, 0, 0) }, 2],
  hot_water_gap: [{ kind: "slots", ...hours(3, 0, 0), maxGapMs: 12 * HOUR_MS }, 2],
  freezer: [{ kind: "avoid", ...hours(4, 0, 0), maxGapMs: 1.5 * HOUR_MS }, 17],
  boiler: [{ kind: "below", enabled: true, percent: 35 }, 0],
};
const PUBLISHED_MINUTE = 13 * 60 + 10;
const FORECAST_NOISE = 0.15;
export const VAT = 1.25;
export const TAX = 0.9;

interface Market {
  /** Delay of tomorrow's prices. Unit: ms; Infinity for never. */
  readonly lateMs: (day: number) => number;
  readonly forecast: boolean;
}
const onTime: Market = { lateMs: () => 0, forecast: false };

export const tariffs = {
  time_of_day: (hour: number) => (hour < 6 ? 0.1 : hour >= 17 && hour < 21 ? 0.6 : 0.25),
  flat: () => 0.25,
};
const delays: Readonly<Record<string, Market["lateMs"]>> = {
  late4: () => 4 * HOUR_MS,
  late12: () => 12 * HOUR_MS,
  never: (day) => (day % 3 === 0 ? Number.POSITIVE_INFINITY : 0),
};

export function run(): Record<string, number> {
  if (!haveRealPrices) {
    console.log("  skipped: there are no real prices in ../shared/data");
    return {};
  }
  const figures: Record<string, number> = {};
  for (const [tariff, tariffAt] of Object.entries(tariffs)) {
    const points = realPoints().map((point) => {
      const hour = calendar.minuteOfDay(point.start) / 60;
      return { ...point, price: (point.price + tariffAt(hour) + TAX) * VAT };
    });
    for (const [name, [spec, night]] of Object.entries(appliances)) {
      const plain = live(spec, points, onTime, night);
      const known = live(spec, points, { ...onTime, forecast: true }, night);
      const lives = Object.entries(tariff === "flat" ? {} : delays).map(
        ([delay, lateMs]) => [delay, live(spec, points, { ...onTime, lateMs }, night)] as const,
      );
      const key = tariff === "flat" ? `flat_${name}` : name;
      const late = lives.flatMap(([delay, { share, short }]) => [
        [`${key}_${delay}`, share],
        [`${key}_${delay}_short`, short],
      ]);
      Object.assign(figures, { [`${key}_share`]: plain.share, [`${key}_forecast`]: known.share });
      Object.assign(figures, { [`${key}_night`]: plain.night, ...Object.fromEntries(late) });
      console.log(
        `  ${key}: ${plain.share.toFixed(1)} %, ${known.share.toFixed(1)} % with a forecast, night ${plain.night.toFixed(1)} %, short ${plain.short}`,
        ...lives.map(([delay, { share, short }]) => `${delay} ${share.toFixed(1)} % short ${short}`),
      );
    }
  }
  return figures;
}

/** Lives a plan through the second half of the prices, and compares each round with hindsight. */
function live(spec: PlanSpec, points: readonly PricePoint[], market: Market, night: number) {
  const [first, last] = [points[0]?.start ?? 0, points.at(-1)?.end ?? 0];
  let now = calendar.startOf("day", first + (last - first) / 2);
  let advance: PlanAdvance = UNDECIDED;
  const rounds = new Map<EpochMs, { readonly window: PlanWindow; readonly runs: readonly Interval[] }>();
  const definition = definitionOf(spec);
  const context = { calendar, trusted: true, graceUntil: 0, language: "en", onBroken: () => {} } as const;
  let seen = { until: 0, next: 0, timeline: timelineOf([]) };
  while (now < last - 2 * DAY_MS) {
    if (now >= seen.next) seen = seenAt(now, points, market);
    const pricesOf = () => ({ home: "listed" as const, lacksExport: false, timeline: seen.timeline });
    const [decided] = decideCircle([{ definition, spec, advance }], { ...context, now, pricesOf });
    if (!decided) break;
    advance = decided.advance;
    const { memory } = advance;
    const restingFrom = memory?.restingSince ?? null;
    const begun = memory ? runsOf({ ...memory, planned: [] }) : [];
    const runs = restingFrom === null ? begun : [...begun, { start: restingFrom, end: memory?.window.end ?? now }];
    if (memory) rounds.set(memory.window.start, { window: memory.window, runs });
    now = Math.min(advance.nextChangeAt ?? seen.next, seen.next);
  }
  return comparedWithHindsight([...rounds.values()].slice(1, -1), spec, points, night);
}

function comparedWithHindsight(
  rounds: readonly { readonly window: PlanWindow; readonly runs: readonly Interval[] }[],
  spec: PlanSpec,
  points: readonly PricePoint[],
  night: number,
) {
  const sums = { own: 0, best: 0, open: 0, night: 0 };
  let short = 0;
  const costOf = (runs: readonly Interval[]) =>
    runs.reduce((sum, run) => sum + (runPrice(points, run, "all") ?? 0) * ((run.end - run.start) / HOUR_MS), 0);
  for (const [i, { window, runs }] of rounds.entries()) {
    const fixed = rounds[i - 1]?.runs ?? [];
    const hindsight = solvePlan(spec, timelineOf(points), window, { now: window.start, calendar, fixed });
    if (hindsight.kind !== "solved" || hindsight.shortfall) continue;
    const wantedMs = lengthOf(hindsight.runs);
    if (lengthOf(runs) < wantedMs - MINUTE_MS) short++;
    const mean = runPrice(points, window, "all") ?? 0;
    const from = (start: EpochMs) => costOf([{ start, end: start + wantedMs }]);
    const isAllDay = spec.kind === "avoid" || spec.kind === "below";
    sums.own += (costOf(runs) / Math.max(1, lengthOf(runs))) * wantedMs;
    sums.best += costOf(hindsight.runs);
    sums.open += isAllDay ? (mean * wantedMs) / HOUR_MS : from(window.start);
    const midnight = calendar.startOf("day", window.end - HOUR_MS);
    sums.night += isAllDay ? (mean * wantedMs) / HOUR_MS : from(calendar.timeOnDay(midnight, night * 60));
  }
  const share = (cost: number) => (100 * (sums.open - cost)) / (sums.open - sums.best);
  return { share: share(sums.own), night: share(sums.night), short };
}

/** Returns the prices that are known at `now`, and when that changes. */
function seenAt(now: EpochMs, points: readonly PricePoint[], { lateMs, forecast }: Market) {
  const today = calendar.startOf("day", now);
  const tomorrow = calendar.add("day", today, 1);
  const publishedAt = calendar.timeOnDay(today, PUBLISHED_MINUTE) + lateMs(Math.round(today / DAY_MS));
  const until = now >= publishedAt ? calendar.add("day", today, 2) : tomorrow;
  const known = pointsIn(points, { start: calendar.add("day", today, -3), end: until });
  const random = randomFrom(Math.round(today / DAY_MS));
  const later = forecast ? pointsIn(points, { start: until, end: calendar.add("day", until, 2) }) : [];
  const guessed = later.map((point) => ({
    ...point,
    price: point.price * (1 + FORECAST_NOISE * (2 * random() - 1)),
    estimate: true,
  }));
  const next = now < publishedAt ? Math.min(publishedAt, tomorrow) : tomorrow;
  return { until, next, timeline: timelineOf([...known, ...guessed]) };
}
