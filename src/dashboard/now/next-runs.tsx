/** Card with the next runs of the plans. */

import { savedTotal } from "../../core/planning/snapshot/saved-total.ts";
import { usePage } from "../page.ts";
import { PlanIcon } from "../plans/plan-icon.tsx";
import { headlineOf } from "../plans/plan-words.ts";
import { addressOf } from "../route.ts";
import type { Plan } from "../store/answers.ts";
import { useRead } from "../store/use-read.ts";

const SHOWN = 6;

export function NextRuns() {
  const page = usePage();
  const { t, f, store } = page;
  const plans = store.homePlans.value;
  const next = plans.filter((plan) => plan.on || startOf(plan) !== null).sort(byStart);
  return (
    <section class="card next-runs" aria-labelledby="next-title">
      <div class="head">
        <h3 id="next-title">{t("what_runs")}</h3>
        <a href={addressOf("plans")}>{plans.length > 0 ? t("plans_all", { count: plans.length }) : t("plans")}</a>
      </div>
      {next.length === 0 && <p class="soft">{t(plans.length === 0 ? "runs_no_plans" : "runs_none")}</p>}
      <ul class="plan-lines">
        {next.slice(0, SHOWN).map((plan) => (
          <li key={plan.id} class={plan.on ? "on" : undefined}>
            <a href={addressOf("plans", plan.id)}>
              <PlanIcon plan={plan} />
              <span class="name">{plan.name}</span>
              <span class="next number">{headlineOf(plan, page, store.time.value)}</span>
              <span class="faint number">{plan.cost === null ? "" : f.money(plan.cost, plan.currency)}</span>
            </a>
          </li>
        ))}
      </ul>
      <SavedYesterday />
    </section>
  );
}

/** What the runs of yesterday saved, compared with a start when their window opened. Nothing if that is unknown. */
function SavedYesterday() {
  const { t, f, store } = usePage();
  const today = f.calendar.startOf("day", store.time.value);
  const [from = "", to = ""] = [f.calendar.add("day", today, -1), today].map((at) => new Date(at).toISOString());
  const home = store.home.value?.id ?? "";
  const found = useRead("GET /local/v1/runs", store.lastRuns.value ? { home, from, to } : null, store.lastRuns.value);
  const runs = found?.runs.map(({ name, currency, against_window_start: saved }) => ({ plan: name, currency, saved }));
  const saving = savedTotal(runs ?? []);
  if (!saving) return null;
  const { total, currency, most, share } = saving;
  const facts = { saved: f.money(total, currency, total < 10 ? 2 : 0), name: most ?? "" };
  return <p class="soft">{t(`saved_yesterday_${share}`, facts)}</p>;
}

function byStart(a: Plan, b: Plan): number {
  if (a.on !== b.on) return a.on ? -1 : 1;
  return (startOf(a) ?? "").localeCompare(startOf(b) ?? "");
}

function startOf({ next_start, likely_start }: Plan): string | null {
  return next_start ?? likely_start;
}
