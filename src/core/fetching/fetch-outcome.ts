import type { Text } from "../language/text.ts";
import type { EpochMs } from "../time/interval.ts";

/** Request that was sent and returned no data. External failures are values; only programming errors throw. */
export type FetchFailure =
  /** Error response of the service. `code` is null if the body has none, as on the third-party interface. */
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly code: string | null;
      readonly reason: string;
      /** Wait from `Retry-After`; for a 429 also from the resets of exhausted windows. Null if none is named. */
      readonly retryAfterMs: number | null;
      readonly requestId: string | null;
    }
  /** Response that does not fit the contract. */
  | { readonly kind: "malformed"; readonly why: Text; readonly requestId: string | null }
  /**
   * No response of the service: network, TLS, time-out, or something else answered, such as a log-in page or a proxy.
   * `retryAfterMs` is its `Retry-After`; null or absent without one. `isUnsent`: no byte of the request was sent, so it
   * used no quota.
   */
  | {
      readonly kind: "unreachable";
      readonly why: Text;
      readonly retryAfterMs?: number | null;
      readonly isUnsent?: boolean;
    };

/** The rate limiter or the circuit breaker held the request back. It used no quota. */
export interface Deferred {
  readonly kind: "deferred";
  readonly until: EpochMs;
  readonly why: Text;
  /** Failure that paused the scope, if it occurred in this process; null if the quota is the reason. */
  readonly after: FetchFailure | null;
  /** False if not the quota is the reason: the first response is awaited, or the attempt could not be written. */
  readonly isQuota?: boolean;
}
