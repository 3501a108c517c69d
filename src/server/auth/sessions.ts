/**
 * Sessions of the dashboard: who logged in with a key of the LAN API stays logged in for a while, by a cookie.
 *
 * Kept is a digest of the cookie, never itself, and one that binds the session to its key as it was: a key that is
 * revoked or replaced ends its sessions. They are kept where they outlive a restart, and are bounded in number and time.
 */
import { createHash, hash, randomBytes, timingSafeEqual } from "node:crypto";
import * as z from "zod/mini";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import { DAY_MS, type EpochMs } from "../../core/time/interval.ts";
import type { ApiKey } from "./api-keys.ts";

export type SessionKey = Pick<ApiKey, "name" | "sha256" | "control">;

interface Session {
  /** Digest of the cookie, in hex. */
  readonly id: string;
  readonly key: string;
  /** Digest of `id` and the key's own digest, in hex. */
  readonly bond: string;
  readonly until: EpochMs;
}

/** A screen on the wall should not have to log in again; one that was not seen for so long may. */
export const SESSION_MS: number = 60 * DAY_MS;
/** A session in use is made longer at most this often: each time is a write. */
const RENEWED_EVERY_MS = DAY_MS;
/** Phones and screens of a house; the one that was not seen for longest gives way. */
export const MAX_SESSIONS = 50;
const COOKIE = "elbro_session";
const TOKEN_BYTES = 32;
const KEPT_AS = "dashboard_sessions";

const keptSessions = z.array(z.object({ id: z.string(), key: z.string(), bond: z.string(), until: z.number() }));

export class Sessions {
  readonly #memory: KeyValue;
  readonly #keyNamed: (name: string) => SessionKey | null;
  #sessions: readonly Session[];

  constructor(memory: KeyValue, keyNamed: (name: string) => SessionKey | null) {
    this.#memory = memory;
    this.#keyNamed = keyNamed;
    this.#sessions = readJson(memory, KEPT_AS, keptSessions) ?? [];
  }

  /** Begins a session of a key. Returns the `Set-Cookie` of it. */
  begin(key: SessionKey, now: EpochMs): string {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const id = hash("sha256", token);
    const session = { id, key: key.name, bond: bondOf(id, key), until: now + SESSION_MS };
    const others = this.#sessions
      .filter((one) => this.#keyOf(one, now) !== null)
      .sort((a, b) => b.until - a.until)
      .slice(0, MAX_SESSIONS - 1);
    this.#keep([session, ...others]);
    return cookieOf(token, SESSION_MS);
  }

  /** The key whose session a request's cookie is; null for none, and for one that is over. */
  keyOf(cookies: string | undefined, now: EpochMs): SessionKey | null {
    const session = this.#find(cookies);
    return session && this.#keyOf(session, now);
  }

  /** Makes a session that is in use longer. Returns its new `Set-Cookie`; null where that is not due. */
  renew(cookies: string | undefined, now: EpochMs): string | null {
    const session = this.#find(cookies);
    if (!session || !this.#keyOf(session, now) || session.until - now > SESSION_MS - RENEWED_EVERY_MS) return null;
    this.#keep(this.#sessions.map((one) => (one === session ? { ...session, until: now + SESSION_MS } : one)));
    return cookieOf(tokenIn(cookies) ?? "", SESSION_MS);
  }

  /** Ends the session of a request's cookie. Returns the `Set-Cookie` that takes it away. */
  end(cookies: string | undefined): string {
    const session = this.#find(cookies);
    if (session) this.#keep(this.#sessions.filter((one) => one !== session));
    return cookieOf("", 0);
  }

  #find(cookies: string | undefined): Session | null {
    const token = tokenIn(cookies);
    if (token === null) return null;
    const id = hash("sha256", token);
    return this.#sessions.find((one) => equal(one.id, id)) ?? null;
  }

  #keyOf(session: Session, now: EpochMs): SessionKey | null {
    const key = this.#keyNamed(session.key);
    return key && now < session.until && equal(session.bond, bondOf(session.id, key)) ? key : null;
  }

  #keep(sessions: readonly Session[]): void {
    this.#sessions = sessions;
    this.#memory.write(KEPT_AS, JSON.stringify(sessions));
  }
}

function tokenIn(cookies: string | undefined): string | null {
  for (const part of (cookies ?? "").split(";")) {
    const [name, value] = part.trim().split("=");
    if (name === COOKIE && value !== undefined && /^[\w-]{43}$/.test(value)) return value;
  }
  return null;
}

/** No `Secure`: a LAN has no certificates. `Strict`: no other site's page or link can make use of it. */
function cookieOf(token: string, forMs: number): string {
  return `${COOKIE}=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${Math.floor(forMs / 1_000)}`;
}

function bondOf(id: string, key: SessionKey): string {
  return createHash("sha256").update(id).update(key.sha256).digest("hex");
}

function equal(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
