import { defineConfig } from "vitest/config";

/** Flow and browser tests start real daemons. */
const SLOW_TEST_MS = 60_000;

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
          globalSetup: "test/support/build.ts",
          testTimeout: SLOW_TEST_MS,
          hookTimeout: SLOW_TEST_MS,
          deps,
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          testTimeout: SLOW_TEST_MS,
          hookTimeout: SLOW_TEST_MS,
          deps,
        },
      },
    ],
  },
});
