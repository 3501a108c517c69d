/** One GET over HTTP, bounded in time and size. Redirects are answers like any other. */
import { Pool, request } from "./undici.ts";

export interface HttpAnswer {
  readonly status: number;
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

/** From the first packet to the last byte. Source: design, quota: the hard time-out that the rolling windows allow for. */
export const REQUEST_TIMEOUT_MS = 30_000;
/** A year of hours with nine fields of 25 characters is under 4 MB; twice that is no answer of this contract. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Idle sockets go before a router forgets them. */
const IDLE_SOCKET_MS = 4_000;
/** One address family may try this long before the other does too. */
const FAMILY_ATTEMPT_MS = 1_000;
const CONNECTIONS = 4;

/** The errors a socket gives, in words for the owner. */
const SOCKET_ERRORS: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name cannot be resolved",
  EAI_AGAIN: "name resolution does not answer",
  ECONNREFUSED: "it refuses the connection",
  ECONNRESET: "it closed the connection",
  UND_ERR_SOCKET: "it closed the connection",
  ETIMEDOUT: "it did not answer in time",
  UND_ERR_CONNECT_TIMEOUT: "it did not answer in time",
  UND_ERR_HEADERS_TIMEOUT: "it did not answer in time",
  UND_ERR_BODY_TIMEOUT: "it stopped in the middle of an answer",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate cannot be verified",
};

/** Opens a transport to one origin. `ca` adds a certificate authority, in PEM. */
export function openTransport(origin: string, options: { readonly ca?: string } = {}): Transport {
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    allowH2: false,
    headersTimeout: REQUEST_TIMEOUT_MS,
    bodyTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: IDLE_SOCKET_MS,
    maxResponseSize: MAX_BODY_BYTES,
    connect: {
      timeout: REQUEST_TIMEOUT_MS,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: FAMILY_ATTEMPT_MS,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    },
  });
  return {
    async get(path, headers, signal) {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
      try {
        const answer = await request.call(pool, { path, method: "GET", headers, signal: deadline });
        const body = await answer.body.text();
        return { status: answer.statusCode, header: (name) => headerOf(answer.headers, name), body };
      } catch (error) {
        throw new Error(describe(error), { cause: error });
      }
    },
    close: () => pool.destroy(),
  };
}

function headerOf(headers: Readonly<Record<string, string | string[] | undefined>>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return "the request failed";
  if (error.name === "TimeoutError") return `it did not answer within ${REQUEST_TIMEOUT_MS / 1000} s`;
  if (error.name === "AbortError") return "the request was given up";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return SOCKET_ERRORS[code] ?? (error.message || code || "the request failed");
}
