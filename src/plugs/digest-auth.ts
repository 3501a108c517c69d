/** Digest access authentication of HTTP with SHA-256. Source: RFC 7616. */
import { createHash, randomBytes } from "node:crypto";

/** Challenge of a server: the part of it that a response needs. */
export interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | null;
  /** Whether the server asks for the quality of protection `auth`; older servers have none. */
  readonly hasQop: boolean;
  /** Whether the credentials were right and only the nonce was too old. */
  readonly isStale: boolean;
}

export interface DigestRequest {
  readonly username: string;
  readonly password: string;
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly uri: string;
  /** Number of requests with the nonce of the challenge, from 1. */
  readonly count: number;
  /** Random text of the client. */
  readonly cnonce?: string;
}

const CNONCE_BYTES = 16;
const PAIR = /([a-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi;

/** Returns the SHA-256 challenge in a `WWW-Authenticate` header; null if it has none. */
export function digestChallengeIn(header: string | undefined): DigestChallenge | null {
  for (const text of (header ?? "").split(/\b(?=Digest\s)/i)) {
    if (!/^Digest\s/i.test(text)) continue;
    const found = [...text.matchAll(PAIR)].map(([, name = "", quoted, bare]) => [
      name.toLowerCase(),
      quoted === undefined ? (bare ?? "") : quoted.replace(/\\(.)/g, "$1"),
    ]);
    const { realm, nonce, opaque = null, algorithm, qop, stale } = Object.fromEntries(found) as Record<string, string>;
    if (realm === undefined || nonce === undefined || algorithm?.toUpperCase() !== "SHA-256") continue;
    if (qop !== undefined && !/(^|[\s,])auth([\s,]|$)/i.test(qop)) continue;
    return { realm, nonce, opaque, hasQop: qop !== undefined, isStale: stale?.toLowerCase() === "true" };
  }
  return null;
}

/** Returns the `Authorization` header of a request. */
export function digestAuthorization(challenge: DigestChallenge, request: DigestRequest): string {
  const { realm, nonce, opaque, hasQop } = challenge;
  const { username, password, method, uri, cnonce = randomBytes(CNONCE_BYTES).toString("base64url") } = request;
  const count = request.count.toString(16).padStart(8, "0");
  const secret = sha256(`${username}:${realm}:${password}`);
  const protectedBy = hasQop ? `${count}:${cnonce}:auth:` : "";
  const response = sha256(`${secret}:${nonce}:${protectedBy}${sha256(`${method}:${uri}`)}`);
  const quoted = Object.entries({ username, realm, nonce, uri, response, ...(opaque === null ? {} : { opaque }) });
  const parts = quoted.map(([name, value]) => `${name}="${value.replace(/["\\]/g, "\\$&")}"`);
  if (hasQop) parts.push("qop=auth", `nc=${count}`, `cnonce="${cnonce}"`);
  return `Digest ${[...parts, "algorithm=SHA-256"].join(", ")}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
