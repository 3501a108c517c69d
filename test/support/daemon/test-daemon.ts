import { type EpochMs, MINUTE_MS } from "../../../src/core/time/interval.ts";
import type { Daemon } from "../../../src/daemon.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../src/simulator/simulator.ts";
import { TopicWatcher } from "../broker/topic-watcher.ts";
import { ManualClock } from "../clock/manual-clock.ts";
import { checkedAnswer } from "../http/checked-answer.ts";
import { InstalledDaemon, type InstalledDaemonOptions } from "../processes/installed-daemon.ts";
import { TempDir } from "../runner/temp-dir.ts";
import { passFirstNight } from "./first-night.ts";
import { startInProcess } from "./in-process-daemon.ts";
import { compareRequests } from "./request-oracle.ts";
import { type ConfigInput, configFor, fileFor, LAN_KEY } from "./test-config.ts";

export interface TestDaemonOptions {
  /** Time of the manual clock, which the simulator shares. */
  readonly start: EpochMs;
  /** Homes, prices, limits, faults and publication delay of the service. */
  readonly simulator?: Omit<SimulatorOptions, "now">;
  /** Homes, accounts, plans, plugs, broker, API: replaces whole top-level keys of the test configuration. */
  readonly config?: ConfigInput;
  /** Additional lines of an `elbro.yaml` that configures the daemon; `config` is then ignored. */
  readonly yaml?: string;
  /**
   * Offset of the service's clock in ms; positive if ahead. If given, the daemon checks its own clock against the
   * service's.
   */
  readonly serviceAheadMs?: number;
  /** Data directory of an earlier daemon. The test that passes it deletes it. */
  readonly dir?: TempDir;
  /** `anonymous` accepts every client of this machine; `users` only those of `broker.users`. */
  readonly brokerAccess?: "anonymous" | "users";
}

/** Log line of the daemon. */
export type LogLine = { readonly level: "debug" | "info" | "warn"; readonly facts: object; readonly text: string };

/** Maximum minutes of the manual clock until all homes are in the expected state. */
const MAX_MINUTES = 300;

