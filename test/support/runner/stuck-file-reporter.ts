/**
 * Ends a test run that hangs, and names the test file that did not finish. Vitest prints only finished files, and its
 * timeouts cannot end a test that never returns to the event loop.
 */
import type { Reporter, TestCase, TestModule } from "vitest/node";

const CHECK_INTERVAL_MS = 5_000;

export class StuckFileReporter implements Reporter {
  readonly #limitMs: number;
  readonly #startedAt = new Map<TestModule, number>();
  readonly #running = new Set<TestCase>();

  /** `limitMs`: maximum duration of a test file. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  onInit(): void {
    setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  onTestModuleStart(file: TestModule): void {
    this.#startedAt.set(file, performance.now());
  }

  onTestModuleEnd(file: TestModule): void {
    this.#startedAt.delete(file);
  }

  onTestCaseReady(test: TestCase): void {
    this.#running.add(test);
  }

  onTestCaseResult(test: TestCase): void {
    this.#running.delete(test);
  }

  #check(): void {
    const stuck = [...this.#startedAt].filter(([, startedAt]) => performance.now() - startedAt > this.#limitMs);
    if (stuck.length === 0) return;
    for (const [file] of stuck) {
      const names = [...this.#running].filter(({ module }) => module === file).map(({ fullName }) => fullName);
      console.error(`${file.relativeModuleId} did not finish in ${this.#limitMs / 60_000} min: ${names.join("; ")}`);
    }
    // Vitest's own `exit` would wait for the test. The workers end with this process.
    process.exit(1);
  }
}
