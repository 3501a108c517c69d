/**
 * Deliberate differences of a contract server from the service's document. Everything else is equal, as one test suite
 * shows.
 */
export interface Differences {
  /** Headers besides those of the document, in lower case. */
  readonly headers: readonly string[];
  /** True if a consumer key is also accepted in the third-party interface. */
  readonly oneKeyForBoth: boolean;
  /** Own limits of a server whose quota headers are not the service's. */
  readonly limits: { readonly minute: number; readonly day: number } | null;
  /** Status and code for a method other than GET. */
  readonly wrongMethod: readonly [number, string];
}

export const NO_DIFFERENCES: Differences = {
  headers: [],
  oneKeyForBoth: false,
  limits: null,
  wrongMethod: [404, "resource_not_found"],
};

/**
 * Differences of the mirror. It sends age, source and ETag of a response, compresses it if accepted, and adds security
 * headers for browsers. A LAN key is accepted in both interfaces; a LAN key and secret in one, as at the service. Quota
 * headers are those of the LAN key, not the service's. A method other than GET gets 405 with `Allow`.
 */
export const MIRROR_DIFFERENCES = {
  headers: [
    ...["allow", "age", "x-elbro-source", "x-elbro-stale", "etag", "vary", "content-encoding"],
    ...["x-content-type-options", "referrer-policy", "cross-origin-resource-policy", "content-security-policy"],
  ],
  oneKeyForBoth: true,
  limits: { minute: 9_000, day: 9_500 },
  wrongMethod: [405, "method_not_allowed"],
} as const satisfies Differences;
