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

const PREFIX = "ELBRO_";
const FILE_SUFFIX = "_FILE";

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

/** The variable that sets a key. */
function variableOf(path: readonly string[]): string {
  return `${PREFIX}${path.join("_").toUpperCase()}`;
}

/** What a variable sets: a key, or a text by way of a file. */
export interface VariableMeaning {
  readonly key: Key;
  readonly isFile: boolean;
}

const meanings = new Map<string, VariableMeaning>(
  keys.flatMap((key) => {
    const name = variableOf(key.path);
    const direct = [name, { key, isFile: false }] as const;
    return key.kind === "text" ? [direct, [`${name}${FILE_SUFFIX}`, { key, isFile: true }] as const] : [direct];
  }),
);

/** What a variable of the environment sets; null where it names no key. */
export function meaningOf(variable: string): VariableMeaning | null {
  return meanings.get(variable) ?? null;
}

export const variableNames: readonly string[] = [...meanings.keys()];

interface Definition {
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
