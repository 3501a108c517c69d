/** Part with the plans of a home, and with all plugs. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Task } from "../editing/editing.ts";
import { Part } from "../elements.tsx";
import type { TextName } from "../language.ts";
import { usePage } from "../page.ts";
import { refusalIn } from "../requests.ts";
import { addressOf, route } from "../route.ts";
import { NO_PRICES } from "../timeline.ts";
import { AwayForm } from "./away-form.tsx";
import { PlanRow } from "./plan-row.tsx";
import { PlugsCard } from "./plugs-card.tsx";
import { ribbonRange, shadesOf } from "./ribbon.ts";
import { RibbonAxis } from "./ribbon-view.tsx";
import { RunOnce } from "./run-once.tsx";

export function PlansView() {
  const page = usePage();
  const { t, f, store } = page;
  // The open dialog, the result of the last one, and the number of changes.
  const [dialog, setDialog] = useState<ComponentChildren>(null);
  const [notice, setNotice] = useState("");
  const [edits, setEdits] = useState(0);
  const [form, setForm] = useState<"once" | "away" | null>(null);
  const open = route.value.view === "plans" ? route.value.entry : null;
  const session = store.session.value;
  const plans = store.plans.value ?? [];
  const shown = plans.filter((plan) => plan.home === store.home.value?.id);
  const waiting = store.waitingPlans.value;
  const hint = hintOf(shown.length + waiting.length, session);
  const mayControl = session?.control === true;
  const closed = (done: string | null) => {
    setDialog(null);
    if (done === null) return;
    setNotice(done);
    setEdits((count) => count + 1);
    void store.readPlans();
    void store.readSystem();
  };
  const formClosed = (done: string | null) => {
    setForm(null);
    closed(done);
  };
  const formButton = (name: "once" | "away") => (
    <button type="button" aria-expanded={form === name} onClick={() => setForm(form === name ? null : name)}>
      {t(name)}
    </button>
  );
  const onTask = async (task: Task) => {
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
  const prices = store.prices.value ?? NO_PRICES;
  const time = store.time.value;
  const look = useMemo(() => {
    const range = ribbonRange(prices.points, time, f.calendar);
    return { range, shades: shadesOf(prices.points, range) };
  }, [prices, time]);
  const home = store.home.value;
  return (
    <Part id="plans" card={false}>
      <div class="card plans-card">
        <div class="head">
          <h2 id="plans-title">{t("plans")}</h2>
          {mayControl && home && (
            <div class="actions">
              {shown.length > 0 && formButton("away")}
              {formButton("once")}
              <button type="button" onClick={() => void onTask({ list: "plans", mode: "new" })}>
                {t("plan_new")}
              </button>
            </div>
          )}
        </div>
        <p class="answer edited" role="status">
          {notice}
        </p>
        {form === "once" && home && <RunOnce home={home.id} onClose={formClosed} />}
        {form === "away" && home && <AwayForm home={home.id} onClose={formClosed} />}
        {waiting.length > 0 && (
          <p class="soft">{t("plans_waiting", { count: waiting.length, names: waiting.join(", ") })}</p>
        )}
        {hint && <p class="soft">{t(hint)}</p>}
        {shown.length > 0 && <RibbonAxis range={look.range} />}
        <div class="plan-rows">
          {shown.map((plan) => (
            <PlanRow
              key={plan.id}
              plan={plan}
              look={look}
              mayControl={mayControl}
              isOpen={open === plan.id}
              onOpen={(isOpen) => showEntry(isOpen ? plan.id : null)}
              onTask={(task) => void onTask(task)}
            />
          ))}
        </div>
      </div>
      <PlugsCard mayControl={mayControl} edits={edits} onTask={(task) => void onTask(task)} />
      {dialog}
    </Part>
  );
}

/** Names the open plan in the address, so that links and the back button open it. */
function showEntry(id: string | null): void {
  location.hash = id === null ? addressOf("plans") : addressOf("plans", id);
}

function hintOf(count: number, session: { signed_in: boolean; control: boolean } | null): TextName | null {
  if (count === 0) return "plans_none";
  if (session?.control) return null;
  return session?.signed_in ? "plans_read_only" : "plans_log_in";
}
