/** The keys of the configuration, read from its schema: what there is, where, and how a variable of the environment names it. */
import type * as z from "zod/mini";
import { configSchema } from "./schema.ts";

type Node = z.core.$ZodType;
type Shape = Readonly<Record<string, Node>>;

/** `section`: keys and values; `list`: any number of values; `text`: a string; `plain`: a number, true or false. */
export type KeyKind = "section" | "list" | "text" | "plain";

export interface Key {
  readonly path: readonly string[];
  readonly kind: KeyKind;
}

/** What every variable of the environment begins with. */
export const PREFIX = "ELBRO_";
/** `api_key_file` names the file of `api_key`. */
export const FILE_SUFFIX = "_file";

/** The schema of a key seen through defaults and optionals; of several forms the one that a list is, or is not. */
function schemaOf(node: Node | undefined, isList: boolean): Node | undefined {
  const { type, innerType, options } = definitionOf(node);
  if (innerType) return schemaOf(innerType, isList);
  if (type !== "union") return node;
  return options?.find((option) => (definitionOf(option).type === "array") === isList) ?? options?.[0];
}

/** The keys of a section; null for what is none. */
export function shapeOf(node: Node | undefined): Shape | null {
  return definitionOf(schemaOf(node, false)).shape ?? null;
}

/** The schema of a list's items. */
export function itemOf(node: Node | undefined): Node | undefined {
  return definitionOf(schemaOf(node, true)).element;
}

export function kindOf(node: Node | undefined): KeyKind {
  const { type } = definitionOf(schemaOf(node, false));
  if (type === "object") return "section";
  if (type === "array") return "list";
  return type === "string" || type === "enum" ? "text" : "plain";
}

/** The words of which a key takes one; none for any other key. */
export function wordsOf(node: Node | undefined): readonly string[] {
  return Object.values(definitionOf(schemaOf(node, false)).entries ?? {});
}

/** What stands for a key that is not there; undefined where nothing does. */
export function defaultOf(node: Node | undefined): unknown {
  const { type, innerType, defaultValue } = definitionOf(node);
  return type === "default" ? defaultValue : innerType && defaultOf(innerType);
}

/** Whether a key may be left out. */
export function isOptional(node: Node | undefined): boolean {
  const { type } = definitionOf(node);
  return type === "optional" || type === "default" || type === "prefault";
}

/** Every key that has a path of its own, sections included; what stands in lists has none. */
export const keys: readonly Key[] = keysBelow(configSchema, []);

function keysBelow(node: Node, path: readonly string[]): Key[] {
  return Object.entries(shapeOf(node) ?? {}).flatMap(([name, below]) => {
    const here = [...path, name];
    return [{ path: here, kind: kindOf(below) }, ...keysBelow(below, here)];
  });
}

/** What each variable of the environment sets: a key, or the file that a text is read from. */
const keysByVariable = new Map(
  keys
    .flatMap(({ path, kind }): Key[] => [
      { path, kind },
      ...(kind === "text" ? [{ path: [...path.slice(0, -1), `${path.at(-1)}${FILE_SUFFIX}`], kind }] : []),
    ])
    .map((key) => [`${PREFIX}${key.path.join("_").toUpperCase()}`, key]),
);

/** What a variable of the environment sets; undefined where it names no key. */
export function keyOfVariable(variable: string): Key | undefined {
  return keysByVariable.get(variable);
}

export const variableNames: readonly string[] = [...keysByVariable.keys()];

interface Definition {
  readonly entries?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly innerType?: Node;
  readonly options?: readonly Node[];
  readonly shape?: Shape;
  readonly element?: Node;
  readonly defaultValue?: unknown;
}

function definitionOf(node: Node | undefined): Definition {
  return (node?._zod.def ?? {}) as Definition;
}
