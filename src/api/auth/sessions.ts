/**
 * Sessions of the dashboard: a login with a key of the LAN API is kept by a cookie, until it is unused for 60 days.
 *
 * Stored are a digest of the cookie, and one that binds the session to its key. A revoked or replaced key ends its
 * sessions. Sessions survive a restart and are limited in number and time.
 */
import { createHash, hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import * as z from "zod/mini";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import { DAY_MS, type EpochMs, SECOND_MS } from "../../core/time/interval.ts";
import { cookieIn, newCookie, setCookie } from "../../http/cookies.ts";
import { SESSIONS_SETTING } from "../../storage/recovery/access-settings.ts";
import type { ApiKey } from "./api-keys.ts";

export type SessionKey = Pick<ApiKey, "name" | "sha256" | "control" | "admin">;

interface Session {
  /** SHA-256 of the cookie, in hex. */
  readonly id: string;
  readonly key: string;
  /** SHA-256 of `id` and the key's own digest, in hex. */
  readonly bond: string;
  readonly until: EpochMs;
}

/** Lifetime after the last use. It is long, so that a wall-mounted screen stays logged in. */
export const SESSION_MS: number = 60 * DAY_MS;
/** Minimum time between extensions of a session, because each is a write. */
const RENEWED_EVERY_MS = DAY_MS;
/** Maximum number of sessions: phones and screens of a household. The one unused for the longest time is dropped. */
export const MAX_SESSIONS = 50;
/** Name of the cookie, before its port. */
const SESSION_COOKIE = "elbro_session";
const TOKEN = /^[\w-]{43}$/;
const TOKEN_BYTES = 32;

const keptSessions = z.array(z.object({ id: z.string(), key: z.string(), bond: z.string(), until: z.number() }));

export class Sessions {
  readonly #memory: KeyValue;
  readonly #keys: () => readonly SessionKey[];
  #sessions: readonly Session[];

  /** `keys` returns the keys that are valid now. */
  constructor(memory: KeyValue, keys: () => readonly SessionKey[]) {
    this.#memory = memory;
    this.#keys = keys;
    this.#sessions = readJson(memory, SESSIONS_SETTING, keptSessions) ?? [];
  }

  /** Starts a session of a key for the browser of a request. Returns its `Set-Cookie`. */
  begin(key: SessionKey, headers: IncomingHttpHeaders, now: EpochMs): string {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const id = hash("sha256", token);
    const session = { id, key: key.name, bond: bondOf(id, key), until: now + SESSION_MS };
    const others = this.#sessions
      .filter((one) => this.#keyOf(one, now) !== null)
      .sort((a, b) => b.until - a.until)
      .slice(0, MAX_SESSIONS - 1);
    this.#keep([session, ...others]);
    return setCookie(newCookie(headers, SESSION_COOKIE, token), SESSION_MS / SECOND_MS);
  }

  /** Returns the API key of the session cookie; null if the cookie is missing or the session has expired. */
  keyOf(headers: IncomingHttpHeaders | undefined, now: EpochMs): SessionKey | null {
    const session = this.#find(headers);
    return session && this.#keyOf(session, now);
  }

  /** Extends a session in use. Returns its new `Set-Cookie`; null if that is not due. */
  renew(headers: IncomingHttpHeaders, now: EpochMs): string | null {
    const session = this.#find(headers);
    if (!session || !this.#keyOf(session, now) || session.until - now > SESSION_MS - RENEWED_EVERY_MS) return null;
    this.#keep(this.#sessions.map((one) => (one === session ? { ...session, until: now + SESSION_MS } : one)));
    const cookie = cookieIn(headers, SESSION_COOKIE);
    return cookie && setCookie(cookie, SESSION_MS / SECOND_MS);
  }

  /** Ends the session of a cookie. Returns the `Set-Cookie` that deletes it. */
  end(headers: IncomingHttpHeaders): string {
    const session = this.#find(headers);
    if (session) this.#keep(this.#sessions.filter((one) => one !== session));
    const { name } = cookieIn(headers, SESSION_COOKIE) ?? newCookie(headers, SESSION_COOKIE, "");
    return setCookie({ name, value: "" }, 0);
  }

  #find(headers: IncomingHttpHeaders | undefined): Session | null {
    const token = cookieIn(headers, SESSION_COOKIE)?.value ?? "";
    if (!TOKEN.test(token)) return null;
    const id = hash("sha256", token);
    return this.#sessions.find((one) => isSame(one.id, id)) ?? null;
  }

  #keyOf(session: Session, now: EpochMs): SessionKey | null {
    if (now >= session.until) return null;
    const isBound = (key: SessionKey) => key.name === session.key && isSame(session.bond, bondOf(session.id, key));
    return this.#keys().find(isBound) ?? null;
  }

  #keep(sessions: readonly Session[]): void {
    this.#sessions = sessions;
    this.#memory.write(SESSIONS_SETTING, JSON.stringify(sessions));
  }
}

function bondOf(id: string, key: SessionKey): string {
  return createHash("sha256").update(id).update(key.sha256).digest("hex");
}

/** Compares two secrets in constant time, so that the duration reveals nothing. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
