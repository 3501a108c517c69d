/** One request over HTTP, bounded in time and size. Redirects are answers like any other. */
import type { Agent, Dispatcher, Pool as PoolOf } from "undici";
// Parts of undici: its index loads fetch, WebSocket and caches too, 13 MB.
import connectByProxy from "undici/lib/api/api-connect.js";
import EnvHttpProxyAgent from "undici/lib/dispatcher/env-http-proxy-agent.js";
import Pool from "undici/lib/dispatcher/pool.js";
import { BODY_TOO_LONG, describeFailure, MAX_ANSWER_MB, STOPPED_MIDWAY } from "./network-errors.ts";
import { NO_PROXY, type ProxySettings } from "./proxy.ts";

export interface HttpAnswer {
  readonly status: number;
  /** Looks a header up by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** Null if it is longer than `MAX_ANSWER_MB`. */
  readonly body: Buffer | null;
}

/** Sends a GET and reads its answer. Errors: throws for anything but a whole answer, with a reason in words. */
export type HttpGet = (
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<HttpAnswer>;

export interface Transport {
  readonly get: HttpGet;
  /** Sends a body; otherwise as `get`. */
  readonly post: (
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ) => Promise<HttpAnswer>;
  readonly close: () => void;
}

export interface TransportOptions {
  /** Certificate authorities to trust in place of the well-known ones, in PEM. */
  readonly ca?: string;
  readonly proxy?: ProxySettings;
  /** From the first packet to the last byte. The rate limiter's windows allow for no more than `REQUEST_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
  /** Longest body of an answer; what the contract allows by default. */
  readonly maxBytes?: number;
}

/** Source: design, quota: the hard time-out that the rolling windows allow for. */
const REQUEST_TIMEOUT_MS = 30_000;
/** One address family may try this long before the other does too. */
const FAMILY_ATTEMPT_MS = 1_000;
/** Polling takes one less, see open-state.ts: a request of the LAN need not wait for it. */
const CONNECTIONS = 4;

/** Opens a transport to one origin. */
export function openTransport(origin: string, options: TransportOptions = {}): Transport {
  const timeoutMs = Math.min(options.timeoutMs ?? REQUEST_TIMEOUT_MS, REQUEST_TIMEOUT_MS);
  const agent = openAgent(origin, timeoutMs, options);
  const closing = new AbortController();
  const answered = async (request: SentRequest, signal: AbortSignal) => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new Error(lateness(timeoutMs))), timeoutMs);
    const giveUp = () => deadline.abort(new Error("the request was given up"));
    const ends = [signal, closing.signal];
    if (ends.some(({ aborted }) => aborted)) giveUp();
    for (const end of ends) end.addEventListener("abort", giveUp);
    try {
      return await send(agent, request, deadline.signal);
    } catch (error) {
      throw new Error(describeFailure(error), { cause: error });
    } finally {
      clearTimeout(timer);
      for (const end of ends) end.removeEventListener("abort", giveUp);
    }
  };
  return {
    get: (path, headers, signal) => answered({ origin, path, headers, method: "GET" }, signal),
    post: (path, headers, body, signal) => answered({ origin, path, headers, method: "POST", body }, signal),
    close() {
      closing.abort();
      void agent.destroy();
    },
  };
}

function lateness(timeoutMs: number): string {
  return `it did not answer within ${timeoutMs / 1_000} s`;
}

/** The way to the service: straight, or through the proxy that the settings name for it. */
function openAgent(
  origin: string,
  timeoutMs: number,
  { ca, proxy = NO_PROXY, maxBytes }: TransportOptions,
): Dispatcher {
  const socket = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: FAMILY_ATTEMPT_MS, timeout: timeoutMs };
  const toService = ca === undefined ? socket : { ...socket, ca };
  const limits = {
    connections: CONNECTIONS,
    allowH2: false,
    // The deadline of a request covers all of these; they end what a request that was given up leaves behind.
    connectTimeout: timeoutMs,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxBytes ?? MAX_ANSWER_MB * 1024 * 1024,
  } satisfies PoolOf.Options;
  const openPool = (to: string | URL, given: object) => new Pool(String(to), { ...limits, ...given });
  return new EnvHttpProxyAgent({
    ...limits,
    connect: toService,
    requestTls: toService,
    proxyTls: socket,
    factory: openPool,
    // A method that undici's index adds to its dispatchers: the agent opens tunnels with it.
    clientFactory: (to, given) => Object.assign(openPool(to, given), { connect: connectByProxy }),
    // Without a proxy for HTTPS the agent would take the one for HTTP, unlike curl.
    httpProxy: origin.startsWith("https:") ? "" : proxy.httpProxy,
    httpsProxy: proxy.httpsProxy,
    noProxy: proxy.noProxy,
  });
}

type SentRequest = Pick<Agent.DispatchOptions, "origin" | "path" | "headers" | "method" | "body">;

/**
 * Every request has a connection of its own (`reset`): at a request every few minutes a kept one is closed by the other
 * side anyway, and a request that meets the closing is lost and counted.
 */
function send(agent: Dispatcher, request: SentRequest, signal: AbortSignal): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  if (signal.aborted) reject(signal.reason);
  // A request that still waits for a connection cannot be aborted: it is when it has one, before it is sent.
  signal.addEventListener("abort", () => reject(signal.reason));
  if (signal.aborted) return promise;
  let head: Pick<HttpAnswer, "status" | "header"> | null = null;
  const body: Buffer[] = [];
  agent.dispatch(
    { ...request, reset: true },
    {
      onRequestStart(controller) {
        if (signal.aborted) controller.abort(signal.reason);
        else signal.addEventListener("abort", () => controller.abort(signal.reason));
      },
      onResponseStart(_, status, headers) {
        head = { status, header: (name) => [headers[name]].flat()[0] };
      },
      onResponseData(_, piece) {
        body.push(piece);
      },
      onResponseEnd() {
        if (head) resolve({ ...head, body: Buffer.concat(body) });
      },
      onResponseError(_, error) {
        if (head && codeOf(error) === BODY_TOO_LONG) resolve({ ...head, body: null });
        else reject(head && CONNECTION_LOST.includes(codeOf(error)) ? new Error(STOPPED_MIDWAY) : error);
      },
    },
  );
  return promise;
}

/** Codes of a connection that ended before it should. */
const CONNECTION_LOST = ["UND_ERR_SOCKET", "ECONNRESET"];

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
