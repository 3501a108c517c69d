/** Part with the plans of a home, and with all plugs. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { Task } from "../editing/editing.ts";
import { Part } from "../elements.tsx";
import type { TextName } from "../language.ts";
import { usePage } from "../page.ts";
import { refusalIn } from "../requests.ts";
import { PlanCard } from "./plan-row.tsx";
import { PlugsCard } from "./plugs-card.tsx";

export function PlansPart() {
  const page = usePage();
  const { t, store } = page;
  // The open dialog, the result of the last one, and the number of changes.
  const [dialog, setDialog] = useState<ComponentChildren>(null);
  const [notice, setNotice] = useState("");
  const [edits, setEdits] = useState(0);
  const session = store.session.value;
  const plans = store.plans.value ?? [];
  const shown = plans.filter((plan) => plan.home === store.home.value?.id);
  const waiting = store.waitingPlans.value;
  const hint = hintOf(shown.length + waiting.length, session);
  useLayoutEffect(() => {
    document.body.classList.toggle("no-plans", shown.length === 0);
    document.body.style.setProperty("--plans", String(shown.length));
  }, [shown.length]);
  const mayControl = session?.control === true;
  const closed = (done: string | null) => {
    setDialog(null);
    if (done === null) return;
    setNotice(done);
    setEdits((count) => count + 1);
    void store.readPlans();
    void store.readSystem();
  };
  const onTask = async (task: Task) => {
    setNotice("");
    try {
      const { openEditor } = await import("../editing/editor.tsx");
      setDialog(await openEditor(task, page, closed));
    } catch (thrown) {
      setNotice(t("not_opened", { reason: refusalIn(thrown).reason }));
    }
  };
  return (
    <Part id="plans" card={false}>
      <div class="card">
        <div class="head">
          <h2 id="plans-title">{t("plans")}</h2>
          {mayControl && store.home.value && (
            <button type="button" onClick={() => void onTask({ list: "plans", mode: "new" })}>
              {t("plan_new")}
            </button>
          )}
        </div>
        <p class="answer edited" role="status">
          {notice}
        </p>
        {waiting.length > 0 && (
          <p class="soft">{t("plans_waiting", { count: waiting.length, names: waiting.join(", ") })}</p>
        )}
        {hint && <p class="soft">{t(hint)}</p>}
        <div class="plan-cards">
          {shown.map((plan) => (
            <PlanCard key={plan.id} plan={plan} mayControl={mayControl} onTask={(task) => void onTask(task)} />
          ))}
        </div>
      </div>
      <PlugsCard mayControl={mayControl} edits={edits} onTask={(task) => void onTask(task)} />
      {dialog}
    </Part>
  );
}

function hintOf(count: number, session: { signed_in: boolean; control: boolean } | null): TextName | null {
  if (count === 0) return "plans_none";
  if (session?.control) return null;
  return session?.signed_in ? "plans_read_only" : "plans_log_in";
}
