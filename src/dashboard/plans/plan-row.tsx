/** Row of a plan with its ribbon. It unfolds to details, commands and settings. */
import { useState } from "preact/hooks";
import { planSettings } from "../../core/planning/setting-rows.ts";
import type { Task } from "../editing/editing.ts";
import { Answer, Button } from "../elements.tsx";
import { showChange } from "../history/changes.ts";
import { lazy } from "../lazy.tsx";
import { usePage, type Words } from "../page.ts";
import type { Plan } from "../store/answers.ts";
import { call, refusalIn } from "../store/requests.ts";
import { EntryButtons } from "./entry-buttons.tsx";
import { ONCE_HOURS, planOnce } from "./once.ts";
import { hueStyle } from "./plan-hues.ts";
import { PlanIcon } from "./plan-icon.tsx";
import type { PlanChange, SentCommand } from "./plan-settings.tsx";
import { headlineOf, joinedRuns, planText, refusalText, stateReason } from "./plan-words.ts";
import { Ribbon, type RibbonLook } from "./ribbon-view.tsx";

interface PlanRowProps {
  readonly plan: Plan;
  readonly look: RibbonLook;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onTask: (task: Task) => void;
}

const PlanSettings = lazy(async () => (await import("./plan-settings.tsx")).PlanSettings);

/** Sends a change of a plan. Returns whether it was accepted. */
type SendChange = (change: PlanChange | SentCommand) => Promise<boolean>;

/** States that the times of the next run do not say. */
const SAID: readonly Plan["state"][] = ["scheduled", "running"];

export function PlanRow({ plan, look, isOpen, onOpen, onTask }: PlanRowProps) {
  const page = usePage();
  const { t, store } = page;
  const { answer, setAnswer, send } = useSend(plan);
  const mayControl = store.mayControl.value;
  const title = `plan-${plan.id}`;
  const headline = headlineOf(plan, page, store.time.value);
  const state = planText(plan, `state_${plan.state}`, t);
  return (
    <article class={plan.on ? "plan on" : "plan"} style={hueStyle(plan.id, store.plans.value)} aria-labelledby={title}>
      <div class="plan-line">
        <h3 class="plan-title">
          <Button
            class="plan-open"
            aria-expanded={isOpen}
            aria-controls={`${title}-more`}
            onClick={() => onOpen(!isOpen)}
          >
            <PlanIcon plan={plan} />
            <span id={title} class="plan-name">
              {plan.name}
            </span>
          </Button>
        </h3>
        <p class="plan-when">
          <span class={SAID.includes(plan.state) || headline === state ? "unseen" : "state"}>{state}</span>{" "}
          <span class="headline">{headline}</span>
        </p>
        <p class="plan-price number">{priceOf(plan, page)}</p>
        <Ribbon plan={plan} look={look} />
        <EnabledSwitch plan={plan} isDisabled={!mayControl} onChange={send} />
      </div>
      <Answer text={answer} />
      <div id={`${title}-more`} class="plan-more" hidden={!isOpen}>
        {isOpen && (
          <>
            <p class="soft">{stateReason(plan, page)}</p>
            <Runs plan={plan} />
            <p class="faint">{monthText(plan, page)}</p>
            <LearnedRuns plan={plan} onCommand={mayControl ? (command) => void send({ command }) : undefined} />
            {mayControl && <Actions plan={plan} title={title} onSend={send} />}
            {mayControl && (
              <div class="card-foot">
                <details class="change">
                  <summary>{t("plan_change")}</summary>
                  <PlanSettings plan={plan} onChange={send} onNothing={() => setAnswer(t("nothing_changed"))} />
                </details>
                <EntryButtons plan={plan} onTask={onTask} />
              </div>
            )}
          </>
        )}
      </div>
    </article>
  );
}

/** Returns the function that sends changes of a plan, and the text of its last response. */
function useSend({ id, name, settings }: Plan) {
  const page = usePage();
  const { t, store } = page;
  const [answer, setAnswer] = useState("");
  const post = (body: object) => call("POST /local/v1/plans/:plan", { plan: id }, { body });
  const send: SendChange = async (change) => {
    setAnswer(t("sending"));
    const request = "once" in change ? planOnce(change, page) : post(change);
    const refusal = await request.then(() => null, refusalIn);
    if (!refusal && !("once" in change)) {
      const { verb, back } = toastOf(change, settings);
      showChange(t(`change_${verb}`, { name }), back && (() => post(back).then(() => store.readPlans())));
    }
    setAnswer(refusal ? refusalText(refusal, t) : "");
    await store.readPlans();
    return refusal === null;
  };
  return { answer, setAnswer, send };
}

