/** Texts of the fields of forms. */

import type { Language } from "../../core/language/language.ts";
import { languageNames } from "../../i18n/languages.ts";
import { call } from "../store/requests.ts";
import { textsOf } from "../words/language.ts";
import type { JsonSchema } from "./fields.ts";

/** Label, description and options of a field in the language of the page. English falls back to the schema. */
export interface FieldText {
  readonly label: string;
  readonly about?: string;
  /** Texts by option. */
  readonly options?: Readonly<Record<string, string>>;
}

/** Texts by path of the field, for instance `plans[].hours`. */
export type FormTexts = Readonly<Record<string, FieldText>>;

/** Loads the texts of forms. The names of languages are the same in each. */
export async function formTextsIn(language: Language): Promise<FormTexts> {
  const texts = await textsOf("forms", language);
  const named = (field: FieldText) => ({ ...field, options: languageNames });
  return { ...texts, language: named(texts.language), "notify.language": named(texts["notify.language"]) };
}

export function labelOf(texts: FormTexts, path: string): string {
  return textOf(texts, path)?.label ?? plainName(path.slice(path.lastIndexOf(".") + 1));
}

/** Returns a sentence in which keys of the configuration, such as `mqtt.username` or `ready_by`, are labels of the form. */
export function inWords(texts: FormTexts, text: string, form = ""): string {
  return text.replace(/\b[a-z]+(?:[._][a-z]+)+\b/g, (key) => {
    const own = texts[key] ?? texts[`${form}.${key}`];
    return own ? `“${own.label}”` : key;
  });
}

/** Returns the schema of the configuration. */
export async function configurationSchema(): Promise<JsonSchema> {
  return call("GET /local/v1/configuration/schema", {});
}

/** The texts of a field. An item of a list is called as the list; keys of a message, such as `*.topic` or `*.power.topic`, by their names. */
export function textOf(texts: FormTexts, path: string): FieldText | undefined {
  const list = path.endsWith("[]") ? textOf(texts, path.slice(0, -2)) : undefined;
  const names = path.split(".");
  const byName = texts[`*.${names.slice(-2).join(".")}`] ?? texts[`*.${names.at(-1)}`];
  return texts[path] ?? (list && { label: list.label }) ?? byName;
}

/** Text of an option, such as a level. A unit such as `kWh` has capitals of its own. */
export function optionText(texts: FieldText | undefined, option: string): string {
  return texts?.options?.[option] ?? (/[A-Z]/.test(option) ? option : plainName(option));
}

/** Returns the name of a key for people, for instance `Ready by` for `ready_by`. */
export function plainName(name: string): string {
  const words = name.replaceAll("_", " ").replace("[]", "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
