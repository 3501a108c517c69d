/**
 * Bearer token of the third-party interface: Base64 of `<API_KEY>:<HASH>`. HASH is HMAC-SHA256 of the API key, with the
 * API secret as key. Source: service interface, part 5.2. It does not document the encoding of the hash; public clients
 * use lower-case hex.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

export type HashEncoding = "hex" | "base64";

export type ThirdPartyCredentials = { readonly apiKey: string; readonly apiSecret: string };

/** Builds the token for `Authorization: Bearer …`. */
export function thirdPartyToken({ apiKey, apiSecret }: ThirdPartyCredentials, encoding: HashEncoding): string {
  const hash = createHmac("sha256", apiSecret).update(apiKey).digest(encoding);
  return Buffer.from(`${apiKey}:${hash}`).toString("base64");
}

/** Returns true if the token was made with exactly these credentials. Compares in constant time. */
export function verifyThirdPartyToken(
  token: string,
  credentials: ThirdPartyCredentials,
  encoding: HashEncoding,
): boolean {
  const [found, expected] = [Buffer.from(token), Buffer.from(thirdPartyToken(credentials, encoding))];
  return found.length === expected.length && timingSafeEqual(found, expected);
}
