/** Checks values by the schema. The daemon checks them again with further rules. */
import type { WordKey } from "../language.ts";
import { type Field, isEmpty, type Json, type JsonObject } from "./fields.ts";

/** A mistake with the key of its text. */
export interface FieldMistake {
  /** Path of the value, for instance `fallback[0]`. */
  readonly path: string;
  readonly key: WordKey;
  readonly facts?: Readonly<Record<string, string | number>>;
}

/** Returns every mistake in a value. `place` is the path of the value in the form. */
export function mistakesIn(field: Field, value: Json | undefined, place: string): FieldMistake[] {
  const mistake = (key: WordKey, facts: FieldMistake["facts"] = {}) => [{ path: place, key, facts }];
  if (field.kind === "choices" && Array.isArray(value) && value.length < field.least) return mistake("form_required");
  if (isEmpty(value)) return field.isRequired ? mistake("form_required") : [];
  switch (field.kind) {
    case "group": {
      const group = (value ?? {}) as JsonObject;
      return field.fields.flatMap((each) => mistakesIn(each, group[each.name], placeOf(place, each.name)));
    }
    case "list": {
      const items = Array.isArray(value) ? (value as readonly Json[]) : [];
      return items.flatMap((item, i) => mistakesIn(field.item, item, `${place}[${i}]`));
    }
    case "scalar":
    case "one-of":
      return field.forms.some((form) => fits(form, value)) ? [] : mistake("form_wrong");
    case "number":
      if (typeof value !== "number" || Number.isNaN(value)) return mistake("form_number");
      if (field.isWhole && !Number.isInteger(value)) return mistake("form_whole");
      if (field.min !== null && value < field.min) return mistake("form_least", { least: field.min });
      if (field.max !== null && value > field.max) return mistake("form_most", { most: field.max });
      return [];
    case "text":
      return typeof value === "string" && (field.pattern?.test(value) ?? true) ? [] : mistake("form_wrong");
    case "time":
      return typeof value === "string" ? [] : mistake("form_wrong");
    case "choice":
      return typeof value === "string" && field.options.includes(value) ? [] : mistake("form_wrong");
    case "choices":
    case "yes-no":
      return [];
  }
}

/** Returns whether a value has the type of a field and no mistakes. */
export function fits(field: Field, value: Json | undefined): boolean {
  if (field.kind === "list") return Array.isArray(value) && mistakesIn(field, value, "").length === 0;
  if (field.kind === "group") return typeof value === "object" && !Array.isArray(value);
  return mistakesIn(field, value, "").length === 0;
}

/** Reads a text as a number if a form allows it. Returns any other text trimmed. */
export function readScalar(forms: readonly Field[], text: string): Json | undefined {
  const number = readNumber(text);
  const isNumber = forms.some((form) => form.kind === "number" && fits(form, number));
  return isNumber || number === undefined ? number : text.trim();
}

/** Reads a number with a point or a comma. Returns any other text unchanged; undefined if it is empty. */
export function readNumber(text: string): number | string | undefined {
  if (text.trim() === "") return undefined;
  const number = Number(text.replace(",", "."));
  return Number.isNaN(number) ? text : number;
}

export function placeOf(place: string, name: string): string {
  return place === "" ? name : `${place}.${name}`;
}
