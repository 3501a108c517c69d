/** One request over HTTP, limited in time and size. Redirects are returned like other responses. */
import type { Agent, Dispatcher, Pool as PoolOf } from "undici";
// Parts of undici: its index also loads fetch, WebSocket and caches, 13 MB.
import connectByProxy from "undici/lib/api/api-connect.js";
import EnvHttpProxyAgent from "undici/lib/dispatcher/env-http-proxy-agent.js";
import Pool from "undici/lib/dispatcher/pool.js";
import { TextError } from "../../core/language/text.ts";
import { errorCode } from "../../core/text/error-words.ts";
import { foreignSources } from "../../core/text/foreign-text.ts";
import { BODY_TOO_LONG, describeFailure, STOPPED_MIDWAY, UnsentError } from "./network-errors.ts";
import { NO_PROXY, type ProxySettings } from "./proxy.ts";

export interface HttpAnswer {
  readonly status: number;
  /** Returns a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** Null if it is longer than `maxBytes`. */
  readonly body: string | null;
}

/** Sends a GET and reads its response. Rejects, with a reason in words, unless the response is complete. */
export type HttpGet = (
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<HttpAnswer>;

export interface HttpSend {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Transport {
  readonly get: HttpGet;
  /** Sends a body; otherwise as `get`. */
  readonly send: (request: HttpSend, signal: AbortSignal) => Promise<HttpAnswer>;
  readonly close: () => void;
}

export interface TransportOptions {
  /** Certificate authorities in PEM that replace the well-known ones. */
  readonly ca?: string;
  /** None by default. */
  readonly proxy?: ProxySettings | null | undefined;
  /** Time limit from the first packet to the last byte, at most `REQUEST_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
  /** Longest body of a response; that of the service by default. */
  readonly maxBytes?: number;
}

/** Hard timeout that the rolling windows assume. Source: design, quota. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Time after which a connection attempt starts in the other address family too. */
const FAMILY_ATTEMPT_MS = 1_000;
/** Maximum connections. Polling uses one less, see collectors.ts, so that LAN requests need not wait for it. */
const CONNECTIONS = 4;

export function openTransport(origin: string, options: TransportOptions = {}): Transport {
  const timeoutMs = Math.min(options.timeoutMs ?? REQUEST_TIMEOUT_MS, REQUEST_TIMEOUT_MS);
  const proxy = options.proxy ?? NO_PROXY;
  const agent = openAgent(origin, timeoutMs, { ...options, proxy });
  const proxyUrl = origin.startsWith("https:") ? proxy.httpsProxy : proxy.httpProxy;
  const closing = new AbortController();
  const answered = async (request: SentRequest, signal: AbortSignal) => {
    const deadline = new AbortController();
    const late = new Error(`it did not answer within ${timeoutMs / 1_000} s`);
    const timer = setTimeout(() => deadline.abort(late), timeoutMs);
    const giveUp = () => deadline.abort(new Error("the request was cancelled"));
    const ends = [signal, closing.signal];
    if (ends.some(({ aborted }) => aborted)) giveUp();
    for (const end of ends) end.addEventListener("abort", giveUp);
    let isStarted = false;
    const onStart = () => {
      isStarted = true;
    };
    try {
      return await send(agent, request, deadline.signal, onStart);
    } catch (error) {
      throw new (isStarted ? TextError : UnsentError)(describeFailure(error, isStarted ? "" : proxyUrl), {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
      for (const end of ends) end.removeEventListener("abort", giveUp);
    }
  };
  return {
    get: (path, headers, signal) => answered({ origin, path, headers, method: "GET" }, signal),
    send: (request, signal) => answered({ origin, ...request }, signal),
    close() {
      closing.abort();
      void agent.destroy();
    },
  };
}

/** Creates the dispatcher: direct, or through the configured proxy. */
function openAgent(
  origin: string,
  timeoutMs: number,
  { ca, proxy, maxBytes }: TransportOptions & { readonly proxy: ProxySettings },
): Dispatcher {
  const socket = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: FAMILY_ATTEMPT_MS, timeout: timeoutMs };
  const toService = ca === undefined ? socket : { ...socket, ca };
  const limits = {
    connections: CONNECTIONS,
    allowH2: false,
    // The request's own deadline covers all of these; they close the rest of an aborted request.
    connectTimeout: timeoutMs,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxBytes ?? foreignSources.service.length,
  } satisfies PoolOf.Options;
  const openPool = (to: string | URL, given: object) => new Pool(String(to), { ...limits, ...given });
  return new EnvHttpProxyAgent({
    ...limits,
    connect: toService,
    requestTls: toService,
    proxyTls: socket,
    factory: openPool,
    // undici's index adds this method to its dispatchers; the agent needs it to open tunnels.
    clientFactory: (to, given) => Object.assign(openPool(to, given), { connect: connectByProxy }),
    // Without an HTTPS proxy the agent would use the HTTP proxy, which curl does not do.
    httpProxy: origin.startsWith("https:") ? "" : proxy.httpProxy,
    httpsProxy: proxy.httpsProxy,
    noProxy: proxy.noProxy,
  });
}

type SentRequest = Pick<Agent.DispatchOptions, "origin" | "path" | "headers" | "method" | "body">;

/**
 * Sends one request over its own connection: on an idle one that the server closes it would fail and count. Calls
 * `onStart` before the first byte is sent; after that the service may count the request.
 */
function send(agent: Dispatcher, request: SentRequest, signal: AbortSignal, onStart: () => void): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  if (signal.aborted) reject(signal.reason);
  // A request that waits for a connection cannot be aborted yet; it is aborted when it gets one, before it is sent.
  signal.addEventListener("abort", () => reject(signal.reason));
  if (signal.aborted) return promise;
  let head: Pick<HttpAnswer, "status" | "header"> | null = null;
  // Decoded piece by piece: bytes and text of a long response are never both in memory as a whole.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let body = "";
  agent.dispatch(
    { ...request, reset: true },
    {
      onRequestStart(controller) {
        if (signal.aborted) return controller.abort(signal.reason);
        onStart();
        signal.addEventListener("abort", () => controller.abort(signal.reason));
      },
      onResponseStart(_, status, headers) {
        head = { status, header: (name) => [headers[name]].flat()[0] };
      },
      onResponseData(_, piece) {
        body += decoder.decode(piece, { stream: true });
      },
      onResponseEnd() {
        if (head) resolve({ ...head, body: body + decoder.decode() });
      },
      onResponseError(_, error) {
        if (head && errorCode(error) === BODY_TOO_LONG) resolve({ ...head, body: null });
        else reject(head && CONNECTION_LOST.includes(errorCode(error)) ? new TextError(STOPPED_MIDWAY) : error);
      },
    },
  );
  return promise;
}

/** Error codes of a connection that closed early. */
const CONNECTION_LOST = ["UND_ERR_SOCKET", "ECONNRESET"];
