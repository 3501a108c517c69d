/** Part with consumption, costs, export and revenue, by hours, days, months or years. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { MIN_KNOWN_SHARE, type UsageUnit } from "../../core/prices/usage-periods.ts";
import { HOUR_MS } from "../../core/time/interval.ts";
import type { ChartView } from "../chart/chart-view.ts";
import { Plot } from "../chart/plot.tsx";
import { Button, Choice, EmptyView, Icon, Part } from "../elements.tsx";
import { lazy } from "../lazy.tsx";
import { usePage, type Words } from "../page.ts";
import type { HomeAnswer } from "../store/answers.ts";
import { type Refusal, refusalIn } from "../store/requests.ts";
import { addedUp, averagePaid, MEASURES, type MeasureName, type UsageBar } from "./energy.ts";
import { FigureList, MonthCard } from "./month-figures.tsx";
import { amountText, paidFacts, sumFacts, type UseFacts } from "./use-facts.ts";
import {
  barName,
  PERIODS,
  type Period,
  type PeriodRange,
  periodRange,
  steppedFrom,
  ticksOf,
  titleOf,
} from "./use-period.ts";
import { marketMean, readUsage } from "./use-reading.ts";

const DatesForm = lazy(async () => (await import("./use-dates.tsx")).DatesForm);

const CUSTOM_DAYS = 30;
const MEASURE_NAMES = Object.keys(MEASURES) as MeasureName[];
const PERIOD_KINDS = [...(Object.keys(PERIODS) as (keyof typeof PERIODS)[]), "custom"] as const;

export function UseView() {
  const { t, store } = usePage();
  const home = store.home.value;
  const measures = MEASURE_NAMES.filter((name) => home?.capabilities?.[MEASURES[name].operation]);
  if (!home || measures.length === 0) return <EmptyView id="use" text={t("use_none")} />;
  return <Use home={home} measures={measures} />;
}

interface UseProps {
  readonly home: HomeAnswer;
  /** Measures that the home has. */
  readonly measures: readonly MeasureName[];
}

function Use({ home, measures }: UseProps) {
  const { t, f, store } = usePage();
  const [wanted, setMeasure] = useState<MeasureName>("consumption");
  const [period, setPeriod] = useState<Period>({ kind: "month", at: null });
  const measure = measures.includes(wanted) ? wanted : (measures[0] ?? wanted);
  const range = periodRange(period, store.time.peek(), f.calendar);
  const { use, facts, refusal, isBusy } = useReadUse(home, measure, period);
  return (
    <Part id="use" card={false} busy={isBusy}>
      <div class="card use-card">
        <div class="head">
          <h2 id="use-title">{t("use")}</h2>
          <Choice
            label={t("measure")}
            name="use-measure"
            options={measures.map((value) => ({ value, text: t(`measure_${value}`) }))}
            chosen={measure}
            onChoose={setMeasure}
          />
        </div>
        <PeriodChoice period={period} range={range} onChoose={setPeriod} />
        <UseChart use={use} home={home} />
        <Notes refusal={refusal} notes={facts.notes} />
        <FigureList facts={facts.facts} />
      </div>
      <MonthCard key={home.id} home={home} />
    </Part>
  );
}

function PeriodChoice({
  period,
  range,
  onChoose,
}: Readonly<{ period: Period; range: PeriodRange; onChoose: (period: Period) => void }>) {
  const page = usePage();
  const { t, f, store } = page;
  const now = store.time.peek();
  const step = (count: number) => onChoose(steppedFrom(period, count, now, f.calendar));
  const choose = (kind: Period["kind"]) => {
    const at = period.kind === "custom" || kind === "years" ? null : period.at;
    onChoose(kind === "custom" ? { kind, dates: lastDays(now, page) } : { kind, at });
  };
  return (
    <>
      <div class="head">
        <Choice
          label={t("period")}
          name="use-period"
          options={PERIOD_KINDS.map((value) => ({ value, text: t(`period_${value}`) }))}
          chosen={period.kind}
          onChoose={choose}
        />
        <div class="stepper">
          {period.kind !== "custom" && <Step label={t("earlier")} path="M15 5l-7 7 7 7" onStep={() => step(-1)} />}
          <p class="period" aria-live="polite">
            {titleOf(period, range, f)}
          </p>
          {period.kind !== "custom" && (
            <Step label={t("later")} path="M9 5l7 7-7 7" isDisabled={range.to > now} onStep={() => step(1)} />
          )}
        </div>
      </div>
      {period.kind === "custom" && (
        <DatesForm dates={period.dates} onChoose={(dates) => onChoose({ kind: "custom", dates })} />
      )}
    </>
  );
}

function Notes({ refusal, notes }: { readonly refusal: Refusal | null; readonly notes: readonly string[] }) {
  const page = usePage();
  return (
    <div class="notes">
      {refusal ? (
        <p class="note wrong">{refusalText(refusal, page)}</p>
      ) : (
        notes.map((note) => (
          <p key={note} class="note quiet">
            {note}
          </p>
        ))
      )}
    </div>
  );
}

function Step({
  label,
  path,
  isDisabled = false,
  onStep,
}: Readonly<{ label: string; path: string; isDisabled?: boolean; onStep: () => void }>) {
  return (
    <Button class="step" aria-label={label} disabled={isDisabled} onClick={onStep}>
      <Icon path={path} />
    </Button>
  );
}

/** Usage of a period. */
interface ReadUse {
  readonly measure: MeasureName;
  readonly bars: readonly UsageBar[];
  readonly range: PeriodRange;
  readonly currency: string | null;
  readonly now: number;
}

type UseState = { readonly use: ReadUse | null; readonly facts: UseFacts; readonly refusal: Refusal | null };

