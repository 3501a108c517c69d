/** Checks values by the schema. The daemon checks them again with further rules. */

import type { TextName } from "../words/language.ts";
import { numberMistake, readNumber } from "../words/number-text.ts";
import { readTime } from "../words/time-text.ts";
import { type Field, isEmpty, type Json, type JsonObject } from "./fields.ts";

/** A mistake with the key of its text. */
export interface FieldMistake {
  /** Path of the value, for instance `fallback[0]`. */
  readonly path: string;
  readonly key: TextName;
  readonly facts?: Readonly<Record<string, number>>;
}

/** Returns every mistake in a value. `place` is the path of the value in the form. */
export function mistakesIn(field: Field, value: Json | undefined, place: string): FieldMistake[] {
  const mistake = (key: TextName, facts: FieldMistake["facts"] = {}) => [{ path: place, key, facts }];
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
    case "number": {
      const wrong = numberMistake(value, field);
      return wrong ? mistake(wrong.key, wrong.facts) : [];
    }
    case "time":
      return readTime(String(value)) === value ? [] : mistake("form_time");
    // The daemon says what is expected of other values.
    default:
      return [];
  }
}

/** Returns whether a value has the type of a field and no mistakes. */
export function fits(field: Field, value: Json | undefined): boolean {
  if (field.kind === "list") return Array.isArray(value) && mistakesIn(field, value, "").length === 0;
  if (field.kind === "group") return typeof value === "object" && !Array.isArray(value);
  if (field.kind === "text") return typeof value === "string" && (field.pattern?.test(value) ?? true);
  if (field.kind === "choice") return typeof value === "string" && field.options.includes(value);
  if (field.kind === "time") return typeof value === "string";
  return mistakesIn(field, value, "").length === 0;
}

/** Returns the value of a text; undefined for an empty one. A text that does not fit the field stays a text. */
export function readText(field: Field, text: string): Json | undefined {
  if (field.kind === "time") return readTime(text) ?? text.trim();
  if (field.kind !== "number" && field.kind !== "scalar") return text;
  const number = readNumber(text);
  const isNumber = field.kind === "number" || field.forms.some((form) => form.kind === "number" && fits(form, number));
  return number !== null && isNumber ? number : text.trim() || undefined;
}

export function placeOf(place: string, name: string): string {
  return place === "" ? name : `${place}.${name}`;
}
