/** Definition of an endpoint of `/local/v1` in one row, which gives its route, OpenAPI operation and documentation. */

import { type LocalErrorCode, localErrorTable } from "../http/errors.ts";
import { jsonResponse, reference, type Schema, text } from "../http/json-schema.ts";
import type { LocalAnswer } from "../http/response.ts";
import type { LocalRequest, LocalRoute } from "../http/route.ts";
import { type CsvTable, csvAnswer, type DecimalSign, wantsCsv } from "./csv.ts";
import type { LocalSource } from "./local-source.ts";
import { decimal, type Parameters, readParameters, type ValuesOf } from "./parameters.ts";
import { signalError } from "./plain-text.ts";

interface EndpointFacts extends Pick<LocalRoute, "method" | "path" | "scope" | "summary"> {
  /** Name of the operation in generated clients. */
  readonly operationId: string;
  /** Schema of the JSON response. */
  readonly schema: Schema;
  /** Meaning of the plain-text response. `signal` means `ON` or `OFF`, where errors are also `OFF`. */
  readonly text?: string;
  /** Table of the response that is also available as CSV. */
  readonly csv?: CsvTable;
  /** Possible errors, in addition to those of every request with a key. */
  readonly errors: readonly LocalErrorCode[];
  /** Schema of the JSON response with status 201. */
  readonly created?: Schema;
  /** Further statuses, with their descriptions. */
  readonly statuses?: Readonly<Record<number, string>>;
  /** Path and query of an example request. */
  readonly example: string;
  readonly body?: { readonly schema: Schema; readonly example: object };
}

interface EndpointRow<Rows extends Parameters> extends EndpointFacts {
  readonly parameters: Rows;
  readonly answer: (
    source: LocalSource,
    params: ValuesOf<Rows>,
    request: LocalRequest,
  ) => LocalAnswer | Promise<LocalAnswer>;
}

export interface Endpoint extends EndpointFacts {
  readonly parameters: Parameters;
  readonly answer: (source: LocalSource, request: LocalRequest) => LocalAnswer | Promise<LocalAnswer>;
}

/** Errors of an endpoint that names a home, place or plan. */
export const HOME_ERRORS = ["invalid_parameter", "resource_not_found", "not_known"] as const;

/** Returns the endpoint of a row. It reads the parameters first, and returns an error for invalid ones. */
export function endpoint<const Rows extends Parameters>(row: EndpointRow<Rows>): Endpoint {
  const { csv } = row;
  const parameters = csv ? { ...row.parameters, decimal } : row.parameters;
  return {
    ...row,
    parameters,
    answer(source, request) {
      const reading = readParameters(parameters, request);
      const answer = reading.kind === "error" ? reading : row.answer(source, reading.params, request);
      const shown = (made: LocalAnswer): LocalAnswer => {
        if (csv && reading.kind === "params" && wantsCsv(request)) {
          const format = { decimal: decimalIn(request), calendar: source.calendar };
          return csvAnswer(made, csv, row.path.split("/").at(-1) ?? "", format);
        }
        return made.kind === "error" && row.text === "signal" ? signalError(made, request) : made;
      };
      return answer instanceof Promise ? answer.then(shown) : shown(answer);
    },
  };
}

function decimalIn({ query }: LocalRequest): DecimalSign {
  return query.get("decimal") === "comma" ? "comma" : "point";
}

/** Returns the endpoint at `<path>.csv`, which ignores `Accept`; null if the row has no table. */
export function csvEndpoint(row: Endpoint): Endpoint | null {
  if (!row.csv) return null;
  const [path, query] = row.example.split("?");
  return {
    ...row,
    path: `${row.path}.csv`,
    operationId: `${row.operationId}Csv`,
    summary: `${row.summary} As CSV.`,
    example: query === undefined ? `${path}.csv` : `${path}.csv?${query}`,
    answer: (source, request) =>
      row.answer(source, { ...request, headers: { ...request.headers, accept: "text/csv" } }),
  };
}

/** Returns the description of the plain-text response; null if the endpoint returns JSON only. */
export function textOf({ text: about }: EndpointFacts): string | null {
  return about === "signal" ? "`ON` or `OFF`" : (about ?? null);
}

/** Returns the endpoint's OpenAPI operation, without path and tags: id, parameters, body, responses. */
export function endpointOpenApi(row: Endpoint): Schema {
  const { operationId, summary, schema, created, statuses = {}, body } = row;
  const plain = textOf(row);
  return {
    operationId,
    parameters: Object.entries(row.parameters).map(([name, parameter]) => ({
      name,
      in: parameter.in ?? "query",
      required: parameter.in === "path" || parameter.required === true,
      description: parameter.about,
      example: /^(number|integer)$/.test(String(parameter.kind.schema.type))
        ? Number(parameter.example)
        : parameter.example,
      schema: parameter.kind.schema,
    })),
    ...(body && { requestBody: { required: true, content: { "application/json": body } } }),
    responses: {
      200: {
        description: summary,
        ...(row.text === "signal" && { headers: REASON_HEADER }),
        content: {
          ...(row.path.endsWith(".csv") ? {} : { "application/json": { schema } }),
          ...(row.csv && { "text/csv": { schema: { ...text, description: CSV_ABOUT } } }),
          ...(plain !== null && { "text/plain": { schema: { ...text, description: plain } } }),
        },
      },
      ...(created && { 201: jsonResponse("Saved.", created) }),
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

function errorResponses({ errors, statuses = {} }: EndpointFacts, hasText: boolean): Schema {
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