/** The whole daemon in this process, with a simulator, a database, a broker and a manual clock. */
export class TestDaemon implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly simulator: Simulator;
  readonly dir: TempDir;
  readonly log: LogLine[] = [];
  serviceAheadMs: number;
  readonly #options: TestDaemonOptions;
  /** Data directories of all starts. */
  readonly #dataDirs = new Set<string>();
  #config: ConfigInput;
  #daemon: Daemon | null = null;
  #watcher: TopicWatcher | null = null;

  private constructor(clock: ManualClock, simulator: Simulator, options: TestDaemonOptions) {
    this.clock = clock;
    this.simulator = simulator;
    this.dir = options.dir ?? new TempDir();
    this.serviceAheadMs = options.serviceAheadMs ?? 0;
    this.#options = options;
    this.#config = options.config ?? {};
  }

  static async start(options: TestDaemonOptions): Promise<TestDaemon> {
    const clock = new ManualClock(options.start);
    let daemon: TestDaemon | null = null;
    const now = () => clock.now() + (daemon?.serviceAheadMs ?? 0);
    const simulator = await startSimulator({ ...options.simulator, now });
    daemon = new TestDaemon(clock, simulator, options);
    if (!options.dir) passFirstNight(daemon.dir.path, options.start);
    await daemon.#open();
    return daemon;
  }

  /** Prepares the built program to run as a process, with a configuration file and a simulator in real time. */
  static install(options: InstalledDaemonOptions = {}): Promise<InstalledDaemon> {
    return InstalledDaemon.prepare(options);
  }

  get apiPort(): number {
    return this.#running.apiPort;
  }

  /** Port of the embedded broker. Throws if the daemon uses another broker. */
  get brokerPort(): number {
    const { brokerPort } = this.#running;
    if (brokerPort === null) throw new Error("this daemon uses another broker");
    return brokerPort;
  }

  get url(): string {
    return `http://127.0.0.1:${this.apiPort}`;
  }

  /** MQTT client that is subscribed to all topics of the embedded broker. */
  get watcher(): TopicWatcher {
    if (!this.#watcher) throw new Error("no MQTT client: the daemon is stopped or its broker needs a login");
    return this.#watcher;
  }

  /** Sends a request to the LAN API with the key of the test. */
  async request(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const url = `${this.url}${path}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${LAN_KEY}`, ...headers } });
    return checkedAnswer("GET", url, answer);
  }

  /** Sends a POST request with a JSON body, or with `body` itself if it is a string. */
  post(path: string, body: unknown): Promise<Response> {
    return this.send("POST", path, body);
  }

  /** Sends a request of any method. `body` is as for `post`; undefined sends no body. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const url = `${this.url}${path}`;
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${LAN_KEY}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return checkedAnswer(method, url, answer);
  }

  async stop(): Promise<void> {
    const [watcher, daemon] = [this.#watcher, this.#daemon];
    this.#watcher = null;
    this.#daemon = null;
    await watcher?.[Symbol.asyncDispose]();
    await daemon?.stop();
  }

  /** Stops the daemon if it runs, and starts it with the same data. `config` replaces that of the last start. */
  async restart(config: ConfigInput = this.#config): Promise<void> {
    await this.stop();
    this.#config = config;
    await this.#open();
  }

  /** Reloads the configuration while the daemon runs. */
  async reload(config: ConfigInput): Promise<void> {
    await this.#running.reload(async () => configFor(this.simulator, this.dir.path, config));
  }

  /** Reloads `elbro.yaml` of a daemon that has one, as SIGHUP does. */
  async reloadFile(): Promise<void> {
    const source = fileFor(this.simulator, this.dir.path, "");
    await this.#running.reload(source.read);
  }

  /** Runs the clock, minute by minute, until the API has a price for every home. */
  untilPriced(): Promise<void> {
    return this.#untilHomes(({ price }) => price !== null);
  }

  /** Runs the clock, minute by minute, until every home has the prices of tomorrow: about 13:00 or later. */
  untilTomorrow(): Promise<void> {
    return this.#untilHomes(({ tomorrow_valid }) => tomorrow_valid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.simulator.close();
    compareRequests(this.simulator, this.#dataDirs);
    if (!this.#options.dir) this.dir[Symbol.dispose]();
  }

  get #running(): Daemon {
    if (!this.#daemon) throw new Error("the daemon is stopped");
    return this.#daemon;
  }

  async #open(): Promise<void> {
    const note = (level: LogLine["level"]) => (facts: object, text: string) =>
      void this.log.push({ level, facts, text });
    const { serviceAheadMs, brokerAccess = "anonymous" } = this.#options;
    const { yaml } = this.#options;
    const source = yaml === undefined ? undefined : fileFor(this.simulator, this.dir.path, yaml);
    const config = source ? await source.read() : configFor(this.simulator, this.dir.path, this.#config);
    this.#dataDirs.add(config.data_dir);
    this.#daemon = await startInProcess({
      config,
      ...(source ? { source } : {}),
      clock: this.clock,
      simulatedTime: serviceAheadMs === undefined,
      log: { debug: note("debug"), info: note("info"), warn: note("warn") },
      anonymousBroker: brokerAccess === "anonymous",
    });
    const { brokerPort } = this.#daemon;
    if (brokerPort !== null && brokerAccess === "anonymous") this.#watcher = await TopicWatcher.on(brokerPort);
  }

  /** Moves minute by minute: on a busy machine, service responses take longer than `runUntil` waits for them. */
  async #untilHomes(holds: (home: HomeNow) => boolean): Promise<void> {
    for (let minutes = 0; minutes < MAX_MINUTES; minutes++) {
      const { homes } = (await (await this.request("/local/v1/now")).json()) as { homes: HomeNow[] };
      if (homes.length > 0 && homes.every(holds)) return;
      await this.clock.runUntil(this.clock.now() + MINUTE_MS);
    }
    throw new Error(`${MAX_MINUTES} minutes were not enough`);
  }
}

type HomeNow = { readonly price: number | null; readonly tomorrow_valid: boolean };
