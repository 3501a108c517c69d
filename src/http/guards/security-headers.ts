/** Headers of every response: no guessed content types, no referrer, no embedding by other origins. */
const ALWAYS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

/** Headers of a response for programs. A browser that opens it as a page runs and loads nothing. */
export const DATA_HEADERS = {
  ...ALWAYS,
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Headers of a page: everything from its own origin, nothing inline. Only its own origin may embed it. */
export const PAGE_HEADERS = pageHeaders([]);

export function pageHeaders(ancestors: readonly string[]): Readonly<Record<string, string>> {
  return {
    ...ALWAYS,
    // A page of another site that opens this one gets no handle of its window. Ignored without HTTPS.
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": `default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors ${["'self'", ...ancestors].join(" ")}`,
  };
}
