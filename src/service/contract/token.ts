/**
 * The third-party interface's bearer token: Base64 of `<API_KEY>:<HASH>`, where HASH is HMAC-SHA256 over the API key
 * with the API secret as key. Source: service interface, part 5.2. How the hash is written is not shown there; public
 * clients use lower-case hex.
 */
export type HashEncoding = "hex" | "base64";

/** HMAC-SHA256 over UTF-8 text. The roots hand in the platform's; the contract has no platform. */
export type HmacSha256 = (secret: string, message: string) => Uint8Array;

export interface ThirdPartyCredentials {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** Builds the token for `Authorization: Bearer …`. */
export function thirdPartyToken(credentials: ThirdPartyCredentials, encoding: HashEncoding, hmac: HmacSha256): string {
  const digest = hmac(credentials.apiSecret, credentials.apiKey);
  const hash = encoding === "hex" ? hexOf(digest) : base64Of(digest);
  return base64Of(new TextEncoder().encode(`${credentials.apiKey}:${hash}`));
}

/** The API key a token claims to be for; null where the token is not Base64 of `<API_KEY>:<HASH>`. Proves nothing. */
export function claimedApiKey(token: string): string | null {
  const text = textOf(token);
  const colon = text?.lastIndexOf(":") ?? -1;
  const whole = text !== null && colon > 0 && colon < text.length - 1;
  return whole ? text.slice(0, colon) : null;
}

/** Whether the token was made with exactly these credentials. The time it takes does not tell where it differs. */
export function verifyThirdPartyToken(
  token: string,
  credentials: ThirdPartyCredentials,
  encoding: HashEncoding,
  hmac: HmacSha256,
): boolean {
  return sameText(token, thirdPartyToken(credentials, encoding, hmac));
}

function sameText(found: string, expected: string): boolean {
  let difference = found.length ^ expected.length;
  for (let i = 0; i < expected.length; i++) difference |= (found.charCodeAt(i) || 0) ^ expected.charCodeAt(i);
  return difference === 0;
}

function textOf(base64: string): string | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return null;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null; // not UTF-8, so no key of ours
  }
}

function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
