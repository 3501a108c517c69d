/**
 * Ends a test run that hangs, and names the test files that did not finish. Vitest prints only finished files, and its
 * timeouts cannot end a test that never returns to the event loop.
 */
import type { Reporter, TestModule } from "vitest/node";

const CHECK_INTERVAL_MS = 5_000;

export class StuckFileReporter implements Reporter {
  readonly #limitMs: number;
  /** Paths of files that started. Vitest makes a new object of a file when it has collected the tests. */
  readonly #unfinished = new Set<string>();
  #lastEventAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `limitMs`: maximum time without the end of a test, or the start or end of a test file. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  onTestRunStart(): void {
    this.#lastEventAt = performance.now();
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  /** In watch mode, Vitest waits here for the next run. */
  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }

  onTestModuleQueued(file: TestModule): void {
    this.#unfinished.add(file.relativeModuleId);
    this.#lastEventAt = performance.now();
  }

  onTestCaseResult(): void {
    this.#lastEventAt = performance.now();
  }

  onTestModuleEnd(file: TestModule): void {
    this.#unfinished.delete(file.relativeModuleId);
    this.#lastEventAt = performance.now();
  }

  #check(): void {
    if (performance.now() - this.#lastEventAt < this.#limitMs) return;
    console.error(`no test ended for ${this.#limitMs / 60_000} min; unfinished: ${[...this.#unfinished].join(", ")}`);
    // Vitest's own `exit` would wait for the file. The workers end with this process.
    process.exit(1);
  }
}
