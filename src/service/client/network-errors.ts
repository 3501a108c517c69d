/** Maximum size of a response. A year of hours with nine fields of 25 characters is less than 4 MB. */
export const MAX_ANSWER_MB = 8;
/** undici's error code for a body over the size limit. */
export const BODY_TOO_LONG = "UND_ERR_RES_EXCEEDED_MAX_SIZE";
export const STOPPED_MIDWAY = "it stopped in the middle of an answer";

export const TOO_MANY_HEADERS = "its answer has too many headers";

/** Messages for errors of sockets and undici. "It" is the service. */
const SOCKET_WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name cannot be resolved",
  EAI_AGAIN: "name resolution does not answer",
  ECONNREFUSED: "it refuses the connection",
  ECONNRESET: "it closed the connection",
  EPIPE: "it closed the connection",
  ENETUNREACH: "there is no way to its network",
  EHOSTUNREACH: "there is no way to its network",
  ETIMEDOUT: "it did not answer in time",
  UND_ERR_SOCKET: "it closed the connection",
  UND_ERR_CONNECT_TIMEOUT: "it did not answer in time",
  UND_ERR_HEADERS_TIMEOUT: "it did not answer in time",
  UND_ERR_BODY_TIMEOUT: "it did not answer in time",
  UND_ERR_HEADERS_OVERFLOW: TOO_MANY_HEADERS,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: STOPPED_MIDWAY,
  CERT_HAS_EXPIRED: "its certificate has expired; check this machine's clock too",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; check this machine's clock",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed; name it in service.ca to trust it",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is from an unknown authority; name that in service.ca to trust it",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate is from an unknown authority; name that in service.ca to trust it",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is from an unknown authority; name that in service.ca to trust it",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  EPROTO: "it does not speak TLS there; is base_url right?",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS there; is base_url right?",
};

/** Returns why a request has no response, in words: by the code of the error or of its cause, otherwise its message. */
export function describeFailure(error: unknown): string {
  for (let each = error, depth = 0; each instanceof Error && depth < MAX_CAUSES; each = each.cause, depth++) {
    const code = "code" in each && typeof each.code === "string" ? each.code : "";
    const words = SOCKET_WORDS[code] ?? (each.name === "HTTPParserError" ? "its answer is not HTTP" : undefined);
    if (words) return words;
    const refusal = PROXY_REFUSAL.exec(each.message);
    if (refusal) return `the proxy refuses to pass it on (status ${refusal[1] ?? refusal[2]})`;
  }
  return (error instanceof Error && error.message) || "the request failed";
}

/** undici has no error code for a rejection by the proxy; the status is only in the message. */
const PROXY_REFUSAL = /^Proxy response \((\d+)\) |^Proxy Authentication Required \((\d+)\)/;
/** Maximum depth of nested causes. */
const MAX_CAUSES = 4;
