/** The form of values in JSON, the same over MQTT and HTTP: names with underscores, formatted instants, rounded figures. */
import { formatInstant } from "../time/interval.ts";
import { rounded } from "./rounding.ts";

type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";

/** `percentile_30_days` for `percentile30Days`. A name with underscores stays. */
type Snake<Name extends string, Before extends string = "_"> = string extends Name
  ? Name
  : Name extends `${infer First}${infer Rest}`
    ? `${First extends Lowercase<First> ? (First extends Digit ? (Before extends Digit | "_" ? "" : "_") : "") : "_"}${Lowercase<First>}${Snake<Rest, First>}`
    : "";

/** Names of instants, and how others end. A number with such a name is one, and no other number is. */
const INSTANTS = [
  "start",
  "end",
  "nextStart",
  "nextEnd",
  "likelyStart",
  "likelyEnd",
  "at",
  "now",
  "from",
  "to",
  "since",
  "until",
] as const;
const INSTANT_ENDS = ["At", "Until"] as const;
type InstantName = (typeof INSTANTS)[number] | `${string}${(typeof INSTANT_ENDS)[number]}`;

function isInstantName(name: string): boolean {
  return INSTANTS.some((each) => each === name) || INSTANT_ENDS.some((end) => name.endsWith(end));
}

/** Value that `wire` returns. */
export type Wire<Value> = Value extends readonly (infer Item)[]
  ? readonly Wire<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value & string as Snake<Name>]: Member<Name, Value[Name]> }
    : Value;
type Member<Name, Value> = Name extends InstantName ? (Value extends number ? string : Wire<Value>) : Wire<Value>;

/** Written names of members. Bounded by the names in the program: no name of `wire` is of the owner or the service. */
const written = new Map<string, { readonly name: string; readonly isInstant: boolean }>();

/** Returns a value as it is written in JSON. Shape: members and items in their order, at every depth. */
export function wire<const Value>(value: Value): Wire<Value> {
  return formOf(value, false) as Wire<Value>;
}

function formOf(value: unknown, isInstant: boolean): unknown {
  if (typeof value === "number") return isInstant ? formatInstant(value) : rounded(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => formOf(each, false));
  const form: Record<string, unknown> = {};
  for (const key in value) {
    const { name, isInstant } = written.get(key) ?? nameOf(key);
    const member = (value as Record<string, unknown>)[key];
    form[name] = typeof member === "number" || typeof member === "object" ? formOf(member, isInstant) : member;
  }
  return form;
}

function nameOf(key: string): { readonly name: string; readonly isInstant: boolean } {
  const name = key.replace(/[A-Z]|(?<=[a-z])\d/g, (letter) => `_${letter.toLowerCase()}`);
  const made = { name, isInstant: isInstantName(key) };
  written.set(key, made);
  return made;
}
