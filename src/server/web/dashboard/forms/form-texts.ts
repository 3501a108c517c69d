/** Labels, descriptions and options of fields in the language of the page; English comes from the schema. */
export interface FieldText {
  readonly label: string;
  readonly about?: string;
  /** Texts of its options. */
  readonly options?: Readonly<Record<string, string>>;
}

/** By path of the field, as in `plans[].hours`. */
export type FormTexts = Readonly<Record<string, FieldText>>;

/** `ready_by` as `Ready by`. */
export function plainName(name: string): string {
  const words = name.replaceAll("_", " ").replace("[]", "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
