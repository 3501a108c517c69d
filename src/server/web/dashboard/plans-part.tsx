/** The plans of a home: when each runs and why, its settings, and what it saved. */
import { useLayoutEffect } from "preact/hooks";
import { Part } from "./elements.tsx";
import type { WordKey } from "./language.ts";
import { usePage } from "./page.ts";
import { PlanCard } from "./plan-card.tsx";

export function PlansPart() {
  const { t, house } = usePage();
  const session = house.session.value;
  const plans = house.plans.value ?? [];
  const shown = plans.filter((plan) => plan.home === house.home.value?.id);
  const waiting = house.waitingPlans.value;
  const hint = hintOf(shown.length + waiting.length, session);
  useLayoutEffect(() => {
    document.body.classList.toggle("no-plans", shown.length === 0);
    document.body.style.setProperty("--plans", String(shown.length));
  }, [shown.length]);
  return (
    <Part id="plans">
      <div class="head">
        <h2 id="plans-title">{t("plans")}</h2>
      </div>
      {waiting.length > 0 && (
        <p class="soft">{t("plans_waiting", { count: waiting.length, names: waiting.join(", ") })}</p>
      )}
      {hint && <p class="soft">{t(hint)}</p>}
      <div class="plan-cards">
        {shown.map((plan) => (
          <PlanCard key={plan.id} plan={plan} mayControl={session?.control === true} />
        ))}
      </div>
    </Part>
  );
}

function hintOf(count: number, session: { signed_in: boolean; control: boolean } | null): WordKey | null {
  if (count === 0) return "plans_none";
  if (session?.control) return null;
  return session?.signed_in ? "plans_read_only" : "plans_log_in";
}
