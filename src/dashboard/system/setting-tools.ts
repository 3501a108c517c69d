/** What the settings and their forms share. */
import type { AnswerOf } from "../../api/calls.ts";
import type { SavedSetting, SavedSettings } from "../../api/settings/settings.ts";
import { type Json, type JsonObject, type JsonSchema, schemaOfKeys } from "../forms/fields.ts";
import type { FormTexts } from "../forms/form-texts.ts";
import type { EditAnswer } from "../store/answers.ts";
import type { Translate } from "../words/language.ts";

export type SettingTools = { readonly saved: SavedSettings; readonly texts: FormTexts };

type SavedKey = SavedSetting["keys"][number];
type Texts = Translate<"system">;

/** Returns the schema of the form of some keys of the configuration, and its values. */
export function formOf(keys: readonly SavedKey[], schema: JsonSchema) {
  const values = keys.flatMap(({ key, value }) => (value === null ? [] : [[key, value as Json] as const]));
  const names = keys.map(({ key }) => key);
  return { schema: schemaOfKeys(schema, names), value: Object.fromEntries(values) as JsonObject };
}

/** Returns what differs from the saved keys. A secret whose field is empty stays. */
export function changesOf(keys: readonly SavedKey[], value: JsonObject): JsonObject {
  const changes = keys.flatMap(({ key, value: before, is_secret }) => {
    const { [key]: typed } = value;
    const now = typeof typed === "string" ? typed.trim() || null : typed;
    const isSame = is_secret ? now === undefined : JSON.stringify(now ?? null) === JSON.stringify(before);
    return isSame ? [] : [[key, now ?? null] as const];
  });
  return Object.fromEntries(changes);
}

/** Returns the sentence about a change of some keys that is saved. */
export function savedText(t: Texts, name: string, keys: readonly string[], edited: EditAnswer): string {
  const waits = edited.restart.some((key) => keys.includes(key));
  return [t(waits ? "setting_saved_waits" : "setting_saved", { name }), edited.note ?? []].flat().join(" ");
}

type Trial = AnswerOf<"POST /local/v1/settings/:connection/test">;

/** Returns the result of a test of a connection, with the detail of a failure that has a text of its own. */
export function trialText(t: Texts, name: string, { works, problem, detail }: Trial, technical: string): string {
  if (works) return t("connection_works");
  const why = `trial_${name}_${problem}`;
  return t.has(why) ? withDetail(t(why), detail, technical) : t("connection_fails", { why: detail ?? "" });
}

export function withDetail(text: string, detail: string | null, technical: string): string {
  return detail === null ? text : `${text} ${technical}: ${detail}`;
}
