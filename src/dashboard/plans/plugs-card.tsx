/** Card of the plugs, with state and source of each, and buttons to test and edit it. */
import { useEffect, useState } from "preact/hooks";
import { useArrival } from "../arrival.ts";
import type { Task } from "../editing/editing.ts";
import { Answer, Button } from "../elements.tsx";
import { type PageTools, usePage } from "../page.ts";
import type { ListedPlug } from "../store/answers.ts";
import { call, refusalIn } from "../store/requests.ts";
import { EntryButtons } from "./entry-buttons.tsx";
import { plugState, refusalText } from "./plan-words.ts";

interface PlugsCardProps {
  readonly mayControl: boolean;
  /** Number of edits. A change reads the plugs again. */
  readonly edits: number;
  readonly onTask: (task: Task) => void;
}

export function PlugsCard({ mayControl, edits, onTask }: PlugsCardProps) {
  const { t, store } = usePage();
  const [plugs, setPlugs] = useState<readonly ListedPlug[] | null>(null);
  const place = useArrival("plugs");
  // Reads the plugs again when their state in the system report changes.
  const state = JSON.stringify(store.system.value?.plugs ?? null);
  useEffect(() => {
    call("GET /local/v1/plugs", {}).then(
      (answer) => setPlugs(answer.plugs),
      (thrown: unknown) => void refusalIn(thrown),
    );
  }, [state, edits]);
  if (!plugs || (plugs.length === 0 && !mayControl)) return null;
  return (
    <section class="card" aria-labelledby="plugs-title" ref={place}>
      <div class="head">
        <h2 id="plugs-title">{t("plugs")}</h2>
        {mayControl && <Button onClick={() => onTask({ list: "plugs", mode: "new" })} text={t("plug_new")} />}
      </div>
      {plugs.length === 0 && <p class="soft">{t("plugs_none")}</p>}
      <div class="plug-rows">
        {plugs.map((plug) => (
          <PlugRow key={plug.id} plug={plug} mayControl={mayControl} onTask={onTask} />
        ))}
      </div>
    </section>
  );
}

function PlugRow({
  plug,
  mayControl,
  onTask,
}: Readonly<{ plug: ListedPlug; mayControl: boolean; onTask: (task: Task) => void }>) {
  const page = usePage();
  const { t, f } = page;
  const { id, name } = plug;
  const [answer, setAnswer] = useState("");
  const title = `plug-${id}`;
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
    <article class="plug" aria-labelledby={title} ref={useArrival(title)}>
      <div class="plug-head">
        <h3 id={title}>{name}</h3>
        <span class={`state plug-state${plug.on ? " on" : ""}`}>{stateText(plug, page)}</span>
      </div>
      <p class="soft">{followed(plug, page)}</p>
      {plug.month && <p class="soft">{measuredWords(plug.month, page)}</p>}
      {mayControl && (
        <div class="actions">
          <Button aria-describedby={title} onClick={() => void tryOut()} text={t("plug_try")} />
          <EntryButtons list="plugs" id={id} name={name} title={title} onTask={onTask} />
        </div>
      )}
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
