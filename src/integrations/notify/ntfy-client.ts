/** Publishes messages to an ntfy server. Source: https://docs.ntfy.sh/publish/#publish-as-json (2026-11). */
import type { Config } from "../../config/schema.ts";
import { message, reasonOf, type Text } from "../../core/language/text.ts";
import { openTransport, type TransportOptions } from "../../service/client/http-transport.ts";

export type NotifyAccount = NonNullable<Config["notify"]>;

export interface Note {
  readonly title: string;
  readonly message: string;
  /** 1 to 5; 3 is usual, 4 vibrates longer. */
  readonly priority: 2 | 3 | 4;
  /** Short names that apps show as emojis, see https://docs.ntfy.sh/emojis/. */
  readonly tags: readonly string[];
  /** URL that a tap on the notification opens. */
  readonly click?: string | undefined;
}

export type Published =
  | { readonly kind: "sent" }
  /** The server may accept it later. `retryAfterSec` is the delay that it requested. */
  | { readonly kind: "later"; readonly why: Text; readonly retryAfterSec: number | null }
  /** The server rejects the token, the topic or the message. */
  | { readonly kind: "refused"; readonly why: Text };

/** Longest message in bytes of UTF-8. ntfy turns a longer one into an attachment. */
const MAX_MESSAGE_BYTES = 4_096;
const TIMEOUT_MS = 15_000;
/** Limit of a response, which has some hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Statuses after which the same message may be accepted later. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

export async function publish(
  { topic_url, token, username, password }: NotifyAccount,
  note: Note,
  signal: AbortSignal,
  proxy: Pick<TransportOptions, "proxy"> = {},
): Promise<Published> {
  const { origin, pathname } = new URL(topic_url);
  const { title, priority, tags, click } = note;
  const login = username === undefined ? null : Buffer.from(`${username}:${password}`).toString("base64");
  const authorization = token === undefined ? login && `Basic ${login}` : `Bearer ${token}`;
  const headers = { "content-type": "application/json", ...(authorization === null ? {} : { authorization }) };
  const body = JSON.stringify({
    topic: pathname.slice(1),
    title,
    message: bounded(note.message),
    priority,
    tags,
    click,
  });
  const transport = openTransport(origin, { ...proxy, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES });
  try {
    const { status, header, body: answer } = await transport.post("/", headers, body, signal);
    if (status === 200) return { kind: "sent" };
    const why = message("note.answered", { status, error: errorIn(answer) });
    if (!PASSING.has(status) && status < 500) return { kind: "refused", why };
    const seconds = Number(header("retry-after"));
    return { kind: "later", why, retryAfterSec: Number.isFinite(seconds) && seconds > 0 ? seconds : null };
  } catch (error) {
    return { kind: "later", why: reasonOf(error, "no answer"), retryAfterSec: null };
  } finally {
    transport.close();
  }
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
