import { availableParallelism, loadavg } from "node:os";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const NIGHTLY = process.env.ELBRO_NIGHTLY === "1";

/** Returns true if a person runs a test file in a terminal of an idle machine. In all other runs the limits are longer. */
function isWatched(): boolean {
  const isNamed = process.argv.slice(2).some((argument) => argument.includes(".test.ts"));
  return process.stdout.isTTY && isNamed && !NIGHTLY && (loadavg()[0] ?? 0) < availableParallelism();
}

// The workers have the environment of the process that reads vitest.config.ts.
process.env.TEST_LIMITS ??= isWatched() ? "short" : "long";
const IS_SHORT = process.env.TEST_LIMITS === "short";

/**
 * Time limit for waiting on something that comes at once on an idle machine. It only ends tests that hang, and is shorter
 * than the limit of a test, because its message says what did not come.
 */
export const HANG_MS = IS_SHORT ? 40 * SECOND_MS : 4 * MINUTE_MS;

/**
 * Time limit of a test or hook. It only ends tests that hang: the slowest takes 35 s on two cores, and a busy machine is
 * ten times slower. No test is retried and no test has a shorter limit of its own.
 */
export const TEST_MS = IS_SHORT ? MINUTE_MS : (NIGHTLY ? 60 : 10) * MINUTE_MS;
