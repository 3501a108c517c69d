import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { MALLOC_SETTINGS } from "./node-flags.ts";

/** Node process that answers every line with one line. */
export class LineProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, args, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...MALLOC_SETTINGS },
    });
    if (!this.#child.stdout) throw new Error("the process has no output");
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** Writes `line` if given. Resolves with the next line of output; rejects if the process has ended. */
  async ask(line?: string): Promise<string> {
    if (line !== undefined) this.#child.stdin?.write(`${line}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("the process ended");
    return value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await gone;
  }
}
