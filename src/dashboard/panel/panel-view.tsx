/** The wall panel at `#panel`: price, 24 hours and the next three runs, for a screen that nobody touches. */
import { pointAt } from "../../core/prices/timeline.ts";
import { LevelMark } from "../elements.tsx";
import { usePage } from "../page.ts";
import { barPlaces, comingHours, NO_PRICES } from "../timeline.ts";
import { comingRuns, type PanelRun, shiftAt } from "./panel-runs.ts";

const HOURS = 24;
const RUNS = 3;
/** Every third hour has a label, so that labels are readable from a distance. */
const LABEL_EVERY = 3;
const MIN_BAR_PERCENT = 3;

export function Panel() {
  const { t, f, store } = usePage();
  const now = store.time.value;
  const { points, currency } = store.prices.value ?? NO_PRICES;
  const current = pointAt(points, now);
  const home = store.home.value;
  const [x, y] = shiftAt(now);
  const plans = (store.plans.value ?? []).filter((plan) => plan.home === home?.id);
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
      <Hours />
      <Runs runs={comingRuns(plans, now, RUNS)} />
    </div>
  );
}

function Hours() {
  const { t, f, store } = usePage();
  const { points, currency } = store.prices.value ?? NO_PRICES;
  const hours = comingHours(points, store.time.value, HOURS);
  const places = barPlaces(hours, MIN_BAR_PERCENT);
  return (
    <ol class="wall-hours" aria-label={t("coming_hours")}>
      {hours.map(({ start, level, mean, estimate }, i) => (
        <li key={start}>
          <span class="unseen">{`${f.time(start)}: ${mean === null ? t("no_price") : f.money(mean, currency)}`}</span>
          <span class="wall-rise" aria-hidden="true">
            {mean !== null && (
              <span class={`bar ${level ?? "unknown"}${estimate ? " estimate" : ""}`} style={places[i] ?? {}} />
            )}
          </span>
          <span class="wall-hour" aria-hidden="true">
            {i % LABEL_EVERY === 0 ? f.hour(start) : ""}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Runs({ runs }: { readonly runs: readonly PanelRun[] }) {
  const { t, f, store } = usePage();
  const now = store.time.value;
  const tomorrow = f.calendar.add("day", now, 1);
  return (
    <ul class="wall-runs" aria-label={t("what_runs")}>
      {runs.length === 0 && <li>{t("panel_no_runs")}</li>}
      {runs.map(({ name, start, end }) => (
        <li key={`${name} ${start}`} class={start <= now ? "on" : undefined}>
          <span class="wall-name">{name}</span>
          <span class="wall-span">
            {start >= tomorrow && `${t("tomorrow")} `}
            {f.span(start, end)}
          </span>
        </li>
      ))}
    </ul>
  );
}
