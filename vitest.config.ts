import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { useMemoryFolder } from "./test/support/runner/memory-folder.ts";
import { RunNotes } from "./test/support/runner/run-notes.ts";
import { StuckFileReporter } from "./test/support/runner/stuck-file-reporter.ts";
import { HANG_MS, TEST_MS } from "./test/support/runner/time-limits.ts";

useMemoryFolder();

const NIGHTLY = process.env.ELBRO_NIGHTLY === "1";
const MINUTE_MS = 60_000;

/** Maximum time in which no test ends. It catches tests that never return to the event loop. */
const MAX_SILENCE_MS = (NIGHTLY ? 120 : 20) * MINUTE_MS;

const forAll = {
  // Starting a worker and loading the modules again for each file would take half of the time of all unit tests.
  isolate: false,
  testTimeout: TEST_MS,
  hookTimeout: TEST_MS,
  expect: { poll: { timeout: HANG_MS, interval: 10 } },
  // Imports CommonJS packages like Node does, so that tests run the same code as the daemon.
  deps: { interopDefault: false },
  setupFiles: ["test/support/runner/property-settings.ts", "test/support/runner/promise-oracle.ts"],
};
const build = "test/support/runner/build.ts";

export default defineConfig({
  test: {
    passWithNoTests: true,
    reporters: ["default", new StuckFileReporter(MAX_SILENCE_MS), new RunNotes()],
    // Many tests wait for other processes, so that more workers than cores are faster.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...forAll,
          name: "unit",
          include: ["test/unit/**/*.test.ts", "test/readers/*.test.ts", "test/architecture.test.ts"],
        },
      },
      { test: { ...forAll, name: "contract", include: ["test/contract/**/*.test.ts"] } },
      { test: { ...forAll, name: "flow", include: ["test/flow/**/*.test.ts"], globalSetup: build } },
      { test: { ...forAll, name: "browser", include: ["test/browser/**/*.test.ts"], globalSetup: build } },
    ],
  },
});
