import type { Envelope, Rows } from "../series/series.ts";
import type { EpochMs } from "../time/interval.ts";

/** What became of one request. A failure of the world is a value; only our own mistakes throw. */
export type FetchResult = Answered | FetchFailure | Deferred;

/** A 200 that fits the contract. Empty rows are an answer too. */
export interface Answered {
  readonly kind: "answered";
  readonly rows: Rows;
  readonly envelope: Envelope;
  readonly requestId: string | null;
}

/** A request that went out and brought nothing. */
export type FetchFailure =
  /** An error answer of the service. `code` is null where the body names none, as on the third-party interface. */
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly code: string | null;
      readonly reason: string;
      /** The wait the service named: by `Retry-After`, and for a 429 by the resets of its exhausted windows. */
      readonly retryAfterMs: number | null;
      readonly requestId: string | null;
    }
  /** An answer that does not fit the contract. */
  | { readonly kind: "malformed"; readonly why: string; readonly requestId: string | null }
  /** No answer: network, TLS, time-out, a body beyond its bound. */
  | { readonly kind: "unreachable"; readonly why: string };

/** The rate limiter or the error policy kept the request in. Nothing was spent. */
export interface Deferred {
  readonly kind: "withheld";
  readonly until: EpochMs;
  readonly why: string;
  /** The failure that made it silent, where this process has seen it; null for the quota. */
  readonly after: FetchFailure | null;
  /** The database takes no more writes, and a request that is not written down is not sent. */
  readonly isUnwritten?: boolean;
}
