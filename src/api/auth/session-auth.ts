/**
 * Authenticates pages of the dashboard: by a session, by Home Assistant's ingress, or by nothing if the dashboard is
 * open.
 * Runs before key authentication; ignores requests that send a key.
 *
 * Protects against requests that another site's page makes in a browser. Changes, and reads that may spend quota, need
 * a header that only a page of this origin can send. Another origin needs a CORS permission, which is never granted.
 */

import type { IncomingHttpHeaders } from "node:http";
import { message } from "../../core/language/text.ts";
import { type EpochMs, MINUTE_MS } from "../../core/time/interval.ts";
import { type LocalError, localError, scopeError } from "../../http/errors.ts";
import { addressGroup } from "../../http/guards/address-group.ts";
import { isFromIngress } from "../../http/ingress.ts";
import { type AuthRequest, type AuthResult, isOperation } from "../../http/route.ts";
import type { SessionKey, Sessions } from "./sessions.ts";

export const PAGE_HEADER = "x-elbro-page";
/** Maximum requests per minute from one address. A page sends about twelve when it opens, and a few at each event. */
const MAX_PER_MINUTE_OF_ADDRESS = 600;
const MAX_PER_MINUTE = 3_000;

export interface SessionAuthDeps {
  readonly sessions: Sessions;
  /** `open`: every client that can reach this address may read. Default: `key`. */
  readonly dashboard?: "open" | "key" | undefined;
  /** Returns whether a user of Home Assistant may control; without an id nobody knows. Null without its ingress. */
  readonly ingress?: ((userId: string | undefined, now: EpochMs) => boolean) | null;
}

export class SessionAuth {
  readonly sessions: Sessions;
  /** Access to the dashboard; a reload may change it. */
  mode: "open" | "key";
  readonly #ingress: SessionAuthDeps["ingress"];
  /** Requests of the current minute, also by address. Bounded by MAX_PER_MINUTE. */
  #minute = { start: Number.NEGATIVE_INFINITY, count: 0, of: new Map<string, number>() };

  constructor({ sessions, dashboard = "key", ingress = null }: SessionAuthDeps) {
    this.sessions = sessions;
    this.mode = dashboard;
    this.#ingress = ingress;
  }

  /** Checks a page's request; null if the keys decide. An operation of the service may spend quota by a read. */
  admit(request: AuthRequest): AuthResult | null {
    const key = this.#sessionKeyOf(request);
    const ofService = isOperation(request.permission);
    if (!key || (ofService && !fromOwnPage(request.headers))) return null;
    if (this.#isTooMany(request))
      return { kind: "refused", error: localError("rate_limited", message("refused.page_busy"), 60) };
    if (ofService) return { kind: "admitted" };
    if (request.permission === "read") return { kind: "admitted", caller: key.name };
    if (!fromOwnPage(request.headers))
      return {
        kind: "refused",
        error: localError("forbidden", message("refused.session_changes", { header: PAGE_HEADER })),
      };
    if (key.control) return { kind: "admitted", caller: key.name };
    const reason = message(key.name === HOME_ASSISTANT.name ? "refused.ingress_admin" : "refused.needs_control");
    return { kind: "refused", error: scopeError("control", reason) };
  }

  /** Returns whether a page's request would still be admitted. Counts nothing. */
  remains(request: AuthRequest): boolean {
    const key = this.#sessionKeyOf(request);
    if (!key) return false;
    return request.permission !== "control" || (fromOwnPage(request.headers) && key.control === true);
  }

  /** Returns the key of the logged-in user, here or in Home Assistant; null without a login. */
  signedIn({ headers, remoteAddress, now }: Pick<AuthRequest, "headers" | "remoteAddress" | "now">): SessionKey | null {
    if (this.#ingress && isFromIngress(headers, remoteAddress)) {
      const id = headers?.["x-remote-user-id"];
      const control = this.#ingress(typeof id === "string" ? id : undefined, now);
      return { ...HOME_ASSISTANT, control, admin: control };
    }
    return this.sessions.keyOf(headers, now);
  }

  /** Returns whether a page's user may change connections. In Home Assistant that is an administrator. */
  isAdmin(request: Pick<AuthRequest, "headers" | "remoteAddress" | "now">): boolean {
    return this.signedIn(request)?.admin ?? false;
  }

  /** Returns the key for a request that sends none: that of the user, or a read-only one if the dashboard is open. */
  #sessionKeyOf(request: Pick<AuthRequest, "authorization" | "headers" | "remoteAddress" | "now">): SessionKey | null {
    if (request.authorization !== undefined) return null;
    return this.signedIn(request) ?? (this.mode === "open" ? ANYBODY : null);
  }

  #isTooMany({ now, remoteAddress }: Pick<AuthRequest, "now" | "remoteAddress">): boolean {
    if (now - this.#minute.start >= MINUTE_MS || now < this.#minute.start)
      this.#minute = { start: now, count: 0, of: new Map() };
    const address = addressGroup(remoteAddress);
    const before = this.#minute.of.get(address) ?? 0;
    // Excess requests of one address do not count for the others.
    if (before >= MAX_PER_MINUTE_OF_ADDRESS || this.#minute.count >= MAX_PER_MINUTE) return true;
    this.#minute.of.set(address, before + 1);
    this.#minute.count++;
    return false;
  }
}

const HOME_ASSISTANT: SessionKey = { name: "Home Assistant", sha256: new Uint8Array() };
const ANYBODY: SessionKey = { name: "anybody", sha256: new Uint8Array(), control: false };

/** Returns whether a request has the page's header, and `Sec-Fetch-Site` agrees. */
export function fromOwnPage(headers: IncomingHttpHeaders | undefined): boolean {
  const site = headers?.["sec-fetch-site"];
  return headers?.[PAGE_HEADER] !== undefined && (site === undefined || site === "same-origin");
}

export function fromElsewhere(): LocalError {
  return localError("forbidden", message("refused.own_page", { header: PAGE_HEADER }));
}
