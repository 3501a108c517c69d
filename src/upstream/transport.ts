/** One GET over HTTP, bounded in time and size. Redirects are answers like any other. */
import { type IncomingMessage, Agent as PlainAgent, type RequestOptions, request } from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { ProxySettings } from "./proxy.ts";
import { describeFailure } from "./socket-words.ts";

export interface HttpAnswer {
  readonly status: number;
  /** Looks a header up by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  readonly body: Buffer;
}

/** Sends a GET and reads its answer. Errors: throws for anything but a whole answer, with a reason in words. */
export type HttpGet = (
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<HttpAnswer>;

export interface Transport {
  readonly get: HttpGet;
  readonly close: () => void;
}

export interface TransportOptions {
  /** Certificate authorities to trust in place of the well-known ones, in PEM. */
  readonly ca?: string;
  readonly proxy?: ProxySettings;
  /** From the first packet to the last byte. The governor's windows allow for no more than `REQUEST_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
}

/** Source: design, quota: the hard time-out that the rolling windows allow for. */
const REQUEST_TIMEOUT_MS = 30_000;
/** A year of hours with nine fields of 25 characters is under 4 MB; twice that is no answer of this contract. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Room for most answers; it doubles for a longer one. */
const FIRST_BYTES = 64 * 1024;
/** One address family may try this long before the other does too. */
const FAMILY_ATTEMPT_MS = 1_000;
const CONNECTIONS = 4;

/** Opens a transport to one origin. */
export function openTransport(origin: string, options: TransportOptions = {}): Transport {
  const timeoutMs = Math.min(options.timeoutMs ?? REQUEST_TIMEOUT_MS, REQUEST_TIMEOUT_MS);
  const { protocol, hostname, port } = new URL(origin);
  const agent = openAgent(protocol, options);
  const service = { protocol, hostname: hostname.replace(/^\[|\]$/g, ""), port, agent };
  const closing = new AbortController();
  return {
    async get(path, headers, signal) {
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(new Error(lateness(timeoutMs))), timeoutMs);
      const giveUp = () => deadline.abort(new Error("the request was given up"));
      const ends = [signal, closing.signal];
      if (ends.some(({ aborted }) => aborted)) giveUp();
      for (const end of ends) end.addEventListener("abort", giveUp);
      try {
        const sent = send({ ...service, path, headers, signal: deadline.signal });
        return await Promise.race([sent, rejection(deadline.signal)]);
      } catch (error) {
        throw new Error(describeFailure(deadline.signal.aborted ? deadline.signal.reason : error), { cause: error });
      } finally {
        clearTimeout(timer);
        for (const end of ends) end.removeEventListener("abort", giveUp);
      }
    },
    close() {
      closing.abort();
      agent.destroy();
    },
  };
}

function lateness(timeoutMs: number): string {
  return `it did not answer within ${timeoutMs / 1_000} s`;
}

/** Rejects when the signal fires. Node itself looks at a signal only once there is a tunnel through the proxy. */
function rejection(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener("abort", () => reject(signal.reason));
  return promise;
}

function openAgent(protocol: string, { ca, proxy }: TransportOptions): PlainAgent {
  const connect = {
    maxSockets: CONNECTIONS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: FAMILY_ATTEMPT_MS,
    ...(proxy
      ? { proxyEnv: { http_proxy: proxy.httpProxy, https_proxy: proxy.httpsProxy, no_proxy: proxy.noProxy } }
      : {}),
  };
  return protocol === "https:"
    ? new TlsAgent({ ...connect, ...(ca === undefined ? {} : { ca }) })
    : new PlainAgent(connect);
}

/**
 * Every request has a connection of its own: at a request every few minutes a kept one is closed by the other side
 * anyway, and a request that meets the closing is lost and counted. Left to itself, Node gives a connection that is
 * done to the next request in the queue.
 */
function send(options: RequestOptions): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const read = (answer: IncomingMessage) => {
      const header = (name: string) => answer.headersDistinct[name]?.[0];
      bodyOf(answer).then((body) => resolve({ status: answer.statusCode ?? 0, header, body }), reject);
    };
    const asked = request(options, read).on("error", reject);
    asked.shouldKeepAlive = false;
    asked.end();
  });
}

function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let memory = new ArrayBuffer(FIRST_BYTES);
  let bytes = 0;
  answer.on("data", (piece: Buffer) => {
    const needed = bytes + piece.length;
    // What is outgrown is given back at once.
    if (needed > memory.byteLength) memory = memory.transfer(Math.max(needed, 2 * memory.byteLength));
    new Uint8Array(memory).set(piece, bytes);
    bytes = needed;
    if (bytes <= MAX_BODY_BYTES) return;
    reject(
      new Error(`its answer is longer than ${MAX_BODY_BYTES / 1024 / 1024} MB, which no answer of the contract is`),
    );
    answer.destroy();
  });
  answer.on("end", () => resolve(Buffer.from(memory, 0, bytes)));
  answer.on("error", () => reject(new Error("it stopped in the middle of an answer")));
  return promise;
}
