/**
 * Load generator in its own process, with keep-alive sockets. Reads a `Load` and writes a `LoadResult`, one JSON line
 * each.
 */
import { connect } from "node:net";
import { createInterface } from "node:readline";

/** Requests to send to a server on this machine. `paths` are requested in turn. */
export interface Load {
  readonly port: number;
  readonly paths: readonly string[];
  readonly headers: readonly string[];
  readonly connections: number;
  /** Stops after `ms` milliseconds or `count` requests, whichever is first. */
  readonly ms?: number;
  readonly count?: number;
}

export interface LoadResult {
  readonly answers: number;
  readonly perSecond: number;
  readonly bytes: number;
  /** Number of responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Maximum number of connections that the server may close without a response in one run. */
const MAX_LOST = 1_000;
const READ_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);
const HEAD_END = Buffer.from("\r\n\r\n");

async function run({ port, paths, headers, connections, ms, count }: Load): Promise<LoadResult> {
  const requests = paths.map((path) =>
    Buffer.from([`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, "\r\n"].join("\r\n")),
  );
  const statuses: Record<string, number> = {};
  const times: number[] = [];
  let sent = 0;
  let answers = 0;
  let bytes = 0;
  let lost = 0;
  const began = performance.now();
  const until = ms === undefined ? Number.POSITIVE_INFINITY : began + ms;
  const isOver = () => sent >= (count ?? Number.POSITIVE_INFINITY) || performance.now() >= until;
  const caller = (): Promise<void> =>
    new Promise((resolve, reject) => {
      // Reuses one read buffer: garbage collection in this process would add to the measured times.
      const onread = {
        buffer: Buffer.alloc(READ_BYTES),
        callback: (count: number, from: Uint8Array) => take(count, from),
      };
      const socket = connect({ port, host: "127.0.0.1", noDelay: true, onread });
      let head: Buffer | null = NOTHING;
      let missing = 0;
      let askedAt = 0;
      let answeredHere = 0;
      const ask = () => {
        if (isOver()) {
          socket.destroy();
          resolve();
          return;
        }
        askedAt = performance.now();
        socket.write(requests[sent++ % requests.length] as Buffer);
      };
      const take = (count: number, from: Uint8Array): boolean => {
        bytes += count;
        if (head === null) missing -= count;
        else {
          head = Buffer.concat([head, from.subarray(0, count)]);
          const end = head.indexOf(HEAD_END);
          if (end < 0) return true;
          const { status, length } = readHead(head.toString("latin1", 0, end));
          statuses[status] = (statuses[status] ?? 0) + 1;
          missing = length - (head.length - end - HEAD_END.length);
          head = null;
        }
        if (missing > 0) return true;
        times.push(performance.now() - askedAt);
        answers++;
        answeredHere++;
        head = NOTHING;
        ask();
        return true;
      };
      socket.on("connect", ask).on("error", () => undefined);
      // The server may close a connection between two responses; the caller then reconnects.
      socket.on("close", () => {
        if (isOver()) resolve();
        else if (answeredHere === 0 && ++lost > MAX_LOST) reject(new Error("the server closes its connections"));
        else caller().then(resolve, reject);
      });
    });
  await Promise.all(Array.from({ length: connections }, caller));
  const seconds = (performance.now() - began) / 1_000;
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { answers, perSecond: answers / seconds, bytes, statuses, p50Ms: at(0.5), p99Ms: at(0.99) };
}

function readHead(text: string): { readonly status: string; readonly length: number } {
  const status = text.slice(9, 12);
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  if (length === undefined && status !== "304") throw new Error(`an answer without a length: ${text}`);
  return { status, length: Number(length ?? 0) };
}

for await (const line of createInterface(process.stdin)) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line) as Load))}\n`);
}
