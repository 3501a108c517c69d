/** Functions that the settings and their dialogs share. */
import type { SavedSettings } from "../../api/settings.ts";
import type { JsonSchema } from "../forms/fields.ts";
import { type FormTexts, plainName } from "../forms/form-texts.ts";

export interface SettingTools {
  readonly saved: SavedSettings;
  readonly schema: JsonSchema;
  readonly texts: FormTexts;
}

export function labelOf(texts: FormTexts, path: string): string {
  return texts[path]?.label ?? plainName(path.slice(path.lastIndexOf(".") + 1));
}
