/** The language of the page: the browser's if the page has it, or the one that was chosen on the page. */
import { type Language, languageOfTag } from "../../core/language/language.ts";
import { type DashboardSubject, type Facts, fillText, type Pattern, type Texts } from "../../core/text/fill-text.ts";
import { languageNames } from "../../i18n/languages.ts";
import { getFile } from "../store/requests.ts";

/** Parts of the texts, each in a file of its own. `page` is for the first view, the others are loaded with their views. */
type TextPart = DashboardSubject;
export type TextName<Part extends TextPart = "page"> = keyof Texts[Part] & string;

/** Returns a text of a part, with its facts. */
export interface Translate<Part extends TextPart = "page"> {
  (name: TextName<Part>, facts?: Facts): string;
  readonly has: (name: string) => name is TextName<Part>;
  readonly language: Language;
}

export const languageOptions = Object.entries(languageNames).map(([value, text]) => ({ value, text, lang: value }));

/** Returns the chosen language, or else the first of the browser's languages that the page has; English by default. */
export function languageFor(wanted: readonly string[], chosen: string | null): Language {
  for (const tag of [...(chosen === null ? [] : [chosen]), ...wanted]) {
    const language = languageOfTag(tag);
    if (language) return language;
  }
  return "en";
}

/** Loads the texts of a part. The build and the development server make its file from `src/i18n`. */
export function textsOf<Part extends TextPart>(part: Part, language: Language): Promise<Texts[Part]> {
  const here = import.meta.url;
  return getFile(new URL(`texts-${language}-${part}.json`, here).href);
}

/** Loads the texts of a part, and returns the function that looks them up. */
export async function translateIn<Part extends Exclude<TextPart, "forms">>(
  part: Part,
  language: Language,
): Promise<Translate<Part>> {
  return translator<Part>(await textsOf(part, language), language);
}

/** Returns the function that looks up texts of a part. */
export function translator<Part extends TextPart>(texts: Texts[Part], language: Language): Translate<Part> {
  const patterns = texts as Readonly<Record<string, Pattern>>;
  const translate = (name: string, facts?: Facts) => fillText(language, patterns[name] ?? "", facts);
  const has = (name: string): name is TextName<Part> => Object.hasOwn(patterns, name);
  return Object.assign(translate, { has, language });
}
