/** Card of the plugs: a row for each with its state, power, energy and source, and a menu to test and edit it. */
import { useState } from "preact/hooks";
import { useArrival } from "../arrival.ts";
import type { Task } from "../editing/editing.ts";
import { Answer, Button, Icon } from "../elements.tsx";
import { type PageTools, usePage } from "../page.ts";
import type { ListedPlug } from "../store/answers.ts";
import { call, refusalIn } from "../store/requests.ts";
import { useRead } from "../store/use-read.ts";
import { ENTRY_MODES } from "./entry-buttons.tsx";
import { PlanIcon } from "./plan-icon.tsx";
import { plugState, refusalText } from "./plan-words.ts";

/** Changes of `edits` read the plugs again. */
export function PlugsCard({ edits, onTask }: Readonly<{ edits: number; onTask: (task: Task) => void }>) {
  const { t, store } = usePage();
  const place = useArrival("plugs");
  // Also after their state in the system report has changed.
  const plugs = useRead("GET /local/v1/plugs", {}, JSON.stringify([store.system.value?.plugs, edits]))?.plugs;
  if (!plugs || (plugs.length === 0 && !store.mayControl.value)) return null;
  return (
    <section class="card" aria-labelledby="plugs-title" ref={place}>
      <div class="head">
        <h2 id="plugs-title">{t("plugs")}</h2>
        {store.mayControl.value && (
          <Button onClick={() => onTask({ list: "plugs", mode: "new" })} text={t("plug_new")} />
        )}
      </div>
      {plugs.length === 0 && <p class="soft">{t("plugs_none")}</p>}
      <div class="plug-rows">
        {plugs.map((plug) => (
          <PlugRow key={plug.id} plug={plug} onTask={onTask} />
        ))}
      </div>
    </section>
  );
}

function PlugRow({ plug, onTask }: Readonly<{ plug: ListedPlug; onTask: (task: Task) => void }>) {
  const page = usePage();
  const { t, f, store } = page;
  const { id, name, on, plans, month, today_kwh: kwh } = plug;
  const [answer, setAnswer] = useState("");
  const title = `plug-${id}`;
  const plan = store.plans.value?.find((each) => plans.length === 1 && each.id === plans[0]);
  const tryOut = async () => {
    setAnswer(t("sending"));
    try {
      const { until } = await call("POST /local/v1/plugs/:plug/test", { plug: id });
      setAnswer(t("plug_tried", { time: f.time(Date.parse(until)) }));
    } catch (thrown) {
      // The daemon answers in the language of the page.
      setAnswer(refusalText(refusalIn(thrown), t));
    }
  };
  return (
    <article class="plan plug" aria-labelledby={title} ref={useArrival(title)}>
      <div class="plan-line">
        <h3 class="plan-title plan-open">
          <PlanIcon plan={{ id: plan?.id ?? "", icon: plan?.icon ?? "plug", on: on === true }} />
          <span id={title} class="plan-name">
            {name}
          </span>
        </h3>
        <p class="plan-when">
          <span class={plugState(plug) === "plug_away" ? "wrong" : on ? "headline" : ""}>{stateText(plug, page)}</span>
        </p>
        <p class="plan-price number">{kwh !== undefined && t("plug_today", { kwh: f.energy(kwh) })}</p>
        <p class="plug-about">
          {followed(plug, page)}
          {month && ` · ${measuredWords(month, page)}`}
        </p>
        {store.mayControl.value && (
          <Menu
            id={`${title}-menu`}
            label={t("actions_for", { name })}
            items={[
              { text: t("plug_try"), onChoose: () => void tryOut() },
              ...ENTRY_MODES.map((mode) => ({
                text: t(`plan_${mode}`),
                onChoose: () => onTask({ list: "plugs", mode, id, name }),
              })),
            ]}
          />
        )}
      </div>
      <Answer text={answer} />
    </article>
  );
}

/** Returns the state, and the power that the plug measures now. */
function stateText(plug: ListedPlug, { t, f }: PageTools): string {
  const power = typeof plug.watts === "number" ? ` · ${f.number(plug.watts, 0)}\u00A0W` : "";
  return `${t(plugState(plug))}${power}`;
}

/** Returns the energy and the cost of the month. */
function measuredWords({ kwh, cost, currency }: NonNullable<ListedPlug["month"]>, { t, f }: PageTools) {
  const money = cost === null ? "" : `, ${f.money(cost, currency)}`;
  return t("plug_measured", { month: `${f.energy(kwh)}${money}` });
}

function followed({ plans, home, signal_topic: topic }: ListedPlug, { t, store }: PageTools): string {
  const nameOf = (list: readonly { readonly id: string; readonly name: string }[], id: string) =>
    list.find((each) => each.id === id)?.name ?? id;
  if (topic !== null) return t("plug_follows_topic", { name: topic });
  if (home !== null) return t("plug_follows_cheap", { name: nameOf(store.homes.value, home) });
  return t("plug_follows", { names: plans.map((id) => nameOf(store.plans.value ?? [], id)).join(", ") });
}

const DOTS = "M12 5v.01M12 12v.01M12 19v.01";

interface MenuProps {
  readonly id: string;
  readonly label: string;
  readonly items: readonly { readonly text: string; readonly onChoose: () => void }[];
}

function Menu({ id, label, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="menu">
      <Button class="quiet" popovertarget={id} aria-expanded={isOpen} aria-label={label}>
        <Icon path={DOTS} />
      </Button>
      <div id={id} popover="auto" onToggle={({ newState }) => setOpen(newState === "open")}>
        {items.map(({ text, onChoose }) => (
          <Button key={text} popovertarget={id} popovertargetaction="hide" onClick={onChoose} text={text} />
        ))}
      </div>
    </div>
  );
}
