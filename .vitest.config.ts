import { defineConfig } from "vitest/config";

/** Flow and browser tests start real daemons; two at a time suit the smallest machine they run on. */
const SLOW_TEST_MS = 60_000;

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts", "test/architecture.test.ts"] } },
      { test: { name: "contract", include: ["test/contract/**/*.test.ts"], testTimeout: SLOW_TEST_MS } },
      {
        test: {
          name: "flow",
          include: ["test/flow/**/*.test.ts"],
          testTimeout: SLOW_TEST_MS,
          hookTimeout: SLOW_TEST_MS,
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          testTimeout: SLOW_TEST_MS,
          hookTimeout: SLOW_TEST_MS,
        },
      },
    ],
  },
});
