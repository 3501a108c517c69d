/** Reads the parts of a schema: its keys, kinds and defaults. */

import { isDeepStrictEqual } from "node:util";
import type * as z from "zod/mini";
import { isTree, type Tree } from "../tree.ts";

type Node = z.core.$ZodType;
type Shape = Readonly<Record<string, Node>>;

/** `section`: keys and values; `list`: any number of values; `text`: a string; `plain`: a number, true or false. */
export type KeyKind = "section" | "list" | "text" | "plain";

export type Key = { readonly path: readonly string[]; readonly kind: KeyKind };

/** Suffix of a key that names a file: `api_key_file` for `api_key`. */
export const FILE_SUFFIX = "_file";

/**
 * Returns the schema without defaults and optionals. Of a union, returns the list if `isList`, otherwise the first
 * other option.
 */
function schemaOf(node: Node | undefined, isList: boolean): Node | undefined {
  const { type, innerType, options } = definitionOf(node);
  if (innerType) return schemaOf(innerType, isList);
  if (type !== "union") return node;
  return options?.find((option) => (definitionOf(option).type === "array") === isList) ?? options?.[0];
}

/** Returns the keys of a section; null if the schema is not a section. */
export function shapeOf(node: Node | undefined): Shape | null {
  return definitionOf(schemaOf(node, false)).shape ?? null;
}

/** Returns the schema of a list's items. */
export function itemOf(node: Node | undefined): Node | undefined {
  return definitionOf(schemaOf(node, true)).element;
}

/** Returns the schema at a path, in which numbers stand for items of lists; undefined if it does not exist. */
export function schemaAt(path: readonly PropertyKey[], schema: Node): Node | undefined {
  let node: Node | undefined = schema;
  for (const part of path) node = typeof part === "number" ? itemOf(node) : shapeOf(node)?.[String(part)];
  return node;
}

export function kindOf(node: Node | undefined): KeyKind {
  const { type } = definitionOf(schemaOf(node, false));
  if (type === "object") return "section";
  if (type === "array") return "list";
  return type === "string" || type === "enum" ? "text" : "plain";
}

/** Returns the words of which a key takes one; empty for any other key. */
export function wordsOf(node: Node | undefined): readonly string[] {
  return Object.values(definitionOf(schemaOf(node, false)).entries ?? {});
}

/** Returns the default of a key; undefined if the key has no default. */
export function defaultOf(node: Node | undefined): unknown {
  const { type, innerType, defaultValue } = definitionOf(node);
  return type === "default" ? defaultValue : innerType && defaultOf(innerType);
}

/** Returns whether a key may be omitted. */
export function isOptional(node: Node | undefined): boolean {
  const { type } = definitionOf(node);
  return type === "optional" || type === "default" || type === "prefault";
}

/** Returns every key of a section that has a path of its own. Keys of list items have none. */
export function keysBelow(node: Node, path: readonly string[] = []): Key[] {
  return Object.entries(shapeOf(node) ?? {}).flatMap(([name, below]) => {
    const here = [...path, name];
    return [{ path: here, kind: kindOf(below) }, ...keysBelow(below, here)];
  });
}

/** Returns keys and values as their owner would write them, without default values. */
export function withoutDefaults(shape: Shape, used: object): Tree {
  const entries = Object.entries(used).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, defaultOf(shape[name])),
  );
  return Object.fromEntries(entries);
}

/** Returns the keys of an entry whose values are in files of their own. */
export function fileKeysIn(raw: unknown): string[] {
  return Object.keys(isTree(raw) ? raw : {}).flatMap((name) =>
    name.endsWith(FILE_SUFFIX) ? [name.slice(0, -FILE_SUFFIX.length)] : [],
  );
}

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
