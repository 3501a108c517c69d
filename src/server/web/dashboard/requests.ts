/** Requests of the page to its daemon. */

/** A path below the page, wherever a proxy has put it. */
export const pathOf = (path: string): URL => new URL(path, document.baseURI);
const TIMEOUT_MS = 15_000;

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

interface ErrorBody {
  readonly errorCode?: string;
  readonly reason?: string;
  readonly refusal?: string;
  readonly mistakes?: readonly Mistake[];
}

async function send(path: string, options: RequestInit & { headers: Readonly<Record<string, string>> }) {
  const response = await answered(path, options);
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  const retryAfterSec = Number(response.headers.get("retry-after")) || null;
  const { errorCode = "unreadable", reason = `status ${response.status}`, ...told } = (body ?? {}) as ErrorBody;
  throw new Refusal({ ...told, status: response.status, code: errorCode, reason, retryAfterSec });
}

async function answered(path: string, options: RequestInit): Promise<Response> {
  try {
    const headers = { ...options.headers, "X-Elbro-Page": "1", "Accept-Language": document.documentElement.lang };
    return await fetch(pathOf(path), { ...options, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch {
    throw new Refusal({ status: null, code: "no_contact", reason: "no contact" });
  }
}
