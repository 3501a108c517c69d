/** Functions that the settings and their dialogs share. */
import type { SavedSettings } from "../../api/settings.ts";
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

/** Response to a change: the keys that wait for a restart. */
export interface Edited {
  readonly restart: readonly string[];
}

/** Returns the sentence about a change of some keys that is saved. */
export function savedText(t: Translate<"system">, name: string, keys: readonly string[], { restart }: Edited): string {
  return t(restart.some((key) => keys.includes(key)) ? "setting_saved_waits" : "setting_saved", { name });
}
