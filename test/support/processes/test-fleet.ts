import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { AccountFiles } from "../../../src/config/reading/account-files.ts";
import { readAccount } from "../../../src/config/reading/load.ts";
import type { Config } from "../../../src/config/schema/schema.ts";
import type { EpochMs } from "../../../src/core/time/interval.ts";
import type { Daemon } from "../../../src/daemon.ts";
import { demoHomes, homeOfAccount } from "../../../src/simulator/homes.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../src/simulator/simulator.ts";
import { Mosquitto } from "../broker/mosquitto.ts";
import { TopicWatcher } from "../broker/topic-watcher.ts";
import { ManualClock } from "../clock/manual-clock.ts";
import { startInProcess } from "../daemon/in-process-daemon.ts";
import { configFor, LAN_KEY } from "../daemon/test-config.ts";
import { TempDir } from "../runner/temp-dir.ts";

export interface TestFleetOptions {
  readonly start: EpochMs;
  /** Number of accounts that the simulator knows; `writeAccount` writes the file of one. */
  readonly accounts: number;
  readonly simulator?: Omit<SimulatorOptions, "now" | "accounts">;
}

/** Several shards in this process, with one Mosquitto, simulator, accounts folder and manual clock. */
export class TestFleet implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly simulator: Simulator;
  readonly broker: Mosquitto;
  readonly watcher: TopicWatcher;
  readonly dir = new TempDir();
  readonly folder = this.dir.file("accounts");
  readonly log: string[] = [];
  #shards: { readonly daemon: Daemon; readonly files: AccountFiles; readonly config: Config }[] = [];

  private constructor(clock: ManualClock, simulator: Simulator, broker: Mosquitto, watcher: TopicWatcher) {
    this.clock = clock;
    this.simulator = simulator;
    this.broker = broker;
    this.watcher = watcher;
    mkdirSync(this.folder);
  }

  /** Writes a file for each account. No shard runs before `start`. */
  static async open({ start, accounts, simulator: options }: TestFleetOptions): Promise<TestFleet> {
    const clock = new ManualClock(start);
    const simulator = await startSimulator({ homes: ["danish"], ...options, accounts, now: () => clock.now() });
    const broker = await Mosquitto.start();
    const fleet = new TestFleet(clock, simulator, broker, await TopicWatcher.on(broker.port));
    for (let number = 1; number <= accounts; number++) fleet.writeAccount(number);
    return fleet;
  }

  /** Writes the file of an account. An object in `more` replaces keys; a string replaces the whole text. */
  writeAccount(number: number, more: object | string = {}): void {
    const text = typeof more === "string" ? more : JSON.stringify({ ...this.account(number), ...more }, null, 1);
    writeFileSync(path.join(this.folder, `a${number}.yaml`), text);
  }

  removeAccount(number: number): void {
    rmSync(path.join(this.folder, `a${number}.yaml`));
  }

  account(number: number) {
    const { consumerKey } = this.simulator.keys;
    const home = number === 1 ? demoHomes.danish : homeOfAccount(demoHomes.danish, number);
    return {
      api_key: number === 1 ? consumerKey : `${consumerKey}-${number}`,
      homes: [{ address_id: home.address.id, id: `house-${number}` }],
      plans: [{ name: "Car", id: `car-${number}`, home: `house-${number}`, kind: "slots", hours: 2 }],
    };
  }

  /** Starts all shards. Each uses the data directory of the previous shard with the same number. */
  async start(count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      const files = new AccountFiles((text) => readAccount(text, () => ""));
      const { consumer: _none, ...basics } = configFor(this.simulator, this.dir.file(`shard-${index}`), {
        mqtt: { url: `mqtt://127.0.0.1:${this.broker.port}` },
      });
      const config = { ...basics, accounts_dir: this.folder, shard: { index, count } };
      const note = (facts: object, text: string) => void this.log.push(`${index}: ${text} ${JSON.stringify(facts)}`);
      const daemon = await startInProcess({
        ...{ config: files.join(config).config, clock: this.clock },
        log: { debug: () => undefined, info: note, warn: note },
      });
      this.#shards.push({ daemon, files, config });
    }
  }

  async reload(): Promise<void> {
    for (const { daemon, files, config } of this.#shards) await daemon.reload(async () => files.join(config).config);
  }

  async stop(): Promise<void> {
    for (const { daemon } of this.#shards.splice(0)) await daemon.stop();
  }

  /** Returns the first shard's response to a LAN request. */
  request(request: string): Promise<Response> {
    const headers = { authorization: `Bearer ${LAN_KEY}` };
    const port = this.#shards[0]?.daemon.apiPort;
    return fetch(`http://127.0.0.1:${port}${request}`, { headers });
  }

  /** Runs the clock, minute by minute, until `holds` returns true. Rejects after `minutes` minutes. */
  async until(holds: () => boolean, what: string, minutes = 60): Promise<void> {
    for (let i = 0; i < minutes; i++) {
      if (holds()) return;
      await this.clock.runUntil(this.clock.now() + 60_000);
    }
    throw new Error(`not within ${minutes} minutes: ${what}`);
  }

  /**
   * Returns the availability topic of the shard that publishes the home's discovery document; null without a document.
   */
  shardOfHome(number: number): string | null {
    const document = this.watcher.json(`homeassistant/device/elbro_house-${number}/config`);
    const [first] = (document.availability ?? []) as { readonly topic: string }[];
    return first?.topic ?? null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.watcher[Symbol.asyncDispose]();
    await this.broker[Symbol.asyncDispose]();
    await this.simulator.close();
    this.dir[Symbol.dispose]();
  }
}