/** Returns what the toast says of a change, and the change that takes it back; null if none does. */
function toastOf(change: PlanChange | SentCommand, settings: Plan["settings"]) {
  if ("command" in change) {
    const { command } = change as SentCommand;
    return { verb: command, back: command === "forget_learned" ? null : { command: "replan" } } as const;
  }
  const changed = planSettings.filter((key) => key in change);
  const back = changed.map((key) => [key, settings[key]?.changed ? settings[key].value : null] as const);
  return { verb: "changed", back: Object.fromEntries(back) } as const;
}

function EnabledSwitch({
  plan: { name, settings },
  isDisabled,
  onChange,
}: Readonly<{ plan: Plan; isDisabled: boolean; onChange: SendChange }>) {
  const { t } = usePage();
  /** State after a click, until the daemon has responded; null otherwise. */
  const [switched, setSwitched] = useState<boolean | null>(null);
  const isEnabled = switched ?? settings.enabled?.value !== false;
  const change = async (enabled: boolean) => {
    setSwitched(enabled);
    await onChange({ enabled });
    setSwitched(null);
  };
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        checked={isEnabled}
        aria-checked={isEnabled}
        disabled={isDisabled}
        onChange={({ currentTarget: { checked } }) => void change(checked)}
      />
      <span class="unseen">{`${name}: ${t("plan_enabled")}`}</span>
    </label>
  );
}

function Actions({ plan, title, onSend }: Readonly<{ plan: Plan; title: string; onSend: SendChange }>) {
  const { t } = usePage();
  const hasHours = plan.settings.hours !== undefined || plan.settings.energy !== undefined;
  return (
    <div class="actions">
      {(plan.on ? ACTIONS_ON : ACTIONS_OFF).map((action) => (
        <Button
          key={action}
          data-action={action}
          aria-describedby={title}
          onClick={() => void onSend({ command: action })}
          text={planText(plan, `action_${action}`, t)}
        />
      ))}
      {!plan.on && hasHours && (
        <Button aria-describedby={title} onClick={() => void onSend({ once: true, plan: plan.id, within: ONCE_HOURS })}>
          {t("action_once", { hours: ONCE_HOURS })}
        </Button>
      )}
    </div>
  );
}

const ACTIONS_ON = ["stop"] as const;
const ACTIONS_OFF = ["run_now", "skip"] as const;

/** Returns the cost of the planned runs, or their mean price per kWh without a known energy. */
function priceOf({ cost, mean_price: mean, currency }: Plan, { f }: Words): string {
  if (cost !== null) return f.money(cost, currency);
  return mean === null ? "" : `${f.money(mean, currency)}/kWh`;
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

function monthText({ icon, month, currency }: Plan, { t, f }: Words): string {
  if (month.runs === 0) return t("month_none");
  const hours = f.number(month.hours, Number.isInteger(month.hours) ? 0 : 1);
  const parts = [planText({ icon }, "month_runs", t, { count: month.runs, runs: month.runs, hours })];
  if (month.cost !== null) parts.push(t("month_cost", { cost: f.money(month.cost, currency) }));
  if (month.against_window_start !== null)
    parts.push(t("month_saved", { saved: f.money(month.against_window_start, currency) }));
  return parts.join(" · ");
}

interface LearnedProps {
  readonly plan: Plan;
  /** Sends a command; absent if the user may not. */
  readonly onCommand: ((command: "forget_learned") => void) | undefined;
}

function LearnedRuns({ plan: { kind, learned }, onCommand }: LearnedProps) {
  const { t, f } = usePage();
  if (!learned) return null;
  const { runs, kwh, profile } = learned;
  return (
    <div class="learned">
      <p class="faint">{t("learned", { runs, kwh: f.energy(kwh) })}</p>
      {kind === "window" && (
        <svg viewBox={`0 0 ${profile.length} 1`} preserveAspectRatio="none" class="course" aria-hidden="true">
          <path d={`M0 1${profile.map((part, i) => `V${1 - part}H${i + 1}`).join("")}V1Z`} />
        </svg>
      )}
      {onCommand && (
        <div class="actions">
          <Button onClick={() => onCommand("forget_learned")} text={t("action_forget_learned")} />
        </div>
      )}
    </div>
  );
}
