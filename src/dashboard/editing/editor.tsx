/** Dialogs that create, change, copy and delete plans and plugs. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../dialog.tsx";
import { Button, Wrong } from "../elements.tsx";
import { draftOf } from "../forms/drafts.ts";
import type { JsonObject } from "../forms/fields.ts";
import { SchemaForm, useSaving } from "../forms/schema-form.tsx";
import { type PageTools, usePage } from "../page.ts";
import type { EditAnswer } from "../store/answers.ts";
import { FoundPlugs } from "./announced-plugs.tsx";
import { doneText, draftName, type EditingTools, firstValue, loadEditing, reset, save, type Task } from "./editing.ts";
import { PlanPreview } from "./plan-preview.tsx";
import { PlanTemplates } from "./plan-templates.tsx";

interface EditorProps {
  readonly task: Task;
  readonly tools: EditingTools;
  /** `done` is the message after a change, and `id` that of the saved entry; null without a change. */
  readonly onClose: (done: string | null, id?: string) => void;
}

/** Returns the dialog of a task after its data is read. Rejects with a Refusal. */
export async function openEditor(
  task: Task,
  page: PageTools,
  onClose: EditorProps["onClose"],
): Promise<ComponentChildren> {
  const props = { task, tools: await loadEditing(task, page), onClose };
  return task.mode === "delete" ? <Deletion {...props} /> : <Editor {...props} />;
}

const FIRST = {
  plans: ["name", "kind", "hours", "kwh", "ready_by", "from", "cheap_below"],
  plugs: ["name", "family", "topic", "entity", "url", "channel", "plan"],
} as const;

const HTTP = "http://192.168.1.40";
const PLAN_EXAMPLES = {
  "plans[].cheap_below": "30%",
  "plans[].tolerance": "5 % latest",
  "plans[].after": "washer + 15m",
};
/** Examples of the fields of plugs by their family. */
const PLUG_EXAMPLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  shelly_gen1: { "plugs[].topic": "shellies/shellyplug-s-4A3F52", "plugs[].url": HTTP },
  ...Object.fromEntries(
    ["shelly_gen2", "shelly_gen3", "shelly_gen4"].map((family) => [
      family,
      { "plugs[].topic": "shellyplusplugs-a8032abe54dc", "plugs[].url": HTTP },
    ]),
  ),
  tasmota: { "plugs[].topic": "washer", "plugs[].url": HTTP },
  zigbee2mqtt: { "plugs[].topic": "Washer" },
  esphome: { "plugs[].topic": "washer" },
  homeassistant: { "plugs[].entity": "switch.washer" },
};

/** What the form starts with. */
interface Start {
  readonly value: JsonObject;
  /** Fields that a chosen template asks for. */
  readonly asks: readonly string[];
}

function Editor({ task, tools, onClose }: EditorProps) {
  const page = usePage();
  const [draft] = useState(() => draftOf(draftName(task)));
  const begun = draft ?? firstValue(task, tools, page);
  // Null while the user chooses a plug that announced itself, or what a plan is for.
  const [start, setStart] = useState<Start | null>(
    task.mode === "new" && !draft ? null : { value: begun, asks: FIRST[task.list] },
  );
  const begin = (chosen: JsonObject, asked: Start["asks"] | null) => {
    const [name = "", ...others] = asked ?? FIRST[task.list];
    const homes = task.list === "plans" && page.store.homes.value.length > 1 ? ["home"] : [];
    setStart({ value: { ...begun, ...chosen }, asks: [name, ...homes, ...others] });
  };
  const Chooser = task.list === "plugs" ? FoundPlugs : PlanTemplates;
  return (
    <Dialog title={titleOf(task, tools.e)} onClose={() => onClose(null)}>
      {!start && (
        <>
          <Chooser e={tools.e} onChoose={begin} />
          <div class="actions">
            <Button onClick={() => onClose(null)} text={page.t("cancel")} />
          </div>
        </>
      )}
      {task.mode === "edit" && tools.saved?.fixed !== null && <p class="note">{tools.e("fixed")}</p>}
      {draft && <p class="note">{page.t("draft")}</p>}
      {start && <EntryForm task={task} tools={tools} start={start} onClose={onClose} />}
    </Dialog>
  );
}

