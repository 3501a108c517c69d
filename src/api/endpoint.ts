/** Definition of an endpoint in one row, which gives its route, checks, OpenAPI operation, types and documentation. */

import type * as z from "zod/mini";
import { describeIssue } from "../config/reading/config-error.ts";
import { joined, mistakeAt } from "../config/reading/mistake.ts";
import { isTree } from "../config/tree.ts";
import type { TextKey } from "../core/language/text.ts";
import { type LocalError, type LocalErrorCode, localError } from "../http/errors.ts";
import type { LocalAnswer } from "../http/response.ts";
import type { LocalRequest, LocalRoute } from "../http/route.ts";
import { type CsvTable, csvAnswer } from "./house/csv.ts";
import type { LocalSource } from "./house/local-source.ts";
import { signalError } from "./house/plain-text.ts";
import { decimal, type Parameters, readParameters, type ValuesOf } from "./parameters.ts";
import { type Schema, strict, strictObject, type ValueOf } from "./schema.ts";

interface EndpointFacts extends Pick<LocalRoute, "method" | "path" | "scope" | "summary" | "takesFile"> {
  /** Name of the operation in generated clients. */
  readonly operationId: string;
  /** Meaning of the response with status 200; by default the summary. */
  readonly about?: string;
  /** Media types of a response that is not JSON, with their JSON Schema. */
  readonly media?: Readonly<Record<string, object>>;
  readonly headers?: Readonly<Record<string, Readonly<{ about: string; required?: true; example?: string }>>>;
  /** Headers of the response with status 200, with their descriptions. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** Meaning of the plain-text response. `signal` means `ON` or `OFF`, where errors are also `OFF`. */
  readonly text?: string;
  /** Table of the response that is also available as CSV. */
  readonly csv?: CsvTable;
  /** Possible errors, in addition to those of every request with a key. */
  readonly errors: readonly LocalErrorCode[];
  /** Further statuses, with their descriptions and the schema of their JSON. */
  readonly statuses?: Readonly<Record<number, string | { readonly about: string; readonly schema: () => Schema }>>;
  /** Path and query of an example request. */
  readonly example: string;
  /** Whether the log names its caller: by default all methods but GET. */
  readonly isLogged: boolean;
}

export interface BodyRow<Body extends Schema = Schema> {
  /** The endpoint makes it strict: a member that it does not name is a mistake, at every depth. */
  readonly schema: () => Body;
  readonly example: object;
  /** True if `run` checks the body itself, for reasons of its own in the error. Unknown members are checked before. */
  readonly isCheckedByRun?: true;
}

/** Facts that a row may leave out: there are no errors of its own, and the example is the path. */
type Defaulted = "errors" | "example" | "isLogged";
/** Facts before the row. */
type Leading = "method" | "path" | "operationId" | "scope";

type RequestOf<Body extends Schema> = Omit<LocalRequest, "body"> & { readonly body: ValueOf<Body> };

interface EndpointRow<
  Source,
  Rows extends Parameters,
  Answer extends Schema,
  Created extends Schema,
  Body extends Schema,
> extends Omit<EndpointFacts, Defaulted | Leading>,
    Partial<Pick<EndpointFacts, Defaulted>> {
  readonly params?: Rows;
  readonly body?: BodyRow<Body>;
  /** Schema of the JSON response; absent for one with another status or of another type. */
  readonly answer?: () => Answer;
  /** Schema of the JSON response with status 201. */
  readonly created?: () => Created;
  /** Returns an error that is checked before the body. */
  readonly refusal?: (source: Source, request: LocalRequest) => LocalError | null;
  readonly run: (
    source: Source,
    params: ValuesOf<Rows>,
    request: RequestOf<Body>,
  ) => Answered<ValueOf<Answer> | ValueOf<Created>> | Promise<Answered<ValueOf<Answer> | ValueOf<Created>>>;
}

type Json = Extract<LocalAnswer, { kind: "json" }>;
/** A response whose JSON has a type. */
export type Answered<Body> = (Omit<Json, "body"> & { readonly body: Body }) | Exclude<LocalAnswer, Json>;

export interface Endpoint<Source = LocalSource> extends EndpointFacts {
  readonly params: Parameters;
  readonly body?: BodyRow;
  readonly answer?: () => Schema;
  readonly created?: () => Schema;
  /** With `csv`, a row with a table answers with CSV, whatever `Accept` is. */
  readonly run: (source: Source, request: LocalRequest, format?: "csv") => Promise<LocalAnswer>;
}

