/** A request of the owner's own: method, URL, headers and a body with placeholders, for programs other than ntfy. */
import type { Config } from "../../config/schema/schema.ts";
import type { HttpSend } from "../../service/client/http-transport.ts";
import type { Note } from "./note.ts";

type Webhook = Pick<
  NonNullable<Config["notify"]>,
  "webhook_url" | "webhook_method" | "webhook_headers" | "webhook_body"
>;

export type WebhookRequest = Omit<HttpSend, "path"> & { readonly url: string };

const PLACEHOLDER = /\{(title|message|priority|tags|click)\}/g;
const CONTENT_TYPE = "content-type";
const JSON_TYPE = "application/json";
/** Body without `webhook_body`. */
const DEFAULT_BODY =
  '{"title": "{title}", "message": "{message}", "priority": {priority}, "tags": "{tags}", "click": "{click}"}';

/** Returns the request for a message. Its texts are escaped as the content type requires, so they cannot end a value. */
export function webhookRequest(webhook: Webhook & { readonly webhook_url: string }, note: Note): WebhookRequest {
  const { webhook_url: url, webhook_method: method = "POST", webhook_headers, webhook_body = DEFAULT_BODY } = webhook;
  const headers = Object.fromEntries([
    [CONTENT_TYPE, JSON_TYPE],
    ...(webhook_headers?.trim().split("\n") ?? []).map(headerOf),
  ]);
  const escaped = escapeFor(headers[CONTENT_TYPE] ?? JSON_TYPE);
  const { title, message, priority, tags, click = "" } = note;
  const values = new Map(Object.entries({ title, message, click, priority: String(priority), tags: tags.join(",") }));
  const body = webhook_body.replace(PLACEHOLDER, (_, name: string) => escaped(values.get(name) ?? ""));
  return { url, method, headers, body };
}

/** Splits a line of headers. The configuration was checked for the colon. */
function headerOf(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
}

function escapeFor(type: string): (text: string) => string {
  if (/^application\/(.+\+)?json\b/i.test(type)) return (text) => JSON.stringify(text).slice(1, -1);
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return (text) => encodeURIComponent(text.toWellFormed());
  return (text) => text;
}
