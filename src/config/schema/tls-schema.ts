/** Schema of `api.tls` and `broker.tls`: certificate and key of a server. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import * as z from "zod/mini";
import { secret } from "../overlay/secret-servers.ts";
import { type Expected, expecting, lines, mistakes, type ValueMistake } from "./values.ts";

/** Certificate with its chain, and its private key. Both are PEM texts. */
export type TlsIdentity = { readonly cert: string; readonly key: string };

export const tlsSection = z.optional(
  z
    .strictObject({ cert: lines, key: secret("nobody", lines) })
    .check(mistakes((identity) => identityMistakes(identity))),
);

/** Returns why a certificate and a key cannot be used together. */
function identityMistakes({ cert, key: privateKey }: TlsIdentity): ValueMistake[] {
  const certificate = orNull(() => new X509Certificate(cert));
  const own = orNull(() => createPrivateKey(privateKey));
  const mistake = (key: "cert" | "key", expected: Expected) => ({ path: [key], ...expecting(expected) });
  return [
    ...(certificate ? [] : [mistake("cert", "mistake.expected_certificate")]),
    ...(own ? [] : [mistake("key", "mistake.expected_private_key")]),
    ...(certificate && own && !certificate.checkPrivateKey(own)
      ? [mistake("key", "mistake.expected_matching_key")]
      : []),
  ];
}

function orNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}
