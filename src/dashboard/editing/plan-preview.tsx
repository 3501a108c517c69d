/** Preview of a plan before it is saved: its hours, their prices and the cost. */
import { useEffect, useState } from "preact/hooks";
import type { JsonObject } from "../forms/fields.ts";
import { type PageTools, usePage } from "../page.ts";
import { headlineOf, joinedRuns, stateReason } from "../plans/plan-words.ts";
import { PriceChart } from "../prices/price-chart.tsx";
import type { Plan } from "../store/answers.ts";
import { call, type Refusal, refusalIn } from "../store/requests.ts";
import type { Translate } from "../words/language.ts";

/** Pause after typing before a request is sent. */
const AFTER_TYPING_MS = 250;
const MIN_SAVING = 0.005;
/** Name of a new plan in its preview: the schema requires one, and that of the draft may be taken while it is typed. */
const NAMELESS = "draft of the page";

export function PlanPreview({ e, draft }: { readonly e: Translate<"editing">; readonly draft: JsonObject }) {
  const page = usePage();
  const { store } = page;
  const [seen, setSeen] = useState<Plan | Refusal | null>(null);
  const asked = JSON.stringify({ ...draft, name: draft.id === undefined ? NAMELESS : draft.name });
  useEffect(() => {
    let isLast = true;
    const answered = (answer: Plan | Refusal) => isLast && setSeen(answer);
    // A draft does not run yet, although its first hours may be now.
    const planned = (plan: Plan): Plan => ({
      ...plan,
      on: false,
      code: plan.code === "running" ? "scheduled" : plan.code,
    });
    const request = () =>
      call("POST /local/v1/plan-preview", {}, { body: JSON.parse(asked) })
        .then(planned)
        .then(answered, (thrown: unknown) => answered(refusalIn(thrown)));
    const timer = setTimeout(() => void request(), AFTER_TYPING_MS);
    return () => {
      isLast = false;
      clearTimeout(timer);
    };
  }, [asked]);
  const prices = store.pricesByHome.value.get(String(draft.home));
  useEffect(() => {
    if (!prices && store.homes.value.some(({ id }) => id === draft.home)) void store.readPrices(String(draft.home));
  }, [draft.home]);
  if (!seen || "status" in seen) {
    const key = seen?.code === "not_known" ? "preview_unknown" : "preview_incomplete";
    return (
      <div class="preview" role="status">
        <p class="soft">{e(key)}</p>
      </div>
    );
  }
  const plans = [{ ...seen, name: String(draft.name ?? "") }];
  const isLater = joinedRuns(seen).some(({ end }) => end > page.f.calendar.add("day", store.time.value, 2));
  return (
    <div class="preview">
      <div role="status">
        <p class="faint">{e("preview")}</p>
        <p class="headline">{headlineOf(seen, page, store.time.value)}</p>
        <p class="soft">{costText(seen, e, page)}</p>
      </div>
      {prices && <PriceChart home="" prices={prices} range={isLater ? "week" : "both"} plans={plans} isBrief />}
    </div>
  );
}

/** Returns cost and saving in money if the energy of the plan is known; otherwise per kWh. */
function costText(plan: Plan, e: Translate<"editing">, page: PageTools): string {
  const { f } = page;
  const { cost, currency, kwh, savings, code } = plan;
  if (cost === null) return [stateReason(plan, page), kwh === null && e("preview_no_kwh")].filter(Boolean).join(" · ");
  const saved = savings.against_now ?? 0;
  const parts = [
    e("preview_cost", { cost: f.money(cost, currency) }),
    saved > MIN_SAVING && e("preview_saves", { saved: f.money(saved, currency) }),
    code !== "scheduled" && stateReason(plan, page),
  ];
  return parts.filter(Boolean).join(" · ");
}
