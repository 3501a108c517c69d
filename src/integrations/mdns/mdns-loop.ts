/** Announces the dashboard on the local network by mDNS, and withdraws the announcement at the end. */
import { networkInterfaces } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Clock } from "../../core/runtime/clock.ts";
import { SECOND_MS } from "../../core/time/interval.ts";

/** Name and port to announce, and the network interfaces to announce them on. */
export interface MdnsThreadData {
  /** First label of the host name: `elbro` for `elbro.local`. */
  readonly name: string;
  readonly port: number;
  readonly interfaces: readonly string[];
}

/** Message of the thread. `host` is not `<name>.local` if another device on the network has that name. */
export type MdnsThreadMessage = { readonly kind: "announced"; readonly host: string } | { readonly kind: "ended" };

export interface MdnsLoopOptions {
  readonly name: string;
  /** Address and port of the API. */
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void };
  /** Network interfaces of this machine; those of the operating system by default. */
  readonly interfaces?: () => Interfaces;
}

type Interfaces = ReturnType<typeof networkInterfaces>;

/** Interval at which the network interfaces are compared, and after which a failed announcement is repeated. */
const CHECK_EVERY_MS = 30 * SECOND_MS;
/** Time limit for withdrawing the announcement (goodbye packets of mDNS). The daemon must stop within 2 s. */
const GOODBYE_MS = 500;
/** The library needs 5 MB. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 2 };
/** Built by `rolldown.config.ts` into a file next to the program. */
const THREAD = path.join(
  import.meta.dirname,
  import.meta.filename.endsWith(".ts") ? "mdns-thread.ts" : "mdns-thread.cjs",
);
const MAX_REASON = 200;

/** Announces the dashboard until the signal fires. Without a network it waits for one. Never rejects. */
export async function announceDashboard(options: MdnsLoopOptions, signal: AbortSignal): Promise<void> {
  const { name, host, port, clock, log, interfaces = networkInterfaces } = options;
  let thread: MdnsThread | null = null;
  /** The last line that was logged, because each state is logged once. */
  let logged = "";
  /** Whether the last thread failed. Its successor is silent until it announces or fails too. */
  let hasFailed = false;
  const logOnce = (level: "info" | "warn", facts: object, text: string) => {
    const line = JSON.stringify([text, facts]);
    if (line !== logged) log[level](facts, text);
    logged = line;
  };
  while (!signal.aborted) {
    const names = reachableInterfaces(interfaces(), host);
    if (thread && (thread.isOver || thread.interfaces.join() !== names.join())) {
      await thread.end();
      thread = null;
    }
    if (names.length === 0) logOnce("warn", { host }, "mdns: not announced, because no network leads to api.host");
    else if (thread?.isSilent && !hasFailed)
      logOnce("warn", { interfaces: names }, "mdns: not announced yet; still trying");
    else
      thread ??= new MdnsThread({ name, port, interfaces: names }, (outcome) => {
        hasFailed = outcome.kind === "failed";
        if (outcome.kind === "failed")
          logOnce("warn", { reason: outcome.reason }, "mdns: the announcement failed; retrying every 30 s");
        else if (outcome.host === `${name}.local`) logOnce("info", { host: outcome.host, port }, "mdns: announced");
        else logOnce("warn", { host: outcome.host, port }, `mdns: another device is called ${name}; set another name`);
      });
    await clock.sleepUntil(clock.now() + CHECK_EVERY_MS, signal);
  }
  await thread?.end();
}

/** Returns the names of the interfaces on which other machines reach an address of the API; sorted. */
function reachableInterfaces(all: Interfaces, host: string): string[] {
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const reaches = ({ family, internal, address }: NonNullable<Interfaces[string]>[number]) =>
    family === "IPv4" && !internal && (isEverywhere || address === host);
  return Object.entries(all)
    .flatMap(([name, addresses]) => (addresses?.some(reaches) ? name : []))
    .sort();
}

type Outcome =
  | { readonly kind: "announced"; readonly host: string }
  | { readonly kind: "failed"; readonly reason: string };

class MdnsThread {
  readonly interfaces: readonly string[];
  /** True if the thread has ended or received the request to end. */
  isOver = false;
  /** Whether it has not announced anything yet. */
  isSilent = true;
  readonly #worker: Worker;
  readonly #ended = Promise.withResolvers<void>();

  constructor(data: MdnsThreadData, onOutcome: (outcome: Outcome) => void) {
    this.interfaces = data.interfaces;
    // The thread gets no environment variables, because they may contain secrets.
    this.#worker = new Worker(THREAD, {
      ...{ workerData: data, env: {}, execArgv: [], stdout: true, stderr: true, resourceLimits: THREAD_LIMITS },
    });
    let output = "";
    const keep = (text: string) => {
      output = `${output}${text}`.slice(-MAX_REASON);
    };
    this.#worker.stdout.on("data", keep);
    this.#worker.stderr.on("data", keep);
    this.#worker.on("error", (error) => keep(error.message));
    this.#worker.on("message", (message: MdnsThreadMessage) => {
      if (message.kind === "ended") return this.#ended.resolve();
      this.isSilent = false;
      onOutcome(message);
    });
    this.#worker.on("exit", () => {
      if (!this.isOver) onOutcome({ kind: "failed", reason: output.trim() });
      this.isOver = true;
      this.#ended.resolve();
    });
  }

  /** Withdraws the announcement and ends the thread. */
  async end(): Promise<void> {
    if (!this.isOver) {
      this.isOver = true;
      this.#worker.postMessage("end");
      await Promise.race([this.#ended.promise, pause(GOODBYE_MS, undefined, { ref: false })]);
    }
    await this.#worker.terminate();
  }
}
