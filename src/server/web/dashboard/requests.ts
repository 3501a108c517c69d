/** Requests of the page to its daemon. */

/** A path below the page, wherever a proxy has put it. */
export const pathOf = (path: string): URL => new URL(path, document.baseURI);
const TIMEOUT_MS = 15_000;
/** Of a copy of the database. */
const UPLOAD_TIMEOUT_MS = 120_000;

interface RefusalFacts {
  /** Null without an answer. */
  readonly status: number | null;
  readonly code: string;
  readonly reason: string;
  /** Why a plan refused a command. */
  readonly refusal?: string | null;
  readonly retryAfterSec?: number | null;
  readonly mistakes?: readonly Mistake[];
}

/** What is wrong with what was sent, in English. */
export interface Mistake {
  readonly path: string;
  readonly text: string;
}

/** A request without success: the daemon refused it or did not answer. */
export class Refusal extends Error {
  readonly status: number | null;
  readonly code: string;
  readonly reason: string;
  readonly refusal: string | null;
  readonly retryAfterSec: number | null;
  readonly mistakes: readonly Mistake[];

  constructor({ status, code, reason, refusal = null, retryAfterSec = null, mistakes = [] }: RefusalFacts) {
    super(reason);
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.refusal = refusal;
    this.retryAfterSec = retryAfterSec;
    this.mistakes = mistakes;
  }
}

/** Returns the refusal that was thrown. Errors: throws whatever else it was again. */
export function refusalIn(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  throw thrown;
}

/** The daemon is of the same version as the page, so its answers are of the types that the page was built with. */
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
  return (await send(path, {
    method,
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    ...content,
  })) as Answer;
}

/** Sends a file as the whole body. */
export async function upload(path: string, file: Blob, type: string): Promise<void> {
  await send(path, { method: "POST", headers: { "Content-Type": type }, body: file }, UPLOAD_TIMEOUT_MS);
}

/** Saves what is at a path as a file, under the name that the daemon gives it. A link could not say that it is this page. */
export async function download(path: string): Promise<void> {
  const response = await answered(path, { headers: {} }, UPLOAD_TIMEOUT_MS);
  if (!response.ok) throw refusalOf(response, await response.json().catch(() => null));
  const url = URL.createObjectURL(await response.blob());
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "elbro";
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), TIMEOUT_MS);
}

interface ErrorBody {
  readonly errorCode?: string;
  readonly reason?: string;
  readonly refusal?: string;
  readonly mistakes?: readonly Mistake[];
}

async function send(path: string, options: Options, timeoutMs = TIMEOUT_MS): Promise<unknown> {
  const response = await answered(path, options, timeoutMs);
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  throw refusalOf(response, body);
}

type Options = RequestInit & { readonly headers: Readonly<Record<string, string>> };

function refusalOf(response: Response, body: unknown): Refusal {
  const retryAfterSec = Number(response.headers.get("retry-after")) || null;
  const { errorCode = "unreadable", reason = `status ${response.status}`, ...told } = (body ?? {}) as ErrorBody;
  return new Refusal({ ...told, status: response.status, code: errorCode, reason, retryAfterSec });
}

async function answered(path: string, options: Options, timeoutMs: number): Promise<Response> {
  try {
    const headers = { ...options.headers, "X-Elbro-Page": "1", "Accept-Language": document.documentElement.lang };
    return await fetch(pathOf(path), { ...options, headers, signal: AbortSignal.timeout(timeoutMs) });
  } catch {
    throw new Refusal({ status: null, code: "no_contact", reason: "no contact" });
  }
}
