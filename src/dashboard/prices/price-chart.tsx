/** Chart of prices and estimates, with the runs of plans below the bars. */
import { useMemo, useState } from "preact/hooks";
import { pointAt } from "../../core/prices/timeline.ts";
import { DAY_MS, HOUR_MS } from "../../core/time/interval.ts";
import type { ChartLane, ChartSpan, ChartTick, ChartView } from "../chart/chart-view.ts";
import { Plot } from "../chart/plot.tsx";
import { Legend, LevelMark } from "../elements.tsx";
import { usePage, type Words } from "../page.ts";
import { hueOf } from "../plans/plan-hues.ts";
import { PLAN_ICONS } from "../plans/plan-icon.tsx";
import { joinedRuns } from "../plans/plan-words.ts";
import type { Plan } from "../store/answers.ts";
import { figuresOf, isDoubted, type Prices, type ShownPoint } from "../timeline.ts";
import type { Format } from "../words/format.ts";
import { PriceTable } from "./price-table.tsx";
import { type Bounds, figuresText, intervalText, notesOf, type PriceRange, partsText, readOut } from "./price-words.ts";

interface PriceChartProps {
  readonly home: string;
  readonly prices: Prices;
  readonly range: PriceRange;
  readonly plans: readonly Plan[];
  /** Without legend, notes, table and the current price. */
  readonly isBrief?: boolean;
}

export function PriceChart({ home, prices, range, plans, isBrief = false }: PriceChartProps) {
  const page = usePage();
  const { t, store } = page;
  const [picked, setPicked] = useState<number | null>(null);
  const now = store.time.value;
  const { from, to } = boundsOf(range, prices.points, now, page.f);
  const points = useMemo(() => prices.shown.filter(({ start, end }) => end > from && start < to), [prices, from, to]);
  const present = pointAt(points, now);
  const view = useMemo(
    (): ChartView => ({
      from,
      to,
      now: now >= from && now < to ? now : null,
      nowText: t("now_mark"),
      bars: barsOf(points),
      ticksFor: (room) => ticksOf({ from, to }, room, page.f),
      days: daysOf({ from, to }, page.f),
      lanes: lanesOf(plans, store.plans.value, { from, to }, now),
      valueText: (value) => page.f.number(value, Math.abs(value) >= 10 ? 0 : 2).replace(/([.,]\d)0$/, "$1"),
      unit: `${page.f.currency(prices.currency)}/kWh`,
      label: t("chart_prices", { home }),
      rest: present && points.indexOf(present),
      describe: (index) =>
        [readOut(points[index], prices.currency, page), runsText(plans, points[index], page)]
          .filter(Boolean)
          .join(". "),
      onPick: setPicked,
    }),
    [points, from, to, now, plans, prices, page],
  );
  const shown = points[picked ?? -1] ?? (isBrief ? null : present);
  return (
    <>
      <PickedPrice
        point={shown}
        currency={prices.currency}
        runs={runsText(plans, shown ?? undefined, page)}
        hasParts={!isBrief && points.some(({ parts }) => parts)}
      />
      <Plot view={view} isTall isEmpty={points.length === 0} />
      {!isBrief && (
        <>
          <div class="notes">
            {notesOf(prices, range, { from, to }, page).map((note) => (
              <p key={note} class="note">
                {note}
              </p>
            ))}
          </div>
          <Legend>
            {isDoubted(points, { start: from, end: to }) && <span class="level unknown hatch">{t("doubtful")}</span>}
          </Legend>
          <p class="faint figures">{figuresText(points, prices.currency, page)}</p>
          <PriceTable points={points} currency={prices.currency} />
        </>
      )}
    </>
  );
}

