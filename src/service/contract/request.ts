/** Request of an operation as text and as values: servers parse it, the client writes it. */
import type { Calendar, CalendarUnit } from "../../core/time/calendar.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { type ContractError, contractError } from "./errors.ts";
import { type AnyOperation, type OperationId, operationOf, type ParamsOf } from "./operations.ts";
import { type ParameterValues, parameterKinds } from "./parameters.ts";
import { normaliseRange } from "./range.ts";

/** Request as text: decoded path parameters by name, and decoded query pairs in order. */
export interface RequestText {
  readonly path: Readonly<Record<string, string | undefined>>;
  readonly query: Iterable<readonly [string, string]>;
}

export type RequestReading<Id extends OperationId> =
  | { readonly kind: "params"; readonly params: ParamsOf<Id> }
  | ContractError;

type Values = Record<string, unknown>;

/** Fractional seconds with digits below a millisecond. */
const BELOW_MS = /\.\d{3}\d*[1-9]/;

/**
 * Parses a request and expands its range outward. Returns these errors, in this order: `invalid_parameter` (missing,
 * empty, repeated, unknown value, unparsable), `invalid_range`, `range_too_large`. Unknown names are ignored.
 */
export function readRequest<Id extends OperationId>(id: Id, text: RequestText, calendar: Calendar): RequestReading<Id> {
  const operation = operationOf(id);
  const values: Values = {};
  for (const [name, kind] of Object.entries(operation.inPath)) {
    const found = text.path[name];
    if (!found) return invalidParameter(name, "is missing");
    const reading = parameterKinds[kind].read(found);
    if (reading.kind === "unreadable") return invalidParameter(name, reading.why);
    values[name] = reading.value;
  }
  const query = Map.groupBy(text.query, ([name]) => name);
  for (const [name, kind] of Object.entries(operation.inQuery)) {
    const found = query.get(name) ?? [];
    if (found.length > 1) return invalidParameter(name, `was given ${found.length} times; expected once`);
    const only = found[0]?.[1];
    if (only === undefined && kind.endsWith("?")) continue;
    if (only === undefined) return invalidParameter(name, "is missing");
    if (only === "") return invalidParameter(name, "is empty");
    const reading = parameterKinds[baseKind(kind)].read(only);
    if (reading.kind === "unreadable") return invalidParameter(name, reading.why);
    values[name] = reading.value;
    // `to` was truncated to milliseconds: round it up, so that the range contains it.
    if (name === "to" && BELOW_MS.test(only)) values[name] = Number(reading.value) + 1;
  }
  const refused = operation.range ? normalise(operation.range, values, calendar) : null;
  return refused ?? { kind: "params", params: values as ParamsOf<Id> };
}

/** Returns path and query of a request, relative to the base URL. */
export function writeRequest<Id extends OperationId>(id: Id, params: ParamsOf<Id>): string {
  const operation: AnyOperation = operationOf(id);
  const values: Readonly<Values> = params;
  let path = operation.path;
  for (const [name, kind] of Object.entries(operation.inPath)) {
    path = path.replace(`{${name}}`, encodeURIComponent(writeParameter(kind, values[name])));
  }
  const query = new URLSearchParams();
  for (const [name, kind] of Object.entries(operation.inQuery)) {
    if (values[name] !== undefined) query.set(name, writeParameter(baseKind(kind), values[name]));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

function normalise(
  range: NonNullable<AnyOperation["range"]>,
  values: Values,
  calendar: Calendar,
): ContractError | null {
  const unit = values[range.unitFrom] as CalendarUnit;
  const wanted = { from: values.from as EpochMs, to: values.to as EpochMs };
  const normalised = normaliseRange(wanted, unit, range.caps[unit] ?? null, calendar);
  if ("kind" in normalised) return normalised;
  values.from = normalised.start;
  values.to = normalised.end;
  return null;
}

function baseKind(kind: string): keyof ParameterValues {
  return kind.replace("?", "") as keyof ParameterValues;
}

function writeParameter(kind: keyof ParameterValues, value: unknown): string {
  const write = parameterKinds[kind].write as (value: unknown) => string;
  return write(value);
}

function invalidParameter(name: string, why: string): ContractError {
  return contractError("invalid_parameter", `${name} ${why}`);
}
