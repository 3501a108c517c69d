/** The wall panel at `#panel`: price, 24 hours and the next three runs, for a screen that nobody touches. */
import { pointAt } from "../../core/prices/timeline.ts";
import { LevelMark } from "../elements.tsx";
import { ComingHours } from "../now/coming-hours.tsx";
import { usePage } from "../page.ts";
import { PlanIcon } from "../plans/plan-icon.tsx";
import { NO_PRICES } from "../timeline.ts";
import { comingRuns, type PanelRun, shiftAt } from "./panel-runs.ts";

const RUNS = 3;

export function Panel() {
  const { t, f, store } = usePage();
  const now = store.time.value;
  const { points, currency } = store.prices.value ?? NO_PRICES;
  const current = pointAt(points, now);
  const home = store.home.value;
  const [x, y] = shiftAt(now);
  return (
    <div class="wall" style={{ transform: `translate(${x}px, ${y}px)` }}>
      <div class="wall-head">
        <h2>{home?.name ?? t("no_home")}</h2>
        <p class="wall-time">{f.time(now)}</p>
      </div>
      <div class={`wall-now ${current?.level ?? "unknown"}`}>
        <p class="wall-price">
          {current ? f.number(current.price) : "–"}
          <span class="wall-unit">{current ? `${f.currency(currency)}/kWh` : t("no_price_now")}</span>
        </p>
        {current && (
          <p class="wall-level">
            <LevelMark level={current.level} />
            <span>{f.span(current.start, current.end)}</span>
          </p>
        )}
      </div>
      <ComingHours />
      <Runs runs={comingRuns(store.homePlans.value, now, RUNS)} />
    </div>
  );
}

function Runs({ runs }: { readonly runs: readonly PanelRun[] }) {
  const { t, f, store } = usePage();
  const now = store.time.value;
  const tomorrow = f.calendar.add("day", now, 1);
  return (
    <ul class="wall-runs" aria-label={t("what_runs")}>
      {runs.length === 0 && <li>{t("panel_no_runs")}</li>}
      {runs.map(({ plan, start, end }) => (
        <li key={`${plan.id} ${start}`} class={start <= now ? "on" : undefined}>
          <PlanIcon plan={plan} />
          <span class="wall-name">{plan.name}</span>
          <span class="wall-span">
            {start >= tomorrow && `${t("tomorrow")} `}
            {f.span(start, end)}
          </span>
        </li>
      ))}
    </ul>
  );
}
