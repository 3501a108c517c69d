/** Sends messages to an ntfy server or to a webhook. Source: https://docs.ntfy.sh/publish/#publish-as-json (2026-11). */
import type { Config } from "../../config/schema.ts";
import { message, reasonOf } from "../../core/language/text.ts";
import { openTransport, type TransportOptions } from "../../service/client/http-transport.ts";
import type { Note, Published } from "./note.ts";
import { type WebhookRequest, webhookRequest } from "./webhook.ts";

export type NotifyAccount = NonNullable<Config["notify"]>;

/** Longest message in bytes of UTF-8. ntfy turns a longer one into an attachment. */
const MAX_MESSAGE_BYTES = 4_096;
const TIMEOUT_MS = 15_000;
/** Limit of a response, which has some hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Statuses after which the same message may be accepted later. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

export async function publish(
  account: NotifyAccount,
  note: Note,
  signal: AbortSignal,
  proxy: Pick<TransportOptions, "proxy"> = {},
): Promise<Published> {
  const { url, method, headers, body } = requestFor(account, { ...note, message: bounded(note.message) });
  const { origin, pathname, search } = new URL(url);
  const transport = openTransport(origin, { ...proxy, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES });
  try {
    const answer = await transport.send({ method, path: pathname + search, headers, body }, signal);
    const { status, header } = answer;
    // A redirect is refused: its target would get the secrets of the request.
    if (status >= 200 && status < 300) return { kind: "sent" };
    const why = message("note.answered", { status, error: errorIn(answer.body) });
    if (!PASSING.has(status) && status < 500) return { kind: "refused", why };
    const seconds = Number(header("retry-after"));
    return { kind: "later", why, retryAfterSec: Number.isFinite(seconds) && seconds > 0 ? seconds : null };
  } catch (error) {
    return { kind: "later", why: reasonOf(error, "no answer"), retryAfterSec: null };
  } finally {
    transport.close();
  }
}

function requestFor(account: NotifyAccount, note: Note): WebhookRequest {
  const { topic_url = "", webhook_url, token, username, password } = account;
  if (webhook_url !== undefined) return webhookRequest({ ...account, webhook_url }, note);
  const { origin, pathname } = new URL(topic_url);
  const login = username === undefined ? null : Buffer.from(`${username}:${password}`).toString("base64");
  const authorization = token === undefined ? login && `Basic ${login}` : `Bearer ${token}`;
  const headers = { "content-type": "application/json", ...(authorization === null ? {} : { authorization }) };
  return { url: origin, method: "POST", headers, body: JSON.stringify({ topic: pathname.slice(1), ...note }) };
}

/** Returns the error text in a response of ntfy: `{"code":40301,"http":403,"error":"forbidden","link":…}`. */
function errorIn(body: Buffer | null): string {
  try {
    const { error } = JSON.parse(String(body)) as { readonly error?: unknown };
    return typeof error === "string" ? `: ${error.slice(0, 200)}` : "";
  } catch {
    return ""; // an answer of something else, as of a proxy
  }
}

function bounded(text: string): string {
  if (Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return text;
  // A character has four bytes at most.
  return `${text.slice(0, MAX_MESSAGE_BYTES / 4 - 1)}…`;
}
