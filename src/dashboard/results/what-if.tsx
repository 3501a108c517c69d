/** Block with the cost of a plan if it started now, at a chosen time, or later. */
import { useMemo, useState } from "preact/hooks";
import type { StartsAnswer } from "../../api/results.ts";
import { DAY_MS } from "../../core/time/interval.ts";
import type { Plan } from "../answers.ts";
import type { ChartView } from "../chart/chart-view.ts";
import { Plot } from "../chart/plot.tsx";
import { LabelledInput } from "../labelled-input.tsx";
import type { Translate } from "../language.ts";
import { type PageTools, usePage } from "../page.ts";
import { dayWord } from "../plans/plan-words.ts";
import { Block } from "../system/block.tsx";
import { readTime, TIME_INPUT } from "../time-text.ts";
import { type Fact, Facts } from "../use/month-figures.tsx";
import { useRead, useTexts } from "./result-context.ts";

const DEFAULT_TIME = "18:00";
const QUARTER_MS = 900_000;
/** Kinds of plans that have a number of hours. */
const WITH_HOURS: readonly Plan["kind"][] = ["window", "slots"];
/** Minimum difference that is shown. */
const MIN_AMOUNT = 0.005;
/** Possible distances in hours between labels of the time axis. */
const TICK_HOURS = [3, 6, 12, 24];

/** Minimum time between a label and the end of the chart, in ms. */
const LABEL_MS = 5_400_000;

type Start = StartsAnswer["starts"][number];

