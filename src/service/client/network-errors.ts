/** Reasons why a request to the service has no response. */
import { en } from "../../core/language/en.ts";

/** Maximum size of a response. A year of hours with nine fields of 25 characters is less than 4 MB. */
export const MAX_ANSWER_MB = 8;
/** undici's error code for a body over the size limit. */
export const BODY_TOO_LONG = "UND_ERR_RES_EXCEEDED_MAX_SIZE";
export const STOPPED_MIDWAY = en.net_midway;

export const TOO_MANY_HEADERS = en.net_headers;

/** Messages for errors of sockets and undici. "It" is the service. */
const SOCKET_WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: en.net_name,
  EAI_AGAIN: en.net_resolver,
  ECONNREFUSED: en.net_refused,
  ECONNRESET: en.net_closed,
  EPIPE: en.net_closed,
  ENETUNREACH: en.net_no_way,
  EHOSTUNREACH: en.net_no_way,
  ETIMEDOUT: en.net_late,
  UND_ERR_INVALID_ARG: en.net_unsendable,
  UND_ERR_SOCKET: en.net_closed,
  UND_ERR_CONNECT_TIMEOUT: en.net_late,
  UND_ERR_HEADERS_TIMEOUT: en.net_late,
  UND_ERR_BODY_TIMEOUT: en.net_late,
  UND_ERR_HEADERS_OVERFLOW: TOO_MANY_HEADERS,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: STOPPED_MIDWAY,
  CERT_HAS_EXPIRED: en.net_expired,
  CERT_NOT_YET_VALID: en.net_not_yet,
  DEPTH_ZERO_SELF_SIGNED_CERT: en.net_self_signed,
  SELF_SIGNED_CERT_IN_CHAIN: en.net_unknown_ca,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: en.net_unknown_ca,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: en.net_unknown_ca,
  ERR_TLS_CERT_ALTNAME_INVALID: en.net_other_name,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: en.net_http2,
  EPROTO: en.net_no_tls,
  ERR_SSL_WRONG_VERSION_NUMBER: en.net_no_tls,
};

/** Returns why a request has no response, in words: by the code of the error or of its cause, otherwise its message. */
export function describeFailure(error: unknown): string {
  for (let each = error, depth = 0; each instanceof Error && depth < MAX_CAUSES; each = each.cause, depth++) {
    // undici has one code for this and for a header that cannot be sent.
    const refusal = PROXY_REFUSAL.exec(each.message);
    if (refusal) return `the proxy refuses the connection (status ${refusal[1] ?? refusal[2]})`;
    const code = "code" in each && typeof each.code === "string" ? each.code : "";
    const words = SOCKET_WORDS[code] ?? (each.name === "HTTPParserError" ? en.net_no_http : undefined);
    if (words) return words;
  }
  return (error instanceof Error && error.message) || en.net_failed;
}

/** undici has no error code for a rejection by the proxy; the status is only in the message. */
const PROXY_REFUSAL = /^Proxy response \((\d+)\) |^Proxy Authentication Required \((\d+)\)/;
/** Maximum depth of nested causes. */
const MAX_CAUSES = 4;
