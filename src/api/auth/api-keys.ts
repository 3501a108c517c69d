/** Authentication of the LAN API by local keys, each with its scope and its quota. */
import { hash, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type Message, message } from "../../core/language/text.ts";
import { SECOND_MS } from "../../core/time/interval.ts";
import { type LocalErrorCode, localError, scopeError } from "../../http/errors.ts";
import { addressGroup } from "../../http/guards/address-group.ts";
import { LoginThrottle } from "../../http/guards/login-throttle.ts";
import type { QuotaLimits } from "../../http/quota-windows.ts";
import type { AuthRequest, AuthResult } from "../../http/route.ts";
import { KeyRateLimit } from "./key-rate-limit.ts";

/** A local key as stored: only the digest of the token that its owner sends. */
export interface ApiKey {
  readonly name: string;
  readonly sha256: Uint8Array;
  /** Whether it may change settings, in addition to reading. */
  readonly control?: boolean;
  /** Whether it may change connections and keys with this permission, in addition to control. */
  readonly admin?: boolean;
  /** A key and secret of the third-party interface. It gives access to nothing else. */
  readonly isThirdParty?: boolean;
  /** Made of 256 random bits, so that it cannot be guessed. */
  readonly isRandom?: boolean;
  /** Limits that differ from the default. */
  readonly limits?: { readonly [Window in keyof QuotaLimits]?: QuotaLimits[Window] | undefined };
}

/** Maximum number of cached digests. A household has a few keys. */
const MAX_DIGESTS = 100;

const BEARER = /^Bearer +(\S+)$/i;

export function keyDigest(key: string): Uint8Array {
  return hash("sha256", key, "buffer");
}

export class ApiKeys {
  readonly #keys: () => readonly ApiKey[];
  readonly #limits: () => QuotaLimits;
  readonly #quota: KeyRateLimit;
  readonly #lockOut = new LoginThrottle();
  readonly #onLockedOut: (address: string) => void;
  /** Digests by token. Making one costs as much as all other checks of a request. */
  readonly #digests = new LRUCache<string, Uint8Array>({ max: MAX_DIGESTS, memoMethod: keyDigest });

  /** Functions are called at each request. `onLockedOut` gets an address that has to wait because of wrong keys. */
  constructor(
    keys: readonly ApiKey[] | (() => readonly ApiKey[]),
    limits: QuotaLimits | (() => QuotaLimits),
    quota = new KeyRateLimit(),
    onLockedOut: (address: string) => void = () => undefined,
  ) {
    this.#keys = typeof keys === "function" ? keys : () => keys;
    this.#limits = typeof limits === "function" ? limits : () => limits;
    this.#quota = quota;
    this.#onLockedOut = onLockedOut;
  }

  /** Admits a request whose key is valid, has the permission and has quota left. Denied attempts count. */
  admit({ authorization, permission, remoteAddress, now }: AuthRequest): AuthResult {
    if (authorization === undefined) return refused("invalid_token", message("refused.send_key"));
    const address = addressGroup(remoteAddress);
    const key = this.sent(authorization);
    const passes = key && (key.isRandom || this.#lockOut.isProven(address, key.name));
    const waitMs = passes ? 0 : this.#lockOut.waitMs(address, now);
    if (waitMs > 0) {
      const seconds = Math.max(1, Math.ceil(waitMs / SECOND_MS));
      return refused("rate_limited", message("refused.many_keys", { seconds }), seconds);
    }
    if (!key) {
      if (this.#lockOut.wrong(address, now)) this.#onLockedOut(address);
      return refused("invalid_token", message("refused.unknown_key"));
    }
    const { name } = key;
    if (!passes) this.#lockOut.prove(address, name);
    const { minute, day } = this.#limits();
    const limits = { minute: key.limits?.minute ?? minute, day: key.limits?.day ?? day };
    const { standing: quota, retryAfterSec } = this.#quota.count(name, limits, now);
    if (retryAfterSec !== null) {
      const refusal = refused("rate_limited", message("refused.key_quota", { name }), retryAfterSec);
      return { ...refusal, caller: name, quota };
    }
    if (key.isThirdParty && permission !== "thirdParty")
      return { ...refused("invalid_token", message("refused.key_third_party", { name })), quota };
    if (permission === "control" && !key.control)
      return {
        kind: "refused",
        error: scopeError("control", message("refused.key_reads", { name })),
        caller: name,
        quota,
      };
    return { kind: "admitted", caller: name, quota };
  }

  /** Returns whether a request is sent with a key of the scope admin. Counts nothing. */
  isAdmin({ authorization }: Pick<AuthRequest, "authorization">): boolean {
    return this.sent(authorization)?.admin ?? false;
  }

  /** Returns the keys that are valid now. */
  all(): readonly ApiKey[] {
    return this.#keys();
  }

  /** Returns whether a key still gives access to a local route, so that a stream ends with its key. Counts nothing. */
  isKnown({ authorization, permission }: Pick<AuthRequest, "authorization" | "permission">): boolean {
    const key = this.sent(authorization);
    return key !== null && !key.isThirdParty && (permission !== "control" || key.control === true);
  }

  /**
   * Returns the key that a request sends; null if it is not valid. Counts nothing. Compares every key in constant time,
   * so that the duration reveals nothing.
   */
  sent(authorization: string | undefined): ApiKey | null {
    const token = BEARER.exec(authorization ?? "")?.[1];
    if (token === undefined) return null;
    const digest = this.#digests.memo(token);
    const found = this.#keys().filter((key) => timingSafeEqual(key.sha256, digest));
    return found.at(-1) ?? null;
  }
}

function refused(code: LocalErrorCode, reason: Message, retryAfterSec?: number): AuthResult {
  return { kind: "refused", error: localError(code, reason, retryAfterSec) };
}
