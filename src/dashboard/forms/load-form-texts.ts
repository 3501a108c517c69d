/** Loads the texts of forms in the language of the page. */
import type { Language } from "../language.ts";
import type { FormTexts } from "./form-texts.ts";

const LOADERS: Readonly<Record<Language, () => Promise<{ readonly formTexts: FormTexts }>>> = {
  da: () => import("./texts-da.ts"),
  sv: () => import("./texts-sv.ts"),
  nb: () => import("./texts-nb.ts"),
  en: () => import("./texts-en.ts"),
};

export async function formTextsIn(language: Language): Promise<FormTexts> {
  return (await LOADERS[language]()).formTexts;
}
