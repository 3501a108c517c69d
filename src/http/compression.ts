/** Compresses responses. zlib uses threads of its own, so the event loop is not blocked. */
import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { type Coding, codingsFor, holdsTag, tagOf } from "./negotiation.ts";
import type { LocalAnswer } from "./response.ts";

/**
 * A year of hours has 1.1 MB. gzip 6 makes 95 kB of it in 7 ms, brotli 5 makes 69 kB in 9 ms; brotli 11 takes 2 s.
 * A window of 64 kB spans days of rows, and keeps the memory of a compression below 1 MB.
 */
const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 5;
const BROTLI_WINDOW_BITS = 16;
/** Minimum size for compression. A shorter response fits into two packets. */
const MIN_BYTES = 2_048;
const JSON_TYPE = "application/json";

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);

/** Compresses a body. Rejects if zlib fails. */
export function compress(coding: Exclude<Coding, "identity">, body: Uint8Array): Promise<Uint8Array> {
  if (coding === "gzip") return toGzip(body, { level: GZIP_LEVEL });
  return toBrotli(body, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
    },
  });
}

/**
 * Returns a response of the LAN's own routes in an accepted encoding: JSON of at least 2,048 bytes is compressed.
 * Returns 304 if the caller has the ETag. Other responses stay unchanged.
 */
export async function negotiated(answer: LocalAnswer, asked: IncomingHttpHeaders): Promise<LocalAnswer> {
  const bytes = answer.kind === "json" ? inBytes(answer) : answer;
  if (bytes.kind !== "bytes" || bytes.type !== JSON_TYPE || bytes.headers?.Vary !== undefined) return answer;
  if (bytes.bytes.length >= MIN_BYTES) return represented(bytes, asked);
  return bytes.headers?.ETag === undefined ? answer : represented(bytes, { ...asked, "accept-encoding": undefined });
}

type Bytes = Extract<LocalAnswer, { kind: "bytes" }>;

/** Returns bytes in the best accepted encoding, with an ETag of that encoding; 304 if the caller has them. */
export async function represented(answer: Bytes, asked: IncomingHttpHeaders): Promise<LocalAnswer> {
  const accepted = codingsFor(asked["accept-encoding"]);
  const { headers } = answer;
  const tag = headers?.ETag;
  const headersFor = (coding: Coding) => ({
    ...headers,
    ...(tag === undefined ? {} : { ETag: tagOf(tag, coding) }),
    Vary: "Accept-Encoding",
  });
  const tags = asked["if-none-match"];
  const held = tag === undefined ? undefined : accepted.find((coding) => holdsTag(tags, tagOf(tag, coding)));
  if (held !== undefined) return { kind: "text", text: "", status: 304, headers: headersFor(held) };
  const [coding = "identity"] = accepted;
  if (coding === "identity") return { ...answer, headers: headersFor(coding) };
  const bytes = await compress(coding, answer.bytes);
  return { ...answer, bytes, headers: { ...headersFor(coding), "Content-Encoding": coding } };
}

function inBytes({ body, ...rest }: Extract<LocalAnswer, { kind: "json" }>): Bytes {
  return { ...rest, kind: "bytes", bytes: Buffer.from(JSON.stringify(body)), type: JSON_TYPE };
}