export function WhatIf({ plans }: { readonly plans: readonly Plan[] }) {
  const t = useTexts();
  const page = usePage();
  const { store } = page;
  const able = plans.filter(({ kind }) => WITH_HOURS.includes(kind));
  const [wanted, setWanted] = useState<string | null>(null);
  const [typed, setTyped] = useState(DEFAULT_TIME);
  const time = readTime(typed) ?? "";
  const [picked, setPicked] = useState<number | null>(null);
  const plan = able.find(({ id }) => id === wanted) ?? able[0];
  const quarter = Math.floor(store.time.value / QUARTER_MS);
  const paths = plan ? [`local/v1/plans/${encodeURIComponent(plan.id)}/starts`] : null;
  const { answer } = useRead<StartsAnswer>(paths, `${quarter} ${plan?.next_start} ${plan?.mean_price}`);
  const found = answer?.[0]?.plan === plan?.id ? answer?.[0] : undefined;
  const view = useMemo(() => found && viewOf(found, t, page, setPicked), [found]);
  if (!plan) {
    return (
      <Block title={t("what_if")}>
        <p class="soft">{t("what_if_none")}</p>
      </Block>
    );
  }
  return (
    <Block title={t("what_if")}>
      <form class="settings" onSubmit={(event) => event.preventDefault()}>
        <div class="setting">
          <label for="what-if-plan">{t("what_if_plan")}</label>
          <select id="what-if-plan" value={plan.id} onChange={({ currentTarget }) => setWanted(currentTarget.value)}>
            {able.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <LabelledInput
          id="what-if-time"
          label={t("what_if_time")}
          {...TIME_INPUT}
          required
          value={typed}
          aria-invalid={time === "" || undefined}
          onText={setTyped}
        />
      </form>
      {found && <Answers found={found} time={time || DEFAULT_TIME} />}
      <p class="readout" aria-hidden="true">
        {picked === null ? <span class="soft">{page.t("point_at_chart")}</span> : view?.describe(picked)}
      </p>
      <Plot view={view ?? null} isEmpty={found?.starts.length === 0} emptyText={found ? t("what_if_unknown") : ""} />
    </Block>
  );
}

/** Costs of a start now, at the chosen time, and as planned. */
function Answers({ found, time }: { readonly found: StartsAnswer; readonly time: string }) {
  const t = useTexts();
  const page = usePage();
  const { planned, starts, now } = found;
  const at = nextAt(time, Date.parse(now), page);
  const chosen = starts.findLast(({ start }) => Date.parse(start) <= at && Date.parse(start) > at - QUARTER_MS);
  const factOf = (name: string, start: Start | undefined): Fact => ({
    name,
    text: start ? amountOf(start, found, page) : "–",
    note: start ? differenceText(start, found, t, page) : t("what_if_unknown"),
  });
  const plan = planned
    ? {
        name: t("what_if_planned", { when: whenOf(Date.parse(planned.start), page) }),
        text: amountOf(planned, found, page),
      }
    : { name: t("what_if_planned_none"), text: "–" };
  const atTime = t("what_if_at", { day: dayWord(at, page, page.store.now()), time: page.f.clock(at) });
  const nowOnly = starts[0]?.start === now ? starts[0] : undefined;
  return <Facts facts={[factOf(t("what_if_now"), nowOnly), factOf(atTime, chosen), { ...plan, note: "" }]} />;
}

/** Returns the difference to the planned cost, and whether it is an estimate. */
function differenceText(start: Start, found: StartsAnswer, t: Translate<"results">, page: PageTools): string {
  const [own, planned] = [figureOf(start), found.planned && figureOf(found.planned)];
  const notes = start.estimate ? [t("what_if_estimate")] : [];
  if (own !== null && planned !== null) {
    const more = own - planned;
    const amount = priceText(Math.abs(more), found, page);
    const key = Math.abs(more) < MIN_AMOUNT ? "what_if_same" : more > 0 ? "what_if_more" : "what_if_less";
    notes.unshift(t(key, { amount }));
  }
  return notes.join(" · ");
}

type Priced = Pick<Start, "cost"> & { readonly mean_price: number | null };

/** Returns the cost, or the price per kWh of a plan without configured energy; null if unknown. */
function figureOf({ cost, mean_price: mean }: Priced): number | null {
  return cost ?? mean;
}

function amountOf(start: Priced, found: StartsAnswer, page: PageTools): string {
  const value = figureOf(start);
  return value === null ? "–" : priceText(value, found, page);
}

function priceText(value: number, { kwh, currency }: StartsAnswer, { f }: PageTools): string {
  return kwh === null ? `${f.money(value, currency)}/kWh` : f.money(value, currency);
}

/** Returns day and time, for instance `tomorrow 18:00`. */
function whenOf(at: number, page: PageTools): string {
  return `${dayWord(at, page, page.store.now())} ${page.f.clock(at)}`;
}

/** Returns the next instant with a local time of day. */
function nextAt(time: string, now: number, { f: { calendar } }: PageTools): number {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const onDay = (day: number) => calendar.timeOnDay(day, hour * 60 + minute);
  const today = onDay(now);
  return today >= now ? today : onDay(calendar.add("day", now, 1));
}

function viewOf(found: StartsAnswer, t: Translate<"results">, page: PageTools, onPick: ChartView["onPick"]): ChartView {
  const { f } = page;
  const { starts, currency, kwh, planned } = found;
  const times = starts.map(({ start }) => Date.parse(start));
  const from = times[0] ?? Date.parse(found.now);
  const to = (times.at(-1) ?? from) + QUARTER_MS;
  const plannedAt = planned ? Date.parse(planned.start) : Number.NaN;
  const bars = starts.map((start, i) => {
    const at = times[i] ?? from;
    const end = times[i + 1] ?? at + QUARTER_MS;
    const kind = at <= plannedAt && plannedAt < end ? "plan" : "use";
    return { start: at, end, value: figureOf(start), kind, estimate: start.estimate };
  });
  return {
    from,
    to,
    bars,
    rest: null,
    onPick,
    label: t("what_if_chart", { plan: found.name }),
    describe: (index) => {
      const start = starts[index];
      if (!start) return "";
      return `${t("what_if_start", { time: whenOf(Date.parse(start.start), page) })}: ${amountOf(start, found, page)}`;
    },
    ticksFor: (room) => {
      const hours = TICK_HOURS.find((each) => (to - from) / (each * (DAY_MS / 24)) <= room) ?? 24;
      return f.calendar
        .startsIn("hour", { start: from, end: to })
        .filter((at) => f.calendar.fieldsOf(at).hour % hours === 0 && at < to - LABEL_MS)
        .map((at) => ({ at, text: f.axisHour(at), strong: f.calendar.fieldsOf(at).hour === 0 }));
    },
    unit: kwh === null ? `${f.currency(currency)}/kWh` : f.currency(currency),
    valueText: (value) => f.number(value, Math.abs(value) < 10 && value % 1 !== 0 ? 1 : 0),
  };
}
