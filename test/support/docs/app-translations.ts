/** Generates the translations of the Home Assistant app: its sections from its own texts, the fields from those of the page's forms. */
import { stringify } from "yaml";
import type { Language } from "../../../src/core/language/language.ts";
import { allTexts } from "../sources/all-texts.ts";
import { type AppElement, appSchema } from "./app-schema.ts";

interface Field {
  readonly name: string;
  readonly description?: string;
  readonly fields?: Readonly<Record<string, Field>>;
}

type FieldTexts = Readonly<Record<string, { readonly label?: string; readonly about?: string }>>;

/** Returns the translation file of a language. */
export function appTranslationText(language: Language): string {
  const { app, forms } = allTexts[language];
  const { network, ...sections } = app;
  const schema = appSchema();
  const configuration = Object.entries(sections).map(([section, { label, about }]) => {
    const fields = fieldsOf(schema[section] ?? {}, section, forms);
    return [section, { name: label, description: about, ...(Object.keys(fields).length > 0 ? { fields } : {}) }];
  });
  const document = { configuration: Object.fromEntries(configuration), network: { "8080/tcp": network } };
  return stringify(document, { lineWidth: 0 });
}

/** Returns the fields that have a text. The form shows the key of the others. */
function fieldsOf(element: AppElement, path: string, texts: FieldTexts): Record<string, Field> {
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
