import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { COMPILE_CACHE } from "./node-flags.ts";

/** Child process that runs a file of `children/` and prints lines. */
export class Child implements AsyncDisposable {
  /** Resolves when the process has ended and all its output is read. */
  readonly ended: Promise<unknown>;
  readonly #process: ChildProcess;
  #text = "";
  #listeners: (() => void)[] = [];

  constructor(file: string, ...args: string[]) {
    const script = path.join(import.meta.dirname, "children", file);
    this.#process = spawn(process.execPath, [script, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...COMPILE_CACHE },
    });
    this.ended = once(this.#process, "close");
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#text += text;
      for (const listener of this.#listeners.splice(0)) listener();
    });
    this.#process.once("close", () => {
      for (const listener of this.#listeners.splice(0)) listener();
    });
  }

  /** Complete lines printed so far. */
  get lines(): string[] {
    return this.#text.split("\n").slice(0, -1);
  }

  /** Waits until the child has printed `count` lines. Rejects if the process ends first. */
  async said(count: number): Promise<void> {
    while (this.lines.length < count) {
      if (this.#process.exitCode !== null || this.#process.signalCode !== null)
        throw new Error(`the child ended after "${this.lines.at(-1) ?? ""}"`);
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }

  /** Kills the process with SIGKILL. Resolves when it has ended and all its output is read. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
