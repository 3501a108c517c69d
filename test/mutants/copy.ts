/** A copy of the project in which one source at a time is broken, so that programs and pages that tests start have it too. */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { type Mutant, ROOT, textOf } from "./sources.ts";

const run = promisify(execFile);
const LEFT_OUT = new Set(["node_modules", "build", ".git", "pictures"]);

export class Copy implements Disposable {
  readonly root: string = mkdtempSync(path.join(tmpdir(), "elbro-mutants-"));
  #broken: string | null = null;
  #isBuilt = false;

  constructor() {
    cpSync(ROOT, this.root, { recursive: true, filter: (file) => !LEFT_OUT.has(path.relative(ROOT, file)) });
    for (const folder of ["node_modules", "build"]) symlinkSync(path.join(ROOT, folder), path.join(this.root, folder));
  }

  /** Breaks a source. The one before is whole again. */
  break({ file, start, end, replacement }: Mutant): void {
    this.mend();
    const text = textOf(file);
    this.write(file, text.slice(0, start) + replacement + text.slice(end));
    this.#broken = file;
  }

  /** Makes the sources whole again. */
  mend(): void {
    if (this.#broken !== null) this.write(this.#broken, textOf(this.#broken));
    this.#broken = null;
  }

  /** Changes a source; the built program is out of date. */
  write(file: string, text: string): void {
    writeFileSync(path.join(this.root, file), text);
    this.#isBuilt = false;
  }

  /** Builds the program if a source has changed. Resolves with false if it cannot be built. */
  async build(): Promise<boolean> {
    if (this.#isBuilt) return true;
    try {
      await run(path.join(ROOT, "node_modules/.bin/rolldown"), ["--config"], { cwd: this.root });
      this.#isBuilt = true;
      return true;
    } catch {
      return false;
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
