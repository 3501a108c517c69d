import { writeFileSync } from "node:fs";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { DaemonProcess } from "./daemon-process.ts";
import { TempDir } from "./temp-dir.ts";

/** A service of its own and a configuration for it, on free ports. */
export class ConfiguredHouse implements AsyncDisposable {
  readonly dir = new TempDir();
  readonly simulator: Simulator;
  readonly config: string;

  private constructor(simulator: Simulator, more: string) {
    this.simulator = simulator;
    this.config = this.dir.file("elbro.yaml");
    const { consumerKey, thirdParty } = simulator.keys;
    writeFileSync(
      this.config,
      `service: { base_url: "${simulator.url}" }
consumer: { api_key: "${consumerKey}" }
third_party: { api_key: "${thirdParty.apiKey}", api_secret: "${thirdParty.apiSecret}" }
api: { host: 127.0.0.1, port: 0, keys: [{ name: test, key: test }] }
broker: { host: 127.0.0.1, port: 0, users: [{ name: test, password: test }] }
data_dir: "${this.dir.file("data")}"
${more}`,
      { mode: 0o600 },
    );
  }

  static async start(more = ""): Promise<ConfiguredHouse> {
    return new ConfiguredHouse(await startSimulator({ now: Date.now }), more);
  }

  /** Runs a command to its end. */
  async run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
    await using command = new DaemonProcess(args, { ELBRO_CONFIG: this.config });
    return { code: await command.exit, output: command.output };
  }

  async daemon(): Promise<DaemonProcess> {
    const daemon = new DaemonProcess([], { ELBRO_CONFIG: this.config });
    await daemon.line(/broker connected/);
    // A command waits for a daemon that has its data directory and does not answer yet.
    await this.run("addresses");
    return daemon;
  }

  get requests(): number {
    return this.simulator.answered().length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.simulator.close();
    this.dir[Symbol.dispose]();
  }
}
