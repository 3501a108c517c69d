/** Simulates a week of three appliances with real prices: their runs, the cost, and the cost of an immediate start. */

import { readFileSync } from "node:fs";
import { runPrice } from "../../../src/core/planning/plan-savings.ts";
import { type PricePoint, pricePoints } from "../../../src/core/prices/timeline.ts";
import type { EpochMs } from "../../../src/core/time/interval.ts";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { TestDaemon } from "../daemon/test-daemon.ts";
import { payloadOf, planEntry } from "./plan-topics.ts";
import { REAL_PRICES } from "./real-prices.ts";

const calendar = serviceCalendar();
const STEP_MS = 15 * MINUTE_MS;

/** Appliances that, without a plan, start when the window opens. */
const appliances = [
  { id: "dishwasher", hours: 2, kwh: 1.1, from: 19 * 60, profile: [2, 1, 1, 2] },
  { id: "car", hours: 4, kwh: 22, from: 17 * 60, profile: [1] },
  { id: "water_heater", hours: 3, kwh: 6, from: 0, profile: [1] },
] as const;

const plans = [
  planEntry({
    kind: "window",
    name: "Dishwasher",
    hours: 2,
    profile: [2, 1, 1, 2],
    kwh: 1.1,
    from: "19:00",
    ready_by: "06:30",
  }),
  planEntry({ kind: "slots", name: "Car", hours: 4, kwh: 22, min_run: "30m", from: "17:00", ready_by: "07:00" }),
  planEntry({ kind: "slots", name: "Water heater", hours: 3, kwh: 6, max_gap: 12 }),
];

/** Run from ON to OFF on MQTT. */
export interface WeekRun {
  readonly plan: string;
  readonly start: EpochMs;
  readonly end: EpochMs;
  readonly meanPrice: number;
  readonly cost: number;
}

export interface WeekFigures {
  readonly runs: readonly WeekRun[];
  /** Sums by plan, in DKK, for the nights that are complete. */
  readonly sums: readonly {
    readonly plan: string;
    readonly hours: number;
    readonly cost: number;
    readonly naive: number;
  }[];
}

/** Simulates `days` days from the local midnight of `from`. The first day only fetches prices. */
export async function runWeek(from: EpochMs, days: number): Promise<WeekFigures> {
  const start = calendar.startOf("day", from);
  const end = calendar.add("day", start, days + 1);
  await using daemon = await TestDaemon.start({
    start,
    simulator: {
      prices: { csv: readFileSync(REAL_PRICES, "utf8") },
      homes: ["danish"],
      publicationDelayMinutes: () => 0,
    },
    config: { plans },
  });
  const on = new Map<string, EpochMs>();
  const spans: { plan: string; start: EpochMs; end: EpochMs }[] = [];
  for (let at = start; at < end; at += STEP_MS) {
    await daemon.clock.runUntil(at);
    const { watcher } = daemon;
    await watcher.until(
      () => Date.parse(String(watcher.json("elbro/home/price/state").start)) === at || at === start,
      `the price of ${new Date(at).toISOString()}`,
    );
    for (const { id } of appliances) {
      const runs = () => payloadOf(daemon, id).runs ?? [];
      const wanted = () => runs().some((run) => run.begun && Date.parse(run.start) <= at && at < Date.parse(run.end));
      const signal = () => watcher.payload(`elbro/home/plan/${id}`) === "ON";
      await watcher.until(() => signal() === wanted(), `the signal of ${id}`);
      const since = on.get(id);
      if (signal() && since === undefined) on.set(id, at);
      if (!signal() && since !== undefined) {
        spans.push({ plan: id, start: since, end: at });
        on.delete(id);
      }
    }
  }
  return figuresOf(spans, await pricesOf(daemon, start, end), start, days);
}

async function pricesOf(daemon: TestDaemon, from: EpochMs, to: EpochMs): Promise<PricePoint[]> {
  const range = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}&resolution=fifteenMinutes`;
  const answer = await daemon.request(
    `/consumer/v1/me/addresses/${daemon.simulator.addressIds.danish}/prices?${range}`,
  );
  const { data } = (await answer.json()) as { data: Record<string, unknown>[] };
  return pricePoints(data, false);
}

function figuresOf(
  spans: readonly { plan: string; start: EpochMs; end: EpochMs }[],
  points: readonly PricePoint[],
  start: EpochMs,
  days: number,
): WeekFigures {
  const last = calendar.add("day", start, days);
  const runs: WeekRun[] = [];
  const sums = appliances.map(({ id, hours, kwh, from, profile }) => {
    const power = kwh / hours;
    let naive = 0;
    for (let day = start; day < last; day = calendar.add("day", day, 1)) {
      const opens = calendar.timeOnDay(day, from);
      naive +=
        (runPrice(points, { start: opens, end: opens + hours * 4 * STEP_MS }, "confirmed", profile) ?? Number.NaN) *
        kwh;
    }
    let cost = 0;
    let ran = 0;
    for (const span of spans.filter(({ plan }) => plan === id)) {
      const meanPrice = runPrice(points, span, "confirmed", profile) ?? Number.NaN;
      const length = (span.end - span.start) / (4 * STEP_MS);
      const opened = occurrenceDay(span.start, from);
      const isCounted = start <= opened && opened < last;
      runs.push({ ...span, meanPrice, cost: meanPrice * power * length });
      if (!isCounted) continue;
      cost += meanPrice * power * length;
      ran += length;
    }
    return { plan: id, hours: ran, cost, naive };
  });
  return { runs: runs.sort((a, b) => a.start - b.start), sums };
}

/** Returns the day on which the window of a run opened. */
function occurrenceDay(at: EpochMs, from: number): EpochMs {
  const day = calendar.startOf("day", at);
  return calendar.minuteOfDay(at) >= from ? day : calendar.add("day", day, -1);
}

/** Returns the table of a week, one string per line. */
export function weekTable({ runs, sums }: WeekFigures): string[] {
  const local = (at: EpochMs) => new Date(at + calendar.offsetAt(at)).toISOString().slice(5, 16).replace("T", " ");
  const line = (plan: string, when: string, numbers: string) => `${plan.padEnd(14)}${when.padEnd(22)}${numbers}`;
  return [
    line("plan", "local time", "DKK/kWh     DKK"),
    ...runs.map(({ plan, start, end, meanPrice, cost }) =>
      line(
        plan,
        `${local(start)}-${local(end).slice(6)}`,
        `${meanPrice.toFixed(3).padStart(7)}${cost.toFixed(2).padStart(8)}`,
      ),
    ),
    ...sums.map(
      ({ plan, hours, cost, naive }) =>
        `week: plan=${plan} hours=${hours} cost=${cost.toFixed(2)} at_once=${naive.toFixed(2)} saved=${(naive - cost).toFixed(2)} saved_percent=${((100 * (naive - cost)) / naive).toFixed(0)}`,
    ),
  ];
}
