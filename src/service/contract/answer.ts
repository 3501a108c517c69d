/**
 * Checks an answer of the service against the contract, in slices, so that a year of rows never holds the event loop.
 */
import type * as z from "zod/mini";
import { type BodyOf, type OperationId, operationOf } from "./operations.ts";

export type AnswerReading<Id extends OperationId> =
  | { readonly kind: "body"; readonly body: BodyOf<Id> }
  | { readonly kind: "malformed"; readonly why: string };

/** Rows checked between two pauses; 500 rows take well under a millisecond. */
const ROWS_PER_SLICE = 500;

/**
 * Checks parsed JSON against an operation's answer. Yields between slices: the caller may let others run.
 * Errors: `malformed` says where and what was expected. The body comes back as it was, unknown fields included.
 */
export function* readAnswer<Id extends OperationId>(id: Id, json: unknown): Generator<void, AnswerReading<Id>> {
  const { response } = operationOf(id);
  if (response.shape === "document") return mismatch(response.schema, json) ?? asBody(json);
  if (response.shape === "series") {
    const wrong = mismatch(response.envelope, json);
    if (wrong) return wrong;
  }
  const rows: unknown = response.shape === "series" ? (json as { data?: unknown }).data : json;
  if (!Array.isArray(rows))
    return { kind: "malformed", why: `${response.shape === "series" ? "data" : "the answer"} is not an array` };
  let checked = 0;
  for (const row of rows) {
    const wrong = mismatch(response.row, row, `row ${checked}`);
    if (wrong) return wrong;
    if (++checked % ROWS_PER_SLICE === 0) yield;
  }
  return asBody(json);
}

function asBody<Id extends OperationId>(json: unknown): AnswerReading<Id> {
  return { kind: "body", body: json as BodyOf<Id> };
}

function mismatch(schema: z.ZodMiniType, value: unknown, where = ""): { kind: "malformed"; why: string } | null {
  const result = schema.safeParse(value);
  if (result.success) return null;
  const [issue] = result.error.issues;
  const path = [where, issue?.path.join(".")].filter(Boolean).join(": ");
  return { kind: "malformed", why: `${path || "the answer"}: ${describe(issue)}` };
}

function describe(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return "does not fit";
  if (issue.code === "invalid_type") return `expected ${issue.expected}`;
  if (issue.code === "invalid_value") return `expected one of ${issue.values.join(", ")}`;
  if (issue.code === "invalid_format") return `expected ${issue.format}`;
  return issue.message || "does not fit";
}
