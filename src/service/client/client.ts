/** Client for all operations of the contract. */
import { setImmediate } from "node:timers/promises";
import type { FetchFailure } from "../../core/fetching/fetch-outcome.ts";
import { flawOf } from "../../core/text/foreign-json.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { readAnswer } from "../contract/answer.ts";
import {
  type InterfaceName,
  type OperationId,
  operationOf,
  type ParamsOf,
  type Success,
} from "../contract/operations.ts";
import { parseQuotaHeaders, parseRetryAfterSec, type QuotaStanding } from "../contract/quota-headers.ts";
import { writeRequest } from "../contract/request.ts";
import type { HttpAnswer, HttpGet } from "./http-transport.ts";
import { MAX_ANSWER_MB, TOO_MANY_HEADERS } from "./network-errors.ts";

/** Facts from the headers of a response. */
export interface AnswerNotes {
  readonly status: number;
  readonly requestId: string | null;
  readonly quota: Partial<QuotaStanding>;
  /** Service time from the `Date` header. */
  readonly serverMs: EpochMs | null;
}

/** Data of a request other than its parameters. */
export interface AskContext {
  readonly signal: AbortSignal;
  /** Called once, when the headers have arrived. */
  readonly note: (notes: AnswerNotes) => void;
}

/** Requests an operation of the contract. */
export type Client = <Id extends OperationId>(
  id: Id,
  params: ParamsOf<Id>,
  context: AskContext,
) => Promise<Success<Id> | FetchFailure>;

export interface ClientOptions {
  readonly get: HttpGet;
  /** Path before the contract's paths, without a trailing slash. */
  readonly basePath: string;
  readonly userAgent: string;
  /** Value of `Authorization` per interface. The key is never in a URL or a log. */
  readonly authorization: Readonly<Partial<Record<InterfaceName, string>>>;
  /** Texts that must not appear in any output: keys, secrets, tokens, proxy passwords. */
  readonly secrets: readonly string[];
}

/** Maximum length of an error text from the service. */
const MAX_REASON_LENGTH = 300;
const MAX_REQUEST_ID_LENGTH = 100;
/** Pattern of an error code; other texts are not codes of this contract. */
const ERROR_CODE = /^[a-z_]{1,50}$/;

export function createClient({ get, basePath, userAgent, authorization, secrets }: ClientOptions): Client {
  return async (id, params, context) => {
    const key = authorization[operationOf(id).interface];
    if (key === undefined) throw new Error(`${id} needs a key of its interface, which is not configured`);
    const headers = {
      authorization: key,
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": userAgent,
    };
    let answer: HttpAnswer;
    try {
      answer = await get(basePath + writeRequest(id, params), headers, context.signal);
    } catch (error) {
      const why = error instanceof Error ? error.message : "the request failed";
      if (why === TOO_MANY_HEADERS) return { kind: "malformed", why, requestId: null };
      return { kind: "unreachable", why: withoutSecrets(why, secrets) };
    }
    const notes = notesOf(answer, secrets);
    context.note(notes);
    return answer.status === 200 ? readSuccess(id, answer, notes) : refusal(answer, notes, secrets);
  };
}

/** Replaces every secret in a text, because an error of a server or library may quote the request. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.filter(Boolean).reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
}

async function readSuccess<Id extends OperationId>(
  id: Id,
  { header, body }: HttpAnswer,
  { requestId }: AnswerNotes,
): Promise<Success<Id> | FetchFailure> {
  const malformed = (why: string) => ({ kind: "malformed", why, requestId }) as const;
  if ((header("content-encoding") ?? "identity") !== "identity")
    return malformed(`the response to ${id} has a content encoding that was not requested`);
  if (body === null) return malformed(`the response to ${id} is longer than ${MAX_ANSWER_MB} MB`);
  const json = parseJson(body);
  if (json === undefined) return malformed(`the response to ${id} ${flawOf(body) ?? "is not JSON"}`);
  const reading = await readAnswer(id, json, () => setImmediate());
  if (reading.kind === "malformed") return malformed(`${id}: ${reading.why}`);
  return { kind: "ok", body: reading.body, dropped: reading.dropped };
}

function refusal(answer: HttpAnswer, notes: AnswerNotes, secrets: readonly string[]): FetchFailure {
  const body = answer.body && parseJson(answer.body);
  const fields: Readonly<Record<string, unknown>> = typeof body === "object" && body !== null ? { ...body } : {};
  const { errorCode, reason } = fields;
  const said = typeof reason === "string" ? reason : `status ${answer.status} without a reason`;
  return {
    kind: "refused",
    status: answer.status,
    code: typeof errorCode === "string" && ERROR_CODE.test(errorCode) ? errorCode : null,
    reason: withoutSecrets(said, secrets).slice(0, MAX_REASON_LENGTH),
    retryAfterMs: namedWaitMs(answer, notes),
    requestId: notes.requestId,
  };
}

/**
 * Returns the wait that a response requests: `Retry-After`, and for a 429 also the latest reset of the exhausted
 * windows. Null without one.
 */
function namedWaitMs(answer: HttpAnswer, { status, quota, serverMs }: AnswerNotes): number | null {
  const waits = [retryAfterMs(answer.header("retry-after"), serverMs)];
  if (status === 429 && serverMs !== null) {
    for (const standing of [quota.minute, quota.day])
      waits.push(standing?.remaining === 0 ? standing.resetSec * 1_000 - serverMs : null);
  }
  const named = waits.filter((wait) => wait !== null && wait > 0);
  return named.length === 0 ? null : Math.max(...named.map(Number));
}

/** Reads `Retry-After` in seconds, or as a date, which an intermediate proxy may send. */
function retryAfterMs(text: string | undefined, serverMs: EpochMs | null): number | null {
  const seconds = parseRetryAfterSec(text);
  if (seconds !== null) return seconds * 1_000;
  const date = /[a-z]/i.test(text ?? "") ? Date.parse(text ?? "") : Number.NaN;
  return Number.isNaN(date) || serverMs === null ? null : date - serverMs;
}

function notesOf(answer: HttpAnswer, secrets: readonly string[]): AnswerNotes {
  const date = Date.parse(answer.header("date") ?? "");
  const requestId = answer.header("x-request-id") ?? "";
  return {
    status: answer.status,
    requestId: requestId === "" ? null : withoutSecrets(requestId, secrets).slice(0, MAX_REQUEST_ID_LENGTH),
    quota: parseQuotaHeaders(answer.header),
    serverMs: Number.isNaN(date) ? null : date,
  };
}

function parseJson(body: Buffer): unknown {
  if (flawOf(body) !== null) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    // The caller reports that it is not JSON.
    return undefined;
  }
}

/**
 * Returns the time of a response if the service itself sent it, and not for example a captive portal; otherwise null.
 */
export function serviceTime(notes: AnswerNotes | null): EpochMs | null {
  if (!notes) return null;
  const { requestId, quota, serverMs } = notes;
  return requestId !== null || quota.minute || quota.day ? serverMs : null;
}
