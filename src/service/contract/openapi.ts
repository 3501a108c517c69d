/** The contract's parts of an OpenAPI 3.1.0 document, made from the tables in this folder. */
import * as z from "zod/mini";
import { contractError, type ErrorCode, errorTable, serviceErrorBody } from "./errors.ts";
import { type HeaderName, headerTable } from "./headers.ts";
import { titled, withReferences } from "./named-schemas.ts";
import { type AnyOperation, type InterfaceName, type OperationId, operationIds, operationOf } from "./operations.ts";
import { type ParameterValues, parameterKinds } from "./parameters.ts";
import * as resources from "./resources.ts";

type Json = Readonly<Record<string, unknown>>;

/** What a server of the operations adds to each. */
export interface OperationFrame {
  readonly security: Readonly<Record<InterfaceName, readonly Json[]>>;
  /** Headers of a response with status 200. */
  readonly headers: Json;
  /** Further responses by status. */
  readonly responses: Json;
}

const codesByStatus = Map.groupBy(Object.keys(errorTable) as ErrorCode[], (code) => errorTable[code].status);

/** Exported schemas by component name: `priceRow` becomes `PriceRow`. */
const namesOfSchemas = new Map<unknown, string>(
  Object.entries(resources).map(([name, schema]) => [schema, capitalised(name)]),
);

/** Describes both interfaces: tags, paths and components. */
export function serviceOpenApi(frame: OperationFrame) {
  const schemas: Record<string, Json> = {};
  const operations = operationIds.map((id) => [operationOf(id).path, { get: describeOperation(id, frame) }]);
  const errors = [...codesByStatus].map(([status, codes]) => [`Error${status}`, describeError(status, codes)]);
  const parts = { paths: Object.fromEntries(operations), responses: Object.fromEntries(errors) as Json };
  const { paths, responses, all } = withReferences({ ...parts, all: describeSchemas() }, schemas);
  const headers = Object.entries(headerTable).map(([name, { meaning, schema }]) => [
    name,
    { description: meaning, schema },
  ]);
  return {
    tags: [
      { name: "consumer", description: "A user's own addresses, consumption, export, costs, revenue and prices." },
      { name: "thirdParty", description: "Prices and charges by region, coordinates or address." },
    ],
    paths: paths as Json,
    components: { schemas: { ...all, ...schemas }, responses, headers: Object.fromEntries(headers) as Json },
  };
}

function describeOperation(id: OperationId, { security, headers, responses }: OperationFrame): Json {
  const operation = operationOf(id);
  return {
    operationId: id,
    tags: [operation.interface],
    summary: operation.summary,
    ...describeCaps(operation),
    security: security[operation.interface],
    parameters: [
      ...Object.entries(operation.inPath).map(([name, kind]) => describeParameter(name, kind, "path")),
      ...Object.entries(operation.inQuery).map(([name, kind]) => describeParameter(name, kind, "query")),
    ],
    responses: {
      ...describeErrors(operation),
      ...responses,
      200: { description: operation.summary, headers, content: jsonOf(answerSchema(id)) },
    },
  };
}

function describeCaps({ range }: AnyOperation): Json {
  if (!range) return {};
  const caps = Object.entries(range.caps).map(([unit, cap]) =>
    cap ? `\`${unit}\` at most ${cap.count} ${cap.unit}s` : `\`${unit}\` without a cap`,
  );
  const expanded = `The range is expanded outward to whole intervals of \`${range.unitFrom}\``;
  return { description: `${expanded}; then: ${caps.join(", ")}.` };
}

function describeParameter(name: string, kind: string, place: "path" | "query"): Json {
  const base = kind.replace("?", "") as keyof ParameterValues;
  return { name, in: place, required: base === kind, schema: parameterKinds[base].schema };
}

/** Returns the possible errors of an operation. The service does not document those of the third-party interface. */
function describeErrors(operation: AnyOperation): Json {
  if (operation.interface === "thirdParty")
    return { default: { description: "Error.", content: jsonOf(reference("schemas", "ErrorBody")) } };
  const possible = [...codesByStatus.keys()].filter((status) => {
    if (status === 400) return Object.keys({ ...operation.inPath, ...operation.inQuery }).length > 0;
    if (status === 404) return "addressId" in operation.inPath;
    return status !== 422 || operation.capability !== undefined;
  });
  return Object.fromEntries(possible.map((status) => [status, reference("responses", `Error${status}`)]));
}

function describeError(status: number, codes: readonly ErrorCode[]): Json {
  const examples = codes.map((code) => {
    const { meaning } = errorTable[code];
    return [code, { summary: meaning, value: serviceErrorBody(contractError(code, meaning)) }];
  });
  const sent = status === 429 ? ["always", "evaluated", "limited"] : ["always", "evaluated"];
  const names = (Object.keys(headerTable) as HeaderName[]).filter((name) => sent.includes(headerTable[name].sent));
  const schema = titled(`Error${status}Body`, {
    allOf: [reference("schemas", "ErrorBody"), { properties: { errorCode: { type: "string", enum: codes } } }],
  });
  return {
    description: codes.map((code) => errorTable[code].meaning).join(" "),
    headers: Object.fromEntries(names.map((name) => [name, reference("headers", name)])),
    content: { "application/json": { schema, examples: Object.fromEntries(examples) } },
  };
}

function describeSchemas(): Record<string, Json> {
  const schemas: Record<string, Json> = {
    ErrorBody: {
      type: "object",
      properties: {
        error: { type: "boolean", const: true },
        reason: { type: "string", description: "Text for people; programs use `errorCode`." },
        errorCode: { type: "string", enum: Object.keys(errorTable) },
      },
      required: ["error", "reason", "errorCode"],
    },
  };
  for (const id of operationIds) {
    const { response } = operationOf(id);
    const named = response.shape === "document" ? response.schema : response.row;
    schemas[nameOf(named)] ??= jsonSchema(named);
    if (response.shape === "series")
      schemas[`${capitalised(id)}Answer`] = withRows(jsonSchema(response.envelope), response.row);
  }
  return schemas;
}

function answerSchema(id: OperationId): Json {
  const { response } = operationOf(id);
  if (response.shape === "series") return reference("schemas", `${capitalised(id)}Answer`);
  if (response.shape === "document") return reference("schemas", nameOf(response.schema));
  return { type: "array", items: reference("schemas", nameOf(response.row)) };
}

function withRows(envelope: Json, row: unknown): Json {
  const description = "In ascending order; missing intervals are left out.";
  const data = { type: "array", items: reference("schemas", nameOf(row)), description };
  const { properties = {}, required = [] } = envelope as { properties?: Json; required?: readonly string[] };
  return { ...envelope, properties: { ...properties, data }, required: [...required, "data"] };
}

/** Returns the JSON schema without redundant keywords: patterns that repeat a format, and limits of safe integers. */
function jsonSchema(schema: z.ZodMiniType): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    override: ({ zodSchema, jsonSchema, path }) => {
      const name = namesOfSchemas.get(zodSchema);
      if (name && path.length > 0) jsonSchema.title = name;
      if (jsonSchema.format) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return rest;
}

function nameOf(schema: unknown): string {
  const name = namesOfSchemas.get(schema);
  if (!name) throw new TypeError("a response schema is not exported by contract/resources.ts");
  return name;
}

function reference(kind: "schemas" | "responses" | "headers", name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

function jsonOf(schema: Json): Json {
  return { "application/json": { schema } };
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
