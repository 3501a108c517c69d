/** Messages for the user that explain why the connection to the broker failed. */
import { en } from "../../core/language/en.ts";
import { type Text, message as translated } from "../../core/language/text.ts";

/** Stage of a connection at which it failed. */
export type Phase = "opening" | "greeting" | "up";

const REFUSED_LOGIN = en.mqtt_login;
const REFUSED_CLIENT = en.mqtt_user;
const NO_TLS = en.mqtt_no_tls;
const NO_MQTT = en.mqtt_other;

const OPENING: Readonly<Record<string, string>> = {
  ECONNREFUSED: en.mqtt_nothing,
  ENOTFOUND: en.mqtt_name,
  EAI_AGAIN: en.mqtt_resolver,
  ETIMEDOUT: en.mqtt_silent,
  EHOSTUNREACH: en.mqtt_unreachable,
  ENETUNREACH: en.mqtt_network,
  ECONNRESET: en.mqtt_reset,
  CERT_HAS_EXPIRED: en.mqtt_expired,
  CERT_NOT_YET_VALID: en.mqtt_not_yet,
  DEPTH_ZERO_SELF_SIGNED_CERT: en.mqtt_self_signed,
  SELF_SIGNED_CERT_IN_CHAIN: en.mqtt_unknown_ca,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: en.mqtt_unknown_ca,
  UNABLE_TO_GET_ISSUER_CERT: en.mqtt_unknown_ca,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: en.mqtt_unknown_ca,
  CERT_SIGNATURE_FAILURE: en.mqtt_wrong_ca,
  ERR_TLS_CERT_ALTNAME_INVALID: en.mqtt_other_name,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  EPROTO: NO_TLS,
};

/** Messages for reason codes of CONNACK and DISCONNECT. Codes of MQTT 3.1.1 are below 6, those of MQTT 5 above 127. */
const REASONS: Readonly<Record<number, string>> = {
  2: en.mqtt_id,
  3: en.mqtt_full,
  4: REFUSED_LOGIN,
  5: REFUSED_CLIENT,
  133: en.mqtt_id,
  134: REFUSED_LOGIN,
  135: REFUSED_CLIENT,
  136: en.mqtt_full,
  137: en.mqtt_busy,
  138: en.mqtt_banned,
  139: en.mqtt_stopping,
  141: en.mqtt_keep_alive,
  142: en.mqtt_twin,
  149: en.mqtt_too_large,
  151: en.mqtt_quota,
  154: en.mqtt_no_retained,
};

/** Returns the reason why a connection failed or ended. */
export function explainFailure(error: unknown, phase: Phase): Text {
  if (!(error instanceof Error)) return en.mqtt_failed;
  const code = "code" in error ? error.code : undefined;
  if (typeof code === "number") return REASONS[code] ?? translated("mqtt_answers", { text: error.message });
  if (typeof code === "string") return ofCode(code, error.message, phase);
  if (phase === "greeting") return /timeout/.test(error.message) ? noAnswer() : NO_MQTT;
  const status = /Unexpected server response: (\d+)/.exec(error.message)?.[1];
  if (status) return translated("mqtt_web", { status });
  if (/Server sent (an invalid|no) subprotocol/.test(error.message)) return NO_MQTT;
  return error.message || en.mqtt_failed;
}

/** Returns the reason for a close by the broker without an error. */
export function explainSilentClose(phase: Phase): string {
  return phase === "up" ? en.mqtt_closed : en.mqtt_early;
}

/**
 * Returns the explanation of repeated short connections. `topics` are those of the messages that the broker did not
 * acknowledge on the last connection.
 * Mosquitto before 2.0.12 disconnects a client that publishes to a topic without permission.
 */
export function explainEarlyDisconnects(reason: Text, topics: readonly string[]): Text {
  if (topics.length === 0) return translated("mqtt_again", { reason });
  return translated("mqtt_again_topics", { reason, topics: topics.join(", ") });
}

function noAnswer(): string {
  return en.mqtt_no_answer;
}

function ofCode(code: string, message: string, phase: Phase): Text {
  if (/ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE)/.test(code)) return en.mqtt_wants_certificate;
  if (/ALERT_(UNKNOWN_CA|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED)/.test(code)) return en.mqtt_bad_certificate;
  if (/^ERR_OSSL|PEM|^ERR_CRYPTO|KEY_VALUES_MISMATCH/.test(code)) return translated("mqtt_unusable", { text: message });
  if (phase === "up") return translated("mqtt_broke", { code });
  if (phase === "greeting") return code === "ECONNRESET" || code === "EPIPE" ? explainSilentClose(phase) : message;
  if (code === "ECONNRESET" && /before secure TLS/.test(message)) return NO_TLS;
  return OPENING[code] ?? message;
}
