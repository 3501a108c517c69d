/** Answers made smaller, next to the event loop: zlib works on threads of its own. */
import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { type Coding, codingsFor, holdsTag, tagOf } from "./negotiation.ts";
import type { LocalAnswer } from "./response.ts";

/**
 * A year of hours (1.1 MB) by gzip 6: 95 kB in 7 ms; by brotli 5: 69 kB in 9 ms; by brotli 11 it would take two seconds.
 * A window of 64 kB holds days of rows, and keeps the memory of a compression below a megabyte.
 */
const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 5;
const BROTLI_WINDOW_BITS = 16;
/** A shorter answer fits into two packets anyhow. */
const MIN_BYTES = 2_048;
const JSON_TYPE = "application/json";

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);

/** Compresses a body. Errors: rejects where zlib fails. */
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
 * An answer of the LAN's own routes in the form that its caller takes: JSON is compressed where it is long, and one with
 * an ETag is a 304 for who has it. Any other answer is as it is.
 */
export async function negotiated(answer: LocalAnswer, asked: IncomingHttpHeaders): Promise<LocalAnswer> {
  const bytes = answer.kind === "json" ? inBytes(answer) : answer;
  if (bytes.kind !== "bytes" || bytes.type !== JSON_TYPE || bytes.headers?.Vary !== undefined) return answer;
  if (bytes.bytes.length >= MIN_BYTES) return represented(bytes, asked);
  return bytes.headers?.ETag === undefined ? answer : represented(bytes, { ...asked, "accept-encoding": undefined });
}

type Bytes = Extract<LocalAnswer, { kind: "bytes" }>;

/** Bytes in the coding that their caller takes, with an ETag of that coding; 304 where it has them. */
export async function represented(answer: Bytes, asked: IncomingHttpHeaders): Promise<LocalAnswer> {
  const accepted = codingsFor(asked["accept-encoding"]);
  const { headers } = answer;
  const tag = headers?.ETag;
  const told = (coding: Coding) => ({
    ...headers,
    ...(tag === undefined ? {} : { ETag: tagOf(tag, coding) }),
    Vary: "Accept-Encoding",
  });
  const tags = asked["if-none-match"];
  const held = tag === undefined ? undefined : accepted.find((coding) => holdsTag(tags, tagOf(tag, coding)));
  if (held !== undefined) return { kind: "text", text: "", status: 304, headers: told(held) };
  const [coding = "identity"] = accepted;
  if (coding === "identity") return { ...answer, headers: told(coding) };
  const bytes = await compress(coding, answer.bytes);
  return { ...answer, bytes, headers: { ...told(coding), "Content-Encoding": coding } };
}

function inBytes({ body, ...told }: Extract<LocalAnswer, { kind: "json" }>): Bytes {
  return { ...told, kind: "bytes", bytes: Buffer.from(JSON.stringify(body)), type: JSON_TYPE };
}
