/**
 * What every answer tells a browser, whoever led it here: take the answer for nothing else than it says, tell no other
 * site where you were, and show it in no frame of another.
 */
const ALWAYS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

/** Headers of an answer for programs. A browser that opens it as a page runs and loads nothing. */
export const DATA_HEADERS = {
  ...ALWAYS,
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

/**
 * Headers of a page: scripts, styles, pictures and connections of its own origin only, nothing inline. It may stand in a
 * frame of its own origin, as Home Assistant shows it.
 */
export const PAGE_HEADERS = {
  ...ALWAYS,
  "Content-Security-Policy":
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
} as const;
