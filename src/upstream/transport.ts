/** One GET over HTTP, bounded in time and size. Redirects are answers like any other. */
import type { Dispatcher } from "undici";
import type { ProxySettings } from "./proxy.ts";
import { describeFailure } from "./socket-words.ts";
import { Pool, request } from "./undici.ts";

export interface HttpAnswer {
  readonly status: number;
  /** Looks a header up by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  readonly body: string;
}

/** Sends a GET and reads its answer. Errors: throws for anything but a whole answer, with a reason in words. */
export type HttpGet = (
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<HttpAnswer>;

export interface Transport {
  readonly get: HttpGet;
  readonly close: () => Promise<void>;
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
/** One address family may try this long before the other does too. */
const FAMILY_ATTEMPT_MS = 1_000;
const CONNECTIONS = 4;

/** Opens a transport to one origin. */
export async function openTransport(origin: string, options: TransportOptions = {}): Promise<Transport> {
  const timeoutMs = Math.min(options.timeoutMs ?? REQUEST_TIMEOUT_MS, REQUEST_TIMEOUT_MS);
  const dispatcher = await openDispatcher(origin, options, timeoutMs);
  return {
    async get(path, headers, signal) {
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(new Error(lateness(timeoutMs))), timeoutMs);
      const giveUp = () => deadline.abort(new Error("the request was given up"));
      if (signal.aborted) giveUp();
      signal.addEventListener("abort", giveUp);
      try {
        const sent = send(dispatcher, { origin, path, method: "GET", headers, signal: deadline.signal });
        return await Promise.race([sent, rejection(deadline.signal)]);
      } catch (error) {
        throw new Error(describeFailure(deadline.signal.aborted ? deadline.signal.reason : error), { cause: error });
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
      }
    },
    close: () => dispatcher.destroy(),
  };
}

function lateness(timeoutMs: number): string {
  return `it did not answer within ${timeoutMs / 1_000} s`;
}

/** Rejects when the signal fires. undici itself looks at a signal only once it is connected, which may take as long. */
function rejection(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener("abort", () => reject(signal.reason));
  return promise;
}

/**
 * Every request has a connection of its own (`pipelining: 0`): at a request every few minutes a kept one is closed by
 * the other side anyway, and a request that meets the closing is lost and counted.
 */
async function openDispatcher(origin: string, { ca, proxy }: TransportOptions, timeoutMs: number): Promise<Dispatcher> {
  const tls = ca === undefined ? {} : { ca };
  const bounds = {
    connections: CONNECTIONS,
    pipelining: 0,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  };
  const connect = {
    timeout: timeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: FAMILY_ATTEMPT_MS,
    ...tls,
  };
  if (!proxy) return new Pool(origin, { ...bounds, allowH2: false, connect });
  const { EnvHttpProxyAgent } = await import("./undici-proxy.ts");
  return new EnvHttpProxyAgent({ ...bounds, ...proxy, connect, requestTls: connect });
}

async function send(dispatcher: Dispatcher, options: Dispatcher.RequestOptions): Promise<HttpAnswer> {
  const answer = await request.call(dispatcher, options);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop by throwing destroys the body and its socket.
    if (bytes > MAX_BODY_BYTES)
      throw new Error(
        `its answer is longer than ${MAX_BODY_BYTES / 1024 / 1024} MB, which no answer of the contract is`,
      );
    chunks.push(chunk);
  }
  return {
    status: answer.statusCode,
    header: (name) => headerOf(answer.headers, name),
    body: Buffer.concat(chunks).toString("utf8"),
  };
}

function headerOf(headers: Readonly<Record<string, string | string[] | undefined>>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
