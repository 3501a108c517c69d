/**
 * Generates the nested fields of the Home Assistant app's translations from the texts of the page's forms. Names and
 * explanations of the sections are written in the files themselves.
 */
import { parseDocument } from "yaml";
import { allTexts } from "../sources/all-texts.ts";
import { type AppElement, appSchema } from "./app-schema.ts";

interface Field {
  readonly name: string;
  readonly description?: string;
  readonly fields?: Readonly<Record<string, Field>>;
}

type FormTexts = Readonly<Record<string, { readonly label?: string; readonly about?: string }>>;

/** Returns the text of a translation file with its fields. */
export function appTranslationText(text: string, language: keyof typeof allTexts): string {
  const document = parseDocument(text);
  const texts = allTexts[language].forms as FormTexts;
  for (const [section, element] of Object.entries(appSchema())) {
    const fields = fieldsOf(element, section, texts);
    if (Object.keys(fields).length > 0) document.setIn(["configuration", section, "fields"], fields);
  }
  return document.toString({ lineWidth: 0 });
}

/** Returns the fields that have a text. The form shows the key of the others. */
function fieldsOf(element: AppElement, path: string, texts: FormTexts): Record<string, Field> {
  if (Array.isArray(element)) return fieldsOf(element[0], `${path}[]`, texts);
  if (typeof element === "string") return {};
  return Object.fromEntries(
    Object.entries(element).flatMap(([key, below]) => {
      const { label, about } = texts[`${path}.${key}`] ?? {};
      if (label === undefined) return [];
      const fields = fieldsOf(below, `${path}.${key}`, texts);
      const more = Object.keys(fields).length > 0 ? { fields } : {};
      return [[key, { name: label, ...(about ? { description: about } : {}), ...more }]];
    }),
  );
}
