/**
 * The simulator's own paths, beside the service's: where a person or a test moves the clock, hands in faults, and does
 * what the user of the mobile app does with the key.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod/mini";
import { formatInstant } from "../../core/time/interval.ts";
import type { Router } from "../serve/mount.ts";
import { type ConsumerAccount, entitlements } from "./accounts.ts";
import { type FaultRule, type FaultScript, readFaultRules } from "./fault-rules.ts";
import { instant } from "./instant-schema.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

export interface Controlled {
  readonly clock: SimulatedClock;
  readonly account: ConsumerAccount;
  readonly faults: FaultScript;
  readonly attemptsToday: () => Readonly<Record<"consumer" | "thirdParty", number>>;
}

type ControlAnswer =
  | { readonly kind: "done"; readonly body: unknown }
  | { readonly kind: "refused"; readonly status: 400 | 409 | 413; readonly reason: string };

/** A script of a thousand rules fits; more is not a control. */
const MAX_BODY_BYTES = 256 * 1024;
/** Faster than this a day passes within a keep-alive. */
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
  router.on("GET", "/simulator", (_request, response) => send(response, { kind: "done", body: stateOf(controlled) }));
  const posts: Readonly<Record<string, (json: unknown, controlled: Controlled) => ControlAnswer>> = {
    clock: setClock,
    key: changeKey,
    entitlement: setEntitlement,
    faults: setFaults,
  };
  for (const [name, act] of Object.entries(posts)) {
    router.on("POST", `/simulator/${name}`, async (request, response) => {
      const reading = await readJson(request);
      send(response, reading.kind === "json" ? act(reading.json, controlled) : reading);
    });
  }
}

function setClock(json: unknown, controlled: Controlled): ControlAnswer {
  const change = clockChange.safeParse(json);
  if (!change.success)
    return refused(`expected {"at": RFC 3339 date-time, "speed": 0 to ${MAX_SPEED}}, either may be left out`);
  controlled.clock.set(change.data);
  return { kind: "done", body: stateOf(controlled) };
}

function changeKey(json: unknown, controlled: Controlled): ControlAnswer {
  const change = keyAction.safeParse(json);
  if (!change.success)
    return refused(
      `expected {"action": "issue" | "replace" | "expire"}; "at" says when a key expires, now where absent`,
    );
  const { account, clock } = controlled;
  if (change.data.action === "expire") {
    account.expireKey(change.data.at ?? clock.now());
    return { kind: "done", body: stateOf(controlled) };
  }
  const issue = change.data.action === "issue" ? account.issueKey() : account.replaceKey();
  if (issue.kind === "refused") return { kind: "refused", status: 409, reason: issue.reason };
  return { kind: "done", body: { key: issue.key, note: "shown this once only" } };
}

function setEntitlement(json: unknown, controlled: Controlled): ControlAnswer {
  const change = entitlementChange.safeParse(json);
  if (!change.success) return refused(`expected {"entitlement": one of ${entitlements.join(", ")}}`);
  controlled.account.setEntitlement(change.data.entitlement);
  return { kind: "done", body: stateOf(controlled) };
}

function setFaults(json: unknown, controlled: Controlled): ControlAnswer {
  const reading = readFaultRules(json);
  if (reading.kind === "unreadable") return refused(reading.problems.join("; "));
  controlled.faults.replace(reading.rules);
  return { kind: "done", body: stateOf(controlled) };
}

function stateOf({ clock, account, faults, attemptsToday }: Controlled) {
  const { expiresAt, ...state } = account.state;
  return {
    now: formatInstant(clock.now()),
    speed: clock.speed,
    account: { ...state, expiresAt: expiresAt === null ? null : formatInstant(expiresAt) },
    attemptsToday: attemptsToday(),
    faults: faults.state.map(({ rule, struck }) => ({ rule: writtenRule(rule), struck })),
  };
}

/** A rule as the script writes it. */
function writtenRule({ from, to, ...rule }: FaultRule) {
  return {
    ...rule,
    ...(from !== undefined && { from: formatInstant(from) }),
    ...(to !== undefined && { to: formatInstant(to) }),
  };
}

async function readJson(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) {
      const reason = `the body is longer than ${MAX_BODY_BYTES} bytes`;
      return { kind: "refused", status: 413, reason } as const;
    }
    chunks.push(chunk);
  }
  try {
    return { kind: "json", json: JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown } as const;
  } catch {
    return refused("the body is not JSON");
  }
}

function refused(reason: string) {
  return { kind: "refused", status: 400, reason } as const;
}

function send(response: ServerResponse, answer: ControlAnswer): void {
  const status = answer.kind === "done" ? 200 : answer.status;
  const body = answer.kind === "done" ? answer.body : { error: true, reason: answer.reason };
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(`${JSON.stringify(body)}\n`);
}