function EntryForm({ task, tools, start, onClose }: EditorProps & { readonly start: Start }) {
  const page = usePage();
  const { e, schema, texts, saved } = tools;
  const name = draftName(task);
  const [value, setValue] = useState(start.value);
  const { mistakes, save: send } = useSaving(name);
  const close = (named: string) => (edited: EditAnswer) => onClose(doneText(tools, task, named, edited), edited.id);
  return (
    <SchemaForm
      schema={schema}
      path={`${task.list}[]`}
      texts={texts}
      value={start.value}
      mistakes={mistakes}
      first={start.asks}
      isBrief={task.list === "plans"}
      secretsSet={task.mode === "edit" ? (saved?.secrets ?? []) : []}
      suggestions={suggestionsOf(page)}
      examples={{ ...PLAN_EXAMPLES, ...PLUG_EXAMPLES[String(value.family)] }}
      draft={name}
      onSubmit={(entry) => void send(save(task, saved, entry), close(String(entry.name)))}
      onCancel={() => onClose(null)}
      onChange={setValue}
      preview={
        task.list === "plans" && <PlanPreview e={e} draft={task.mode === "edit" ? { id: task.id, ...value } : value} />
      }
    >
      {task.mode === "edit" && saved?.overrides && (
        <Button class="quiet" onClick={() => void send(reset(task, saved), close(task.name))}>
          {page.t("as_in_file")}
        </Button>
      )}
    </SchemaForm>
  );
}

function titleOf(task: Task, e: EditingTools["e"]): string {
  const isPlan = task.list === "plans";
  if (task.mode === "new") return e(isPlan ? "new_plan" : "new_plug");
  const { mode, name } = task;
  if (mode === "copy") return e(isPlan ? "copy_plan" : "copy_plug", { name });
  return e(isPlan ? "edit_plan" : "edit_plug", { name });
}

/** Returns the known homes and plans, as options of the fields that name one. */
function suggestionsOf({ store }: PageTools) {
  const option = ({ id, name }: { readonly id: string; readonly name: string }) => ({ value: id, text: name });
  const homes = store.homes.value.map(option);
  const plans = (store.plans.value ?? []).map(option);
  return { "plans[].home": homes, "plugs[].home": homes, "plugs[].plan": plans, "plugs[].plan[]": plans };
}

function Deletion({ task, tools, onClose }: EditorProps) {
  const { e, plugs } = tools;
  const { store, t } = usePage();
  const { mistakes, save: send } = useSaving(draftName(task));
  if (task.mode !== "delete") return null;
  const { id, list, name } = task;
  const isPlan = list === "plans";
  const followers = isPlan
    ? [
        ...plugs.filter(({ plans }) => plans.includes(id)),
        ...(store.plans.value ?? []).filter(({ after }) => after === id),
      ]
    : [];
  const remove = () => send(save(task, null, null), (edited) => onClose(doneText(tools, task, name, edited)));
  return (
    <Dialog title={e(isPlan ? "delete_plan" : "delete_plug", { name })} onClose={() => onClose(null)}>
      <p>{e(isPlan ? "delete_plan_about" : "delete_plug_about")}</p>
      {followers.length > 0 && (
        <p class="note">{e("delete_followed", { names: followers.map((each) => each.name).join(", ") })}</p>
      )}
      <Wrong text={mistakes.map(({ text }) => text).join(" ")} />
      <div class="actions">
        <Button class="strong danger" disabled={followers.length > 0} onClick={() => void remove()}>
          {e("delete_yes")}
        </Button>
        <Button onClick={() => onClose(null)} text={t("cancel")} />
      </div>
    </Dialog>
  );
}
