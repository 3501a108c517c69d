/** Fault rules: their JSON schema, the parser of a script, and the selection of the rules that apply. */
import * as z from "zod/mini";
import type { EpochMs } from "../core/time/interval.ts";
import { expectedBy } from "../service/contract/answer.ts";
import { type ErrorCode, errorTable } from "../service/contract/errors.ts";
import { type OperationId, operationIds } from "../service/contract/operations.ts";
import { parseInstant } from "../service/contract/range.ts";

/** Maximum rules; a longer script is a mistake. */
const MAX_RULES = 1_000;
/** Maximum delay; no client waits longer. */
const MAX_DELAY_MS = 600_000;

/** Schema of an RFC 3339 date-time in JSON, parsed to epoch ms. */
export const instantField = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const reading = parseInstant(text);
    if (reading.kind === "value") return reading.value;
    context.issues.push({ code: "custom", input: text, message: reading.why });
    return z.NEVER;
  }),
);

function oneOf<Name extends string>(names: readonly Name[]) {
  return z.custom<Name>((name) => names.includes(name as Name), `expected one of ${names.join(", ")}`);
}

/** Condition of a fault: one operation or all, within `[from, to)`, at most `times` times. */
const when = {
  operation: oneOf<OperationId | "*">(["*", ...operationIds]),
  from: z.optional(instantField),
  to: z.optional(instantField),
  times: z.optional(z.int().check(z.positive())),
};

/** Rows of hours, quarter-hours and price lists that start within `[rowsFrom, rowsTo)`. */
const rows = { ...when, rowsFrom: instantField, rowsTo: instantField };

/**
 * Faults of the data or headers of a response, which is still sent: the next matching rule applies too. While a rule of
 * late or wrong rows is active, the service does not know better; the rows are right from its `to` on.
 */
const additive = [
  /** Delays the response. Unit: real ms. */
  z.strictObject({
    ...when,
    fault: z.literal("delay"),
    delayMs: z.int().check(z.nonnegative(), z.maximum(MAX_DELAY_MS)),
  }),
  /** Omits rows that arrive late. */
  z.strictObject({ ...rows, fault: z.literal("lateRows") }),
  /** Multiplies amounts and prices of rows that are corrected later. */
  z.strictObject({ ...rows, fault: z.literal("wrongRows"), factor: z.number() }),
  /** Replaces fields of one row, or with `repeat` adds the changed row after it. `row` counts from 0. */
  z.strictObject({
    ...when,
    fault: z.literal("badRow"),
    row: z.int().check(z.nonnegative()),
    put: z.record(z.string(), z.json()),
    repeat: z.optional(z.boolean()),
  }),
  /** Replaces headers, for example those of the quota. */
  z.strictObject({ ...when, fault: z.literal("headers"), headers: z.record(z.string(), z.string()) }),
  /** The key belongs to another account: the addresses have other ids, and the old ones are unknown. */
  z.strictObject({ ...when, fault: z.literal("otherAccount") }),
] as const;

const faults = [
  ...additive,
  /** Another status. A status of the error table has the service's body, any other a proxy's HTML page. */
  z.strictObject({
    ...when,
    fault: z.literal("status"),
    status: z.int().check(z.minimum(200), z.maximum(599)),
    errorCode: z.optional(oneOf(Object.keys(errorTable) as ErrorCode[])),
    /** Value of `Retry-After`. Zero and negative values are sent too, although the service never sends them. */
    retryAfterSec: z.optional(z.int()),
  }),
  /** Sends an HTML page with any status, as a log-in page or a proxy does. */
  z.strictObject({ ...when, fault: z.literal("html"), status: z.int().check(z.minimum(200), z.maximum(599)) }),
  /** Never sends a response. */
  z.strictObject({ ...when, fault: z.literal("hang") }),
  /** Truncates the JSON, with a matching length. */
  z.strictObject({ ...when, fault: z.literal("brokenJson") }),
  /** Removes a field from every row, or from the envelope if no row has it. */
  z.strictObject({ ...when, fault: z.literal("missingField"), field: z.string() }),
  /** Changes a number to a text, and any other value to a number. */
  z.strictObject({ ...when, fault: z.literal("wrongType"), field: z.string() }),
  /** Closes the connection before the first byte. */
  z.strictObject({ ...when, fault: z.literal("lostConnection") }),
  /** Closes the connection in the middle of the body. */
  z.strictObject({ ...when, fault: z.literal("cutOff") }),
  /** Sends a 200 without rows. */
  z.strictObject({ ...when, fault: z.literal("empty") }),
  z.strictObject({ ...when, fault: z.literal("redirect"), location: z.string() }),
] as const;
const rule = z.discriminatedUnion(
  "fault",
  faults,
  `expected one fault kind: ${faults.map(({ shape }) => [...shape.fault.def.values][0]).join(", ")}`,
);
const script = z.array(rule).check(z.maxLength(MAX_RULES));

const ADDITIVE: ReadonlySet<string> = new Set(additive.flatMap(({ shape }) => [...shape.fault.def.values]));

export type FaultRule = z.infer<typeof rule>;

export type FaultReading =
  | { readonly kind: "rules"; readonly rules: readonly FaultRule[] }
  | { readonly kind: "unreadable"; readonly problems: readonly string[] };

/** Parses a script of faults. Returns all problems with their rule and the expected value. */
export function readFaultRules(json: unknown): FaultReading {
  const result = script.safeParse(json);
  if (result.success) return { kind: "rules", rules: result.data };
  const problems = result.error.issues.map((issue) => {
    const [index, ...path] = issue.path;
    const where = index === undefined ? "the script" : `rule ${Number(index) + 1}`;
    return `${[where, ...path].join(" ")}: ${expectedBy(issue)}`;
  });
  return { kind: "unreadable", problems };
}

/** Active fault script: selects the rules that apply next and counts their uses. */
export class FaultScript {
  #rules: readonly { readonly rule: FaultRule; struck: number }[] = [];

  constructor(rules: readonly FaultRule[]) {
    this.replace(rules);
  }

  replace(rules: readonly FaultRule[]): void {
    this.#rules = rules.map((rule) => ({ rule, struck: 0 }));
  }

  /** Rules of the script, in order, with the number of uses. */
  get state(): readonly { readonly rule: FaultRule; readonly struck: number }[] {
    return this.#rules;
  }

  isOtherAccount(now: EpochMs): boolean {
    return this.#rules.some(({ rule }) => rule.fault === "otherAccount" && fits(rule, "addresses", now));
  }

  /** Returns the faults of one response: all matching additive ones, up to the first other fault. */
  strike(operation: OperationId, now: EpochMs): FaultRule[] {
    const striking: FaultRule[] = [];
    for (const entry of this.#rules) {
      if (!fits(entry.rule, operation, now) || entry.struck >= (entry.rule.times ?? Infinity)) continue;
      entry.struck++;
      striking.push(entry.rule);
      if (!ADDITIVE.has(entry.rule.fault)) break;
    }
    return striking;
  }
}

function fits({ operation, from, to }: FaultRule, wanted: OperationId, now: EpochMs): boolean {
  return (operation === "*" || operation === wanted) && (from ?? -Infinity) <= now && now < (to ?? Infinity);
}
