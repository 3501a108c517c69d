/** Block with a chart of savings by month and plan. */
import { useMemo, useState } from "preact/hooks";
import type { ChartView } from "../chart/chart-view.ts";
import { Plot } from "../chart/plot.tsx";
import { useResultTexts } from "../context.ts";
import { Choice } from "../elements.tsx";
import { usePage } from "../page.ts";
import type { HomeAnswer, Plan } from "../store/answers.ts";
import { useRead } from "../store/use-read.ts";
import { Block } from "../system/block.tsx";
import { ChangeNote } from "../use/month-figures.tsx";
import type { Format } from "../words/format.ts";
import type { Translate } from "../words/language.ts";
import { BASELINES, type Baseline, groupedByPlan } from "./saving-bars.ts";

type Grouped = ReturnType<typeof groupedByPlan>;

interface SavingsProps {
  readonly home: HomeAnswer;
  readonly plans: readonly Plan[];
  readonly baseline: Baseline;
  readonly onBaseline: (baseline: Baseline) => void;
}

export function Savings({ home, plans, baseline, onBaseline }: SavingsProps) {
  const t = useResultTexts();
  const { f, store } = usePage();
  const [picked, setPicked] = useState<number | null>(null);
  const answer = useRead("GET /local/v1/savings", { home: home.id }, store.lastRuns.value);
  const months = answer?.months;
  const grouped = useMemo(
    () =>
      months &&
      groupedByPlan(months, baseline, {
        ...{ now: store.now(), calendar: f.calendar, otherName: t("savings_other"), known: store.plans.value ?? [] },
      }),
    [months, baseline],
  );
  const view = useMemo(() => grouped && viewOf(grouped, t, f, setPicked), [grouped]);
  const unknown = plans.filter(({ kwh }) => kwh === null).map(({ name }) => name);
  const isEmpty = !grouped || grouped.bars.length === 0;
  return (
    <Block title={t("savings")}>
      <Choice
        label={t("baseline")}
        name="baseline"
        options={BASELINES.map((value) => ({ value, text: t(`baseline_${value}`) }))}
        chosen={baseline}
        onChoose={onBaseline}
      />
      <p class="faint">{t(`baseline_${baseline}_about`)}</p>
      <p class="readout" aria-hidden="true">
        {picked === null ? <Totals grouped={grouped} /> : view?.describe(picked)}
      </p>
      {months && isEmpty ? (
        // Runs without an amount are explained below.
        months.length === 0 && <p class="soft">{t("savings_none")}</p>
      ) : (
        <Plot view={view ?? null} isEmpty={isEmpty} emptyText="" />
      )}
      <ul class="legend">
        {grouped?.plans.map(({ id, name, kind, saved }) => (
          <li key={id}>
            <span class="key" style={{ "--plan": `var(--${kind})` }} aria-hidden="true" />
            {`${name} `}
            <strong class="number">{f.money(saved, grouped.currency)}</strong>
          </li>
        ))}
      </ul>
      <ChangeNote changes={answer?.tariff_changes ?? []} />
      {unknown.length > 0 && (
        <p class="note quiet">{t("savings_no_energy", { count: unknown.length, names: unknown.join(", ") })}</p>
      )}
    </Block>
  );
}

function viewOf(grouped: Grouped, t: Translate<"results">, f: Format, onPick: ChartView["onPick"]): ChartView {
  const { from, to, bars, currency, starts } = grouped;
  return {
    from,
    to,
    bars,
    rest: null,
    onPick,
    ticksFor: (room) => {
      const step = [1, 2, 3, 4, 6].find((each) => starts.length / each <= room) ?? 12;
      return starts
        .map((start, i) => ({ at: (start + (starts[i + 1] ?? to)) / 2, text: f.monthName(start) }))
        .filter((_, i) => (starts.length - 1 - i) % step === 0);
    },
    unit: f.currency(currency),
    valueText: (value) => f.number(value, Math.abs(value) < 10 && value % 1 !== 0 ? 1 : 0),
    label: t("savings_chart"),
    describe: (index) => {
      const bar = bars[index];
      if (!bar) return "";
      const texts = bar.stack.map(({ name, value, cost, runs }) => {
        const facts = { plan: name, saved: f.money(value, currency), cost: f.money(cost, currency) };
        return t("savings_month", { ...facts, runs, count: runs });
      });
      return `${f.month(bar.month)}: ${texts.join("; ")}`;
    },
  };
}

function Totals({ grouped }: { readonly grouped: Grouped | undefined }) {
  const t = useResultTexts();
  const { f } = usePage();
  if (!grouped || grouped.bars.length === 0) return null;
  const { currency, saved, cost, from } = grouped;
  return (
    <>
      <strong>{t("savings_total", { saved: f.money(saved, currency), since: f.month(from) })}</strong>
      <span class="soft">{t("savings_cost", { cost: f.money(cost, currency) })}</span>
    </>
  );
}
