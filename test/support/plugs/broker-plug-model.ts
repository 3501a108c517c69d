/** The plug model on a real broker, with a manual clock. It has fewer faults than `plug-model`. */
import { setImmediate as turn } from "node:timers/promises";
import mqtt, { type MqttClient as LibraryClient } from "mqtt";
import { MAX_DEAD_MAN_MS, type Wanted } from "../../../src/core/plugs/plug-types.ts";
import { Problems } from "../../../src/core/status/problem.ts";
import { type EmbeddedBroker, startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";
import { MqttClient } from "../../../src/mqtt/client/mqtt-client.ts";
import { PlugManager } from "../../../src/plugs/plug-manager.ts";
import { retainedIn } from "../broker/retained.ts";
import { TestMemory } from "../broker/retaining-port.ts";
import type { BrokerFamily } from "./firmware-emulators.ts";
import { MqttPlug } from "./mqtt-plug.ts";
import { noEnergy, noHttp, noMachine, type Run } from "./plug-model.ts";

/** After this many round trips without a message, all clients are idle. */
const QUIET_ROUND_TRIPS = 5;
const TRUSTED_SKEW_MS = 120_000;
const TRANSIT_MS = 15_000;

interface Life {
  readonly plugs: PlugManager;
  readonly link: MqttClient;
  readonly stop: AbortController;
  readonly cut: () => void;
}

export class BrokerPlugModel implements AsyncDisposable {
  now = 0;
  offsetMs = 0;
  planKnown = true;
  readonly violations: string[] = [];
  readonly plug: MqttPlug;
  readonly #runs: readonly Run[];
  readonly #memory = new Map<string, string>();
  readonly #remembered = new TestMemory();
  #broker: EmbeddedBroker | null = null;
  #watcher: LibraryClient | null = null;
  #heard = 0;
  #life: Life | null = null;
  #lookAtWall = Number.POSITIVE_INFINITY;
  #woken = false;
  #isLineUp = false;
  readonly #waitingForLine = new Set<() => void>();

  private constructor(family: BrokerFamily, powerOn: "off" | "last" | "on", runs: readonly Run[]) {
    this.plug = new MqttPlug(family, { now: () => this.now, powerOn });
    this.#runs = runs;
  }

  static async start(
    family: BrokerFamily,
    powerOn: "off" | "last" | "on",
    runs: readonly Run[],
  ): Promise<BrokerPlugModel> {
    const world = new BrokerPlugModel(family, powerOn, runs);
    await world.startBroker();
    world.startDaemon();
    await world.settle();
    return world;
  }

  get isTrusted(): boolean {
    return Math.abs(this.offsetMs) <= TRUSTED_SKEW_MS;
  }

  get wanted(): Wanted | null {
    if (!this.planKnown) return null;
    const now = this.now + this.offsetMs;
    const run = this.#runs.find(({ start, end }) => start <= now && now < end);
    const next = Math.min(...this.#runs.map(({ start }) => start).filter((start) => start > now));
    return run ? { on: true, until: run.end } : { on: false, until: Number.isFinite(next) ? next : null };
  }

  async startBroker(): Promise<void> {
    if (this.#broker) return;
    const rules = { users: [], anonymous: true, baseTopic: "elbro", discoveryPrefix: "homeassistant" };
    this.#broker = await startEmbeddedBroker({
      ...rules,
      host: "127.0.0.1",
      port: 0,
      onRefused: () => undefined,
      onConnectionRefused: () => undefined,
    });
    this.#watcher = await mqtt.connectAsync(`mqtt://127.0.0.1:${this.#broker.port}`, { protocolVersion: 4 });
    this.#watcher.on("message", (topic) => topic === "quiet" || this.#heard++);
    await this.#watcher.subscribeAsync("#", { qos: 1 });
    await this.plug.connect(this.#broker.port);
  }

  async stopBroker(): Promise<void> {
    const broker = this.#broker;
    this.#broker = null;
    await this.#watcher?.endAsync(true);
    this.plug.disconnect();
    this.#life?.cut();
    this.#isLineUp = false;
    await broker?.close();
  }

  startDaemon(): void {
    if (this.#life) return;
    const stop = new AbortController();
    let cut = () => {};
    const plugs: PlugManager = new PlugManager({
      baseTopic: "elbro",
      plugs: [
        {
          id: "plug",
          name: "Plug",
          override: "enforce",
          inverted: false,
          min_on: 0,
          min_off: 0,
          ...this.plug.firmware.setup,
        },
      ],
      publishOnce: (topic, payload) => link.sendCommand(topic, payload),
      wanted: () => this.wanted,
      whenLost: () => "off",
      openHttp: noHttp,
      ...noMachine,
      energy: noEnergy,
      trusted: () => this.isTrusted,
      memory: {
        read: (name) => this.#memory.get(name) ?? null,
        write: (name, value) => void this.#memory.set(name, value),
      },
      problems: new Problems(() => undefined),
      log: { info: () => undefined },
      wake: () => {
        this.#woken = true;
      },
      onChange: () => undefined,
    });
    const link = new MqttClient(
      {
        open: async () => {
          if (!this.#broker) throw Object.assign(new Error("no broker"), { code: "ECONNREFUSED" });
          const stream = this.#broker.open();
          cut = () => stream.destroy();
          return stream;
        },
        clientId: "elbro_world",
        baseTopic: "elbro",
        discoveryPrefix: "homeassistant",
        commands: {},
        memory: this.#remembered,
        log: { info: () => undefined, warn: () => undefined },
        random: () => 0,
      },
      stop.signal,
    );
    link.addListener({
      subscriptions: plugs.subscriptions,
      onMessage: (arrival) => plugs.onMessage(arrival),
      onUp: () => {
        plugs.onUp();
        if (this.#life?.plugs === plugs) this.#setLine(true);
      },
      onDown: () => {
        plugs.onDown();
        if (this.#life?.plugs === plugs) this.#setLine(false);
      },
    });
    this.#isLineUp = false;
    this.#life = { plugs, link, stop, cut: () => cut() };
    this.#lookAtWall = Number.NEGATIVE_INFINITY;
  }

  /** Stops without a disconnect, like kill -9. */
  async crashDaemon(): Promise<void> {
    const life = this.#life;
    this.#life = null;
    life?.cut();
    life?.stop.abort();
    await life?.link.closed;
  }

  async getPower(): Promise<void> {
    if (this.#broker) await this.plug.getPower(this.#broker.port);
    else this.plug.device.getPower(this.now);
  }

  async leaveForeignCommand(): Promise<void> {
    if (this.#broker) await this.plug.leaveForeignCommand(this.#broker.port);
  }

  /** Ends all faults. */
  async endFaults(): Promise<void> {
    this.offsetMs = 0;
    this.planKnown = true;
    this.plug.loses = 0;
    this.plug.mute = 0;
    await this.startBroker();
    this.startDaemon();
    await this.getPower();
    // When it reconnects, the plug reports a manual change from its offline time.
    this.plug.disconnect();
    if (this.#broker) await this.plug.connect(this.#broker.port);
    this.#woken = true;
    await this.settle();
  }

  /** Advances time from one event to the next. */
  async advance(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      const wall = this.#life ? this.#lookAtWall - this.offsetMs : Number.POSITIVE_INFINITY;
      const next = Math.max(this.now, Math.min(wall, this.plug.device.timerAt ?? end, end));
      this.#judge(next);
      this.now = next;
      this.plug.tick();
      await this.settle();
      if (next >= end) return;
    }
  }

  /** Waits until all clients are idle. */
  async settle(): Promise<void> {
    if (this.#life && this.#broker) await this.#lineUp();
    for (let quiet = 0; quiet < QUIET_ROUND_TRIPS; quiet++) {
      const heard = this.#heard;
      if (this.#life && (this.#woken || this.#lookAtWall <= this.now + this.offsetMs)) {
        this.#woken = false;
        this.#lookAtWall = this.#life.plugs.tick(this.now + this.offsetMs);
        quiet = 0;
      }
      await this.#watcher?.publishAsync("quiet", "", { qos: 1 }).catch(() => undefined);
      await turn();
      if (heard !== this.#heard) quiet = 0;
    }
  }

  #setLine(up: boolean): void {
    this.#isLineUp = up;
    if (up) for (const resolve of [...this.#waitingForLine]) resolve();
  }

  /** Waits until the daemon's client has reconnected. */
  #lineUp(): Promise<void> {
    if (this.#isLineUp) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#waitingForLine.delete(done);
        resolve();
      };
      this.#waitingForLine.add(done);
    });
  }

  /** Returns the command topics of the plug that have a retained message. */
  async keptCommands(): Promise<string[]> {
    const kept = Object.keys(this.#broker ? await retainedIn(this.#broker.port) : {});
    return kept.filter((topic) => this.plug.firmware.listens.includes(topic));
  }

  #judge(until: number): void {
    const { device, firmware } = this.plug;
    const begun = this.#runs.filter(({ start }) => start <= this.now + TRUSTED_SKEW_MS);
    const lastEnd = Math.max(0, ...begun.map(({ end }) => end));
    if (
      firmware.hasTimer &&
      device.isLive &&
      device.cause === "command" &&
      until > lastEnd + MAX_DEAD_MAN_MS + TRUSTED_SKEW_MS + TRANSIT_MS
    )
      this.violations.push(`${until / 1_000} s: ON after its run and its dead-man`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.crashDaemon();
    await this.plug[Symbol.asyncDispose]();
    await this.stopBroker();
  }
}
