import { defineConfig } from "vitest/config";

/** Flow and browser tests start real daemons. */
const SLOW_TEST_MS = 60_000;

/**
 * Once more for a test with real processes, sockets and browsers: what it waited for may have been late on a machine with
 * other work. Vitest tells of each retry; a wrong behaviour fails twice.
 */
const RETRIES = 1;

/** CommonJS packages are imported as Node imports them, so that tests run what the daemon runs. */
const deps = { interopDefault: false };

export default defineConfig({
  test: {
    passWithNoTests: true,
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts", "test/architecture.test.ts"], deps } },
      { test: { name: "contract", include: ["test/contract/**/*.test.ts"], testTimeout: SLOW_TEST_MS, deps } },
      {
        test: {
          name: "flow",
          include: ["test/flow/**/*.test.ts"],
          globalSetup: "test/support/daemon/build.ts",
          testTimeout: SLOW_TEST_MS,
          retry: RETRIES,
          hookTimeout: SLOW_TEST_MS,
          deps,
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: "test/support/daemon/build.ts",
          testTimeout: SLOW_TEST_MS,
          retry: RETRIES,
          hookTimeout: SLOW_TEST_MS,
          deps,
        },
      },
    ],
  },
});
