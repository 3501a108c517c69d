/** Functions that the settings and their dialogs share. */
import type { SavedSettings } from "../../api/settings.ts";
import type { Edited } from "../answers.ts";
import type { JsonSchema } from "../forms/fields.ts";
import { type FormTexts, plainName } from "../forms/form-texts.ts";
import type { Translate } from "../language.ts";

export interface SettingTools {
  readonly saved: SavedSettings;
  readonly schema: JsonSchema;
  readonly texts: FormTexts;
}

export function labelOf(texts: FormTexts, path: string): string {
  return texts[path]?.label ?? plainName(path.slice(path.lastIndexOf(".") + 1));
}

/** Returns the sentence about a change of some keys that is saved. */
export function savedText(t: Translate<"system">, name: string, keys: readonly string[], edited: Edited): string {
  const waits = edited.restart.some((key) => keys.includes(key));
  return [t(waits ? "setting_saved_waits" : "setting_saved", { name }), edited.note ?? []].flat().join(" ");
}
