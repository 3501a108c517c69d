/** Reasons why a request to the service has no response. */
import { message, reasonOf, type Text, TextError } from "../../core/language/text.ts";
import { errorCode } from "../../core/text/error-words.ts";

/** undici's error code for a body over the size limit. */
export const BODY_TOO_LONG = "UND_ERR_RES_EXCEEDED_MAX_SIZE";
export const STOPPED_MIDWAY = message("net.midway");

export const TOO_MANY_HEADERS = message("net.headers");

/** Error of a request of which no byte was sent, so that it used no quota: its connection was not made. */
export class UnsentError extends TextError {}

/** Messages for errors of sockets and undici. "It" is the service. */
const SOCKET_WORDS: Readonly<Record<string, Text>> = {
  ENOTFOUND: message("net.name"),
  EAI_AGAIN: message("net.resolver"),
  ECONNREFUSED: message("net.refused"),
  ECONNRESET: message("net.closed"),
  EPIPE: message("net.closed"),
  ENETUNREACH: message("net.no_way"),
  EHOSTUNREACH: message("net.no_way"),
  ETIMEDOUT: message("net.late"),
  UND_ERR_INVALID_ARG: message("net.unsendable"),
  UND_ERR_SOCKET: message("net.closed"),
  UND_ERR_CONNECT_TIMEOUT: message("net.late"),
  UND_ERR_HEADERS_TIMEOUT: message("net.late"),
  UND_ERR_BODY_TIMEOUT: message("net.late"),
  UND_ERR_HEADERS_OVERFLOW: TOO_MANY_HEADERS,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: STOPPED_MIDWAY,
  CERT_HAS_EXPIRED: message("net.expired"),
  CERT_NOT_YET_VALID: message("net.not_yet"),
  DEPTH_ZERO_SELF_SIGNED_CERT: message("net.self_signed"),
  SELF_SIGNED_CERT_IN_CHAIN: message("net.unknown_ca"),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: message("net.unknown_ca"),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: message("net.unknown_ca"),
  ERR_TLS_CERT_ALTNAME_INVALID: message("net.other_name"),
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: message("net.http2"),
  EPROTO: message("net.no_tls"),
  ERR_SSL_WRONG_VERSION_NUMBER: message("net.no_tls"),
};

/** Returns why a request has no response, in words, and that this is about the proxy if it is. */
export function describeFailure(error: unknown, proxy = ""): Text {
  const why = describeError(error);
  return isAbout(error, URL.parse(proxy)) ? message("net.of_proxy", { why }) : why;
}

/** Returns true if the error of a socket names the proxy's name or port. */
function isAbout(error: unknown, proxy: URL | null): boolean {
  if (proxy === null || !(error instanceof Error)) return false;
  const { hostname, port, errors, cause } = error as Error & Readonly<Record<string, unknown>>;
  const proxyPort = proxy.port === "" ? (proxy.protocol === "https:" ? "443" : "80") : proxy.port;
  if (hostname === proxy.hostname || String(port) === proxyPort) return true;
  return isAbout(Array.isArray(errors) ? errors[0] : cause, proxy);
}

/** Returns a reason in words: by the code of the error or of its cause, otherwise its message. */
function describeError(error: unknown): Text {
  for (let each = error, depth = 0; each instanceof Error && depth < MAX_CAUSES; each = each.cause, depth++) {
    // undici has one code for this and for a header that cannot be sent.
    const refusal = PROXY_REFUSAL.exec(each.message);
    if (refusal) return message("net.proxy", { status: refusal[1] ?? refusal[2] ?? "" });
    const words =
      SOCKET_WORDS[errorCode(each)] ?? (each.name === "HTTPParserError" ? message("net.no_http") : undefined);
    if (words) return words;
  }
  return reasonOf(error, message("net.failed"));
}

/** undici has no error code for a rejection by the proxy; the status is only in the message. */
const PROXY_REFUSAL = /^Proxy response \((\d+)\) |^Proxy Authentication Required \((\d+)\)/;
/** Maximum depth of nested causes. */
const MAX_CAUSES = 4;
