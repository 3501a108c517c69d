/**
 * The third-party interface's bearer token: Base64 of `<API_KEY>:<HASH>`, where HASH is HMAC-SHA256 over the API key
 * with the API secret as key. Source: service interface, part 5.2. How the hash is written is not shown there; public
 * clients use lower-case hex.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

export type HashEncoding = "hex" | "base64";

export interface ThirdPartyCredentials {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** Builds the token for `Authorization: Bearer …`. */
export function thirdPartyToken({ apiKey, apiSecret }: ThirdPartyCredentials, encoding: HashEncoding): string {
  const hash = createHmac("sha256", apiSecret).update(apiKey).digest(encoding);
  return Buffer.from(`${apiKey}:${hash}`).toString("base64");
}

/** Whether the token was made with exactly these credentials. The time it takes does not tell where it differs. */
export function verifyThirdPartyToken(
  token: string,
  credentials: ThirdPartyCredentials,
  encoding: HashEncoding,
): boolean {
  const [found, expected] = [Buffer.from(token), Buffer.from(thirdPartyToken(credentials, encoding))];
  return found.length === expected.length && timingSafeEqual(found, expected);
}
