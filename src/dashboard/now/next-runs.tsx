/** Card with the next runs of the plans. */

import { usePage } from "../page.ts";
import { PlanIcon } from "../plans/plan-icon.tsx";
import { headlineOf } from "../plans/plan-words.ts";
import { addressOf } from "../route.ts";
import type { Plan } from "../store/answers.ts";

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
    </section>
  );
}

function byStart(a: Plan, b: Plan): number {
  if (a.on !== b.on) return a.on ? -1 : 1;
  return (startOf(a) ?? "").localeCompare(startOf(b) ?? "");
}

function startOf({ next_start, likely_start }: Plan): string | null {
  return next_start ?? likely_start;
}
