import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";

/** Node's own place for compiled code; a child that is killed does not write it unless it asks to. */
const COMPILED = path.join(tmpdir(), "node-compile-cache");

/** Another process that runs a file of the folder of children, and says lines. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  #text = "";
  #listeners: (() => void)[] = [];

  constructor(file: string, ...args: string[]) {
    const script = path.join(import.meta.dirname, "children", file);
    this.#process = spawn(process.execPath, [script, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
    });
    this.#ended = once(this.#process, "close");
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#text += text;
      for (const listener of this.#listeners.splice(0)) listener();
    });
    this.#process.once("close", () => {
      for (const listener of this.#listeners.splice(0)) listener();
    });
  }

  /** Whole lines said so far. */
  get lines(): string[] {
    return this.#text.split("\n").slice(0, -1);
  }

  /** Waits until so many lines were said. Errors: throws where the process ends before. */
  async said(count: number): Promise<void> {
    while (this.lines.length < count) {
      if (this.#process.exitCode !== null || this.#process.signalCode !== null)
        throw new Error(`the child ended after "${this.lines.at(-1) ?? ""}"`);
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }

  /** Ends it without a chance to say goodbye, and waits until it is gone and all it said has come. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
