/**
 * Where a server of the contract deliberately differs from the service's document. Everything else is the same, and one
 * suite shows it.
 */
export interface Differences {
  /** Headers beside those of the document, in lower case. */
  readonly headers: readonly string[];
  /** Whether a key that opens the consumer interface opens the other as well. */
  readonly oneKeyForBoth: boolean;
  /** Limits of its own, where quota headers are not the service's. */
  readonly limits: { readonly minute: number; readonly day: number } | null;
}

export const NO_DIFFERENCES: Differences = { headers: [], oneKeyForBoth: false, limits: null };

/**
 * The mirror tells how old an answer is and where it is from, names it by a tag, sends it compressed where that is taken,
 * and tells browsers what not to do with it. A key of the LAN opens both interfaces; a key and secret of the LAN one, as
 * at the service. Quota headers are about the LAN's key: the service's own are not passed on.
 */
export const MIRROR_DIFFERENCES = {
  headers: [
    ...["age", "x-elbro-source", "x-elbro-stale", "etag", "vary", "content-encoding"],
    ...["x-content-type-options", "referrer-policy", "cross-origin-resource-policy", "content-security-policy"],
  ],
  oneKeyForBoth: true,
  limits: { minute: 9_000, day: 9_500 },
} as const satisfies Differences;
