/** Loads the texts of the dialogs in which plans and plugs are edited. */
import { type Language, type TranslateOf, translator } from "../language.ts";
import type { EditingTexts } from "./texts-en.ts";

export type EditingTranslate = TranslateOf<keyof EditingTexts>;

const LOADERS: Readonly<Record<Language, () => Promise<{ readonly texts: EditingTexts }>>> = {
  da: () => import("./texts-da.ts"),
  sv: () => import("./texts-sv.ts"),
  nb: () => import("./texts-nb.ts"),
  en: () => import("./texts-en.ts"),
};

export async function editingTextsIn(language: Language): Promise<EditingTranslate> {
  return translator((await LOADERS[language]()).texts, language);
}
