/**
 * Control paths of the simulator, in addition to the service's paths. A person or a test sets the clock, injects
 * faults, and manages the key as in the mobile app.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod/mini";
import { formatInstant } from "../core/time/interval.ts";
import type { Router } from "../http/router.ts";
import type { InterfaceName } from "../service/contract/operations.ts";
import { type ConsumerAccount, entitlements } from "./accounts.ts";
import { type FaultRule, type FaultScript, readFaultRules } from "./fault-rules.ts";
import { instant } from "./instant-schema.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

export interface Controlled {
  readonly clock: SimulatedClock;
  readonly account: ConsumerAccount;
  readonly faults: FaultScript;
  readonly attemptsToday: (of: InterfaceName) => number;
  /** Number of consumer accounts, and of their attempts that a quota rejected. */
  readonly accounts: () => { readonly count: number; readonly denied: number };
}

/** Reason why a control request failed, with its HTTP status. */
class Refusal extends Error {
  readonly status: 400 | 409 | 413;

  constructor(status: Refusal["status"], reason: string) {
    super(reason);
    this.status = status;
  }
}

/** Maximum size of a request body; a script of a thousand rules fits. */
const MAX_BODY_BYTES = 256 * 1024;
/** Maximum speed. At higher speeds a day passes within one keep-alive interval. */
const MAX_SPEED = 100_000;

const clockChange = z.strictObject({
  at: z.optional(instant),
  speed: z.optional(z.number().check(z.minimum(0), z.maximum(MAX_SPEED))),
});
const keyAction = z.discriminatedUnion("action", [
  z.strictObject({ action: z.enum(["issue", "replace"]) }),
  z.strictObject({ action: z.literal("expire"), at: z.optional(instant) }),
]);
const entitlementChange = z.strictObject({ entitlement: z.enum(entitlements) });

/** Adds `GET /simulator` and `POST /simulator/clock`, `/key`, `/entitlement`, `/faults`. */
export function mountControl(router: Router, controlled: Controlled): void {
  router.on("GET", "/simulator", (_request, response) => send(response, 200, stateOf(controlled)));
  const posts = { clock: setClock, key: changeKey, entitlement: setEntitlement, faults: setFaults };
  for (const [name, act] of Object.entries(posts)) {
    router.on("POST", `/simulator/${name}`, async (request, response) => {
      try {
        send(response, 200, act(await readJson(request), controlled) ?? stateOf(controlled));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        send(response, error.status, { error: true, reason: error.message });
      }
    });
  }
}

function setClock(json: unknown, { clock }: Controlled): void {
  clock.set(parsed(clockChange, json, `{"at": RFC 3339 date-time, "speed": 0 to ${MAX_SPEED}}, both optional`));
}

function changeKey(json: unknown, { account, clock }: Controlled): object | undefined {
  const expected = `{"action": "issue" | "replace" | "expire"}; "at" is the expiry time of the key, by default now`;
  const change = parsed(keyAction, json, expected);
  if (change.action === "expire") {
    account.expireKey(change.at ?? clock.now());
    return undefined;
  }
  const issue = change.action === "issue" ? account.issueKey() : account.replaceKey();
  if (issue.kind === "refused") throw new Refusal(409, issue.reason);
  return { key: issue.key, note: "shown only this once" };
}

function setEntitlement(json: unknown, { account }: Controlled): void {
  const expected = `{"entitlement": one of ${entitlements.join(", ")}}`;
  account.setEntitlement(parsed(entitlementChange, json, expected).entitlement);
}

function setFaults(json: unknown, { faults }: Controlled): void {
  const reading = readFaultRules(json);
  if (reading.kind === "unreadable") throw new Refusal(400, reading.problems.join("; "));
  faults.replace(reading.rules);
}

function parsed<Schema extends z.ZodMiniType>(schema: Schema, json: unknown, expected: string): z.infer<Schema> {
  const reading = schema.safeParse(json);
  if (!reading.success) throw new Refusal(400, `expected ${expected}`);
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

/** Converts a rule to the form of the script. */
function writtenRule(rule: FaultRule) {
  const isInstant = (name: string) => ["from", "to", "rowsFrom", "rowsTo"].includes(name);
  return Object.fromEntries(
    Object.entries(rule).map(([name, value]) => [name, isInstant(name) ? formatInstant(Number(value)) : value]),
  );
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Refusal(413, `the body is longer than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new Refusal(400, "the body is not JSON");
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(`${JSON.stringify(body)}\n`);
}
