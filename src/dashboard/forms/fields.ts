/** Makes the fields of a form from the JSON Schema of the configuration. */

/** Subset of JSON Schema that the configuration uses. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  /** `date` for a text with a date. */
  readonly format?: string;
  /** Set for a text of several lines. */
  readonly contentMediaType?: string;
  /** True for a secret. */
  readonly writeOnly?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly (JsonSchema & { readonly if?: JsonSchema; readonly then?: Consequence })[];
}

/** Further rules for an object, which depend on the value of one of its keys. */
interface Consequence {
  /** Useless keys. Each has the value false. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Alternatives of which one is required. */
  readonly anyOf?: readonly { readonly required?: readonly string[] }[];
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
export type JsonObject = Readonly<Record<string, Json | undefined>>;

interface FieldFacts {
  /** Path in the configuration, for instance `plans[].hours`. It is the key of the translations. */
  readonly path: string;
  readonly name: string;
  /** English description; empty if the schema has none. */
  readonly about: string;
  readonly isRequired: boolean;
  readonly fallback: Json | undefined;
}

export type Field = FieldFacts & Kind;
type Kind =
  | {
      readonly kind: "text";
      readonly pattern: RegExp | null;
      readonly isSecret: boolean;
      readonly isDate: boolean;
      readonly isLong: boolean;
    }
  | { readonly kind: "time" }
  | { readonly kind: "number"; readonly min: number | null; readonly max: number | null; readonly isWhole: boolean }
  | { readonly kind: "yes-no" }
  | { readonly kind: "choice"; readonly options: readonly string[] }
  /** Several options can be chosen. */
  | { readonly kind: "choices"; readonly options: readonly string[]; readonly least: number }
  /** A text that is read as the first form that it fits, for instance `3` or `1h30m`. */
  | { readonly kind: "scalar"; readonly forms: readonly Field[] }
  /** One of several forms, which the user chooses. */
  | { readonly kind: "one-of"; readonly forms: readonly Field[] }
  | { readonly kind: "list"; readonly item: Field; readonly least: number }
  | { readonly kind: "group"; readonly fields: readonly Field[] };

export const TIME_PATTERN = "^([01]\\d|2[0-3]):[0-5]\\d$";
const SCALARS: readonly Field["kind"][] = ["text", "time", "number", "choice"];
const FILE_SUFFIX = "_file";

/** Returns the field of a schema. `path` is its path in the configuration. */
export function fieldOf(schema: JsonSchema, path: string, isRequired = false): Field {
  const name = path.slice(path.lastIndexOf(".") + 1);
  const fallback = schema.default as Json | undefined;
  return { path, name, about: schema.description ?? "", isRequired, fallback, ...kindOf(schema, path) };
}

function kindOf(schema: JsonSchema, path: string): Kind {
  const { anyOf, enum: options, items, properties, pattern, minimum = null, maximum = null, minItems = 0 } = schema;
  if (anyOf) {
    const forms = anyOf.map((form) => fieldOf(form, path));
    return { kind: forms.every(({ kind }) => SCALARS.includes(kind)) ? "scalar" : "one-of", forms };
  }
  if (properties) return { kind: "group", fields: fieldsOf(schema, path) };
  if (items?.enum) return { kind: "choices", options: items.enum, least: minItems };
  if (items) return { kind: "list", item: fieldOf(items, `${path}[]`, true), least: minItems };
  if (options) return { kind: "choice", options };
  if (isOf(schema, "boolean")) return { kind: "yes-no" };
  if (isOf(schema, "integer")) return { kind: "number", min: minimum, max: maximum, isWhole: true };
  if (isOf(schema, "number")) return { kind: "number", min: minimum, max: maximum, isWhole: false };
  if (pattern === TIME_PATTERN) return { kind: "time" };
  return {
    kind: "text",
    pattern: pattern === undefined ? null : new RegExp(pattern),
    isSecret: schema.writeOnly === true,
    isDate: schema.format === "date",
    isLong: schema.contentMediaType !== undefined,
  };
}

function isOf({ type }: JsonSchema, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}

/** Returns the fields of an object. Omits `…_file` keys, which are only for a configuration file. */
function fieldsOf({ properties = {}, required = [], allOf = [] }: JsonSchema, path: string): Field[] {
  const orFile = allOf.flatMap(({ anyOf = [] }) => anyOf[0]?.required ?? []);
  return Object.entries(properties)
    .filter(([name]) => !(name.endsWith(FILE_SUFFIX) && name.slice(0, -FILE_SUFFIX.length) in properties))
    .map(([name, schema]) => ({
      ...fieldOf(schema, path === "" ? name : `${path}.${name}`, required.includes(name) || orFile.includes(name)),
      name,
    }));
}

/** Returns the schema of an object with some keys of the configuration, each under its path. */
export function schemaOfKeys(schema: JsonSchema, keys: readonly string[]): JsonSchema {
  const found = keys.map((key) => {
    const at = key.lastIndexOf(".");
    const { properties = {} } = at < 0 ? schema : sectionOf(schema.properties?.[key.slice(0, at)]);
    return [key, properties[key.slice(at + 1)] ?? {}] as const;
  });
  return { type: "object", properties: Object.fromEntries(found) };
}

/** A section that may be a list as well, such as accounts. */
function sectionOf(schema: JsonSchema = {}): JsonSchema {
  return schema.anyOf?.find(({ properties }) => properties) ?? schema;
}

/** Returns the fields that are useful with the given values. Some are required only with these values. */
export function usefulFields(schema: JsonSchema, fields: readonly Field[], value: JsonObject): Field[] {
  const valid = (schema.allOf ?? []).flatMap(({ if: condition, then }) =>
    condition && then && holds(condition, value) ? then : [],
  );
  const useless = new Set(valid.flatMap(({ properties = {} }) => Object.keys(properties)));
  const needed = new Set(
    valid.flatMap(({ anyOf = [] }) => {
      const names = anyOf.flatMap(({ required = [] }) => required);
      return names.find((name) => !isEmpty(value[name])) ?? names.slice(0, 1);
    }),
  );
  return fields
    .filter(({ name }) => !useless.has(name))
    .map((field) => (needed.has(field.name) ? { ...field, isRequired: true } : field));
}

function holds({ properties = {} }: JsonSchema, value: JsonObject): boolean {
  return Object.entries(properties).every(([name, { enum: values = [] }]) => values.includes(String(value[name])));
}

/** Returns whether a value is the same as no value: undefined, null, an empty text or an empty list. */
export function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
