/**
 * How a page in a browser is let in, next to the keys that programs send: by its session, or by nothing where the
 * dashboard is open to the house. It stands before the keys and lets everything pass that is not a page's.
 *
 * What another site's page could make a browser do is refused: changing anything, and what may spend quota, takes a
 * header that only a page of this origin can send without being asked about by CORS, which nothing here grants.
 */
import type { IncomingHttpHeaders } from "node:http";
import { MINUTE_MS } from "../../core/time/interval.ts";
import { contractError } from "../../service/contract/errors.ts";
import { addressGroup } from "../../service/serve/address-group.ts";
import type { AuthRequest, AuthResult } from "../../service/serve/mount.ts";
import { localError } from "../http/errors.ts";
import { isFromIngress } from "../http/ingress.ts";
import type { LocalAuthRequest, LocalAuthResult } from "../http/route.ts";
import type { SessionKey, Sessions } from "./sessions.ts";

/** The header that the page sends with everything it fetches. */
export const PAGE_HEADER = "x-elbro-page";
/** Pages of one address; a page asks for a dozen things when it opens and for a few when something happens. */
const MAX_PER_MINUTE_OF_ADDRESS = 600;
/** All pages together. */
const MAX_PER_MINUTE = 3_000;

export interface SessionAuthDeps {
  readonly sessions: Sessions;
  /** `open`: whoever reaches this address may look. */
  readonly dashboard: "open" | "key";
  /** Whether Home Assistant, which knows its users, hands on what they ask. */
  readonly ingress?: boolean;
}

export class SessionAuth {
  readonly sessions: Sessions;
  readonly mode: SessionAuthDeps["dashboard"];
  readonly #ingress: boolean;
  /** By address. Bounded by the requests of a minute. */
  #minute = { start: Number.NEGATIVE_INFINITY, count: 0, of: new Map<string, number>() };

  constructor({ sessions, dashboard, ingress = false }: SessionAuthDeps) {
    this.sessions = sessions;
    this.mode = dashboard;
    this.#ingress = ingress;
  }

  /** The verdict on a page's request to a route of the LAN's own; null where it is for the keys to decide. */
  admitLocal(message: LocalAuthRequest): LocalAuthResult | null {
    const key = this.#visitor(message);
    if (!key) return null;
    if (this.#isTooMany(message)) return { kind: "refused", error: tooMany() };
    if (message.scope === "read") return { kind: "admitted", caller: key.name };
    if (!fromOwnPage(message.headers))
      return forbidden(`a session may change something only from its own page, with ${PAGE_HEADER}`);
    if (!key.control) return forbidden("log in with a key that has the scope control");
    return { kind: "admitted", caller: key.name };
  }

  /** Whether a page's session still lasts, or needs none. Counts nothing. */
  remains(message: LocalAuthRequest): boolean {
    return this.#visitor(message) !== null;
  }

  /** The same for the mirror, where a read may spend quota. */
  admitMirror(message: AuthRequest): AuthResult | null {
    const key = this.#visitor(message);
    if (!key || !fromOwnPage(message.headers)) return null;
    return this.#isTooMany(message) ? { kind: "refused", error: tooMany() } : { kind: "admitted" };
  }

  /** Who is logged in: here, or in Home Assistant. */
  signedIn({ headers, remoteAddress, now }: Pick<AuthRequest, "headers" | "remoteAddress" | "now">): SessionKey | null {
    if (this.#ingress && isFromIngress(headers, remoteAddress)) return HOME_ASSISTANT;
    return this.sessions.keyOf(headers?.cookie, now);
  }

  /** Who comes without a key of its own: who is logged in, or anybody where the dashboard is open. */
  #visitor(message: Pick<AuthRequest, "authorization" | "headers" | "remoteAddress" | "now">): SessionKey | null {
    if (message.authorization !== undefined) return null;
    return this.signedIn(message) ?? (this.mode === "open" ? ANYBODY : null);
  }

  #isTooMany({ now, remoteAddress }: Pick<AuthRequest, "now" | "remoteAddress">): boolean {
    if (now - this.#minute.start >= MINUTE_MS || now < this.#minute.start)
      this.#minute = { start: now, count: 0, of: new Map() };
    const address = addressGroup(remoteAddress);
    const before = this.#minute.of.get(address) ?? 0;
    // What one address asks too much takes nothing from the others.
    if (before >= MAX_PER_MINUTE_OF_ADDRESS || this.#minute.count >= MAX_PER_MINUTE) return true;
    this.#minute.of.set(address, before + 1);
    this.#minute.count++;
    return false;
  }
}

const HOME_ASSISTANT: SessionKey = { name: "Home Assistant", sha256: new Uint8Array(), control: true };
const ANYBODY: SessionKey = { name: "anybody", sha256: new Uint8Array(), control: false };

/** Whether a request comes from a page of this server: it bears the page's header, and the browser tells nothing else. */
export function fromOwnPage(headers: IncomingHttpHeaders | undefined): boolean {
  const site = headers?.["sec-fetch-site"];
  return headers?.[PAGE_HEADER] !== undefined && (site === undefined || site === "same-origin");
}

function forbidden(reason: string): LocalAuthResult {
  return { kind: "refused", error: localError("forbidden", reason) };
}

function tooMany() {
  return { ...contractError("rate_limited", "pages of the dashboard ask too much"), retryAfterSec: 60 };
}
