/** Prints, in one line each, what tests were skipped without (needs.ts). */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Reporter } from "vitest/node";

export class MissingReporter implements Reporter {
  /** The workers write a file into it for each need that is not met. */
  readonly #folder = mkdtempSync(path.join(tmpdir(), "elbro-missing-"));

  constructor() {
    process.env.ELBRO_MISSING = this.#folder;
    process.once("exit", () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  onTestRunEnd(): void {
    for (const name of readdirSync(this.#folder)) console.log(readFileSync(path.join(this.#folder, name), "utf8"));
  }
}
