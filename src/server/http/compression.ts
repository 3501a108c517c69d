/** Answers made smaller, beside the event loop: zlib works on threads of its own. */
import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { type Coding, codingsFor } from "./negotiation.ts";
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

/** An answer of the LAN's own routes, its JSON compressed where it is long and the caller takes that; any other as it is. */
export async function smaller(
  answer: LocalAnswer,
  { "accept-encoding": taken }: IncomingHttpHeaders,
): Promise<LocalAnswer> {
  const [coding = "identity"] = codingsFor(taken);
  if (coding === "identity") return answer;
  const long = longJson(answer);
  if (!long) return answer;
  const headers = { ...long.headers, "Content-Encoding": coding, Vary: "Accept-Encoding" };
  return { ...long, bytes: await compress(coding, long.bytes), headers };
}

type Bytes = Extract<LocalAnswer, { kind: "bytes" }>;

/** A long answer of JSON as its bytes; null for any other, and for one that is coded already. */
function longJson(answer: LocalAnswer): Bytes | null {
  const bytes = answer.kind === "json" ? inBytes(answer) : answer;
  if (bytes.kind !== "bytes" || bytes.type !== JSON_TYPE || bytes.headers?.["Content-Encoding"]) return null;
  return bytes.bytes.length < MIN_BYTES ? null : bytes;
}

function inBytes({ body, ...told }: Extract<LocalAnswer, { kind: "json" }>): Bytes {
  return { ...told, kind: "bytes", bytes: Buffer.from(JSON.stringify(body)), type: JSON_TYPE };
}
