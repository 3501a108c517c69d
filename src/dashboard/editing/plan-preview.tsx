/** Preview of a plan before it is saved: its hours, their prices and the cost. */
import { useEffect, useState } from "preact/hooks";
import type { JsonObject } from "../forms/fields.ts";
import { type PageTools, usePage } from "../page.ts";
import { headlineOf, joinedRuns, stateReason } from "../plans/plan-words.ts";
import type { Plan } from "../store/answers.ts";
import { call, type Refusal, refusalIn } from "../store/requests.ts";
import type { ShownPoint } from "../timeline.ts";
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
  return (
    <div class="preview" role="status">
      <p class="faint">{e("preview")}</p>
      <p class="headline">{headlineOf(seen, page, store.time.value)}</p>
      <p class="soft">{costText(seen, e, page)}</p>
      {prices && <Hours e={e} plan={seen} points={prices.points} />}
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

const HEIGHT = 100;
const MIN_HEIGHT = 4;
const MINUTE_MS = 60_000;
/** Shown time range. It is longer only if the plan has later runs. */
const HORIZON_MS = 36 * 3_600_000;
/** Minimum position of the label of tomorrow with room for the first label before it. Unit: percent. */
const MIN_ROOM = 25;
/** Position from which a label is to the left of its time. Unit: percent. */
const MIDDLE = 50;

/** Bars of the current and future prices, with the chosen hours in full colour. */
function Hours({ e, plan, points }: Readonly<{ e: Translate<"editing">; plan: Plan; points: readonly ShownPoint[] }>) {
  const page = usePage();
  const { f, t, store } = page;
  const now = store.time.value;
  const runs = joinedRuns(plan);
  const horizon = Math.max(now + HORIZON_MS, ...runs.map(({ end }) => end));
  const coming = points.filter(({ start, end }) => end > now && start < horizon);
  const [first, last] = [coming[0], coming.at(-1)];
  if (!first || !last) return null;
  const most = Math.max(...coming.map(({ price }) => price), 0);
  const least = Math.min(...coming.map(({ price }) => price), 0);
  const span = (last.end - first.start) / MINUTE_MS;
  const percentOf = (at: number) => ((at - first.start) / MINUTE_MS / span) * 100;
  const midnight = f.calendar.add("day", now, 1);
  const isChosen = (point: ShownPoint) => runs.some(({ start, end }) => start < point.end && point.start < end);
  const runTimes = runs.map(({ start, end }) => f.span(start, end)).join(", ");
  return (
    <figure class="preview-hours">
      <svg
        viewBox={`0 0 ${span} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={runTimes ? e("preview_hours", { runs: runTimes }) : e("preview_none")}
      >
        {coming.map((point) => {
          const height = Math.max(MIN_HEIGHT, ((point.price - least) / (most - least || 1)) * HEIGHT);
          return (
            <rect
              key={point.start}
              class={`${point.level}${isChosen(point) ? " chosen" : ""}`}
              x={(point.start - first.start) / MINUTE_MS}
              y={HEIGHT - height}
              width={(point.end - point.start) / MINUTE_MS}
              height={height}
            />
          );
        })}
      </svg>
      <div class="preview-runs" aria-hidden="true">
        {runs
          .filter(({ end, start }) => end > first.start && start < last.end)
          .map(({ start, end }) => {
            const left = Math.max(0, percentOf(start));
            return <span key={start} style={{ left: `${left}%`, width: `${Math.min(100, percentOf(end)) - left}%` }} />;
          })}
      </div>
      <div class="preview-axis faint" aria-hidden="true">
        <span>{percentOf(midnight) > MIN_ROOM && f.time(first.start)}</span>
        {midnight < last.end && (
          <span class={percentOf(midnight) > MIDDLE ? "before" : "after"} style={{ left: `${percentOf(midnight)}%` }}>
            {t("tomorrow")}
          </span>
        )}
        <span>{f.time(last.end)}</span>
      </div>
    </figure>
  );
}
