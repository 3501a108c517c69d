/** ETags, 304 and compression of responses. zlib uses threads of its own, so the event loop is not blocked. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { type Coding, codingsFor, holdsTag, tagOf } from "./negotiation.ts";
import { type Headers, JSON_TYPE, type LocalAnswer } from "./response.ts";

/**
 * A year of hours has 1.1 MB. gzip 6 makes 95 kB of it in 7 ms, brotli 5 makes 69 kB in 9 ms; brotli 11 takes 2 s.
 * A window of 64 kB spans days of rows, and keeps the memory of a compression below 1 MB.
 */
const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 5;
const BROTLI_WINDOW_BITS = 16;
/** Minimum size for compression. A shorter response fits into two packets. */
const MIN_BYTES = 2_048;

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);

export type Compression = Exclude<Coding, "identity">;

/** Compresses a body. Rejects if zlib fails. */
export function compress(coding: Compression, body: Uint8Array): Promise<Uint8Array> {
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

/** Request headers that select the form of a response. */
export interface Preconditions {
  readonly "accept-encoding"?: string | undefined;
  readonly "if-none-match"?: string | undefined;
}

/** A body in an accepted encoding, or 304 Not Modified. */
export interface Form {
  readonly status: 200 | 304;
  readonly coding: Coding;
  /** ETag of this encoding. */
  readonly tag: string | undefined;
  readonly body: Uint8Array;
}

export interface Plain {
  readonly body: Uint8Array;
  /** Its ETag. Each encoding has its own, made from this one. */
  readonly tag: string | undefined;
  /** Returns the compressed body, or null to send it as it is; `isAccepted` is false if the caller refuses that. */
  readonly compressed: (coding: Compression, isAccepted: boolean) => Promise<Uint8Array> | null;
}

const NOTHING = new Uint8Array();

/** Returns a body in the best accepted encoding; 304 if the caller has it. */
export async function acceptedForm({ body, tag, compressed }: Plain, wanted: Preconditions): Promise<Form> {
  const accepted = codingsFor(wanted["accept-encoding"]);
  const tags = wanted["if-none-match"];
  const held = tags && tag !== undefined && accepted.find((coding) => holdsTag(tags, tagOf(tag, coding)));
  if (held) return { status: 304, coding: held, tag: tagOf(tag, held), body: NOTHING };
  const [best = "identity"] = accepted;
  const bytes = best === "identity" ? null : await compressed(best, accepted.includes("identity"));
  const coding = bytes ? best : "identity";
  return { status: 200, coding, tag: tag && tagOf(tag, coding), body: bytes ?? body };
}

/** Returns the headers of a form for one of our own endpoints. */
export function formHeaders({ status, coding, tag }: Form): Headers {
  return {
    ...(tag !== undefined && { ETag: tag }),
    Vary: "Accept-Encoding",
    ...(status === 200 && coding !== "identity" && { "Content-Encoding": coding }),
  };
}

/** Compresses JSON of our own endpoints from 2,048 bytes on; 304 if the caller has its ETag. */
export async function negotiated(original: LocalAnswer, wanted: Preconditions): Promise<LocalAnswer> {
  const answer =
    original.kind === "json"
      ? { ...original, kind: "bytes" as const, bytes: Buffer.from(JSON.stringify(original.body)), type: JSON_TYPE }
      : original;
  if (answer.kind !== "bytes" || answer.type !== JSON_TYPE || answer.headers?.Vary !== undefined) return answer;
  const { bytes: plain, headers: { ETag: tag, ...own } = {} } = answer;
  const isLong = plain.length >= MIN_BYTES;
  if (!isLong && tag === undefined) return answer;
  const compressed = (coding: Compression) => (isLong ? compress(coding, plain) : null);
  const form = await acceptedForm({ body: plain, tag, compressed }, wanted);
  const status = form.status === 304 ? 304 : answer.status;
  return { ...answer, status, bytes: form.body, headers: { ...own, ...formHeaders(form) } };
}
