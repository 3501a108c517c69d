/** Requests of the page to its daemon. */
import { type ErrorBody, errorIn, type Mistake } from "./error-texts.ts";
import { recordChange } from "./history/changes.ts";

/** Returns the URL of a path below the page, also behind a proxy that adds a prefix. */
export const pathOf = (path: string): URL => new URL(path, document.baseURI);
const TIMEOUT_MS = 15_000;
/** Time limit for a copy of the database. */
const UPLOAD_TIMEOUT_MS = 120_000;

interface RefusalFacts {
  /** HTTP status; null without a response. */
  readonly status: number | null;
  readonly code: string;
  readonly reason: string;
  /** Why a plan refused a command. */
  readonly refusal?: string | null;
  readonly retryAfterSec?: number | null;
  readonly mistakes?: readonly Mistake[];
  readonly isTranslated?: boolean;
}

/** Error of a request that the daemon refused or did not answer. */
export class Refusal extends Error {
  readonly status: number | null;
  readonly code: string;
  readonly reason: string;
  readonly refusal: string | null;
  readonly retryAfterSec: number | null;
  readonly mistakes: readonly Mistake[];
  /** Whether the reason is in the language of the page. */
  readonly isTranslated: boolean;

  constructor({
    status,
    code,
    reason,
    refusal = null,
    retryAfterSec = null,
    mistakes = [],
    isTranslated,
  }: RefusalFacts) {
    super(reason);
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.refusal = refusal;
    this.retryAfterSec = retryAfterSec;
    this.mistakes = mistakes;
    this.isTranslated = isTranslated ?? false;
  }
}

/** Returns a thrown refusal. Throws any other error again. */
export function refusalIn(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  throw thrown;
}

/**
 * Returns the JSON response of a GET. The daemon has the same version as the page, so the types fit.
 * Rejects with a Refusal.
 */
export async function get<Answer>(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return (await send(path, { headers })) as Answer;
}

export async function post(path: string, body: object): Promise<void> {
  await ask("POST", path, body);
}

export async function ask<Answer>(
  method: "POST" | "PUT" | "DELETE",
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const content = body && { body: JSON.stringify(body) };
  const answer = await send(path, {
    method,
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    ...content,
  });
  recordChange(answer);
  return answer as Answer;
}

/** Sends a file as the body. */
export async function upload(path: string, file: Blob, type: string): Promise<void> {
  await send(path, { method: "POST", headers: { "Content-Type": type }, body: file }, UPLOAD_TIMEOUT_MS);
}

/**
 * Downloads a file under the name from the response. A link could not send the header `X-Elbro-Page`.
 * Rejects with a Refusal.
 */
export async function download(path: string): Promise<void> {
  const response = await answered(path, { headers: {} }, UPLOAD_TIMEOUT_MS);
  if (!response.ok) throw await refusalOf(response, await response.json().catch(() => null));
  const url = URL.createObjectURL(await response.blob());
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "elbro";
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), TIMEOUT_MS);
}

async function send(path: string, options: Options, timeoutMs = TIMEOUT_MS): Promise<unknown> {
  const response = await answered(path, options, timeoutMs);
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  throw await refusalOf(response, body);
}

type Options = RequestInit & { readonly headers: Readonly<Record<string, string>> };

async function refusalOf(response: Response, body: unknown): Promise<Refusal> {
  const retryAfterSec = Number(response.headers.get("retry-after")) || null;
  const error = await errorIn(document.documentElement.lang, (body ?? {}) as ErrorBody);
  const { errorCode = "unreadable", reason = `status ${response.status}`, ...details } = error;
  return new Refusal({ ...details, status: response.status, code: errorCode, reason, retryAfterSec });
}

async function answered(path: string, options: Options, timeoutMs: number): Promise<Response> {
  try {
    const headers = { ...options.headers, "X-Elbro-Page": "1", "Accept-Language": document.documentElement.lang };
    return await fetch(pathOf(path), { ...options, headers, signal: AbortSignal.timeout(timeoutMs) });
  } catch {
    throw new Refusal({ status: null, code: "no_contact", reason: "no contact" });
  }
}
