/** Control paths of the simulator, to set the clock, inject faults, and manage the key as in the app. */
import * as z from "zod/mini";
import { formatInstant } from "../core/time/interval.ts";
import { type LocalError, type LocalErrorCode, localError } from "../http/errors.ts";
import { readAnyJson } from "../http/request-body.ts";
import { JSON_TYPE, type LocalAnswer } from "../http/response.ts";
import type { Route } from "../http/route.ts";
import type { InterfaceName } from "../service/contract/operations.ts";
import { type ConsumerAccount, entitlements } from "./accounts.ts";
import { type FaultRule, type FaultScript, instantField, readFaultRules } from "./fault-rules.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

export interface Controlled {
  readonly clock: SimulatedClock;
  readonly account: ConsumerAccount;
  readonly faults: FaultScript;
  readonly attemptsToday: (of: InterfaceName) => number;
  /** Number of consumer accounts, and of their attempts that a quota rejected. */
  readonly accounts: () => { readonly count: number; readonly denied: number };
}

/** Reason why a control request failed. */
class Refusal extends Error {
  readonly answer: LocalError;

  constructor(code: LocalErrorCode, reason: string) {
    super(reason);
    this.answer = localError(code, reason);
  }
}

/** Maximum speed. At higher speeds a day passes within one keep-alive interval. */
const MAX_SPEED = 100_000;

const clockChange = z.strictObject({
  at: z.optional(instantField),
  speed: z.optional(z.number().check(z.minimum(0), z.maximum(MAX_SPEED))),
});
const keyAction = z.discriminatedUnion("action", [
  z.strictObject({ action: z.enum(["issue", "replace"]) }),
  z.strictObject({ action: z.literal("expire"), at: z.optional(instantField) }),
]);
const entitlementChange = z.strictObject({ entitlement: z.enum(entitlements) });

/** Returns `GET /simulator` and `POST /simulator/clock`, `/key`, `/entitlement`, `/faults`. */
export function controlRoutes(controlled: Controlled): readonly Route[] {
  const posts = Object.entries(acts).map(
    ([name, act]): Route => ({
      method: "POST",
      path: `/simulator/${name}`,
      scope: "open",
      // A body of any content type is read.
      takesFile: true,
      async handle({ file }) {
        const reading = await readAnyJson(file, "faults");
        if (reading.kind === "error") return reading;
        try {
          return answerOf(act(reading.body, controlled) ?? stateOf(controlled));
        } catch (error) {
          if (error instanceof Refusal) return error.answer;
          throw error;
        }
      },
    }),
  );
  return [{ method: "GET", path: "/simulator", scope: "open", handle: () => answerOf(stateOf(controlled)) }, ...posts];
}

/** What a POST does, by the end of its path. Returns an answer other than the state. */
const acts: Readonly<Record<string, (json: unknown, controlled: Controlled) => object | undefined>> = {
  clock(json, { clock }) {
    clock.set(parsed(clockChange, json, `{"at": RFC 3339 date-time, "speed": 0 to ${MAX_SPEED}}, both optional`));
    return undefined;
  },
  key(json, { account, clock }) {
    const expected = `{"action": "issue" | "replace" | "expire"}; "at" is the expiry time of the key, by default now`;
    const change = parsed(keyAction, json, expected);
    if (change.action === "expire") {
      account.expireKey(change.at ?? clock.now());
      return undefined;
    }
    const issue = account.newKey(change.action);
    if (issue.kind === "refused") throw new Refusal("conflict", issue.reason);
    return { key: issue.key, note: "shown only this once" };
  },
  entitlement(json, { account }) {
    const expected = `{"entitlement": one of ${entitlements.join(", ")}}`;
    account.setEntitlement(parsed(entitlementChange, json, expected).entitlement);
    return undefined;
  },
  faults(json, { faults }) {
    const reading = readFaultRules(json);
    if (reading.kind === "unreadable") throw new Refusal("invalid_parameter", reading.problems.join("; "));
    faults.replace(reading.rules);
    return undefined;
  },
};

function parsed<Schema extends z.ZodMiniType>(schema: Schema, json: unknown, expected: string): z.infer<Schema> {
  const reading = schema.safeParse(json);
  if (!reading.success) throw new Refusal("invalid_parameter", `expected ${expected}`);
  return reading.data;
}

function stateOf({ clock, account, faults, attemptsToday, accounts }: Controlled) {
  const { expiresAt, ...state } = account.state;
  return {
    now: formatInstant(clock.now()),
    speed: clock.speed,
    account: { ...state, expiresAt: expiresAt === null ? null : formatInstant(expiresAt) },
    attemptsToday: { consumer: attemptsToday("consumer"), thirdParty: attemptsToday("thirdParty") },
    accounts: accounts(),
    faults: faults.state.map(({ rule, struck }) => ({ rule: writtenRule(rule), struck })),
  };
}

function writtenRule(rule: FaultRule) {
  const isInstant = (name: string) => ["from", "to", "rowsFrom", "rowsTo"].includes(name);
  const fields = Object.entries(rule);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, isInstant(name) ? formatInstant(Number(value)) : value]),
  );
}

function answerOf(body: object): LocalAnswer {
  return { kind: "text", type: JSON_TYPE, text: `${JSON.stringify(body)}\n` };
}
