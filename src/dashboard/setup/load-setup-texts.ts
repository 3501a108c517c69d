/** Loads the texts of the set-up. */
import { type Language, type TranslateOf, translator } from "../language.ts";
import type { SetupTexts } from "./texts-en.ts";

export type SetupTranslate = TranslateOf<keyof SetupTexts>;

const LOADERS: Readonly<Record<Language, () => Promise<{ readonly texts: SetupTexts }>>> = {
  da: () => import("./texts-da.ts"),
  sv: () => import("./texts-sv.ts"),
  nb: () => import("./texts-nb.ts"),
  en: () => import("./texts-en.ts"),
};

export async function setupTextsIn(language: Language): Promise<SetupTranslate> {
  return translator((await LOADERS[language]()).texts, language);
}
