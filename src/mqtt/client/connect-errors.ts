/** Messages for the user that explain why the connection to the broker failed. */
import { message, reasonOf, type Text } from "../../core/language/text.ts";

/** Stage of a connection at which it failed. */
export type Phase = "opening" | "greeting" | "up";

const REFUSED_LOGIN = message("mqtt.login");
const REFUSED_CLIENT = message("mqtt.user");
export const NOTHING_LISTENS = message("mqtt.nothing");
const NO_TLS = message("mqtt.no_tls");
const NO_MQTT = message("mqtt.other");

const OPENING: Readonly<Record<string, Text>> = {
  ECONNREFUSED: NOTHING_LISTENS,
  ENOTFOUND: message("mqtt.name"),
  EAI_AGAIN: message("mqtt.resolver"),
  ETIMEDOUT: message("mqtt.silent"),
  EHOSTUNREACH: message("mqtt.unreachable"),
  ENETUNREACH: message("mqtt.network"),
  ECONNRESET: message("mqtt.reset"),
  CERT_HAS_EXPIRED: message("mqtt.expired"),
  CERT_NOT_YET_VALID: message("mqtt.not_yet"),
  DEPTH_ZERO_SELF_SIGNED_CERT: message("mqtt.self_signed"),
  SELF_SIGNED_CERT_IN_CHAIN: message("mqtt.unknown_ca"),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: message("mqtt.unknown_ca"),
  UNABLE_TO_GET_ISSUER_CERT: message("mqtt.unknown_ca"),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: message("mqtt.unknown_ca"),
  CERT_SIGNATURE_FAILURE: message("mqtt.wrong_ca"),
  ERR_TLS_CERT_ALTNAME_INVALID: message("mqtt.other_name"),
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  EPROTO: NO_TLS,
};

/** Messages for reason codes of CONNACK and DISCONNECT. Codes of MQTT 3.1.1 are below 6, those of MQTT 5 above 127. */
const REASONS: Readonly<Record<number, Text>> = {
  2: message("mqtt.id"),
  3: message("mqtt.full"),
  4: REFUSED_LOGIN,
  5: REFUSED_CLIENT,
  133: message("mqtt.id"),
  134: REFUSED_LOGIN,
  135: REFUSED_CLIENT,
  136: message("mqtt.full"),
  137: message("mqtt.busy"),
  138: message("mqtt.banned"),
  139: message("mqtt.stopping"),
  141: message("mqtt.keep_alive"),
  142: message("mqtt.twin"),
  149: message("mqtt.too_large"),
  151: message("mqtt.quota"),
  154: message("mqtt.no_retained"),
};

/** Returns the reason why a connection failed or ended. */
export function explainFailure(error: unknown, phase: Phase): Text {
  if (!(error instanceof Error)) return message("mqtt.failed");
  const code = "code" in error ? error.code : undefined;
  if (typeof code === "number") return REASONS[code] ?? message("mqtt.answers", { text: error.message });
  if (typeof code === "string") return ofCode(code, error.message, phase);
  if (phase === "greeting") return /timeout/.test(error.message) ? message("mqtt.no_answer") : NO_MQTT;
  const status = /Unexpected server response: (\d+)/.exec(error.message)?.[1];
  if (status) return message("mqtt.web", { status });
  if (/Server sent (an invalid|no) subprotocol/.test(error.message)) return NO_MQTT;
  return reasonOf(error, message("mqtt.failed"));
}

/** Returns the reason for a close by the broker without an error. */
export function explainSilentClose(phase: Phase): Text {
  return phase === "up" ? message("mqtt.closed") : message("mqtt.early");
}

/**
 * Returns the explanation of repeated short connections. `topic` is the oldest that the broker did not answer on the last
 * connection.
 * Mosquitto before 2.0.12 disconnects a client that publishes to a topic without permission.
 */
export function explainEarlyDisconnects(reason: Text, topic: string | null): Text {
  return topic === null ? message("mqtt.again", { reason }) : message("mqtt.again_topics", { reason, topics: topic });
}

function ofCode(code: string, text: string, phase: Phase): Text {
  if (/ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE)/.test(code))
    return message("mqtt.wants_certificate");
  if (/ALERT_(UNKNOWN_CA|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED)/.test(code)) return message("mqtt.bad_certificate");
  if (/^ERR_OSSL|PEM|^ERR_CRYPTO|KEY_VALUES_MISMATCH/.test(code)) return message("mqtt.unusable", { text });
  if (phase === "up") return message("mqtt.broke", { code });
  if (phase === "greeting") return code === "ECONNRESET" || code === "EPIPE" ? explainSilentClose(phase) : text;
  if (code === "ECONNRESET" && /before secure TLS/.test(text)) return NO_TLS;
  return OPENING[code] ?? text;
}
