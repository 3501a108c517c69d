/** OpenAPI operations of endpoints. */

import * as z from "zod/mini";
import { isOptional } from "../../config/schema/schema-nodes.ts";
import { localErrorTable } from "../../http/errors.ts";
import { type Endpoint, plainTextOf } from "../endpoint.ts";
import { namesIn } from "../parameters.ts";
import type { Schema } from "../schema.ts";
import { BINARY, type DocumentPart, reference, textSchema } from "./openapi-parts.ts";

function jsonResponse(description: string, schema: Schema | DocumentPart): DocumentPart {
  const json = "_zod" in schema ? jsonSchema(schema as Schema) : schema;
  return { description, content: { "application/json": { schema: json } } };
}

/** Returns the JSON Schema of a schema, without keywords that repeat others. */
export function jsonSchema(schema: Schema): DocumentPart {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema: json }) => {
      if (json.format) delete json.pattern;
      if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
      if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
      delete json.propertyNames;
    },
  });
  return JSON.parse(JSON.stringify(rest), simplified) as DocumentPart;
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
export function openApiOperation(row: Facts): DocumentPart {
  const { operationId, created, statuses = {} } = row;
  const content = contentOf(row);
  const body = requestBody(row);
  return {
    operationId,
    parameters: [...queryAndPath(row), ...requestHeaders(row)],
    ...(body && { requestBody: body }),
    responses: {
      ...(content && {
        200: { description: row.about ?? row.summary, ...answerHeaders(row), content },
      }),
      ...(created && { 201: jsonResponse("Saved.", created()) }),
      ...Object.fromEntries(
        Object.entries(statuses).map(([status, each]) => [
          status,
          typeof each === "string" ? { description: each } : jsonResponse(each.about, each.schema()),
        ]),
      ),
      ...errorResponses(row, plainTextOf(row) !== null),
    },
  };
}

/** The parts of an endpoint that do not depend on its source. */
type Facts = Omit<Endpoint, "run">;

function queryAndPath({ path, params }: Facts): DocumentPart[] {
  const inPath = namesIn(path);
  return Object.entries(params).map(([name, parameter]) => {
    const { description, example, ...schema } = jsonSchema(parameter);
    const isNumber = /^(number|integer)$/.test(String(schema.type));
    return {
      name,
      in: inPath.includes(name) ? "path" : "query",
      required: !isOptional(parameter),
      description,
      example: isNumber ? Number(example) : example,
      schema,
    };
  });
}

function requestHeaders({ headers = {} }: Facts): DocumentPart[] {
  return Object.entries(headers).map(([name, { about, required = false, example }]) => ({
    name,
    in: "header",
    required,
    description: about,
    schema: textSchema,
    ...(example !== undefined && { example }),
  }));
}

function requestBody({ body, takesFile }: Facts): DocumentPart | null {
  if (takesFile) return { required: true, content: mediaContent(BINARY) };
  if (!body) return null;
  return {
    required: true,
    content: { "application/json": { schema: jsonSchema(body.schema()), example: body.example } },
  };
}

/** Returns the types of the response with status 200; null if it has no content. */
function contentOf(row: Facts): DocumentPart | null {
  const plain = plainTextOf(row);
  const { answer, csv, media = {} } = row;
  const content = {
    ...(answer && !row.path.endsWith(".csv") && { "application/json": { schema: jsonSchema(answer()) } }),
    ...(csv && { "text/csv": { schema: { ...textSchema, description: CSV_ABOUT } } }),
    ...(plain !== null && { "text/plain": { schema: { ...textSchema, description: plain } } }),
    ...mediaContent(media),
  };
  return Object.keys(content).length > 0 ? content : null;
}

function answerHeaders({ text: plain, answerHeaders: named }: Facts): DocumentPart {
  const own = Object.entries(named ?? {}).map(([name, description]) => [name, { description, schema: textSchema }]);
  if (plain !== "signal" && own.length === 0) return {};
  return { headers: { ...(plain === "signal" && REASON_HEADER), ...Object.fromEntries(own) } };
}

function mediaContent(media: Readonly<Record<string, object>>): DocumentPart {
  return Object.fromEntries(Object.entries(media).map(([type, schema]) => [type, { schema }]));
}

const CSV_ABOUT =
  "CSV (RFC 4180) in UTF-8: a header line with names and units, then one line per row. Times have the UTC offset of the home.";
const REASON_HEADER = {
  "X-Elbro-Reason": { description: "With a text response: the reason, in ASCII.", schema: textSchema },
};

function errorResponses({ errors, statuses = {} }: Facts, hasText: boolean): DocumentPart {
  const content = {
    "application/json": { schema: reference("schemas", "ErrorBody") },
    ...(hasText && { "text/plain": { schema: textSchema } }),
  };
  const byStatus = Map.groupBy(errors, (code) => localErrorTable[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const own = statuses[status];
      const meanings = [
        typeof own === "string" ? own : own?.about,
        ...codes.map((code) => localErrorTable[code].meaning),
      ];
      return [status, { description: meanings.filter(Boolean).join(" "), content }];
    }),
  );
}
