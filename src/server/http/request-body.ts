/** Reads the body of a request: JSON, bounded, once. */
import type { IncomingMessage } from "node:http";
import { type LocalError, localError } from "./errors.ts";

export type BodyReading = { readonly kind: "body"; readonly body: unknown } | LocalError;

/** Settings of a plan take a few hundred bytes; nothing that is sent here is longer. */
export const MAX_BODY_BYTES = 16_384;

const JSON_TYPE = /^application\/json *(; *charset="?utf-8"? *)?$/i;

/** Whether a request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Reads a JSON body; `undefined` where none was sent. Errors: 400, 413, 415 in words. Rejects where the caller leaves. */
export async function readJsonBody(request: IncomingMessage): Promise<BodyReading> {
  const { "content-length": length, "content-encoding": coding } = request.headers;
  if (!hasBody(request)) return { kind: "body", body: undefined };
  if (!JSON_TYPE.test(request.headers["content-type"] ?? ""))
    return localError("unsupported_media_type", "send the body with Content-Type: application/json");
  if (coding !== undefined && coding !== "identity")
    return localError("unsupported_media_type", "send the body without Content-Encoding");
  const tooLarge = localError("payload_too_large", `the body is longer than ${MAX_BODY_BYTES} bytes`);
  if (Number(length ?? 0) > MAX_BODY_BYTES) return tooLarge;
  const parts: Buffer[] = [];
  let bytes = 0;
  // The connection stays for the answer, also where the rest of the body is not read.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return tooLarge;
    parts.push(part);
  }
  return parse(Buffer.concat(parts));
}

function parse(bytes: Buffer): BodyReading {
  try {
    return { kind: "body", body: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    return localError("invalid_parameter", "the body is not JSON in UTF-8");
  }
}
