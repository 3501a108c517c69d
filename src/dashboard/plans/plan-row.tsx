/** Card of a plan: state, commands and settings. */
import { useState } from "preact/hooks";
import type { Plan } from "../answers.ts";
import type { Task } from "../editing/editing.ts";
import { type PageTools, usePage, type Words } from "../page.ts";
import { post, refusalIn } from "../requests.ts";
import { EntryButtons } from "./entry-buttons.tsx";
import { type PlanChange, PlanSettings } from "./plan-settings.tsx";
import { headlineOf, joinedRuns, reasonOf, refusalText } from "./plan-words.ts";

interface PlanCardProps {
  readonly plan: Plan;
  readonly mayControl: boolean;
  readonly onTask: (task: Task) => void;
}

export function PlanCard({ plan, mayControl, onTask }: PlanCardProps) {
  const page = usePage();
  const { t, store } = page;
  const [answer, setAnswer] = useState("");
  /** State of the switch after a click, until the daemon has responded; null otherwise. */
  const [switched, setSwitched] = useState<boolean | null>(null);
  const isEnabled = switched ?? plan.settings.enabled?.value !== false;
  const now = store.time.value;
  const title = `plan-${plan.id}`;
  const send = async (change: PlanChange) => {
    setAnswer(t("sending"));
    const result = await sendTo(plan.id, change, page);
    setAnswer(result.text);
    await store.readPlans();
    setSwitched(null);
    return result.isDone;
  };
  return (
    <article class={plan.on ? "plan on" : "plan"} aria-labelledby={title}>
      <div class="plan-head">
        <div class="plan-name">
          <h3 id={title}>
            <span class={`dot ${plan.on ? "running" : plan.state}`} aria-hidden="true" />
            <span>{plan.name}</span>
          </h3>
          <span class="state">{t(`state_${plan.state}`)}</span>
        </div>
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            checked={isEnabled}
            aria-checked={isEnabled}
            disabled={!mayControl}
            onChange={({ currentTarget: { checked } }) => {
              setSwitched(checked);
              void send({ enabled: checked });
            }}
          />
          <span class="unseen">{`${plan.name}: ${t("plan_enabled")}`}</span>
        </label>
      </div>
      <p class="headline">{headlineOf(plan, page, now)}</p>
      <p class="soft">{reasonOf(plan, page)}</p>
      <Runs plan={plan} />
      <p class="faint">{monthText(plan, page)}</p>
      {mayControl && (
        <div class="actions">
          {(plan.on ? ACTIONS_ON : ACTIONS_OFF).map((action) => (
            <button
              key={action}
              type="button"
              data-action={action}
              aria-describedby={title}
              onClick={() => void send({ command: action })}
            >
              {t(`action_${action}`)}
            </button>
          ))}
        </div>
      )}
      <p class="answer" role="status">
        {answer}
      </p>
      {mayControl && (
        <div class="card-foot">
          <details class="change">
            <summary>{t("plan_change")}</summary>
            <PlanSettings plan={plan} onChange={send} onNothing={() => setAnswer(t("nothing_changed"))} />
          </details>
          <EntryButtons list="plans" id={plan.id} name={plan.name} title={title} onTask={onTask} />
        </div>
      )}
    </article>
  );
}

const ACTIONS_ON = ["stop"] as const;
const ACTIONS_OFF = ["run_now", "skip"] as const;

async function sendTo(id: string, change: PlanChange, { t }: PageTools): Promise<{ text: string; isDone: boolean }> {
  try {
    await post(`local/v1/plans/${encodeURIComponent(id)}`, change);
    return { text: t("command" in change ? "done" : "saved"), isDone: true };
  } catch (thrown) {
    return { text: refusalText(refusalIn(thrown), t), isDone: false };
  }
}

/** List of the runs, if there are several. */
function Runs({ plan }: { readonly plan: Plan }) {
  const { f, store } = usePage();
  const now = store.time.value;
  const runs = joinedRuns(plan);
  return (
    <ul class="runs">
      {(runs.length > 1 ? runs : []).map(({ start, end }) => (
        <li key={start} class={`number ${end <= now ? "past" : start <= now ? "present" : ""}`}>
          {f.span(start, end)}
        </li>
      ))}
    </ul>
  );
}

function monthText({ month, currency }: Plan, { t, f }: Words): string {
  if (month.runs === 0) return t("month_none");
  const hours = f.number(month.hours, Number.isInteger(month.hours) ? 0 : 1);
  const parts = [t("month_runs", { count: month.runs, runs: month.runs, hours })];
  if (month.cost !== null) parts.push(t("month_cost", { cost: f.money(month.cost, currency) }));
  if (month.against_window_start !== null)
    parts.push(t("month_saved", { saved: f.money(month.against_window_start, currency) }));
  return parts.join(" · ");
}
