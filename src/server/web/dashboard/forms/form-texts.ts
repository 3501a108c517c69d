/** Label, description and options of a field in the language of the page. English descriptions are in the schema. */
export interface FieldText {
  readonly label: string;
  readonly about?: string;
  /** Texts by option. */
  readonly options?: Readonly<Record<string, string>>;
}

/** Texts by path of the field, for instance `plans[].hours`. */
export type FormTexts = Readonly<Record<string, FieldText>>;

/** Returns the name of a key for people, for instance `Ready by` for `ready_by`. */
export function plainName(name: string): string {
  const words = name.replaceAll("_", " ").replace("[]", "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
