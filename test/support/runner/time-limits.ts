const MINUTE_MS = 60_000;

/**
 * Time limit for waiting on something that comes at once on an idle machine. It only ends tests that hang, and is shorter
 * than the limit of a test, because its message says what did not come.
 */
export const HANG_MS = 4 * MINUTE_MS;
