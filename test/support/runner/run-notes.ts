/** Says at the end of a run, in one line each, what tests were skipped without (needs.ts), and which unit tests are slow. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Reporter, TestModule } from "vitest/node";

const SLOW_MS = 5_000;

export class RunNotes implements Reporter {
  /** The workers write a file into it for each need that is not met. */
  readonly #folder = mkdtempSync(path.join(tmpdir(), "elbro-missing-"));

  constructor() {
    process.env.TESTS_MISSING = this.#folder;
    process.once("exit", () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  onTestRunEnd(files: readonly TestModule[]): void {
    for (const name of readdirSync(this.#folder)) console.log(readFileSync(path.join(this.#folder, name), "utf8"));
    const slow = files.flatMap((file) => {
      const ms = file.diagnostic().duration;
      return file.project.name === "unit" && ms > SLOW_MS
        ? [`${file.relativeModuleId} ${(ms / 1_000).toFixed()} s`]
        : [];
    });
    if (slow.length > 0) console.log(`Slow unit tests, unless this machine is busy: ${slow.join(", ")}`);
  }
}