/** Reads the usage of a period: first its bars and their sum, then the prices paid. Earlier data stays until then. */
function useReadUse(home: HomeAnswer, measure: MeasureName, period: Period): UseState & { readonly isBusy: boolean } {
  const page = usePage();
  const { store, f } = page;
  const [state, setState] = useState<UseState>({ use: null, facts: NO_FACTS, refusal: null });
  const changes = store.rowChanges.value;
  const source = useMemo(() => ({ home, calendar: f.calendar, since: Date.now() }), [home, changes]);
  const wanted = useMemo(() => Symbol("wanted"), [home, measure, period, changes]);
  const [ended, setEnded] = useState<symbol | null>(null);
  const factsOf = useRef("");
  useEffect(() => {
    let isWanted = true;
    const put = (part: Partial<UseState>) => {
      if (isWanted) setState((before) => ({ ...before, ...part }));
    };
    const read = async () => {
      const now = store.now();
      const { from, to, unit } = periodRange(period, now, f.calendar);
      // Future hours and those of today do not count as missing, because meters report a day later.
      const range = { from, to, unit, until: Math.min(f.calendar.startOf("day", now), to) };
      const usage = await readUsage(source, measure, range);
      const bars = addedUp(usage.rows, MEASURES[measure], range, f.calendar);
      const sum = sumFacts(measure, bars, usage.currency, page);
      const shown = [home.id, measure, from, to].join(" ");
      put({ use: { measure, bars, range, currency: usage.currency, now }, refusal: null });
      // The prices paid of the same period stay until they are read again.
      if (factsOf.current !== shown) put({ facts: sum });
      factsOf.current = shown;
      const isPriced = (measure === "consumption" || measure === "costs") && home.capabilities?.consumptionCosts;
      if (!isPriced || unit === "year" || bars.every(({ value }) => value === null)) return put({ facts: sum });
      const costs = measure === "costs" ? usage : await readUsage(source, "costs", range);
      const price = averagePaid(costs.rows);
      if (price === null) return put({ facts: sum });
      const mean = await marketMean(source, { from, to: range.until });
      const paid = paidFacts(price, mean, costs.currency, page);
      put({ facts: { facts: [...sum.facts, ...paid.facts], notes: [...sum.notes, ...paid.notes] } });
    };
    void read()
      .catch((thrown: unknown) => put({ refusal: refusalIn(thrown) }))
      .then(() => isWanted && setEnded(wanted));
    return () => {
      isWanted = false;
    };
  }, [wanted]);
  return { ...state, isBusy: ended !== wanted };
}

const NO_FACTS: UseFacts = { facts: [], notes: [] };

function UseChart({ use, home }: { readonly use: ReadUse | null; readonly home: HomeAnswer }) {
  const page = usePage();
  const { t, f } = page;
  const [picked, setPicked] = useState<number | null>(null);
  const past = useMemo(() => use?.bars.filter((bar) => bar.start < use.now) ?? [], [use]);
  const view = useMemo((): ChartView | null => {
    if (!use) return null;
    const { measure, range, currency } = use;
    return {
      from: range.from,
      to: range.to,
      rest: null,
      onPick: setPicked,
      bars: past.map((bar) => ({ ...bar, estimate: bar.estimate || isPartial(bar), kind: "use" })),
      ticksFor: (room) => ticksOf(range, room, f),
      unit: currency === null ? "kWh" : f.currency(currency),
      valueText: (value) => f.number(value, value % 1 === 0 ? 0 : Math.abs(value) < 1 ? 2 : 1),
      label: t("chart_use", { measure: t(`measure_${measure}`), home: home.name }),
      describe: (index) => readOut(past[index], range.unit, currency, page).filter(Boolean).join(", "),
    };
  }, [use]);
  const bar = picked === null ? undefined : past[picked];
  const [when, amount, notes] = readOut(bar, use?.range.unit ?? "day", use?.currency ?? null, page);
  return (
    <>
      <p class="readout" aria-hidden="true">
        {bar ? (
          <>
            <span class="readout-when">{when}</span>
            <strong class="number">{amount}</strong>
            {notes && <span class="tag">{notes}</span>}
          </>
        ) : (
          <span class="soft">{t("point_at_chart")}</span>
        )}
      </p>
      <Plot view={view} isEmpty={past.every(({ value }) => value === null)} emptyText={t("no_data_period")} />
    </>
  );
}

/** Returns whether a bar is hatched. The read-out mentions any missing hour. */
function isPartial({ start, end, value, missing }: UsageBar): boolean {
  return value !== null && missing * HOUR_MS > (end - start) * (1 - MIN_KNOWN_SHARE);
}

/** Returns the texts of a bar: time, amount and notes. */
function readOut(bar: UsageBar | undefined, unit: UsageUnit, currency: string | null, words: Words): readonly string[] {
  if (!bar) return [];
  const { t, f } = words;
  const { value, missing, estimate } = bar;
  const amount = value === null ? t("no_data") : amountText(value, currency, words);
  const notes = [
    estimate && t("estimate"),
    value !== null && missing > 0 && t("missing_hours", { count: missing, hours: missing }),
  ];
  return [barName(bar, unit, f), amount, notes.filter(Boolean).join(", ")];
}

function lastDays(now: number, { f: { calendar } }: Words) {
  const day = (days: number) => calendar.dateOf(calendar.add("day", now, -days));
  return { from: day(CUSTOM_DAYS), to: day(1), by: "day" } as const;
}

function refusalText({ status, code, reason }: Refusal, { t }: Words): string {
  if (status === null) return t("no_contact_short");
  return code === "rate_limited" ? t("use_rate_limited") : t("use_refused", { reason });
}
