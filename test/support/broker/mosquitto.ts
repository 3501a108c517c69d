import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import net from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { programPath } from "../runner/needs.ts";
import { TempDir } from "../runner/temp-dir.ts";
import { HANG_MS } from "../runner/time-limits.ts";

export interface MosquittoOptions {
  /** Additional lines of the configuration; `DIR` is replaced by the broker's directory. */
  readonly config?: readonly string[];
  /** Keeps retained messages across restarts. */
  readonly persistence?: true;
  readonly users?: Readonly<Record<string, string>>;
  /** Content of files that the configuration refers to, by file name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Additional lines for the listener: TLS, WebSocket. */
  readonly listener?: readonly string[];
}

/** Mosquitto process on a free port of this machine. */
export class Mosquitto implements AsyncDisposable {
  readonly port: number;
  readonly #dir = new TempDir();
  #process: ChildProcess | null = null;
  #said = "";

  private constructor(port: number) {
    this.port = port;
  }

  static async start(options: MosquittoOptions = {}): Promise<Mosquitto> {
    const broker = new Mosquitto(await freePort());
    broker.#configure(options);
    await broker.up();
    return broker;
  }

  #configure({ config = [], listener = [], persistence, users, files = {} }: MosquittoOptions): void {
    const dir = this.#dir;
    for (const [name, text] of Object.entries(files)) writeFileSync(dir.file(name), text, { mode: 0o644 });
    const lines = [
      ...(process.getuid?.() === 0 ? ["user root"] : []),
      "max_queued_messages 0",
      ...(persistence ? ["persistence true", `persistence_location ${dir.path}/`, "autosave_interval 1"] : []),
      ...config,
      `listener ${this.port} 127.0.0.1`,
      ...listener,
      ...(users ? ["allow_anonymous false", `password_file ${dir.file("passwords")}`] : ["allow_anonymous true"]),
    ];
    writeFileSync(dir.file("mosquitto.conf"), lines.join("\n").replaceAll("DIR", dir.path));
    if (!users) return;
    writeFileSync(dir.file("passwords"), "", { mode: 0o600 });
    for (const [name, password] of Object.entries(users))
      execFileSync("mosquitto_passwd", ["-b", dir.file("passwords"), name, password], { stdio: "ignore" });
  }

  /** Starts or restarts the process. Resolves when its port accepts connections; rejects after `HANG_MS`. */
  async up(): Promise<void> {
    const child = spawn(programPath("Mosquitto") ?? "mosquitto", ["-c", this.#dir.file("mosquitto.conf")], {
      stdio: "pipe",
    });
    this.#process = child;
    child.stderr?.on("data", (text) => {
      this.#said += text;
    });
    const giveUpAt = performance.now() + HANG_MS;
    while (!(await answers(this.port))) {
      if (child.exitCode !== null || performance.now() > giveUpAt)
        throw new Error(`Mosquitto did not start: ${this.#said}`);
      await pause(5);
    }
  }

  /**
   * Stops the process. With SIGTERM it saves its retained messages if `persistence` is set; with SIGKILL it saves
   * nothing.
   */
  async down(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  /** Replaces the topics of the access list, for the next `up`. */
  allow(...topics: readonly string[]): void {
    writeFileSync(this.#dir.file("acl"), topics.map((topic) => `topic readwrite ${topic}\n`).join(""), { mode: 0o644 });
  }

  /** Returns the log output. */
  said(): string {
    return this.#said;
  }

  /** Suspends the process: its port stays open, but it answers nothing. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#process?.kill("SIGCONT");
  }

  /** Publishes with QoS 1 from another process (`mosquitto_pub`). */
  publish(topic: string, payload: string, ...flags: string[]): void {
    execFileSync("mosquitto_pub", ["-p", String(this.port), "-q", "1", "-t", topic, "-m", payload, ...flags]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down("SIGKILL");
    this.#dir[Symbol.dispose]();
  }
}

/** Resolves with a port that is not in use. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
