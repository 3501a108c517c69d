/** Sends the bytes of one request on a new connection and reads the response without an HTTP client. */
import { createHash } from "node:crypto";
import { connect } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { HANG_MS } from "../runner/time-limits.ts";
import { readable } from "./golden-files.ts";

export interface Answer {
  readonly status: number;
  /** Header lines in the order of sending. */
  readonly headers: readonly string[];
  /** Body after chunked transfer coding and compression are removed. */
  readonly body: string;
}

const HEAD_END = "\r\n\r\n";
const CHUNKS_END = "0\r\n\r\n";
const MAX_BODY_LENGTH = 2_000;

/** Conditions for a complete response. */
export interface Awaited {
  readonly method: string;
  /** Number of events to wait for if the response is an event stream. */
  readonly events?: number | undefined;
}

/**
 * Sends bytes and reads the first response. Rejects with the received bytes if the response is not complete in time.
 */
export function answerTo(port: number, bytes: Buffer, awaited: Awaited): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let got = Buffer.alloc(0);
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      const answer = readAnswer(got, awaited, true);
      if (answer) resolve(answer);
      else reject(new Error(`no whole answer, but ${JSON.stringify(got.toString("latin1").slice(0, 500))}`));
    };
    const timer = setTimeout(end, HANG_MS);
    socket.on("error", () => undefined);
    socket.once("close", end);
    socket.on("data", (data) => {
      got = Buffer.concat([got, data]);
      if (readAnswer(got, awaited, false)) end();
    });
    socket.write(bytes);
  });
}

/** Returns the parsed response; null if it is not complete. */
function readAnswer(got: Buffer, { method, events }: Awaited, isClosed: boolean): Answer | null {
  const headEnd = got.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const [first = "", ...headers] = got.toString("latin1", 0, headEnd).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
  const rest = got.subarray(headEnd + HEAD_END.length);
  const header = (name: string) =>
    headers.find((line) => line.toLowerCase().startsWith(`${name}: `))?.slice(name.length + 2);
  if (method === "HEAD" || status === 204 || status === 304) return { status, headers, body: rest.toString() };
  const length = header("content-length");
  const isChunked = header("transfer-encoding") === "chunked";
  if (length !== undefined && rest.length < Number(length)) return null;
  if (length === undefined && !isChunked && !isClosed) return null;
  const whole = isChunked ? unchunked(rest) : rest;
  if (events !== undefined) {
    const all = whole.toString().split("\n\n");
    return all.length > events ? { status, headers, body: all.slice(0, events).join("\n\n") } : null;
  }
  if (isChunked && !rest.toString("latin1").endsWith(CHUNKS_END)) return null;
  return { status, headers, body: decoded(whole, header("content-encoding")).toString() };
}

/** Returns the content of the complete chunks. */
function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (lineEnd < 0 || !(size > 0) || lineEnd + 2 + size > bytes.length) break;
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(parts);
}

function decoded(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === "br") return brotliDecompressSync(bytes);
  return encoding === "gzip" ? gunzipSync(bytes) : bytes;
}

/**
 * Returns a text as a golden file shows it: JSON as a value; a text of more than 2,000 characters as its beginning and
 * digest.
 */
export function shownText(text: string): unknown {
  if (text.length <= MAX_BODY_LENGTH) return readable(text);
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { bytes: Buffer.byteLength(text), sha256, begins: text.slice(0, MAX_BODY_LENGTH) };
}
