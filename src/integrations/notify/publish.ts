/** Sends messages to an ntfy server or to a webhook. Source: https://docs.ntfy.sh/publish/#publish-as-json (2026-11). */
import type { Config } from "../../config/schema/schema.ts";
import type { Language } from "../../core/language/language.ts";
import { message, reasonOf, sayIn, type Text } from "../../core/language/text.ts";
import { foreignSources, foreignValue, objectOf } from "../../core/text/foreign-text.ts";
import { openTransport } from "../../service/client/http-transport.ts";
import type { ProxySettings } from "../../service/client/proxy.ts";
import type { Note, Published } from "./note.ts";
import { type WebhookRequest, webhookRequest } from "./webhook.ts";

export type NotifyAccount = NonNullable<Config["notify"]>;

/** Longest message in bytes of UTF-8. ntfy turns a longer one into an attachment. */
const MAX_MESSAGE_BYTES = 4_096;
const TIMEOUT_MS = 15_000;
/** Statuses after which the same message may be accepted later. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

export async function publish(
  account: NotifyAccount,
  note: Note,
  signal: AbortSignal,
  proxy?: ProxySettings | null,
): Promise<Published> {
  const { url, method, headers, body } = requestFor(account, { ...note, message: bounded(note.message) });
  const { origin, pathname, search } = new URL(url);
  const transport = openTransport(origin, {
    proxy,
    timeoutMs: TIMEOUT_MS,
    maxBytes: foreignSources.small_answer.length,
  });
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

/** Sends a test message, quiet hours or not. Returns why the server did not accept it; null if it did. */
export async function sendTestNote(
  account: NotifyAccount,
  { language, proxy, signal }: { readonly language: Language; proxy?: ProxySettings | null; signal: AbortSignal },
): Promise<Text | null> {
  const say = sayIn(account.language ?? language);
  const note: Note = {
    title: say("note.test_title"),
    message: say("note.test"),
    priority: 3,
    tags: ["white_check_mark"],
  };
  const published = await publish(account, note, signal, proxy);
  return published.kind === "sent" ? null : published.why;
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
function errorIn(body: string | null): string {
  const error = objectOf(foreignValue("small_answer", body ?? ""))?.error;
  return typeof error === "string" ? `: ${error.slice(0, 200)}` : "";
}

function bounded(text: string): string {
  if (Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return text;
  // A character has four bytes at most.
  return `${text.slice(0, MAX_MESSAGE_BYTES / 4 - 1)}…`;
}
