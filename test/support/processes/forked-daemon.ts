import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import type { Config } from "../../../src/config/schema/schema.ts";
import type { EpochMs } from "../../../src/core/time/interval.ts";
import { MALLOC_SETTINGS, NODE_FLAGS } from "./node-flags.ts";

/** Daemon in its own process, with the flags of `npm start` and a manual clock that the parent moves. */
export class ForkedDaemon implements AsyncDisposable {
  readonly brokerPort: number;
  readonly #child: ChildProcess;
  readonly #answer: () => Promise<Record<string, number>>;

  private constructor(child: ChildProcess, brokerPort: number, answer: () => Promise<Record<string, number>>) {
    this.#child = child;
    this.brokerPort = brokerPort;
    this.#answer = answer;
  }

  /** Starts the daemon. Before each step of the daemon's clock, `onJump` sets the clock of the parent. */
  static async start(start: EpochMs, config: Config, onJump: (now: EpochMs) => void): Promise<ForkedDaemon> {
    const script = path.join(import.meta.dirname, "daemon-child.ts");
    const child = fork(script, { execArgv: [...NODE_FLAGS], env: { ...process.env, ...MALLOC_SETTINGS } });
    const ended = new Promise<never>((_, reject) => {
      child.once("exit", (code) => reject(new Error(`the daemon ended with ${code}`)));
    });
    ended.catch(() => undefined);
    const heard = () =>
      new Promise<Record<string, number>>((resolve) => {
        const hear = (message: Record<string, number>) => {
          if (message.now !== undefined) {
            onJump(message.now);
            child.send({ at: message.now });
            return;
          }
          child.off("message", hear);
          resolve(message);
        };
        child.on("message", hear);
      });
    const answer = () => Promise.race([heard(), ended]);
    const started = answer();
    child.send({ start, config });
    return new ForkedDaemon(child, (await started).brokerPort ?? 0, answer);
  }

  /** Runs the clock to `at`. Resolves with the resident memory of the process in MB. */
  async runUntil(at: EpochMs): Promise<{ readonly rssMb: number }> {
    const reached = this.#answer();
    this.#child.send({ runUntil: at });
    return { rssMb: (await reached).rssMb ?? Number.NaN };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.removeAllListeners("exit");
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }
}
