/** Reads JSON bodies of requests, up to a maximum length. */
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { message } from "../core/language/text.ts";
import { type ForeignSource, foreignSources, readForeign } from "../core/text/foreign-text.ts";
import { type LocalError, localError } from "./errors.ts";

export type BodyReading = { readonly kind: "body"; readonly body: unknown } | LocalError;

/** Longest accepted body in bytes. */
export const MAX_BODY_BYTES: number = foreignSources.request.length;

const JSON_TYPE = /^application\/json *(; *charset="?utf-8"? *)?$/i;

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Reads a JSON body; `undefined` without one. Errors: 400, 413 or 415; rejects if the caller disconnects. */
export async function readJsonBody(request: IncomingMessage): Promise<BodyReading> {
  const { "content-length": length, "content-encoding": coding } = request.headers;
  if (!hasBody(request)) return { kind: "body", body: undefined };
  if (!JSON_TYPE.test(request.headers["content-type"] ?? ""))
    return localError("unsupported_media_type", message("refused.body_type"));
  if (coding !== undefined && coding !== "identity")
    return localError("unsupported_media_type", message("refused.body_coding"));
  return Number(length ?? 0) > MAX_BODY_BYTES ? tooLarge(MAX_BODY_BYTES) : readAnyJson(request, "request");
}

/** Reads a body of any type as JSON. Returns an error with status 400 or 413. Rejects if the caller disconnects. */
export async function readAnyJson(body: Readable | null, source: ForeignSource): Promise<BodyReading> {
  const text = await readTextBody(body, foreignSources[source].length);
  if (typeof text !== "string") return text;
  const reading = readForeign(source, text);
  if (reading.kind === "value") return { kind: "body", body: reading.value };
  return localError("invalid_parameter", message("refused.body_json", { why: reading.why }));
}

/** Reads a body of any type as text, like `readAnyJson`. */
export async function readTextBody(body: Readable | null, maxBytes: number): Promise<string | LocalError> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // Keeps the connection for the response if the rest of the body is not read.
  for await (const part of (body?.iterator({ destroyOnReturn: false }) ?? []) as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) return tooLarge(maxBytes);
    parts.push(part);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    return localError("invalid_parameter", message("refused.body_utf8"));
  }
}

function tooLarge(maxBytes: number): LocalError {
  return localError("payload_too_large", message("refused.body_long", { most: maxBytes }));
}
