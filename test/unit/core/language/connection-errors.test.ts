import { expect, test } from "vitest";
import { message, type Text, TextError, textIn } from "../../../../src/core/language/text.ts";
import {
  explainEarlyDisconnects,
  explainFailure,
  explainSilentClose,
} from "../../../../src/mqtt/client/connect-errors.ts";
import { describeFailure } from "../../../../src/service/client/network-errors.ts";
import { completeLanguages } from "../../../support/sources/all-texts.ts";

const failed = (code: string | number) => Object.assign(new Error("as the library says it"), { code });
const OPENING = [
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ECONNRESET", "EPROTO"],
  ...["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID", "DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN"],
  ...["CERT_SIGNATURE_FAILURE", "ERR_TLS_CERT_ALTNAME_INVALID", "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"],
  "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA",
];
const REASONS = [2, 3, 4, 5, 133, 134, 135, 136, 137, 138, 139, 141, 142, 149, 151, 154];
const NETWORK = [
  "ENOTFOUND",
  "ECONNREFUSED",
  "ETIMEDOUT",
  "CERT_HAS_EXPIRED",
  "EPROTO",
  "UND_ERR_HEADERS_OVERFLOW",
  "UND_ERR_INVALID_ARG",
];

test.each([
  ...OPENING.map((code) => [`opening ${code}`, explainFailure(failed(code), "opening")]),
  ...REASONS.map((code) => [`reason code ${code}`, explainFailure(failed(code), "greeting")]),
  ...(["greeting", "up"] as const).map((phase) => [`closed while ${phase}`, explainSilentClose(phase)]),
  ...NETWORK.map((code) => [`service ${code}`, describeFailure(failed(code))]),
  ["another reason code", explainFailure(failed(99), "greeting")],
  ["a certificate that cannot be used", explainFailure(failed("ERR_OSSL_PEM"), "opening")],
  ["a web server", explainFailure(new Error("Unexpected server response: 404"), "opening")],
  ["a broken connection", explainFailure(failed("ECONNRESET"), "up")],
  ["a stuck connection", explainFailure(new TextError(message("mqtt.stuck")), "up")],
  ["repeated ends", explainEarlyDisconnects(explainSilentClose("up"), null)],
  ["repeated ends of a writer", explainEarlyDisconnects(explainFailure(failed(149), "up"), "elbro/home/price")],
  ["not HTTP", describeFailure(Object.assign(new Error(), { name: "HTTPParserError" }))],
] satisfies (Text | undefined)[][])("%s is explained in every language", (_, reason = "") => {
  const english = textIn("en", reason);
  for (const language of completeLanguages) expect(textIn(language, reason)).not.toBe(english);
});
