import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { StuckFileReporter } from "./test/support/runner/stuck-file-reporter.ts";

/** Time limit of flow and browser tests, which start real daemons. */
const SLOW_TEST_MS = 60_000;

/**
 * Number of retries for tests with real processes, sockets and browsers, which may time out on a busy machine. Vitest
 * reports each retry; a defect fails twice.
 */
const RETRIES = 1;

/** Maximum time in which no test file starts or ends. The longest takes about 2 minutes on two cores. */
const MAX_SILENCE_MS = (process.env.ELBRO_NIGHTLY === "1" ? 300 : 10) * 60_000;

/** Imports CommonJS packages like Node does, so that tests run the same code as the daemon. */
const deps = { interopDefault: false };

const setupFiles = ["test/support/runner/property-time-limit.ts"];

export default defineConfig({
  test: {
    passWithNoTests: true,
    reporters: ["default", new StuckFileReporter(MAX_SILENCE_MS)],
    // Many tests wait for other processes. Vitest's default is one worker on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts", "test/architecture.test.ts"], deps, setupFiles } },
      {
        test: {
          name: "contract",
          include: ["test/contract/**/*.test.ts"],
          testTimeout: SLOW_TEST_MS,
          deps,
          setupFiles,
        },
      },
      {
        test: {
          name: "flow",
          include: ["test/flow/**/*.test.ts"],
          globalSetup: "test/support/daemon/build.ts",
          testTimeout: SLOW_TEST_MS,
          retry: RETRIES,
          hookTimeout: SLOW_TEST_MS,
          deps,
          setupFiles,
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
          setupFiles,
        },
      },
    ],
  },
});
