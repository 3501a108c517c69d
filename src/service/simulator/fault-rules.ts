/** Faults as data: what may go wrong, when, and how a script of them is read from JSON. */
import * as z from "zod/mini";
import type { EpochMs } from "../../core/time/interval.ts";
import { type ErrorCode, errorTable, isErrorCode } from "../contract/errors.ts";
import { type OperationId, operationIds } from "../contract/operations.ts";
import { instant } from "./instant-schema.ts";

/** One thing that goes wrong with an answer. */
export type Fault =
  /** Another status. One of the error table's gets the service's body, any other a proxy's page. */
  | {
      readonly fault: "status";
      readonly status: number;
      readonly errorCode?: ErrorCode | undefined;
      /** Value of `Retry-After`; 0 and below are sent as they are, though the service never would. */
      readonly retryAfterSec?: number | undefined;
    }
  /** The answer comes late, and the next rule that fits is applied as well. Unit: real milliseconds. */
  | { readonly fault: "delay"; readonly delayMs: number }
  /** Nothing is ever sent. */
  | { readonly fault: "hang" }
  /** JSON that breaks off in the middle, with a length that fits. */
  | { readonly fault: "brokenJson" }
  /** A field is taken out of every row, or of the envelope where rows do not have it. */
  | { readonly fault: "missingField"; readonly field: string }
  /** A field's number becomes a text, and anything else a number. */
  | { readonly fault: "wrongType"; readonly field: string }
  /** The connection is closed before the first byte. */
  | { readonly fault: "lostConnection" }
  /** The connection is closed in the middle of the body. */
  | { readonly fault: "cutOff" }
  /** A 200 with no rows. */
  | { readonly fault: "empty" }
  | { readonly fault: "redirect"; readonly location: string };

/** When a fault strikes: on one operation or all, inside `[from, to)`, and at most `times` times. */
export type FaultRule = Fault & {
  readonly operation: OperationId | "*";
  readonly from?: EpochMs | undefined;
  readonly to?: EpochMs | undefined;
  readonly times?: number | undefined;
};

export type FaultReading =
  | { readonly kind: "rules"; readonly rules: readonly FaultRule[] }
  | { readonly kind: "unreadable"; readonly problems: readonly string[] };

/** A script longer than this is a mistake. */
const MAX_RULES = 1_000;
/** Longer than any client waits. */
const MAX_DELAY_MS = 600_000;

const operationNames: readonly string[] = ["*", ...operationIds];
const when = {
  operation: z.custom<OperationId | "*">(
    (name) => typeof name === "string" && operationNames.includes(name),
    `expected one of ${operationNames.join(", ")}`,
  ),
  from: z.optional(instant),
  to: z.optional(instant),
  times: z.optional(z.int().check(z.positive())),
};
const rule = z.discriminatedUnion("fault", [
  z.strictObject({
    ...when,
    fault: z.literal("status"),
    status: z.int().check(z.minimum(200), z.maximum(599)),
    errorCode: z.optional(
      z.custom<ErrorCode>(
        (code) => typeof code === "string" && isErrorCode(code),
        `expected one of ${Object.keys(errorTable).join(", ")}`,
      ),
    ),
    retryAfterSec: z.optional(z.int()),
  }),
  z.strictObject({
    ...when,
    fault: z.literal("delay"),
    delayMs: z.int().check(z.nonnegative(), z.maximum(MAX_DELAY_MS)),
  }),
  z.strictObject({ ...when, fault: z.enum(["hang", "brokenJson", "lostConnection", "cutOff", "empty"]) }),
  z.strictObject({ ...when, fault: z.enum(["missingField", "wrongType"]), field: z.string() }),
  z.strictObject({ ...when, fault: z.literal("redirect"), location: z.string() }),
]);
const script = z.array(rule).check(z.maxLength(MAX_RULES));

/** Reads a script of faults from parsed JSON. Errors: every problem, with the rule it is in and what is expected. */
export function readFaultRules(json: unknown): FaultReading {
  const result = script.safeParse(json);
  if (result.success) return { kind: "rules", rules: result.data };
  const problems = result.error.issues.map((issue) => {
    const [index, ...path] = issue.path;
    const where = index === undefined ? "the script" : `rule ${Number(index) + 1}`;
    return `${[where, ...path].join(" ")}: ${explain(issue)}`;
  });
  return { kind: "unreadable", problems };
}

function explain(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${issue.expected}`;
    case "invalid_value":
      return `expected one of ${issue.values.join(", ")}`;
    case "invalid_union":
      return "expected one of the kinds of fault: status, delay, hang, brokenJson, missingField, wrongType, lostConnection, cutOff, empty, redirect";
    case "unrecognized_keys":
      return `does not know ${issue.keys.join(", ")}`;
    case "too_small":
      return `expected at least ${issue.minimum}`;
    case "too_big":
      return `expected at most ${issue.maximum}`;
    default:
      return issue.message || "does not fit";
  }
}
