/** Context of the fields of a form. */
import { requiredContext } from "../context.ts";
import type { Option } from "../elements.tsx";
import type { FormTexts } from "./form-texts.ts";

export interface FormOptions {
  /** Prefix of the ids of its elements. */
  readonly id: string;
  readonly texts: FormTexts;
  /** Known values by path of the field. */
  readonly suggestions: Readonly<Record<string, readonly Option[]>>;
  /** Examples by path of the field, shown while it is empty. */
  readonly examples: Readonly<Record<string, string>>;
  /** Names of secrets that are set and not shown; an empty field keeps them. */
  readonly secretsSet: readonly string[];
  /** Returns the mistake at a path; undefined without a mistake. */
  readonly mistakeAt: (place: string) => ShownMistake | undefined;
  /** Called when a changed input loses the focus. */
  readonly onEdited: (place: string) => void;
}

export interface ShownMistake {
  readonly text: string;
  /** Language of a text that is not in the language of the page. */
  readonly lang?: "en" | undefined;
}

export const [FormContext, useForm] = requiredContext<FormOptions>("form");
