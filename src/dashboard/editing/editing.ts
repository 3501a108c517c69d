/** Reads, saves and deletes entries of the configuration for the dialogs. */
import type { AnswerOf } from "../../api/calls.ts";
import type { Json, JsonObject, JsonSchema } from "../forms/fields.ts";
import { configurationSchema, type FormTexts, formTextsIn } from "../forms/form-texts.ts";
import type { PageTools } from "../page.ts";
import type { EditAnswer, ListedPlug } from "../store/answers.ts";
import { call } from "../store/requests.ts";
import { type Translate, translateIn } from "../words/language.ts";

/** Task of a dialog. `id` and `name` are those of the edited, copied or deleted entry. */
export type Task =
  | { readonly list: "plans" | "plugs"; readonly mode: "new" }
  | {
      readonly list: "plans" | "plugs";
      readonly mode: "edit" | "copy" | "delete";
      readonly id: string;
      readonly name: string;
    };

type SavedEntry = AnswerOf<"GET /local/v1/plans/:plan/configuration"> & { readonly entry: JsonObject };

export interface EditingTools {
  readonly e: Translate<"editing">;
  readonly texts: FormTexts;
  /** Schema of an entry of the list. */
  readonly schema: JsonSchema;
  readonly plugs: readonly ListedPlug[];
  /** Saved entry; null for a new one and for a deletion. */
  readonly saved: SavedEntry | null;
}

const NO_SCHEMA: JsonSchema = {};

/** Reads everything that the dialog of a task needs. Rejects with a Refusal. */
export async function loadEditing(task: Task, { t: { language } }: PageTools): Promise<EditingTools> {
  const known = task.mode === "edit" || task.mode === "copy";
  const [e, texts, schema, { plugs }, saved] = await Promise.all([
    translateIn("editing", language),
    formTextsIn(language),
    configurationSchema(),
    call("GET /local/v1/plugs", {}),
    known ? (call(`GET /local/v1/${pathOf(task)}/configuration`, paramsOf(task)) as Promise<SavedEntry>) : null,
  ]);
  return { e, texts, schema: schema.properties?.[task.list]?.items ?? NO_SCHEMA, plugs, saved };
}

type KnownEntry = Exclude<Task, { readonly mode: "new" }>;

function pathOf({ list }: KnownEntry) {
  return list === "plans" ? "plans/:plan" : "plugs/:plug";
}

function paramsOf({ list, id }: KnownEntry) {
  return list === "plans" ? { plan: id } : { plug: id };
}

/** Creates, changes or deletes an entry. Rejects with a Refusal. */
export function save(task: Task, saved: SavedEntry | null, entry: JsonObject | null): Promise<EditAnswer> {
  const body = entry ?? {};
  if (task.mode === "delete") return call(`DELETE /local/v1/${pathOf(task)}`, paramsOf(task));
  const { revision } = saved ?? {};
  if (task.mode === "edit") return call(`PUT /local/v1/${pathOf(task)}`, paramsOf(task), { body, revision });
  // The other answer is that of a plan that runs once, which no form makes.
  return call(`POST /local/v1/${task.list}`, {}, { body }) as Promise<EditAnswer>;
}

/** Makes an entry as in the owner's file again. Rejects with a Refusal. */
export function reset(task: Extract<Task, { readonly id: string }>, { revision }: SavedEntry): Promise<EditAnswer> {
  return call(`DELETE /local/v1/${pathOf(task)}/configuration`, paramsOf(task), { revision });
}

/** Name under which the entries of a form are kept. */
export function draftName(task: Task): string {
  return [task.list, task.mode, ...(task.mode === "new" ? [] : [task.id])].join("-");
}

/** Returns the first value of the form. A copy has a new name and no id. */
export function firstValue(task: Task, { saved, e }: EditingTools, { store }: PageTools): JsonObject {
  if (saved && task.mode === "copy") {
    const { id: _, ...entry } = saved.entry;
    return { ...entry, name: e("copy_name", { name: task.name }) };
  }
  if (saved) return saved.entry;
  const home: Json = store.home.value?.id ?? "";
  return task.list === "plans" ? { home, kind: "window", hours: 2 } : {};
}

/** Returns the message after a change. */
export function doneText({ e, texts }: EditingTools, task: Task, name: string, { restart, note }: EditAnswer): string {
  const parts = [e(task.mode === "delete" ? "deleted" : "saved", { name })];
  if (restart.length > 0) parts.push(e("restart", { keys: restart.map((key) => texts[key]?.label ?? key).join(", ") }));
  if (note !== null) parts.push(note);
  if (task.list === "plugs" && task.mode === "new") parts.push(e("plug_test_it"));
  return parts.join(" ");
}
