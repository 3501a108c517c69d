/** Client for all operations of the contract. */
import { setImmediate } from "node:timers/promises";
import type { FetchFailure } from "../../core/fetching/fetch-outcome.ts";
import { message, reasonOf, textIn } from "../../core/language/text.ts";
import { foreignSources, foreignValue, objectOf, readForeign } from "../../core/text/foreign-text.ts";
import { DAY_MS, type EpochMs, MINUTE_MS } from "../../core/time/interval.ts";
import { readAnswer } from "../contract/answer.ts";
import {
  type InterfaceName,
  type OperationId,
  operationOf,
  type ParamsOf,
  type Success,
} from "../contract/operations.ts";
import { parseQuotaHeaders, parseRetryAfterSec } from "../contract/quota-headers.ts";
import { writeRequest } from "../contract/request.ts";
import type { AnswerNotes } from "./answer-notes.ts";
import type { HttpAnswer, HttpGet } from "./http-transport.ts";
import { TOO_MANY_HEADERS, UnsentError } from "./network-errors.ts";
import type { Permit } from "./rate-limiter.ts";

/** Data of a request other than its parameters. */
export interface AskContext {
  /** Permission of the rate limiter, for this request only. The client settles it. */
  readonly permit: Permit;
  readonly signal: AbortSignal;
  /** Called once, when the headers have arrived and the permit knows them. */
  readonly note: (notes: AnswerNotes) => void;
}

export type Client = <Id extends OperationId>(
  id: Id,
  params: ParamsOf<Id>,
  context: AskContext,
) => Promise<Success<Id> | FetchFailure>;

export interface ClientOptions {
  /** Name of the account whose keys these are; requests need a permit of its rate limiter. */
  readonly account: string;
  readonly get: HttpGet;
  /** Path before the contract's paths, without a trailing slash. */
  readonly basePath: string;
  readonly userAgent: string;
  /** Value of `Authorization` per interface. The key is never in a URL or a log. */
  readonly authorization: Readonly<Partial<Record<InterfaceName, string>>>;
  /** Texts that must not appear in any output: keys, secrets, tokens, proxy passwords. */
  readonly secrets: readonly string[];
}

const MAX_REASON_LENGTH = 300;
const MAX_REQUEST_ID_LENGTH = 100;
/** Statuses with another address; a 304, for instance, has none. */
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Upgrade Required, and HTTP Version Not Supported. */
const HTTP_VERSION_STATUSES: readonly number[] = [426, 505];
/** Maximum bytes before the first tag of a web page. */
const MAX_BLANKS = 100;
/** Pattern of an error code; other texts are not codes of this contract. */
const ERROR_CODE = /^[a-z_]{1,50}$/;

/** Creates the only way to the service. Each request uses up a permit of its account, which the request log has. */
export function createClient(options: ClientOptions): Client {
  return async (id, params, context) => {
    const { permit } = context;
    permit.use(options.account);
    try {
      return await send(options, id, params, context);
    } finally {
      permit.settle();
    }
  };
}

async function send<Id extends OperationId>(
  { get, basePath, userAgent, authorization, secrets }: ClientOptions,
  id: Id,
  params: ParamsOf<Id>,
  { permit, signal, note }: AskContext,
): Promise<Success<Id> | FetchFailure> {
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
    answer = await get(basePath + writeRequest(id, params), headers, signal);
  } catch (error) {
    const why = reasonOf(error, message("net.failed"));
    if (why === TOO_MANY_HEADERS) return { kind: "malformed", why, requestId: null };
    const isUnsent = error instanceof UnsentError;
    if (isUnsent) permit.giveBack();
    return { kind: "unreachable", why: typeof why === "string" ? withoutSecrets(why, secrets) : why, isUnsent };
  }
  const notes = isPage(answer.body) ? NOT_THE_SERVICE : notesOf(answer, secrets);
  permit.note(notes);
  note(notes);
  return answer.status === 200 ? readSuccess(id, answer, notes) : refusal(id, answer, notes, secrets);
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
  if (isPage(body)) return { kind: "unreachable", why: message("net.not_service", { status: 200 }) };
  if ((header("content-encoding") ?? "identity") !== "identity")
    return malformed(`the response to ${id} has a content encoding that was not requested`);
  if (body === null)
    return malformed(`the response to ${id} is longer than ${foreignSources.service.length / 1024 / 1024} MB`);
  return inTurn(async () => {
    const text = readForeign("service", body);
    if (text.kind === "mistake") return malformed(`the response to ${id}: ${textIn("en", text.why)}`);
    const reading = await readAnswer(id, text.value, () => setImmediate());
    if (reading.kind === "malformed") return malformed(`${id}: ${reading.why}`);
    return { kind: "ok", body: reading.body, dropped: reading.dropped };
  });
}

