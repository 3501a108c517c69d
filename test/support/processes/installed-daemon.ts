import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { askSocket } from "../../../src/api/socket.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../src/simulator/simulator.ts";
import { compareRequests } from "../daemon/request-oracle.ts";
import { LAN_KEY, SHORT_HISTORY } from "../daemon/test-config.ts";
import { TempDir } from "../runner/temp-dir.ts";
import { DaemonProcess, type DaemonProcessOptions } from "./daemon-process.ts";

export interface InstalledDaemonOptions {
  /** Options of the simulator. By default its `now` is the system time. */
  readonly simulator?: Partial<SimulatorOptions>;
  /** See `InstalledDaemon.configure`. */
  readonly config?: object;
}

/** Built program with a configuration file, a data directory and a simulator. Runs commands and the daemon. */
export class InstalledDaemon implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly dir = new TempDir();
  readonly configFile: string = this.dir.file("elbro.yaml");
  readonly dataDir: string = this.dir.file("data");
  /** Data directories of all configurations. */
  readonly #dataDirs = new Set<string>();

  private constructor(simulator: Simulator) {
    this.simulator = simulator;
  }

  static async prepare({ simulator, config = {} }: InstalledDaemonOptions): Promise<InstalledDaemon> {
    const installed = new InstalledDaemon(await startSimulator({ now: Date.now, ...simulator }));
    installed.configure(config);
    return installed;
  }

  /**
   * Writes the configuration file as JSON, which is valid YAML. `overrides` replace whole top-level keys and may be
   * invalid.
   */
  configure(overrides: object): void {
    const { consumerKey, thirdParty } = this.simulator.keys;
    const config = {
      service: { base_url: this.simulator.url },
      consumer: { api_key: consumerKey },
      third_party: { api_key: thirdParty.apiKey, api_secret: thirdParty.apiSecret },
      api: { host: "127.0.0.1", port: 0, keys: [{ name: "test", key: LAN_KEY }] },
      broker: { host: "127.0.0.1", port: 0, users: [{ name: "test", password: "test" }] },
      history: SHORT_HISTORY,
      data_dir: this.dataDir,
      ...overrides,
    };
    this.#dataDirs.add(String(config.data_dir));
    writeFileSync(this.configFile, JSON.stringify(config), { mode: 0o600 });
  }

  /** Starts the program with this configuration, without waiting. */
  spawn(
    args: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
    options: DaemonProcessOptions = {},
  ): DaemonProcess {
    return new DaemonProcess(args, { ELBRO_CONFIG: this.configFile, ...environment }, options);
  }

  /** Runs a command to its end. Resolves with its exit code and output. */
  async run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
    await using command = this.spawn(args);
    return { code: await command.exit, output: command.output };
  }

  /** Starts the daemon and waits until it is connected to the broker and answers commands. */
  async launch(
    environment: Readonly<Record<string, string>> = {},
    options: DaemonProcessOptions = {},
  ): Promise<DaemonProcess> {
    const daemon = this.spawn([], environment, options);
    await daemon.line(/broker connected/);
    await daemon.line(/API listens/);
    // The socket opens next. Until then a command waits for the data directory.
    for (let isOpen = false; !isOpen && daemon.exitCode === null; await pause(5)) {
      const answer = await askSocket(path.join(this.dataDir, "elbro.sock"), "/local/v1/addresses");
      isOpen = answer !== null;
      answer?.resume();
    }
    return daemon;
  }

  /** Number of requests that reached the service. */
  get requests(): number {
    return this.simulator.answered().length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.simulator.close();
    compareRequests(this.simulator, this.#dataDirs);
    this.dir[Symbol.dispose]();
  }
}
