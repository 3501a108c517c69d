/**
 * The operations of `/local/v1` as data, for the OpenAPI document and docs/http-api.md: what each takes, answers and refuses.
 * The requests themselves are read by the same parameters.
 */
import type { LocalErrorCode } from "../http/errors.ts";
import { localErrorTable } from "../http/errors.ts";
import { localParameterKinds, localParameters, type ParameterRow } from "./parameters.ts";
import { type LocalOperationId, localOperationIds, localPaths } from "./routes.ts";
import * as schemas from "./schemas.ts";

interface LocalOperation {
  /** Shape of the JSON. */
  readonly schema: schemas.Schema;
  /** Answers in plain text beside it, or in place of it. */
  readonly text?: string;
  /** What a request may meet beside what every key may. */
  readonly errors: readonly LocalErrorCode[];
  /** Other statuses that are no errors. */
  readonly statuses?: Readonly<Record<number, string>>;
  /** A request to copy; the key's header is put before it. */
  readonly example: string;
  readonly body?: { readonly schema: schemas.Schema; readonly example: object };
}

const HOME_ERRORS = ["invalid_parameter", "resource_not_found", "not_known"] as const;

export const localOperations: { readonly [Id in LocalOperationId]: LocalOperation } = {
  now: {
    schema: schemas.nowSchema,
    text: "the price",
    errors: HOME_ERRORS,
    example: "/local/v1/now?home=home",
  },
  prices: {
    schema: schemas.pricesSchema,
    errors: ["invalid_parameter", "invalid_range", "range_too_large", "resource_not_found", "not_known"],
    statuses: { 304: "Nothing is new for who sent the `ETag` in `If-None-Match`." },
    example: "/local/v1/prices?home=home",
  },
  plans: { schema: schemas.plansSchema, errors: [], example: "/local/v1/plans" },
  plan: { schema: schemas.planSchema, errors: ["resource_not_found"], example: "/local/v1/plans/washer" },
  changePlan: {
    schema: schemas.planSchema,
    errors: [
      ...(["invalid_parameter", "resource_not_found", "conflict"] as const),
      ...(["payload_too_large", "unsupported_media_type"] as const),
    ],
    example: "/local/v1/plans/washer",
    body: { schema: schemas.planChangeSchema, example: { hours: 2, ready_by: "06:30" } },
  },
  cheap: {
    schema: schemas.cheapSchema,
    text: "`ON` or `OFF`",
    errors: HOME_ERRORS,
    example: "/local/v1/cheap?home=home&hours=3&ready_by=07:00",
  },
  signal: {
    schema: schemas.signalSchema,
    text: "`ON` or `OFF`",
    errors: HOME_ERRORS,
    statuses: { 400: "With `code=1`: OFF." },
    example: "/local/v1/signal/washer?code=1",
  },
  format: { schema: schemas.formatSchema, errors: HOME_ERRORS, example: "/local/v1/formats/evcc?home=home" },
};

/** What an OpenAPI document says of an operation beside its path and summary: parameters, body, answers. */
export function localOpenApi(id: LocalOperationId): Readonly<Record<string, unknown>> {
  const { schema, text, errors, statuses = {}, body } = localOperations[id];
  const json = { schema };
  const content = {
    ...(text === undefined ? {} : { "text/plain": { schema: { type: "string", description: text } } }),
    "application/json": json,
  };
  return {
    parameters: Object.entries<ParameterRow>(localParameters[id]).map(([name, row]) => ({
      name,
      in: row.in,
      required: row.in === "path" || row.required === true,
      description: row.about,
      example: row.example,
      schema: localParameterKinds[row.kind].schema,
    })),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: body.schema, example: body.example } },
          },
        }),
    responses: {
      200: { description: localPaths[id].summary, ...(isSignal(id) ? { headers: REASON_HEADER } : {}), content },
      ...Object.fromEntries(Object.entries(statuses).map(([status, description]) => [status, { description }])),
      ...errorResponses(errors, text !== undefined, statuses),
    },
  };
}

const REASON_HEADER = {
  "X-Elbro-Reason": { description: "Beside a word: why, in ASCII.", schema: { type: "string" } },
} as const;

/** Whether it is answered by a word, errors too. */
function isSignal(id: LocalOperationId): boolean {
  return id === "cheap" || id === "signal";
}

function errorResponses(
  errors: readonly LocalErrorCode[],
  hasText: boolean,
  others: Readonly<Record<number, string>>,
): Readonly<Record<number, unknown>> {
  const byStatus = Map.groupBy(errors, (code) => localErrorTable[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const schema = { $ref: "#/components/schemas/ErrorBody" };
      const meaning = [others[status], ...codes.map((code) => localErrorTable[code].meaning)].filter(Boolean).join(" ");
      const text = { "text/plain": { schema: { type: "string" } } };
      return [status, { description: meaning, content: { ...(hasText ? text : {}), "application/json": { schema } } }];
    }),
  );
}

/** Table of operations in docs/http-api.md, and one of their parameters. Shape: Markdown without a line break at its ends. */
export function localDocs(): string {
  const operations = localOperationIds.map((id) => {
    const { method, path, scope, summary } = localPaths[id];
    const { text } = localOperations[id];
    const answers = [...(text === undefined ? [] : [text]), "JSON"].join(", ");
    const key = scope === "control" ? " Needs a key with the scope `control`." : "";
    return `| \`${method} ${written(path)}\` | ${summary}${key} | ${answers} |`;
  });
  const parameters = localOperationIds.flatMap((id) =>
    Object.entries<ParameterRow>(localParameters[id])
      .filter(([, row]) => row.in === "query")
      .map(([name, row]) => {
        const must = row.required ? " Must be given." : "";
        return `| \`${lastOf(localPaths[id].path)}\` | \`${name}=${row.example}\` | ${row.about}${must} |`;
      }),
  );
  return [
    ["| request | what it answers | as |", "|---|---|---|", ...operations],
    ["| of | parameter | what it is |", "|---|---|---|", ...parameters],
  ]
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function written(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

/** `cheap` of `/local/v1/cheap`, `signal/{plan}` of `/local/v1/signal/:plan`. */
function lastOf(path: string): string {
  return written(path).replace("/local/v1/", "");
}
