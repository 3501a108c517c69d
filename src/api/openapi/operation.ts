/** OpenAPI operations of endpoints. */

import * as z from "zod/mini";
import { localErrorTable } from "../../http/errors.ts";
import { type Endpoint, textOf } from "../endpoint.ts";
import type { Schema } from "../schema.ts";

export type Json = Readonly<Record<string, unknown>>;

export const text: Json = { type: "string" };

export function reference(kind: "schemas" | "responses" | "headers", name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Returns a response with a JSON body. */
export function jsonResponse(description: string, schema: Schema | Json): Json {
  const json = "_zod" in schema ? jsonSchema(schema as Schema) : schema;
  return { description, content: { "application/json": { schema: json } } };
}

/** Returns a response with an HTML page. */
export function htmlResponse(description: string): Json {
  return { description, content: { "text/html": { schema: text } } };
}

/** Returns the JSON Schema of a schema, without keywords that repeat others. */
export function jsonSchema(schema: Schema): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema: json }) => {
      if (json.format) delete json.pattern;
      if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
      if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
      delete json.propertyNames;
    },
  });
  return JSON.parse(JSON.stringify(rest), simplified) as Json;
}

/** Writes "a type or null" as two schemas, of which generators of clients make a type, and omits what allows anything. */
function simplified(name: string, value: unknown): unknown {
  const { type, $ref, ...others } = (value ?? {}) as { readonly type?: unknown; readonly $ref?: unknown };
  if ($ref !== undefined) return { $ref };
  if (name === "additionalProperties" && JSON.stringify(value) === "{}") return undefined;
  if (!Array.isArray(type) || type.length !== 2 || type[1] !== "null") return value;
  return { anyOf: type.map((each) => ({ type: each })), ...others };
}

/** Returns the operation of an endpoint, without path and tags: id, parameters, body, responses. */
export function operationOf(row: Endpoint): Json {
  const { operationId, summary, answer, created, statuses = {}, body } = row;
  const plain = textOf(row);
  return {
    operationId,
    parameters: Object.entries(row.params).map(([name, parameter]) => ({
      name,
      in: parameter.in ?? "query",
      required: parameter.in === "path" || parameter.required === true,
      description: parameter.about,
      example: /^(number|integer)$/.test(String(parameter.kind.schema.type))
        ? Number(parameter.example)
        : parameter.example,
      schema: parameter.kind.schema,
    })),
    ...(body && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: jsonSchema(body.schema()), example: body.example } },
      },
    }),
    responses: {
      200: {
        description: summary,
        ...(row.text === "signal" && { headers: REASON_HEADER }),
        content: {
          ...(row.path.endsWith(".csv") ? {} : { "application/json": { schema: jsonSchema(answer()) } }),
          ...(row.csv && { "text/csv": { schema: { ...text, description: CSV_ABOUT } } }),
          ...(plain !== null && { "text/plain": { schema: { ...text, description: plain } } }),
        },
      },
      ...(created && {
        201: jsonResponse("Saved.", created()),
      }),
      ...Object.fromEntries(Object.entries(statuses).map(([status, description]) => [status, { description }])),
      ...errorResponses(row, plain !== null),
    },
  };
}

const CSV_ABOUT =
  "CSV (RFC 4180) in UTF-8: a header line with names and units, then one line per row. Times have the UTC offset of the home.";
const REASON_HEADER = {
  "X-Elbro-Reason": { description: "With a text response: the reason, in ASCII.", schema: text },
};

function errorResponses({ errors, statuses = {} }: Endpoint, hasText: boolean): Json {
  const content = {
    "application/json": { schema: reference("schemas", "ErrorBody") },
    ...(hasText && { "text/plain": { schema: text } }),
  };
  const byStatus = Map.groupBy(errors, (code) => localErrorTable[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const meanings = [statuses[status], ...codes.map((code) => localErrorTable[code].meaning)];
      return [status, { description: meanings.filter(Boolean).join(" "), content }];
    }),
  );
}
