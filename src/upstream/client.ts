/** The service, asked: every operation of the contract as a function. */
import { setImmediate } from "node:timers/promises";
import { readAnswer } from "../contract/answer.ts";
import {
  type Handlers,
  type InterfaceName,
  type OperationId,
  operationIds,
  operationOf,
  type ParamsOf,
  type Success,
} from "../contract/operations.ts";
import { parseQuotaHeaders, parseRetryAfterSec, type QuotaStanding } from "../contract/quota-headers.ts";
import { writeRequest } from "../contract/request.ts";
import type { EpochMs } from "../core/interval.ts";
import type { Setback } from "../core/outcome.ts";
import type { HttpAnswer, HttpGet } from "./transport.ts";

/** What the headers of an answer said. */
export interface AnswerNotes {
  readonly status: number;
  readonly requestId: string | null;
  readonly quota: Partial<QuotaStanding>;
  /** The service's own time, by its `Date` header. */
  readonly serverMs: EpochMs | null;
}

/** What goes along with a request beside its parameters. */
export interface AskContext {
  readonly signal: AbortSignal;
  /** Told once, as soon as the headers are there. */
  readonly note: (notes: AnswerNotes) => void;
}

export type Client = Handlers<Setback, AskContext>;

export interface ClientOptions {
  readonly get: HttpGet;
  /** Path in front of the contract's paths, without a slash at its end. */
  readonly basePath: string;
  readonly userAgent: string;
  /** The whole value of `Authorization`, per interface. The key is nowhere else: not in a URL, not in a log. */
  readonly authorization: Readonly<Partial<Record<InterfaceName, string>>>;
}

/** Longest part of a foreign error text that is kept. */
const MAX_REASON_LENGTH = 300;

/** Makes the client from the contract's table. */
export function createClient(options: ClientOptions): Client {
  const asking = operationIds.map((id) => [
    id,
    (params: ParamsOf<OperationId>, context: AskContext) => ask(id, params, context, options),
  ]);
  return Object.fromEntries(asking) as Client;
}

async function ask<Id extends OperationId>(
  id: Id,
  params: ParamsOf<Id>,
  context: AskContext,
  options: ClientOptions,
): Promise<Success<Id> | Setback> {
  const authorization = options.authorization[operationOf(id).interface];
  if (authorization === undefined) throw new Error(`${id} was asked without a key for its interface`);
  const headers = { authorization, accept: "application/json", "user-agent": options.userAgent };
  let answer: HttpAnswer;
  try {
    answer = await options.get(options.basePath + writeRequest(id, params), headers, context.signal);
  } catch (error) {
    return { kind: "unreachable", why: error instanceof Error ? error.message : "the request failed" };
  }
  const notes = notesOf(answer);
  context.note(notes);
  return answer.status === 200 ? readSuccess(id, answer.body, notes) : refusal(answer, notes);
}

async function readSuccess<Id extends OperationId>(
  id: Id,
  text: string,
  { requestId }: AnswerNotes,
): Promise<Success<Id> | Setback> {
  const json = parseJson(text);
  if (json === undefined) return { kind: "malformed", why: `the answer to ${id} is not JSON`, requestId };
  const reading = readAnswer(id, json);
  for (;;) {
    const step = reading.next();
    if (step.done) {
      return step.value.kind === "body"
        ? { kind: "ok", body: step.value.body }
        : { kind: "malformed", why: `${id}: ${step.value.why}`, requestId };
    }
    await setImmediate();
  }
}

function refusal(answer: HttpAnswer, notes: AnswerNotes): Setback {
  const body = parseJson(answer.body);
  const fields: Readonly<Record<string, unknown>> = typeof body === "object" && body !== null ? { ...body } : {};
  const { errorCode, reason } = fields;
  const retryAfterSec = parseRetryAfterSec(answer.header("retry-after"));
  return {
    kind: "refused",
    status: answer.status,
    code: typeof errorCode === "string" ? errorCode : null,
    reason:
      typeof reason === "string" ? reason.slice(0, MAX_REASON_LENGTH) : `status ${answer.status} without a reason`,
    retryAfterMs: retryAfterSec === null ? null : retryAfterSec * 1_000,
    requestId: notes.requestId,
  };
}

function notesOf(answer: HttpAnswer): AnswerNotes {
  const date = Date.parse(answer.header("date") ?? "");
  return {
    status: answer.status,
    requestId: answer.header("x-request-id")?.slice(0, 100) ?? null,
    quota: parseQuotaHeaders(answer.header),
    serverMs: Number.isNaN(date) ? null : date,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON is an answer of its own kind; the caller says so.
    return undefined;
  }
}
