import { contractError } from "../contract/errors.ts";
import type { InterfaceName } from "../contract/operations.ts";
import type { AuthRequest, AuthResult } from "../serve/mount.ts";
import type { HashEncoding, ThirdPartyCredentials } from "../third-party-token.ts";
import { type ConsumerAccount, thirdPartyDenial } from "./accounts.ts";
import type { QuotaCounter } from "./quota.ts";

export interface AdmissionOptions {
  readonly account: ConsumerAccount;
  readonly partner: ThirdPartyCredentials;
  readonly hashEncoding: HashEncoding;
  readonly quotas: Readonly<Record<InterfaceName, QuotaCounter>>;
}

/**
 * Who is let in. A consumer key that is nobody's is refused before any quota, for there is no account to count it on;
 * every other attempt counts, also one that is then denied. The third-party interface publishes no quota.
 */
export function createAdmission(parts: AdmissionOptions): (message: AuthRequest) => AuthResult {
  return (message) => (message.interface === "consumer" ? admitConsumer(message, parts) : admitPartner(message, parts));
}

function admitConsumer({ authorization, now }: AuthRequest, { account, quotas }: AdmissionOptions): AuthResult {
  if (!account.owns(authorization))
    return {
      kind: "refused",
      error: contractError("invalid_token", "the API key is invalid; send it as a bearer token"),
    };
  const { standing, retryAfterSec } = quotas.consumer.count(now);
  if (retryAfterSec !== null) {
    const error = contractError("rate_limited", `quota exhausted; try again in ${retryAfterSec} s`);
    return { kind: "refused", error: { ...error, retryAfterSec }, quota: standing };
  }
  const denial = account.denial(now);
  return denial ? { kind: "refused", error: denial, quota: standing } : { kind: "admitted", quota: standing };
}

function admitPartner(
  { authorization, now }: AuthRequest,
  { partner, hashEncoding, quotas }: AdmissionOptions,
): AuthResult {
  const denial = thirdPartyDenial(authorization, partner, hashEncoding);
  if (denial) return { kind: "refused", error: denial };
  quotas.thirdParty.count(now);
  return { kind: "admitted" };
}