let turn: Promise<void> = Promise.resolve();

/** Reads one response after the other, of all accounts, so that only one is in memory as values. */
function inTurn<Result>(read: () => Promise<Result>): Promise<Result> {
  const result = turn.then(read);
  const over = () => undefined;
  turn = result.then(over, over);
  return result;
}

/** Facts of a response that did not come from the service. */
const NOT_THE_SERVICE: AnswerNotes = { status: 0, requestId: null, quota: {}, serverMs: null };

/** Returns true for a web page: a log-in page or the error page of a proxy. */
function isPage(body: string | null): boolean {
  return /^\s*</.test(body?.slice(0, MAX_BLANKS) ?? "");
}

/**
 * Returns the failure of a response without data. Only an error in the service's own form has the service's meaning;
 * anything else comes from something in between, whatever its status. The third-party interface has no documented form,
 * so any answer of it counts that is not a web page or a redirect. Source: service interface, parts 2.4 and 7.2.
 */
function refusal(id: OperationId, answer: HttpAnswer, notes: AnswerNotes, secrets: readonly string[]): FetchFailure {
  const { error, errorCode, reason } = objectOf(foreignValue("small_answer", answer.body ?? "")) ?? {};
  const isRedirect = REDIRECTS.includes(answer.status);
  const isOwnForm = error === true && typeof errorCode === "string" && typeof reason === "string";
  const isOwn = operationOf(id).interface === "consumer" ? isOwnForm : !isPage(answer.body);
  if (isRedirect || !isOwn) {
    const { status } = answer;
    const other = HTTP_VERSION_STATUSES.includes(status)
      ? message("net.http2")
      : message("net.not_service", { status });
    const why = isRedirect ? message("net.redirect", { status }) : other;
    return { kind: "unreachable", why, retryAfterMs: retryAfterMs(answer.header("retry-after"), notes.serverMs) };
  }
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

/** Returns the wait that a response requests, for a 429 also by the resets of exhausted windows; null without one. */
function namedWaitMs(answer: HttpAnswer, { status, quota, serverMs }: AnswerNotes): number | null {
  const waits = [retryAfterMs(answer.header("retry-after"), serverMs)];
  if (status === 429 && serverMs !== null) {
    for (const standing of [quota.minute, quota.day])
      waits.push(standing?.remaining === 0 ? standing.resetSec * 1_000 - serverMs : null);
  }
  const named = waits.filter((wait) => wait !== null && wait > 0);
  if (named.length === 0) return null;
  // The longest window ends at midnight UTC, so a later time is a mistake.
  const longest =
    status === 429 && serverMs !== null ? DAY_MS - (serverMs % DAY_MS) + MINUTE_MS : Number.POSITIVE_INFINITY;
  return Math.min(longest, Math.max(...named.map(Number)));
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
  const serverMs = Number.isNaN(date) ? null : date;
  const requestId = answer.header("x-request-id") ?? "";
  return {
    status: answer.status,
    requestId: requestId === "" ? null : withoutSecrets(requestId, secrets).slice(0, MAX_REQUEST_ID_LENGTH),
    quota: parseQuotaHeaders(answer.header, serverMs),
    serverMs,
  };
}
