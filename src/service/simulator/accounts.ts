/**
 * Who may ask: the consumer account with its key's life and its subscription, and the third-party's key and secret.
 * Source: service interface, parts 3 and 5.
 */
import { type EpochMs, formatInstant } from "../../core/time/interval.ts";
import { type ContractError, contractError } from "../contract/errors.ts";
import type { AuthRequest, AuthResult } from "../serve/mount.ts";
import { type HashEncoding, type ThirdPartyCredentials, verifyThirdPartyToken } from "../third-party-token.ts";
import type { Home } from "./homes.ts";
import type { QuotaCounter } from "./quota.ts";

/** What the subscription check says. `unverifiable`: the check itself is out of order. */
export const entitlements = ["active", "plusEnded", "forbidden", "unverifiable"] as const;
export type Entitlement = (typeof entitlements)[number];

/** What a key action gives: the complete key, which nothing shows again, or why there is none. */
export type KeyIssue =
  | { readonly kind: "issued"; readonly key: string }
  | { readonly kind: "refused"; readonly reason: string };

/** Last characters of the key, so that a person can tell two apart. */
const SHOWN_CHARACTERS = 4;

export class ConsumerAccount {
  readonly #newKey: () => string;
  #key: string | null;
  #expiresAt: EpochMs | null = null;
  #entitlement: Entitlement = "active";

  /** `key` is the key the user has already; null where none was created yet. */
  constructor(key: string | null, newKey: () => string) {
    this.#key = key;
    this.#newKey = newKey;
  }

  /** Whether this is the account's present key, expired or not. A replaced one is not. */
  owns(authorization: string | undefined): boolean {
    return this.#key !== null && bearerToken(authorization) === this.#key;
  }

  /** Why the owner of the key is denied; null where they are not. */
  denial(now: EpochMs): ContractError | null {
    if (this.#expiresAt !== null && this.#expiresAt <= now)
      return contractError("credential_expired", `the API key expired at ${formatInstant(this.#expiresAt)}`);
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
    if (this.#key !== null) this.#expiresAt = at;
  }

  setEntitlement(entitlement: Entitlement): void {
    this.#entitlement = entitlement;
  }

  /** What may be shown of the account. */
  get state() {
    return {
      entitlement: this.#entitlement,
      keyEndsWith: this.#key?.slice(-SHOWN_CHARACTERS) ?? null,
      expiresAt: this.#expiresAt,
    };
  }

  #create(): KeyIssue {
    if (this.#entitlement !== "active") return { kind: "refused", reason: "a key needs an active Plus subscription" };
    this.#key = this.#newKey();
    this.#expiresAt = null;
    return { kind: "issued", key: this.#key };
  }
}

/** An account of the consumer interface with all that is its own. */
export interface Customer {
  readonly account: ConsumerAccount;
  readonly quota: QuotaCounter;
  readonly homes: readonly Home[];
}

/** The accounts of the consumer interface. The user of the mobile app is the first; the keys of the others stay. */
export class Customers {
  readonly first: Customer;
  /** Attempts that a quota denied, of all of them. */
  denied = 0;
  readonly #others: ReadonlyMap<string, Customer>;

  /** `others` by key. */
  constructor(first: Customer, others: ReadonlyMap<string, Customer>) {
    this.first = first;
    this.#others = others;
  }

  get count(): number {
    return 1 + this.#others.size;
  }

  /** Whose present key this is; null for nobody's. */
  owning(authorization: string | undefined): Customer | null {
    if (this.first.account.owns(authorization)) return this.first;
    return this.#others.get(bearerToken(authorization) ?? "") ?? null;
  }
}

export interface AdmissionOptions {
  readonly customers: Customers;
  readonly partner: ThirdPartyCredentials;
  readonly hashEncoding: HashEncoding;
  readonly thirdPartyQuota: QuotaCounter;
}

/**
 * Who is let in. A consumer key that is nobody's, has ended or has no subscription is refused before any quota; every
 * other attempt counts, also one that is then denied. The third-party interface publishes no quota.
 */
export function createAdmission(parts: AdmissionOptions): (message: AuthRequest) => AuthResult {
  return (message) => (message.interface === "consumer" ? admitConsumer(message, parts) : admitPartner(message, parts));
}

function admitConsumer({ authorization, now }: AuthRequest, { customers }: AdmissionOptions): AuthResult {
  const customer = customers.owning(authorization);
  if (!customer)
    return {
      kind: "refused",
      error: contractError("invalid_token", "the API key is invalid; send it as a bearer token"),
    };
  const denial = customer.account.denial(now);
  if (denial) return { kind: "refused", error: denial };
  const { standing, retryAfterSec } = customer.quota.count(now);
  if (retryAfterSec !== null) {
    customers.denied++;
    const error = contractError("rate_limited", `quota exhausted; try again in ${retryAfterSec} s`);
    return { kind: "refused", error: { ...error, retryAfterSec }, quota: standing };
  }
  return { kind: "admitted", quota: standing };
}

function admitPartner(
  { authorization, now }: AuthRequest,
  { partner, hashEncoding, thirdPartyQuota }: AdmissionOptions,
): AuthResult {
  const token = bearerToken(authorization);
  if (token === null || !verifyThirdPartyToken(token, partner, hashEncoding)) {
    const reason = "the bearer token is not Base64 of <API_KEY>:<HMAC-SHA256 of it with the secret>";
    return { kind: "refused", error: contractError("invalid_token", reason) };
  }
  thirdPartyQuota.count(now);
  return { kind: "admitted" };
}

function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? null;
}
