/** API keys made by the command line and the dashboard. Each is shown once and stored as a digest. */
import { randomBytes } from "node:crypto";
import { thirdPartyToken } from "../../service/third-party-token.ts";
import type { KeptKey } from "../../storage/api-key-file.ts";
import { keyDigest } from "./api-keys.ts";
import { pairDigest } from "./key-store.ts";

const SECRET_BYTES = 32;
const PUBLIC_BYTES = 8;

/** A new key as it is stored, and its values, which are shown once. A device sends the token, or a key without one. */
export interface MadeKey {
  readonly stored: KeptKey;
  readonly secrets: { readonly key: string; readonly secret?: string; readonly token?: string };
}

/** Makes a key of 256 random bits, or a key and a secret of 256 random bits. */
export function makeKey(wanted: Omit<KeptKey, "sha256" | "api_key">): MadeKey {
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const { hash_encoding: encoding = "hex", ...common } = wanted;
  if (wanted.kind === "bearer") {
    const key = `elbro_${secret}`;
    return { stored: { ...common, sha256: hexOf(keyDigest(key)) }, secrets: { key } };
  }
  const pair = { apiKey: `elbro_${randomBytes(PUBLIC_BYTES).toString("hex")}`, apiSecret: secret };
  return {
    stored: { ...common, api_key: pair.apiKey, hash_encoding: encoding, sha256: hexOf(pairDigest(pair, encoding)) },
    secrets: { key: pair.apiKey, secret, token: thirdPartyToken(pair, encoding) },
  };
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
