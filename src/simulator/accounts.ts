/** Simulated authentication: consumer keys, third-party tokens. Source: service interface, parts 3 and 5. */
import { type EpochMs, formatInstant } from "../core/time/interval.ts";
import type { AuthRequest, AuthResult } from "../http/route.ts";
import { type ContractError, contractError } from "../service/contract/errors.ts";
import { type HashEncoding, type ThirdPartyCredentials, verifyThirdPartyToken } from "../service/third-party-token.ts";
import type { SimulatedHome } from "./homes.ts";
import type { QuotaCounter } from "./quota.ts";

/** Result of the subscription check. `unverifiable`: the check itself is out of order. */
export const entitlements = ["active", "plusEnded", "forbidden", "unverifiable"] as const;
export type Entitlement = (typeof entitlements)[number];

/** Result of a key action: the complete key, which is shown only once, or the reason for a rejection. */
export type KeyIssue =
  | { readonly kind: "issued"; readonly key: string }
  | { readonly kind: "refused"; readonly reason: string };

/** Number of last characters of the key that are shown, to tell two keys apart. */
const SHOWN_CHARACTERS = 4;

export class ConsumerAccount {
  readonly #makeKey: () => string;
  #key: string | null;
  #expiresAt: EpochMs | null = null;
  #entitlement: Entitlement = "active";

  /** `key` is the user's existing key; null if none has been created. */
  constructor(key: string | null, makeKey: () => string) {
    this.#key = key;
    this.#makeKey = makeKey;
  }

  /** Returns true for the account's current key, expired or not. A replaced key is not valid. */
  owns(authorization: string | undefined): boolean {
    return this.#key !== null && bearerToken(authorization) === this.#key;
  }

  /** Returns why the key's owner is denied access; null if access is allowed. */
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

  /** Issues the first key, or replaces the key: the old one stops working immediately. */
  newKey(action: "issue" | "replace"): KeyIssue {
    const refused = (reason: string): KeyIssue => ({ kind: "refused", reason });
    if (action === "issue" && this.#key) return refused("a key exists already; replace it");
    if (action === "replace" && !this.#key) return refused("there is no key to replace; issue one");
    if (this.#entitlement !== "active") return refused("a key needs an active Plus subscription");
    this.#key = this.#makeKey();
    this.#expiresAt = null;
    return { kind: "issued", key: this.#key };
  }

  expireKey(at: EpochMs | null): void {
    if (this.#key !== null) this.#expiresAt = at;
  }

  setEntitlement(entitlement: Entitlement): void {
    this.#entitlement = entitlement;
  }

  get state() {
    return {
      entitlement: this.#entitlement,
      keyEndsWith: this.#key?.slice(-SHOWN_CHARACTERS) ?? null,
      expiresAt: this.#expiresAt,
    };
  }
}

export interface Customer {
  readonly account: ConsumerAccount;
  readonly quota: QuotaCounter;
  readonly homes: readonly SimulatedHome[];
}

/** Accounts of the consumer interface. The control paths act on the first; the keys of the others are fixed. */
export class Customers {
  readonly first: Customer;
  /** Attempts of all accounts that a quota rejected. */
  denied = 0;
  readonly #others: ReadonlyMap<string, Customer>;

  /** `others` is keyed by API key. */
  constructor(first: Customer, others: ReadonlyMap<string, Customer>) {
    this.first = first;
    this.#others = others;
  }

  get count(): number {
    return 1 + this.#others.size;
  }

  /** Returns the account with this current key; null if the key is unknown. */
  owning(authorization: string | undefined): Customer | null {
    if (this.first.account.owns(authorization)) return this.first;
    return this.#others.get(bearerToken(authorization) ?? "") ?? null;
  }
}

export interface AdmissionOptions {
  readonly customers: Customers;
  readonly credentials: ThirdPartyCredentials;
  readonly hashEncoding: HashEncoding;
  readonly thirdPartyQuota: QuotaCounter;
}

/**
 * Creates the authentication. A consumer key that is unknown, expired or without a subscription is rejected before the
 * quota. Every other attempt counts, including rejected ones. The third-party interface has no published quota.
 */
export function createAdmission(parts: AdmissionOptions): (message: AuthRequest) => AuthResult {
  return (message) =>
    message.permission === "consumer" ? admitConsumer(message, parts) : admitPartner(message, parts);
}

function admitConsumer({ authorization, now }: AuthRequest, { customers }: AdmissionOptions): AuthResult {
  const customer = customers.owning(authorization);
  const invalid = contractError("invalid_token", "the API key is invalid; send it as a bearer token");
  const denial = customer ? customer.account.denial(now) : invalid;
  if (!customer || denial) return { kind: "refused", error: denial ?? invalid };
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
  { credentials, hashEncoding, thirdPartyQuota }: AdmissionOptions,
): AuthResult {
  const token = bearerToken(authorization);
  if (token === null || !verifyThirdPartyToken(token, credentials, hashEncoding)) {
    const reason = "the bearer token is not Base64 of <API_KEY>:<HMAC-SHA256 of it with the secret>";
    return { kind: "refused", error: contractError("invalid_token", reason) };
  }
  thirdPartyQuota.count(now);
  return { kind: "admitted" };
}

function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? null;
}
