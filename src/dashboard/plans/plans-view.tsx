/** Part with the plans of a home, and with all plugs. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { without } from "../../core/time/interval.ts";
import type { Task } from "../editing/editing.ts";
import { Button, Part } from "../elements.tsx";
import { lazy } from "../lazy.tsx";
import { type PageTools, usePage } from "../page.ts";
import { addressOf, route } from "../route.ts";
import type { Plan } from "../store/answers.ts";
import { refusalIn } from "../store/requests.ts";
import { NO_PRICES } from "../timeline.ts";
import type { TextName } from "../words/language.ts";
import { PlanRow } from "./plan-row.tsx";
import { PlugsCard } from "./plugs-card.tsx";
import { ribbonRange, shadesOf } from "./ribbon.ts";
import { RibbonAxis, RibbonLegend } from "./ribbon-view.tsx";

const FORMS = {
  once: lazy(async () => (await import("./run-once.tsx")).RunOnce),
  away: lazy(async () => (await import("./away-form.tsx")).AwayForm),
};

export function PlansView() {
  const { t, store } = usePage();
  const { dialog, notice, edits, closed, onTask } = useEditing();
  const [form, setForm] = useState<keyof typeof FORMS | null>(null);
  const Form = form && FORMS[form];
  const home = store.home.value;
  const plans = store.homePlans.value;
  const waiting = store.waitingPlans.value;
  const hint = hintOf(plans.length + waiting.length, store);
  const formClosed = (done: string | null) => {
    setForm(null);
    closed(done);
  };
  const formButton = (name: keyof typeof FORMS) => (
    <Button aria-expanded={form === name} onClick={() => setForm(form === name ? null : name)} text={t(name)} />
  );
  return (
    <Part id="plans" card={false}>
      <div class="card plans-card">
        <div class="head">
          <h2 id="plans-title">{t("plans")}</h2>
          {store.mayControl.value && home && (
            <div class="actions">
              {plans.length > 0 && formButton("away")}
              {formButton("once")}
              <Button onClick={() => onTask({ list: "plans", mode: "new" })} text={t("plan_new")} />
            </div>
          )}
        </div>
        <p class="answer edited" role="status">
          {notice}
        </p>
        {home && Form && <Form home={home.id} onClose={formClosed} />}
        {waiting.length > 0 && (
          <p class="soft">{t("plans_waiting", { count: waiting.length, names: waiting.join(", ") })}</p>
        )}
        {hint && <p class="soft">{t(hint)}</p>}
        <PlanRows plans={plans} onTask={onTask} />
      </div>
      <PlugsCard edits={edits} onTask={onTask} />
      {dialog}
    </Part>
  );
}

/** Opens the dialogs that edit plans and plugs. Returns the open one, the result of the last one, and their number. */
function useEditing() {
  const page = usePage();
  const { t, store } = page;
  const [dialog, setDialog] = useState<ComponentChildren>(null);
  const [notice, setNotice] = useState("");
  const [edits, setEdits] = useState(0);
  const closed = (done: string | null) => {
    setDialog(null);
    if (done === null) return;
    setNotice(done);
    setEdits((count) => count + 1);
    void store.readPlans();
    void store.readSystem();
  };
  const open = async (task: Task) => {
    setNotice("");
    try {
      const { openEditor } = await import("../editing/editor.tsx");
      const done = (text: string | null, id?: string) => {
        closed(text);
        // A new plug is shown with its test.
        if (id !== undefined && task.list === "plugs" && task.mode === "new")
          location.hash = addressOf("plans", `plug-${id}`);
      };
      setDialog(await openEditor(task, page, done));
    } catch (thrown) {
      setNotice(t("not_opened", { reason: refusalIn(thrown).reason }));
    }
  };
  return { dialog, notice, edits, closed, onTask: (task: Task) => void open(task) };
}

/** The plans below a common axis of time. */
function PlanRows({ plans, onTask }: Readonly<{ plans: readonly Plan[]; onTask: (task: Task) => void }>) {
  const { f, store } = usePage();
  const { points } = store.prices.value ?? NO_PRICES;
  const time = store.time.value;
  const look = useMemo(() => {
    const range = ribbonRange(points, time, f.calendar);
    const confirmed = points.filter(({ estimate }) => !estimate);
    return { range, shades: shadesOf(points, range), estimates: points.length > 0 ? without(range, confirmed) : [] };
  }, [points, time]);
  const open = route.value.view === "plans" ? route.value.entry : null;
  return (
    <>
      {plans.length > 0 && <RibbonAxis range={look.range} />}
      <div class="plan-rows">
        {plans.map((plan) => (
          <PlanRow
            {...{ plan, look, onTask }}
            key={plan.id}
            isOpen={open === plan.id}
            onOpen={(isOpen) => (location.hash = addressOf("plans", isOpen ? plan.id : undefined))}
          />
        ))}
      </div>
      {plans.length > 0 && <RibbonLegend />}
    </>
  );
}

function hintOf(count: number, { session, mayControl }: PageTools["store"]): TextName | null {
  if (count === 0) return "plans_none";
  if (mayControl.value) return null;
  return session.value?.signed_in ? "plans_read_only" : "plans_log_in";
}
