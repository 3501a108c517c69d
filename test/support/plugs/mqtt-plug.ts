import mqtt, { type MqttClient } from "mqtt";
import { EmulatedPlug } from "./emulated-plug.ts";
import { type BrokerFamily, type Firmware, firmwares, type Said } from "./firmware-emulators.ts";

export interface MqttPlugOptions {
  readonly now: () => number;
  readonly powerOn?: "off" | "last" | "on";
  readonly on?: boolean;
}

/** Emulated plug that is a client of a real broker. It uses only the topics of its family. */
export class MqttPlug implements AsyncDisposable {
  readonly firmware: Firmware;
  readonly device: EmulatedPlug;
  /** Number of incoming messages that it loses next. */
  loses = 0;
  /** Number of outgoing messages that it loses next. */
  mute = 0;
  /** Commands received, and whether they were retained. */
  readonly got: { readonly topic: string; readonly payload: string; readonly retained: boolean }[] = [];
  readonly #now: () => number;
  #client: MqttClient | null = null;

  constructor(family: BrokerFamily, { now, powerOn = "off", on = false }: MqttPlugOptions) {
    this.firmware = firmwares[family];
    this.device = new EmulatedPlug(this.firmware, { powerOn, on });
    this.#now = now;
  }

  /** Connects as the device does: subscribes and publishes its availability and state. */
  async connect(port: number, login: { readonly username?: string; readonly password?: string } = {}): Promise<void> {
    if (this.#client || !this.device.powered) return;
    const { topic, payload, retain } = this.firmware.offline;
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
      clientId: `plug-${this.firmware.setup.family}`,
      protocolVersion: 4,
      ...login,
      reconnectPeriod: 0,
      will: { topic, payload: Buffer.from(payload), retain, qos: 1 },
    });
    this.#client = client;
    client.on("message", (name, bytes, packet) => this.#take(name, bytes.toString(), packet.retain));
    client.on("error", () => undefined);
    client.on("close", () => {
      if (this.#client === client) this.#client = null;
    });
    await client.subscribeAsync([...this.firmware.listens], { qos: 1 });
    this.#say(this.device.birth());
  }

  /** Cuts the power: the connection breaks without a disconnect. */
  losePower(): void {
    this.device.losePower();
    this.disconnect();
  }

  /** Boots and connects to a broker. */
  async getPower(port: number): Promise<void> {
    this.device.getPower(this.#now());
    await this.connect(port);
  }

  /** Breaks the network connection. */
  disconnect(): void {
    const client = this.#client;
    this.#client = null;
    client?.stream.destroy();
  }

  press(): void {
    this.#say(this.device.press(this.#now()));
  }

  /** Runs the device's timer until the current time. */
  tick(): void {
    this.#say(this.device.tick(this.#now()));
  }

  /** Retains an ON on the plug's command topic, as another client. */
  async leaveForeignCommand(port: number): Promise<void> {
    const { topic, payload } = this.firmware.foreignOn;
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 4 });
    await client.publishAsync(topic, payload, { qos: 1, retain: true });
    await client.endAsync();
  }

  #take(topic: string, payload: string, retained: boolean): void {
    const { topic: foreignTopic, payload: foreign } = this.firmware.foreignOn;
    // The daemon never sends this payload to a plug with a timer.
    const isForeign = topic === foreignTopic && payload === foreign && (retained || this.firmware.hasTimer);
    if (!isForeign && this.loses > 0) {
      this.loses--;
      return;
    }
    this.got.push({ topic, payload, retained });
    this.#say(this.device.receive(topic, payload, this.#now(), isForeign ? "foreign" : "command"));
  }

  #say(list: readonly Said[]): void {
    for (const { topic, payload, retain } of list) {
      const isState = topic !== this.firmware.online.topic;
      if (isState && this.mute > 0) this.mute--;
      else this.#client?.publish(topic, payload, { qos: 1, retain });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client?.endAsync(true);
  }
}