export const HOME_ERRORS = ["invalid_parameter", "resource_not_found", "not_known"] as const;

/** Value of a schema of a row; never if the row has none. */
type Sent<Given extends Schema> = unknown extends ValueOf<Given> ? never : ValueOf<Given>;

/** An endpoint with the types that its callers see. */
export interface TypedEndpoint<Source, Route, Rows, Answer> extends Endpoint<Source> {
  /** Never set: it carries types only. */
  readonly call?: { readonly route: Route; readonly rows: Rows; readonly answer: Answer };
}

/** Returns the function that makes endpoints with this source. They check parameters and body first. */
export function endpointFor<Source extends object>() {
  return <
    const Route extends `${LocalRoute["method"]} /${string}`,
    Answer extends Schema,
    Created extends Schema,
    Body extends Schema,
    const Rows extends Parameters = Readonly<Record<never, Schema>>,
  >(
    route: Route,
    operationId: string,
    scope: LocalRoute["scope"],
    row: EndpointRow<Source, Rows, Answer, Created, Body>,
  ): TypedEndpoint<Source, Route, Rows, Sent<Answer> | Sent<Created>> => {
    const [method, path] = route.split(" ") as [LocalRoute["method"], string];
    const { csv, refusal, isLogged = method !== "GET" } = row;
    const body = row.body && { ...row.body, schema: () => strict((row.body as BodyRow<Body>).schema()) };
    const own = row.params ?? ({} as Rows);
    const params = csv ? { ...own, decimal } : own;
    let schema: Schema | null = null;
    const answer: Endpoint<Source>["run"] = async (source, request, wanted) => {
      const refused = refusal?.(source, request);
      if (refused) return refused;
      const reading = readParameters({ path, params }, request);
      if (reading.kind === "error") return reading;
      schema ??= body ? body.schema() : NO_BODY;
      const wrong = requestMistakes(
        request.body ?? (body ? undefined : {}),
        schema,
        body?.isCheckedByRun && (({ code }) => code === "unrecognized_keys"),
      );
      if (wrong) return wrong;
      const made = await row.run(source, reading.params, request as RequestOf<Body>);
      if (!csv || (wanted !== "csv" && !/\btext\/csv\b/i.test(request.headers.accept ?? ""))) return made;
      // Only endpoints of `/local/v1` have tables.
      const { calendar } = source as Source & Pick<LocalSource, "calendar">;
      const decimal = request.query.get("decimal") === "comma" ? "comma" : "point";
      return csvAnswer(made, csv, path.split("/").at(-1) ?? "", { decimal, calendar });
    };
    const run: Endpoint<Source>["run"] = async (source, request, wanted) => {
      const made = await answer(source, request, wanted);
      if (isLogged && made.kind !== "error")
        request.report({ operation: operationId, method, path: request.url.split("?")[0] ?? path });
      return made.kind === "error" && row.text === "signal" ? signalError(made, request) : made;
    };
    return {
      errors: [],
      example: path,
      ...row,
      isLogged,
      ...(body && { body }),
      method,
      path,
      operationId,
      scope,
      params,
      run,
    } as TypedEndpoint<Source, Route, Rows, Sent<Answer> | Sent<Created>>;
  };
}

export const endpoint = endpointFor<LocalSource>();

const NO_BODY = strictObject({});
/** Reasons of the configuration in the words of a request. */
const OF_A_REQUEST: Readonly<Partial<Record<TextKey, TextKey>>> = {
  "mistake.key": "mistake.member",
  "mistake.long_name": "mistake.long_member",
};

/** Returns the error with the mistakes in a value of a request, all or those of a kind; null if it has none. */
export function requestMistakes(
  value: unknown,
  schema: Schema,
  isMeant: ((issue: z.core.$ZodIssue) => boolean) | undefined = () => true,
): LocalError | null {
  const issues = schema.safeParse(value).error?.issues.filter(isMeant) ?? [];
  if (issues.length === 0) return null;
  const mistakes = issues
    .flatMap((issue) => describeIssue(issue, isTree(value) ? value : {}, schema, ""))
    .map((mistake) => ({ ...mistake, key: OF_A_REQUEST[mistake.key] ?? mistake.key }));
  return { ...localError("invalid_parameter", joined(mistakes.map(mistakeAt))), mistakes };
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
    run: (source, request) => row.run(source, request, "csv"),
  };
}

/** Returns the description of the plain-text response; null if the endpoint returns JSON only. */
export function plainTextOf({ text: about }: EndpointFacts): string | null {
  return about === "signal" ? "`ON` or `OFF`" : (about ?? null);
}
