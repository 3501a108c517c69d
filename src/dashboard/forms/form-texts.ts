/** Label, description and options of a field in the language of the page. English falls back to the schema. */
export interface FieldText {
  readonly label: string;
  readonly about?: string;
  /** Texts by option. */
  readonly options?: Readonly<Record<string, string>>;
}

/** Texts by path of the field, for instance `plans[].hours`. */
export type FormTexts = Readonly<Record<string, FieldText>>;

/** The texts of a field. An item of a list is called as the list; keys of a message, such as `*.topic`, by their names. */
export function textOf(texts: FormTexts, path: string): FieldText | undefined {
  const item = path.endsWith("[]") ? texts[path.slice(0, -2)] : undefined;
  return texts[path] ?? (item && { label: item.label }) ?? texts[`*${path.slice(path.lastIndexOf("."))}`];
}

/** Text of an option, such as a level. */
export function optionText(texts: FieldText | undefined, option: string): string {
  return texts?.options?.[option] ?? plainName(option);
}

/** Returns the name of a key for people, for instance `Ready by` for `ready_by`. */
export function plainName(name: string): string {
  const words = name.replaceAll("_", " ").replace("[]", "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
