/** Facts of this release that code may know without reading files. */

/** The version of package.json; a test compares the two. */
export const VERSION = "0.1.0";

/** No clock that stands before this is right. */
export const RELEASED_AT = Date.UTC(2026, 10, 1);
