/** The service, asked for any operation of the contract. */
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

/** What the headers of an answer said. */
export interface AnswerNotes {
  readonly status: number;
  readonly requestId: string | null;
  readonly quota: Partial<QuotaStanding>;
  /** The service's own time, by its `Date` header. */
  readonly serverMs: EpochMs | null;
}

/** What goes along with a request next to its parameters. */
export interface AskContext {
  readonly signal: AbortSignal;
  /** Told once, as soon as the headers are there. */
  readonly note: (notes: AnswerNotes) => void;
}

/** Asks the service for an operation of the contract. */
export type Client = <Id extends OperationId>(
  id: Id,
  params: ParamsOf<Id>,
  context: AskContext,
) => Promise<Success<Id> | FetchFailure>;

export interface ClientOptions {
  readonly get: HttpGet;
  /** Path in front of the contract's paths, without a slash at its end. */
  readonly basePath: string;
  readonly userAgent: string;
  /** The whole value of `Authorization`, per interface. The key is nowhere else: not in a URL, not in a log. */
  readonly authorization: Readonly<Partial<Record<InterfaceName, string>>>;
  /** What must not come back in any text of ours, whoever wrote it: keys, secrets, tokens, proxy passwords. */
  readonly secrets: readonly string[];
}

/** Longest part of a foreign error text that is kept. */
const MAX_REASON_LENGTH = 300;
const MAX_REQUEST_ID_LENGTH = 100;
/** What an error code may look like; anything else is no code of this contract. */
const ERROR_CODE = /^[a-z_]{1,50}$/;

export function createClient({ get, basePath, userAgent, authorization, secrets }: ClientOptions): Client {
  return async (id, params, context) => {
    const key = authorization[operationOf(id).interface];
    if (key === undefined) throw new Error(`${id} was asked without a key for its interface`);
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

/** The text with every secret blotted out: an error of a server or of a library may quote what it was sent. */
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
    return malformed(`the answer to ${id} is encoded in a way that was not asked for`);
  if (body === null) return malformed(`the answer to ${id} is longer than ${MAX_ANSWER_MB} MB`);
  const json = parseJson(body);
  if (json === undefined) return malformed(`the answer to ${id} ${flawOf(body) ?? "is not JSON"}`);
  const reading = await readAnswer(id, json, () => setImmediate());
  return reading.kind === "body" ? { kind: "ok", body: reading.body } : malformed(`${id}: ${reading.why}`);
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

/** The wait an answer names: by `Retry-After`, and on a 429 until the latest reset among the exhausted windows. */
function namedWaitMs(answer: HttpAnswer, { status, quota, serverMs }: AnswerNotes): number | null {
  const waits = [retryAfterMs(answer.header("retry-after"), serverMs)];
  if (status === 429 && serverMs !== null) {
    for (const standing of [quota.minute, quota.day])
      waits.push(standing?.remaining === 0 ? standing.resetSec * 1_000 - serverMs : null);
  }
  const named = waits.filter((wait) => wait !== null && wait > 0);
  return named.length === 0 ? null : Math.max(...named.map(Number));
}

/** `Retry-After` in its whole seconds, or as a date, which a proxy on the way may write. */
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
    // Not JSON is an answer of its own kind; the caller says so.
    return undefined;
  }
}

/** The time of an answer that is the service's own, and not that of something on the way, such as a portal's page. */
export function serviceTime(notes: AnswerNotes | null): EpochMs | null {
  if (!notes) return null;
  const { requestId, quota, serverMs } = notes;
  return requestId !== null || quota.minute || quota.day ? serverMs : null;
}
