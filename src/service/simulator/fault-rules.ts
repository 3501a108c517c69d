/** Faults as data: what may go wrong and when, how a script of them is read from JSON, and which of its rules strike. */
import * as z from "zod/mini";
import type { EpochMs } from "../../core/time/interval.ts";
import { describeIssue } from "../contract/answer.ts";
import { type ErrorCode, errorTable } from "../contract/errors.ts";
import { type OperationId, operationIds } from "../contract/operations.ts";
import { instant } from "./instant-schema.ts";

/** A script longer than this is a mistake. */
const MAX_RULES = 1_000;
/** Longer than any client waits. */
const MAX_DELAY_MS = 600_000;

/** A text that is one of some names. */
function oneOf<Name extends string>(names: readonly Name[]) {
  return z.custom<Name>((name) => names.includes(name as Name), `expected one of ${names.join(", ")}`);
}

/** When a fault strikes: on one operation or all, inside `[from, to)`, and at most `times` times. */
const when = {
  operation: oneOf<OperationId | "*">(["*", ...operationIds]),
  from: z.optional(instant),
  to: z.optional(instant),
  times: z.optional(z.int().check(z.positive())),
};

/** One thing that goes wrong with an answer. */
const faults = [
  /** Another status. One of the error table's gets the service's body, any other a proxy's page. */
  z.strictObject({
    ...when,
    fault: z.literal("status"),
    status: z.int().check(z.minimum(200), z.maximum(599)),
    errorCode: z.optional(oneOf(Object.keys(errorTable) as ErrorCode[])),
    /** Value of `Retry-After`; 0 and below are sent as they are, though the service never would. */
    retryAfterSec: z.optional(z.int()),
  }),
  /** The answer comes late, and the next rule that fits is applied as well. Unit: real milliseconds. */
  z.strictObject({
    ...when,
    fault: z.literal("delay"),
    delayMs: z.int().check(z.nonnegative(), z.maximum(MAX_DELAY_MS)),
  }),
  /** Nothing is ever sent. */
  z.strictObject({ ...when, fault: z.literal("hang") }),
  /** JSON that breaks off in the middle, with a length that fits. */
  z.strictObject({ ...when, fault: z.literal("brokenJson") }),
  /** A field is taken out of every row, or of the envelope where rows do not have it. */
  z.strictObject({ ...when, fault: z.literal("missingField"), field: z.string() }),
  /** A field's number becomes a text, and anything else a number. */
  z.strictObject({ ...when, fault: z.literal("wrongType"), field: z.string() }),
  /** The connection is closed before the first byte. */
  z.strictObject({ ...when, fault: z.literal("lostConnection") }),
  /** The connection is closed in the middle of the body. */
  z.strictObject({ ...when, fault: z.literal("cutOff") }),
  /** A 200 with no rows. */
  z.strictObject({ ...when, fault: z.literal("empty") }),
  z.strictObject({ ...when, fault: z.literal("redirect"), location: z.string() }),
] as const;
const rule = z.discriminatedUnion(
  "fault",
  faults,
  "expected one of the kinds of fault: status, delay, hang, brokenJson, missingField, wrongType, lostConnection, cutOff, empty, redirect",
);
const script = z.array(rule).check(z.maxLength(MAX_RULES));

export type FaultRule = z.infer<typeof rule>;

export type FaultReading =
  | { readonly kind: "rules"; readonly rules: readonly FaultRule[] }
  | { readonly kind: "unreadable"; readonly problems: readonly string[] };

/** Reads a script of faults from parsed JSON. Errors: every problem, with the rule it is in and what is expected. */
export function readFaultRules(json: unknown): FaultReading {
  const result = script.safeParse(json);
  if (result.success) return { kind: "rules", rules: result.data };
  const problems = result.error.issues.map((issue) => {
    const [index, ...path] = issue.path;
    const where = index === undefined ? "the script" : `rule ${Number(index) + 1}`;
    return `${[where, ...path].join(" ")}: ${describeIssue(issue)}`;
  });
  return { kind: "unreadable", problems };
}

/** A script of faults in play: which of its rules strike next, and how often each has. */
export class FaultScript {
  #rules: readonly { readonly rule: FaultRule; struck: number }[] = [];

  constructor(rules: readonly FaultRule[]) {
    this.replace(rules);
  }

  /** Puts another script in place of this one and begins to count again. */
  replace(rules: readonly FaultRule[]): void {
    this.#rules = rules.map((rule) => ({ rule, struck: 0 }));
  }

  /** The rules of the script, in order, with the times each has struck. */
  get state(): readonly { readonly rule: FaultRule; readonly struck: number }[] {
    return this.#rules;
  }

  /** What strikes one answer: every delay in the order of the script, up to the first other fault that fits. */
  strike(operation: OperationId, now: EpochMs): FaultRule[] {
    const striking: FaultRule[] = [];
    for (const entry of this.#rules) {
      if (!fits(entry.rule, operation, now) || entry.struck >= (entry.rule.times ?? Infinity)) continue;
      entry.struck++;
      striking.push(entry.rule);
      if (entry.rule.fault !== "delay") break;
    }
    return striking;
  }
}

function fits({ operation, from, to }: FaultRule, asked: OperationId, now: EpochMs): boolean {
  return (operation === "*" || operation === asked) && (from ?? -Infinity) <= now && now < (to ?? Infinity);
}
