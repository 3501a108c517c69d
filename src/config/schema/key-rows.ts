/** Rows that describe every key of the configuration: purpose, type and default. */
import * as z from "zod/mini";
import descriptions from "../key-descriptions.json" with { type: "json" };
import { isSecretKey } from "../reading/mistake.ts";
import { configSchema } from "./schema.ts";
import { defaultOf, isOptional, itemOf, type KeyKind, kindOf, shapeOf } from "./schema-nodes.ts";

type Node = z.core.$ZodType;

interface KeyDescription {
  /** One or two sentences. */
  readonly about: string;
  /** Value as YAML text, for a key without a default. */
  readonly example?: string;
  /** A file that holds the value, for texts that are better kept out of the configuration. */
  readonly exampleFile?: string;
  /** Items as YAML text, for a list. Each is complete. */
  readonly items?: readonly string[];
  /** Unit or form, if the type does not show it. */
  readonly form?: string;
}

const DESCRIPTIONS: Readonly<Record<string, KeyDescription>> = descriptions;

export interface KeyRow {
  /** Such as `api.keys[].name`. */
  readonly path: string;
  readonly name: string;
  /** Number of keys above it. */
  readonly depth: number;
  readonly kind: KeyKind;
  /** Whether it belongs to the items of a list, which environment variables cannot set. */
  readonly inList: boolean;
  readonly words: KeyDescription;
  readonly type: string;
  /** Undefined if the key has no default. */
  readonly default: unknown;
  /** Whether the key is required within its section or list item. */
  readonly needed: boolean;
  readonly secret: boolean;
}

/**
 * Returns all keys in the order of the schema. The keys of a section or of a list's items follow it.
 * Throws for a key without a description.
 */
export function keyRows(schema: Node = configSchema): KeyRow[] {
  return rowsBelow(schema, "", { depth: 0, inList: false });
}

function rowsBelow(node: Node | undefined, prefix: string, place: { depth: number; inList: boolean }): KeyRow[] {
  return Object.entries(shapeOf(node) ?? {}).flatMap(([name, below]) => {
    const path = `${prefix}${name}`;
    const words = DESCRIPTIONS[path];
    if (!words) throw new Error(`${path} has no description in key-descriptions.json`);
    const kind = kindOf(below);
    const row: KeyRow = {
      path,
      name,
      ...place,
      kind,
      words,
      type: words.form ?? typeOf(below, kind),
      default: defaultOf(below),
      needed: !isOptional(below),
      secret: isSecretKey(name),
    };
    // A message or state reader of a plug is one row, because its type shows its keys.
    if (kind === "section" && place.inList) return [row];
    const section = kind === "section" ? rowsBelow(below, `${path}.`, { ...place, depth: place.depth + 1 }) : [];
    const items =
      kind === "list" ? rowsBelow(itemOf(below), `${path}[].`, { depth: place.depth + 1, inList: true }) : [];
    return [row, ...section, ...items];
  });
}

/** Returns the type of a key in a few words. */
function typeOf(node: Node, kind: KeyKind): string {
  if (kind === "section") return `{ ${Object.keys(shapeOf(node) ?? {}).join(", ")} }`;
  const item = itemOf(node);
  if (kind === "list") return item && !shapeOf(item) ? `list of ${typeOf(item, kindOf(item))}` : "list";
  const schema = z.toJSONSchema(node, { io: "input", unrepresentable: "any" });
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "integer") return `whole number${rangeOf(schema)}`;
  if (schema.type === "number") return `number${rangeOf(schema)}`;
  return schema.format === "uri" ? "URL" : "text";
}

function rangeOf({ minimum, maximum }: { readonly minimum?: number; readonly maximum?: number }): string {
  if (maximum === undefined || maximum === Number.MAX_SAFE_INTEGER)
    return minimum === undefined ? "" : ` from ${minimum}`;
  return ` ${minimum ?? ""} to ${maximum}`;
}
