/** Part with results: savings, past runs and files for a spreadsheet. */
import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import type { Language } from "../../core/language/language.ts";
import { ResultContext, useResultTexts } from "../context.ts";
import { EmptyView, Part } from "../elements.tsx";
import { usePage } from "../page.ts";
import type { HomeAnswer } from "../store/answers.ts";
import { MEASURES, type MeasureName } from "../use/energy.ts";
import { type Translate, translateIn } from "../words/language.ts";
import { Runs } from "./runs.tsx";
import type { Baseline } from "./saving-bars.ts";
import { Savings } from "./savings.tsx";

/** Loads the part with its texts. */
export async function resultsView(language: Language): Promise<ComponentType> {
  const texts = await translateIn("results", language);
  return () => <ResultsView texts={texts} />;
}

function ResultsView({ texts }: { readonly texts: Translate<"results"> }) {
  const { store } = usePage();
  const home = store.home.value;
  if (!home) return <EmptyView id="results" text={texts("results_none")} />;
  return (
    <ResultContext.Provider value={texts}>
      <Results key={home.id} home={home} />
    </ResultContext.Provider>
  );
}

function Results({ home }: { readonly home: HomeAnswer }) {
  const t = useResultTexts();
  const { store } = usePage();
  const [baseline, setBaseline] = useState<Baseline>("window_start");
  const plans = store.homePlans.value;
  const measures = (Object.keys(MEASURES) as MeasureName[]).filter(
    (name) => home.capabilities?.[MEASURES[name].operation],
  );
  if (plans.length === 0 && measures.length === 0) return <EmptyView id="results" text={t("results_none")} />;
  return (
    <Part id="results">
      <div class="head">
        <h2 id="results-title">{t("results")}</h2>
      </div>
      {plans.length === 0 ? (
        <p class="soft">{t("results_none")}</p>
      ) : (
        <div class="results-grid">
          <Savings home={home} plans={plans} baseline={baseline} onBaseline={setBaseline} />
          <Runs home={home} baseline={baseline} />
        </div>
      )}
      <CsvFiles home={home} measures={measures} hasPlans={plans.length > 0} />
    </Part>
  );
}

/** Links to CSV files of the shown data. */
function CsvFiles({
  home,
  measures,
  hasPlans,
}: Readonly<{ home: HomeAnswer; measures: readonly MeasureName[]; hasPlans: boolean }>) {
  const t = useResultTexts();
  const { t: page, f, store } = usePage();
  const of = `home=${encodeURIComponent(home.id)}`;
  const yearAgo = new Date(f.calendar.add("month", store.time.peek(), -12)).toISOString();
  const files = [
    { name: t("csv_prices"), path: `prices.csv?${of}` },
    ...measures.map((measure) => ({
      name: t("csv_use", { measure: page(`measure_${measure}`) }),
      path: `usage.csv?${of}&measure=${measure}&by=day&from=${yearAgo}`,
    })),
    ...(hasPlans
      ? [
          { name: t("csv_runs"), path: `runs.csv?${of}&from=${yearAgo}` },
          { name: t("csv_savings"), path: `savings.csv?${of}` },
          { name: t("csv_plans"), path: "plans.csv?" },
        ]
      : []),
    ...((store.system.value?.plugs.length ?? 0) > 0 ? [{ name: t("csv_plugs"), path: "plugs.csv?" }] : []),
  ];
  return (
    <details class="csv">
      <summary>{t("csv")}</summary>
      <ul class="actions">
        {files.map(({ name, path }) => (
          <li key={path}>
            <a class="download" href={`local/v1/${path}${f.csvQuery}`} download>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
