import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg, { type QueryResultRow } from "pg";
import { freePort } from "../broker/mosquitto.ts";
import { programPath } from "../runner/needs.ts";
import { TempDir } from "../runner/temp-dir.ts";
import { HANG_MS } from "../runner/time-limits.ts";
import type { Identity } from "../service/certificates.ts";

/** Folder of the server programs. */
const FOLDER = path.dirname(programPath("PostgreSQL") ?? "");
/** User that runs the server if the tests run as root, which PostgreSQL rejects. Source: `nobody` of base-passwd. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** PostgreSQL server with its own cluster, on a free port of this machine. */
export class PostgresServer implements AsyncDisposable {
  readonly port: number;
  readonly #dir = new TempDir();
  readonly #user = process.getuid?.() === 0 ? NOBODY : {};
  #process: ChildProcess | null = null;
  #said = "";
  #tls: readonly string[] = [];
  #client: Promise<pg.Client> | null = null;

  private constructor(port: number) {
    this.port = port;
  }

  static async start(): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort());
    if (process.getuid?.() === 0) chownSync(server.#dir.path, NOBODY.uid, NOBODY.gid);
    const flags = ["-D", server.#data, "-U", "elbro", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
    execFileSync(path.join(FOLDER, "initdb"), flags, { ...server.#user, cwd: server.#dir.path, stdio: "ignore" });
    await server.up();
    await server.query("create database elbro");
    return server;
  }

  /** Returns the URL of a database. The server does not check the password. */
  url(database = "elbro"): string {
    return `postgres://elbro:a-secret-password@127.0.0.1:${this.port}/${database}`;
  }

  /** Accepts TLS, in addition to connections without it, from the next start. */
  identify({ cert, key }: Identity): void {
    for (const [name, text] of Object.entries({ cert, key })) {
      writeFileSync(this.#dir.file(name), text, { mode: 0o600 });
      if (process.getuid?.() === 0) chownSync(this.#dir.file(name), NOBODY.uid, NOBODY.gid);
    }
    this.#tls = ["ssl=on", `ssl_cert_file=${this.#dir.file("cert")}`, `ssl_key_file=${this.#dir.file("key")}`];
  }

  /** Starts or restarts the server. Resolves when it responds; rejects after `HANG_MS`. */
  async up(): Promise<void> {
    const giveUpAt = performance.now() + HANG_MS;
    while (!(await this.#answers())) {
      if (performance.now() > giveUpAt) throw new Error(`PostgreSQL did not start: ${this.#said}`);
      // The processes of a killed server hold its shared memory for a moment. A start before that fails at once.
      if (this.#process === null || this.#process.exitCode !== null) this.#process = this.#spawn();
      await pause(20);
    }
  }

  #spawn(): ChildProcess {
    const flags = [
      "-D",
      this.#data,
      "-p",
      `${this.port}`,
      "-h",
      "127.0.0.1",
      "-k",
      this.#dir.path,
      ...["fsync=off", ...this.#tls].flatMap((each) => ["-c", each]),
    ];
    const child = spawn(path.join(FOLDER, "postgres"), flags, {
      ...this.#user,
      cwd: this.#dir.path,
      stdio: "pipe",
    });
    child.stderr?.on("data", (text) => {
      this.#said += text;
    });
    return child;
  }

  /** Stops the server: normally with SIGINT, like a crash with SIGKILL. */
  async down(signal: "SIGINT" | "SIGKILL" = "SIGINT"): Promise<void> {
    await this.#client?.then((client) => client.end());
    this.#client = null;
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  /** Suspends the server: connections stay open without a response. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#process?.kill("SIGCONT");
  }

  /** Runs a statement in `database`, or in `postgres` on a connection that stays open. Returns its rows. */
  async query(text: string, database?: string): Promise<QueryResultRow[]> {
    if (database !== undefined) {
      const client = await connected(this.url(database));
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end();
      }
    }
    this.#client ??= connected(this.url("postgres"));
    return (await (await this.#client).query(text)).rows;
  }

  /** Returns the log output. */
  said(): string {
    return this.#said;
  }

  async #answers(): Promise<boolean> {
    try {
      await (await connected(this.url("postgres"))).end();
      return true;
    } catch {
      return false;
    }
  }

  get #data(): string {
    return this.#dir.file("data");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down("SIGKILL");
    this.#dir[Symbol.dispose]();
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // Prevents the end of the process when the server is killed. Waiting queries reject anyway.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}
