/** Block with past runs, the price of each and the price of its baseline. */
import { useState } from "preact/hooks";
import type { RunAnswer } from "../../api/house/results.ts";
import { DAY_MS } from "../../core/time/interval.ts";
import { useResultTexts } from "../context.ts";
import { Button } from "../elements.tsx";
import { type PageTools, usePage } from "../page.ts";
import { PlanIcon } from "../plans/plan-icon.tsx";
import type { HomeAnswer } from "../store/answers.ts";
import { useRead } from "../store/use-read.ts";
import { Block } from "../system/block.tsx";
import type { Translate } from "../words/language.ts";
import type { Baseline } from "./saving-bars.ts";

const DAYS = 60;
const SHOWN = 6;
/** Minimum amount that is shown. */
const MIN_AMOUNT = 0.005;

export function Runs({ home, baseline }: Readonly<{ home: HomeAnswer; baseline: Baseline }>) {
  const t = useResultTexts();
  const page = usePage();
  const [shown, setShown] = useState(SHOWN);
  const from = new Date(page.f.calendar.add("day", page.store.now(), -DAYS)).toISOString();
  const runs = useRead("GET /local/v1/runs", { home: home.id, from }, page.store.lastRuns.value)?.runs;
  return (
    <Block title={t("runs")}>
      {runs?.length === 0 && <p class="soft">{t("runs_none", { days: DAYS })}</p>}
      <ol class="run-list">
        {runs?.slice(0, shown).map((run) => (
          <RunLine key={`${run.plan} ${run.start}`} run={run} baseline={baseline} />
        ))}
      </ol>
      {runs && runs.length > shown && (
        <Button onClick={() => setShown((count) => count + 4 * SHOWN)} text={t("runs_more")} />
      )}
    </Block>
  );
}

function RunLine({ run, baseline }: { readonly run: RunAnswer; readonly baseline: Baseline }) {
  const t = useResultTexts();
  const page = usePage();
  const [start, end] = [Date.parse(run.start), Date.parse(run.end)];
  const saved = savedText(run, baseline, t, page);
  return (
    <li>
      <p class="run-head">
        <PlanIcon plan={page.store.plans.value?.find(({ id }) => id === run.plan) ?? { id: run.plan, icon: "plug" }} />
        <strong class="run-name">{run.name}</strong>
        {saved && <span class="number">{saved}</span>}
      </p>
      <p class="soft">{whenText(start, end, page)}</p>
      <p class="faint">
        {[...pricesOf(run, baseline, t, page), ...measuredIn(run, t, page)].join(" · ")}
        {run.basis !== "prices" && <span class="tag">{t(`basis_${run.basis}`)}</span>}
      </p>
    </li>
  );
}

/** Returns the time of a run, for instance `Tue 10 Mar 23:00–02:00`. A run of 24 h or more has both days. */
function whenText(start: number, end: number, { f }: PageTools): string {
  return end - start < DAY_MS
    ? `${f.day(start)} ${f.span(start, end)}`
    : `${f.day(start)} ${f.clock(start)} – ${f.day(end)} ${f.clock(end)}`;
}

/** Returns the price of a run, and the price of its baseline. */
function pricesOf(run: RunAnswer, baseline: Baseline, t: Translate<"results">, { f }: PageTools): readonly string[] {
  const { mean_price: mean, currency } = run;
  if (mean === null) return [t("run_no_price")];
  const own = t("run_price", { price: f.money(mean, currency) });
  const other = baseline === "mean" ? run.window_price : run.window_start_price;
  return other === null ? [own] : [own, t(`run_${baseline}`, { price: f.money(other, currency) })];
}

/** Returns the energy and cost of a run as measured; empty if no plug measured it. */
function measuredIn({ measured, currency }: RunAnswer, t: Translate<"results">, { f }: PageTools): readonly string[] {
  if (measured === null) return [];
  const cost = measured.cost === null ? "" : `, ${f.money(measured.cost, currency)}`;
  return [t("run_measured", { amount: `${f.energy(measured.kwh)}${cost}` })];
}

function savedText(run: RunAnswer, baseline: Baseline, t: Translate<"results">, { f }: PageTools): string | null {
  const saved = run[`against_${baseline}`];
  if (saved === null || Math.abs(saved) < MIN_AMOUNT) return null;
  return t(saved > 0 ? "run_saved" : "run_lost", { amount: f.money(Math.abs(saved), run.currency) });
}
