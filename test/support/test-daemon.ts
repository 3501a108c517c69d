import { type Config, configSchema } from "../../src/config/schema.ts";
import type { EpochMs } from "../../src/core/interval.ts";
import { type Daemon, startDaemon } from "../../src/daemon.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator/simulator.ts";
import { ManualClock } from "./manual-clock.ts";
import { TempDir } from "./temp-dir.ts";
import { TopicWatcher } from "./topic-watcher.ts";

export const LAN_KEY = "key-of-a-test";

export interface TestDaemonOptions {
  readonly start: EpochMs;
  readonly simulator?: Omit<SimulatorOptions, "now">;
  /** Laid over the configuration, by top-level key. */
  readonly config?: Partial<Config>;
  /** How far the service's clock is ahead; given, the daemon is not to believe its own. */
  readonly serviceAheadMs?: number;
  /** Taken over from an earlier life of the same house. */
  readonly dir?: TempDir;
}

/** A log line of the daemon. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn";
  readonly facts: object;
  readonly text: string;
}

/** The whole daemon against the simulator, with a real broker, a real database and a clock that is moved by hand. */
export class TestDaemon implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly simulator: Simulator;
  readonly dir: TempDir;
  readonly log: LogLine[] = [];
  serviceAheadMs: number;
  readonly #ownsDir: boolean;
  readonly #simulatedTime: boolean;
  #daemon: Daemon | null = null;
  #watcher: TopicWatcher | null = null;

  private constructor(clock: ManualClock, simulator: Simulator, options: TestDaemonOptions) {
    this.clock = clock;
    this.simulator = simulator;
    this.dir = options.dir ?? new TempDir();
    this.serviceAheadMs = options.serviceAheadMs ?? 0;
    this.#ownsDir = options.dir === undefined;
    this.#simulatedTime = options.serviceAheadMs === undefined;
  }

  static async start(options: TestDaemonOptions): Promise<TestDaemon> {
    const clock = new ManualClock(options.start);
    let house: TestDaemon | null = null;
    const now = () => clock.now() + (house?.serviceAheadMs ?? 0);
    const simulator = await startSimulator({ ...options.simulator, now });
    house = new TestDaemon(clock, simulator, options);
    await house.startDaemon(options.config);
    return house;
  }

  get daemon(): Daemon {
    if (!this.#daemon) throw new Error("the daemon of this house is stopped");
    return this.#daemon;
  }

  get watcher(): TopicWatcher {
    if (!this.#watcher) throw new Error("nobody listens to this house");
    return this.#watcher;
  }

  async startDaemon(overrides: Partial<Config> = {}): Promise<void> {
    const basics = {
      service: { base_url: this.simulator.url },
      consumer: { api_key: this.simulator.keys.consumerKey ?? "no-key" },
      broker: { host: "127.0.0.1", port: 0 },
      api: { host: "127.0.0.1", port: 0, keys: [{ name: "test", key: LAN_KEY }] },
      data_dir: this.dir.path,
    };
    const config = configSchema.parse({ ...basics, ...overrides });
    const note = (level: LogLine["level"]) => (facts: object, text: string) =>
      void this.log.push({ level, facts, text });
    const log = { debug: note("debug"), info: note("info"), warn: note("warn") };
    this.#daemon = await startDaemon({
      config,
      clock: this.clock,
      simulatedTime: this.#simulatedTime,
      log,
      random: () => 0.5,
      anonymousBroker: true,
    });
    if (this.#daemon.brokerPort !== null) this.#watcher = await TopicWatcher.on(this.#daemon.brokerPort);
  }

  async stopDaemon(): Promise<void> {
    await this.#watcher?.[Symbol.asyncDispose]();
    await this.#daemon?.stop();
    this.#watcher = null;
    this.#daemon = null;
  }

  /** Asks the LAN API with the key of the test. */
  ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.daemon.apiPort}${path}`, {
      headers: { authorization: `Bearer ${LAN_KEY}`, ...headers },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopDaemon();
    await this.simulator.close();
    if (this.#ownsDir) this.dir[Symbol.dispose]();
  }
}
