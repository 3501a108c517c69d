/** JSON Schema of the configuration, for editors that complete and check it. */
import * as z from "zod/mini";
import { isSecretKey } from "../reading/mistake.ts";
import { type KeyCondition, schemaOfCondition } from "./conditions.ts";
import { type KeyRow, keyRows } from "./key-rows.ts";
import { planConditions, planSchema } from "./plan-schema.ts";
import { plugConditions, plugSchema } from "./plug-schema.ts";
import { configSchema } from "./schema.ts";
import { kindOf, shapeOf } from "./schema-nodes.ts";

type Json = Record<string, unknown>;

/** A duration: hours as a number, or a text. The reader checks the limits more strictly. */
const DURATION: Json = {
  anyOf: [
    { type: "number", minimum: 0, maximum: 24 },
    { type: "string", pattern: "^(\\d+(\\.\\d+)?|(?=.)(\\d+(\\.\\d+)?h)?(\\d+m)?)$" },
  ],
};
/** PEM texts, which are usually in files of their own, as secrets are. */
const FILE_OFFERED = /^(ca|cert)$/;

/** Returns the schema for config/elbro.schema.json. */
export function configJsonSchema(): Json {
  const rows = new Map(keyRows().map((row) => [row.path, row]));
  const made = z.toJSONSchema(configSchema, {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "custom") Object.assign(jsonSchema, DURATION);
      const protocol = protocolOf(zodSchema);
      if (protocol) Object.assign(jsonSchema, { pattern: protocol.source.replace(/\$$/, "://") });
      if (zodSchema._zod.def.type === "object") Object.assign(jsonSchema, withFiles(zodSchema, jsonSchema as Json));
    },
  }) as Json;
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "elbro",
    description: "The configuration of elbro.",
    ...cleaned({ ...made, $schema: undefined }, "", rows),
  };
}

const conditions = new Map<z.core.$ZodType, readonly KeyCondition[]>([
  [planSchema, planConditions],
  [plugSchema, plugConditions],
]);

/** Returns the allowed protocols of a URL; null for other schemas. */
function protocolOf(schema: z.core.$ZodType): RegExp | null {
  const { protocol } = schema._zod.def as { readonly protocol?: unknown };
  return protocol instanceof RegExp ? protocol : null;
}

/** Allows a file for every text: `api_key_file` instead of `api_key`. */
function withFiles(section: z.core.$ZodType, json: Json): Json {
  const texts = Object.entries(shapeOf(section) ?? {}).flatMap(([name, node]) =>
    kindOf(node) === "text" ? [name] : [],
  );
  const offered = texts.filter((name) => isSecretKey(name) || FILE_OFFERED.test(name));
  const others = texts.filter((name) => !offered.includes(name));
  const required = (json.required ?? []) as readonly string[];
  const neededTexts = required.filter((name) => texts.includes(name));
  const needed = required.filter((name) => !neededTexts.includes(name));
  const file = { type: "string", minLength: 1 };
  const fileOf = (name: string) => [`${name}_file`, { ...file, description: `A file that holds the ${name}.` }];
  return {
    properties: {
      ...(json.properties as Json),
      ...Object.fromEntries(offered.map(fileOf)),
    },
    ...(others.length > 0 && { patternProperties: { [`^(${others.join("|")})_file$`]: file } }),
    required: needed,
    allOf: [
      ...neededTexts.map((name) => ({ anyOf: [{ required: [name] }, { required: [`${name}_file`] }] })),
      ...texts.map((name) => ({ not: { type: "object", required: [name, `${name}_file`] } })),
      ...(conditions.get(section) ?? []).map(schemaOfCondition),
    ],
  };
}

/** Adds descriptions, removes fields without meaning, and allows empty sections, whose lines are commented out. */
function cleaned(json: unknown, path: string, rows: ReadonlyMap<string, KeyRow>): Json {
  const { properties, items, anyOf, required, allOf, default: value, maximum, ...rest } = json as Json;
  const row = rows.get(path);
  const isSection = properties !== undefined || items !== undefined;
  const hasDefault = value !== undefined && (!isSection || (items !== undefined && "enum" in (items as Json)));
  const result: Json = {
    ...(row && { description: row.words.about }),
    ...(row?.secret && { writeOnly: true }),
    ...(row?.words.exampleFile && { contentMediaType: "application/x-pem-file" }),
    ...rest,
    ...(isSection && path !== "" && !path.endsWith("[]") && { type: [rest.type, "null"] }),
    ...(hasDefault && { default: value }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
  if (Array.isArray(required) && required.length > 0) result.required = required;
  if (Array.isArray(allOf) && allOf.length > 0) result.allOf = allOf;
  if (properties) {
    const prefix = path === "" ? "" : `${path}.`;
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, below]) => [name, cleaned(below, `${prefix}${name}`, rows)]),
    );
  }
  // The items of a list of accounts have the descriptions of a single account.
  if (items) result.items = cleaned(items, anyOf ? path : `${path}[]`, rows);
  if (Array.isArray(anyOf)) result.anyOf = anyOf.map((form) => cleaned(form, path, rows));
  return result;
}
