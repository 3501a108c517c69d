/** What every field of a form uses. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { FormTexts } from "./form-texts.ts";

export interface FormOptions {
  /** Begins the ids of its elements. */
  readonly id: string;
  readonly texts: FormTexts;
  /** Known values by path of the field. */
  readonly suggestions: Readonly<Record<string, readonly { readonly value: string; readonly text: string }[]>>;
  /** Names of secrets that are set and not shown; an empty field keeps them. */
  readonly secretsSet: readonly string[];
  /** The mistake at a place in the value, if there is one. */
  readonly mistakeAt: (place: string) => ShownMistake | undefined;
}

export interface ShownMistake {
  readonly text: string;
  /** What the daemon says is English. */
  readonly lang?: "en" | undefined;
}

export const FormContext = createContext<FormOptions | null>(null);

export function useForm(): FormOptions {
  const form = useContext(FormContext);
  if (!form) throw new Error("a field outside of a form");
  return form;
}