/** The picked price, or the current one. Screen readers get the same text from the chart. */
function PickedPrice({
  point,
  currency,
  runs,
  hasParts,
}: Readonly<{ point: ShownPoint | null | undefined; currency: string | null; runs: string; hasParts: boolean }>) {
  const page = usePage();
  const { t, f } = page;
  return (
    <p class="readout" aria-hidden="true">
      {point ? (
        <>
          <span class="readout-when">{intervalText(point, page)}</span>
          <strong class="number">{`${f.money(point.price, currency)}/kWh`}</strong>
          <LevelMark level={point.level} />
          {point.mark && <span class="tag">{t(point.mark)}</span>}
          <span class="soft readout-runs">{runs}</span>
          {hasParts && <span class="soft readout-parts">{partsText(point, currency, page)}</span>}
        </>
      ) : (
        <span class="soft">{t("point_at_chart")}</span>
      )}
    </p>
  );
}

/** Returns the bars of prices. One of 1,840 per kWh that cannot be right would leave no height for the others. */
function barsOf(points: readonly ShownPoint[]): ChartView["bars"] {
  const highest = figuresOf(points.filter(({ mark }) => mark !== "doubtful"))?.most ?? Infinity;
  return points.map(({ price, level, ...others }) => ({ ...others, value: Math.min(price, highest), kind: level }));
}

function boundsOf(range: PriceRange, points: readonly ShownPoint[], now: number, { calendar }: Format): Bounds {
  const today = calendar.startOf("day", now);
  const tomorrow = calendar.add("day", now, 1);
  const after = calendar.add("day", now, 2);
  if (range === "today") return { from: today, to: tomorrow };
  const to = range === "week" ? Math.max(after, points.at(-1)?.end ?? after) : after;
  return { from: range === "tomorrow" ? tomorrow : today, to };
}

/** Returns labels for as many hours as fit. A week has only lines, because its days are named below. */
function ticksOf({ from, to }: Bounds, room: number, f: Format): ChartTick[] {
  const { calendar } = f;
  if (to - from > 3 * DAY_MS)
    return calendar.startsIn("day", { start: from, end: to }).map((at) => ({ at, text: "", strong: true }));
  const hours = (to - from) / HOUR_MS;
  const step = [1, 2, 3, 4, 6, 12].find((each) => hours / each <= room) ?? 24;
  return calendar
    .startsIn("hour", { start: from, end: to })
    .filter((at) => calendar.fieldsOf(at).hour % step === 0 && (step === 1 || calendar.fold(at) !== 2))
    .map((at) => ({ at, text: at === from ? "" : f.axisHour(at), strong: calendar.fieldsOf(at).hour === 0 }));
}

function daysOf({ from, to }: Bounds, f: Format): ChartSpan[] {
  const isWeek = to - from > 3 * DAY_MS;
  return f.calendar.startsIn("day", { start: from, end: to }).map((start) => {
    const end = Math.min(f.calendar.add("day", start, 1), to);
    return { start, end, text: isWeek ? f.weekday(start) : f.day(start) };
  });
}

/** Returns the plans that run during a price, as a text; empty without any. */
function runsText(plans: readonly Plan[], point: ShownPoint | undefined, { t }: Words): string {
  const names = plans
    .filter(
      (plan) =>
        point && joinedRuns(plan).some((run) => !run.isLikely && run.start < point.end && point.start < run.end),
    )
    .map(({ name }) => name);
  return names.length === 0 ? "" : t("chart_runs", { names: names.join(", ") });
}

/** `all`: the plans of every home, from whose order the colours follow. */
function lanesOf(plans: readonly Plan[], all: readonly Plan[] | null, { from, to }: Bounds, now: number): ChartLane[] {
  return plans
    .map((plan) => ({
      ...{ name: plan.name, icon: PLAN_ICONS[plan.icon], kind: hueOf(plan.id, all) },
      runs: joinedRuns(plan)
        .filter((run) => run.end > from && run.start < to)
        .map(({ isLikely, ...run }) => ({ ...run, past: run.end <= now, likely: isLikely })),
    }))
    .filter(({ runs }) => runs.length > 0);
}
