/**
 * Who may ask: the consumer account with its key's life and its subscription, and the third-party's key and secret.
 * Source: service interface, parts 3 and 5.
 */
import { createHash } from "node:crypto";
import { type EpochMs, formatInstant } from "../../core/time/interval.ts";
import { type ContractError, contractError } from "../contract/errors.ts";
import { type HashEncoding, type ThirdPartyCredentials, verifyThirdPartyToken } from "../third-party-token.ts";

/** What the subscription check says. `unverifiable`: the check itself is out of order. */
export const entitlements = ["active", "plusEnded", "forbidden", "unverifiable"] as const;
export type Entitlement = (typeof entitlements)[number];

/** What a key action gives: the complete key, which nothing shows again, or why there is none. */
export type KeyIssue =
  | { readonly kind: "issued"; readonly key: string }
  | { readonly kind: "refused"; readonly reason: string };

export interface AccountState {
  readonly entitlement: Entitlement;
  /** Last characters of the key, so that a person can tell two apart; null before the first. */
  readonly keyEndsWith: string | null;
  readonly expiresAt: EpochMs | null;
}

interface StoredKey {
  readonly digest: string;
  readonly endsWith: string;
  readonly expiresAt: EpochMs | null;
}

const SHOWN_CHARACTERS = 4;

export class ConsumerAccount {
  readonly #newKey: () => string;
  #key: StoredKey | null;
  #entitlement: Entitlement = "active";

  /** `key` is the key the user has already; null where none was created yet. */
  constructor(key: string | null, newKey: () => string) {
    this.#key = key === null ? null : store(key);
    this.#newKey = newKey;
  }

  /** Whether this is the account's present key, expired or not. A replaced one is not. */
  owns(authorization: string | undefined): boolean {
    const token = bearerToken(authorization);
    return token !== null && this.#key !== null && digestOf(token) === this.#key.digest;
  }

  /** Why the owner of the key is denied; null where they are not. */
  denial(now: EpochMs): ContractError | null {
    const expiresAt = this.#key?.expiresAt ?? null;
    if (expiresAt !== null && expiresAt <= now)
      return contractError("credential_expired", `the API key expired at ${formatInstant(expiresAt)}`);
    switch (this.#entitlement) {
      case "active":
        return null;
      case "plusEnded":
        return contractError("plus_required", "an active Plus subscription is required");
      case "forbidden":
        return contractError("forbidden", "access is denied for this account");
      case "unverifiable":
        return contractError("entitlement_unavailable", "the subscription cannot be verified just now; retry later");
    }
  }

  /** Creates the first key. */
  issueKey(): KeyIssue {
    if (this.#key) return { kind: "refused", reason: "a key exists already; replace it" };
    return this.#create();
  }

  /** Puts a new key in the place of the present one, which stops working at once. */
  replaceKey(): KeyIssue {
    if (!this.#key) return { kind: "refused", reason: "there is no key to replace; issue one" };
    return this.#create();
  }

  /** Makes the present key end at an instant; null takes its end away. */
  expireKey(at: EpochMs | null): void {
    if (this.#key) this.#key = { ...this.#key, expiresAt: at };
  }

  setEntitlement(entitlement: Entitlement): void {
    this.#entitlement = entitlement;
  }

  get state(): AccountState {
    return {
      entitlement: this.#entitlement,
      keyEndsWith: this.#key?.endsWith ?? null,
      expiresAt: this.#key?.expiresAt ?? null,
    };
  }

  #create(): KeyIssue {
    if (this.#entitlement !== "active") return { kind: "refused", reason: "a key needs an active Plus subscription" };
    const key = this.#newKey();
    this.#key = store(key);
    return { kind: "issued", key };
  }
}

/** Why a third-party's request is denied; null where its token was made with these credentials. */
export function thirdPartyDenial(
  authorization: string | undefined,
  credentials: ThirdPartyCredentials,
  encoding: HashEncoding,
): ContractError | null {
  const token = bearerToken(authorization);
  if (token !== null && verifyThirdPartyToken(token, credentials, encoding)) return null;
  return contractError(
    "invalid_token",
    "the bearer token is not Base64 of <API_KEY>:<HMAC-SHA256 of it with the secret>",
  );
}

function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? null;
}

function store(key: string): StoredKey {
  return { digest: digestOf(key), endsWith: key.slice(-SHOWN_CHARACTERS), expiresAt: null };
}

function digestOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
