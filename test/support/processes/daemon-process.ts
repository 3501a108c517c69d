import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { PROGRAM, ROOT } from "../bench/program.ts";
import { noteBrokenPromise } from "../daemon/broken-promises.ts";
import { loopMs } from "../runner/loop-time.ts";
import { COMPILE_CACHE } from "./node-flags.ts";

export interface DaemonProcessOptions {
  /** Arguments for Node. */
  readonly nodeArgs?: readonly string[];
  /** `ipc` opens a channel for `ask`. */
  readonly channel?: "none" | "ipc";
  /** A program that runs Node, with its arguments: `["strace", "-f"]`. */
  readonly under?: readonly string[];
  /** Working directory. The default has no `config/elbro.yaml`. */
  readonly folder?: string;
}

/** Built program in its own process. */
export class DaemonProcess implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly exit: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();

  constructor(
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    { nodeArgs = [], channel = "none", under = [], folder = path.join(ROOT, "dist") }: DaemonProcessOptions = {},
  ) {
    const { PATH = "", HOME = "" } = process.env;
    const [program = process.execPath, ...rest] = [...under, process.execPath];
    this.#child = spawn(program, [...rest, ...nodeArgs, PROGRAM, ...args], {
      // This folder has no config/elbro.yaml. The root of a clone may contain the owner's.
      cwd: folder,
      env: { PATH, HOME, ...COMPILE_CACHE, ...environment },
      stdio: ["ignore", "pipe", "pipe", ...(channel === "ipc" ? (["ipc"] as const) : [])],
    });
    this.exit = new Promise((resolve) => this.#child.once("close", (code) => resolve(code)));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream) createInterface(stream).on("line", (line) => this.#heard(line));
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Null while the process runs. */
  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  get output(): string {
    return this.lines.join("\n");
  }

  /** Resolves with the port of the LAN API, read from the log. */
  async apiPort(): Promise<number> {
    return portIn(await this.line(/API listens/));
  }

  /** Resolves with the port of the embedded broker, read from the log. */
  async brokerPort(): Promise<number> {
    return portIn(await this.line(/broker listens/));
  }

  /** Sends a message on the IPC channel. Resolves with the next message from the process. */
  async ask(message: string): Promise<unknown> {
    const answer = once(this.#child, "message");
    this.#child.send(message);
    return (await answer)[0];
  }

  /** Resolves with the first line that matches. Rejects if the process ends first. */
  line(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.lines.find((line) => pattern.test(line));
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      void this.exit.then((code) => reject(new Error(`ended with ${code} before ${pattern}:\n${this.output}`)));
      look();
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends a signal and waits for the end. Resolves with the exit code and the duration, as `loopMs` counts it. */
  async end(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly tookMs: number }> {
    this.#child.kill(signal);
    const tookMs = await loopMs(this.exit);
    return { code: await this.exit, tookMs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exit;
  }

  #heard(line: string): void {
    this.lines.push(line);
    noteBrokenPromise(line);
    for (const look of [...this.#waiting]) look();
  }
}

/** Returns the `port` of a JSON log line. */
function portIn(line: string): number {
  return (JSON.parse(line) as { port: number }).port;
}
