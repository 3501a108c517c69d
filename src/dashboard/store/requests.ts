/** Requests of the page to its daemon. */
import type { AnswerOf, RouteName, RouteParamsOf } from "../../api/calls.ts";
import { recordChange } from "../history/changes.ts";
import { type ErrorAnswer, errorIn, type Mistake } from "./error-texts.ts";
import { answerSince, failures, keepAnswer, lastAnswer, NOTHING, oldestShown } from "./last-answers.ts";

/** Returns the URL of a path below the page, also behind a proxy that adds a prefix. */
export const pathOf = (path: string): URL => new URL(path, document.baseURI);
const TIMEOUT_MS = 15_000;
/** Time limit for a copy of the database. */
const UPLOAD_TIMEOUT_MS = 120_000;

/** Error of a request that the daemon refused or did not answer. */
export class Refusal extends Error {
  /** HTTP status; null without a response. */
  readonly status: number | null = null;
  readonly code: string = "no_contact";
  readonly reason: string = "no contact";
  /** Why a plan refused a command. */
  readonly refusal: string | null = null;
  readonly retryAfterSec: number | null = null;
  readonly mistakes: readonly Mistake[] = [];
  /** Whether the reason is in the language of the page. */
  readonly isTranslated: boolean = false;

  constructor(facts: Partial<Omit<Refusal, keyof Error>> = {}) {
    super(facts.reason);
    Object.assign(this, facts);
  }
}

/** Returns a thrown refusal. Throws any other error again. */
export function refusalIn(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  throw thrown;
}

/** Returns the JSON of a file next to the page. Rejects with a Refusal. */
export async function getFile<Content>(url: string): Promise<Content> {
  return (await send(url, { headers: {} })) as Content;
}

/**
 * Returns the JSON of a GET request, which is kept; without contact the last one. One that was read at or after `since`
 * is not read again. Rejects with a Refusal.
 */
export async function getOrLast<Content>(path: string, headers: Headers = {}, since = NOTHING): Promise<Content> {
  const kept = answerSince(path, since);
  if (kept) return kept.body as Content;
  try {
    return (await getAndKeep(path, headers)) as Content;
  } catch (thrown) {
    const last = refusalIn(thrown).status === null ? await lastAnswer(path) : null;
    if (!last) throw thrown;
    oldestShown.value = Math.min(oldestShown.value, last.at);
    return last.body as Content;
  }
}

/** Calls an endpoint for a view, as `call`; without contact, returns the last answer. Rejects with a Refusal. */
export function readOrLast<Asked extends GetName>(
  route: Asked,
  params: RouteParamsOf<Asked>,
): Promise<AnswerOf<Asked>> {
  return getOrLast(filledPath(route, params));
}

async function getAndKeep(path: string, headers: Headers): Promise<unknown> {
  const at = Date.now();
  const body = await send(path, { headers });
  keepAnswer({ path, body, at });
  return body;
}

interface CallOptions {
  readonly body?: object;
  /** Revision of the configuration that the change is for. */
  readonly revision?: string | undefined;
}

/**
 * Calls an endpoint of the daemon, such as `call("GET /local/v1/month", { home })`, and returns its JSON. Parameters that
 * the path does not name are in the query. The daemon has the same version as the page, so the types fit.
 * Rejects with a Refusal.
 */
export async function call<Asked extends RouteName>(
  route: Asked,
  params: RouteParamsOf<Asked>,
  { body, revision }: CallOptions = {},
): Promise<AnswerOf<Asked>> {
  const [method = ""] = route.split(" ");
  const path = filledPath(route, params);
  if (method === "GET") return (await getAndKeep(path, {})) as AnswerOf<Asked>;
  const headers = {
    ...(body && { "Content-Type": "application/json" }),
    ...(revision !== undefined && { "If-Match": `"${revision}"` }),
  };
  const answer = await send(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  recordChange(answer);
  return answer as AnswerOf<Asked>;
}

/** Returns the path of a route with its parameters. */
function filledPath(route: RouteName, params: object): string {
  const [, path = ""] = route.split(" /");
  const query = new URLSearchParams();
  let filled = path;
  for (const [name, value] of Object.entries(params)) {
    if (path.includes(`:${name}`)) filled = filled.replace(`:${name}`, encodeURIComponent(value));
    else query.set(name, String(value));
  }
  return query.size > 0 ? `${filled}?${query}` : filled;
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

type Headers = Readonly<Record<string, string>>;
type Options = RequestInit & { readonly headers: Headers };
type GetName = RouteName & `GET ${string}`;

async function refusalOf(response: Response, body: unknown): Promise<Refusal> {
  const retryAfterSec = Number(response.headers.get("retry-after")) || null;
  const error = await errorIn(document.documentElement.lang, (body ?? {}) as ErrorAnswer);
  const { errorCode = "unreadable", reason = `status ${response.status}`, ...details } = error;
  return new Refusal({ ...details, status: response.status, code: errorCode, reason, retryAfterSec });
}

async function answered(path: string, options: Options, timeoutMs: number): Promise<Response> {
  try {
    const headers = { ...options.headers, "X-Elbro-Page": "1", "Accept-Language": document.documentElement.lang };
    return await fetch(pathOf(path), { ...options, headers, signal: AbortSignal.timeout(timeoutMs) });
  } catch {
    failures.value++;
    throw new Refusal();
  }
}
