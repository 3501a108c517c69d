/** Release facts available without reading files. */

/** Version in package.json; a test compares the two. */
export const VERSION = "1.0.0";

/** Earliest plausible system time. Unit: epoch ms. */
export const RELEASED_AT = Date.UTC(2026, 10, 1);

/** Where users find documentation and help; undefined while nothing is published. `npm run docs` writes it. */
export const HOMEPAGE: string | undefined = undefined;
