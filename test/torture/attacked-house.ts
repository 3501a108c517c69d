/** The built program with its own flags, a plug that it switches, and everything that sends it text. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";
import { type EmbeddedBroker, startEmbeddedBroker } from "../../src/mqtt/broker/embedded-broker.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import { EmulatedHomeAssistant } from "../support/home/emulated-home-assistant.ts";
import { MqttPlug } from "../support/plugs/mqtt-plug.ts";
import type { DaemonProcess } from "../support/processes/daemon-process.ts";
import { InstalledDaemon } from "../support/processes/installed-daemon.ts";
import { START_ENVIRONMENT } from "../support/processes/node-flags.ts";
import { limitMemory, removeGroup } from "./memory-limit.ts";

const LOGIN = { username: "owner", password: "owner" };
export const STRANGER = { username: "stranger", password: "stranger" };
/** Address of the attacker, which differs from the owner's. */
export const ELSEWHERE = "127.0.0.2";
const LIMITS = { requests_per_minute: 1_000_000, requests_per_day: 100_000_000 };
/** Time in which the first prices arrive, and a switch command must. */
const FIRST_PRICES_MS = 60_000;
const SWITCHED_MS = 5_000;
/** After this time a plug that was not switched is given up. */
const GIVEN_UP_MS = 20_000;
const SENT_MS = 10_000;
/** Memory of a small machine, beyond which its system would end the program. */
const MEMORY_BYTES = 256 * 1_024 * 1_024;

export type Text = string | Buffer;

export class AttackedHouse implements AsyncDisposable {
  readonly installed: InstalledDaemon;
  readonly homeAssistant: EmulatedHomeAssistant;
  /** Body of every answer of the service; null while the simulator answers. */
  serviceText: Text | null = null;
  serviceAnswers = 0;
  readonly #service: Server;
  readonly #broker: EmbeddedBroker;
  readonly #plug = new MqttPlug("tasmota", { now: Date.now });
  #daemon: DaemonProcess | null = null;
  #port = 0;
  #isOn = false;
  #hasEnded = false;
  #isLimited = false;

  private constructor(installed: InstalledDaemon, broker: EmbeddedBroker, homeAssistant: EmulatedHomeAssistant) {
    this.installed = installed;
    this.#broker = broker;
    this.homeAssistant = homeAssistant;
    this.#service = createServer(
      (request, response) => void this.#answer(request.url ?? "/", request.headers, response),
    );
  }

  /** Starts the program once, until it has prices. */
  static async start(broker: "own" | "other"): Promise<AttackedHouse> {
    const other = await startEmbeddedBroker({
      ...{ host: "127.0.0.1", port: 0, users: [], anonymous: true, baseTopic: "nobody", discoveryPrefix: "nobody" },
      ...{ onRefused: () => undefined, onConnectionRefused: () => undefined },
    });
    const installed = await InstalledDaemon.prepare({ simulator: { homes: ["danish"] } });
    const house = new AttackedHouse(installed, other, await EmulatedHomeAssistant.start());
    await new Promise<void>((resolve) => house.#service.listen(0, "127.0.0.1", resolve));
    await house.launch(broker, 1);
    const began = performance.now();
    while (!(await house.#isPriced())) {
      if (performance.now() - began > FIRST_PRICES_MS) throw new Error("no prices");
      await pause(100);
    }
    return house;
  }

  /** Ends the program if it runs, and starts it. It asks the service for the given months. */
  async launch(broker: "own" | "other", months: number): Promise<void> {
    await this.stop();
    // Runs only by command: no price is that low.
    const plan = { home: "home", kind: "window", hours: 1, from: "12:00", ready_by: "12:00", max_price: -10 };
    this.installed.configure({
      service: { base_url: `http://127.0.0.1:${(this.#service.address() as AddressInfo).port}` },
      api: {
        host: "127.0.0.1",
        port: 0,
        keys: [{ name: "test", key: LAN_KEY, scopes: ["control", "admin"] }],
        ...LIMITS,
      },
      ...(broker === "other"
        ? { mqtt: { url: `mqtt://127.0.0.1:${this.#broker.port}` }, broker: undefined }
        : {
            broker: {
              ...{ host: "127.0.0.1", port: 0 },
              users: [
                { name: LOGIN.username, password: LOGIN.password, commands: true },
                { name: STRANGER.username, password: STRANGER.password },
              ],
            },
          }),
      plans: [
        { name: "Heater", ...plan },
        { name: "Kitchen", ...plan },
      ],
      plugs: [
        { name: "Heater", family: "tasmota", topic: "heater", plan: "heater" },
        { name: "Kitchen", family: "zigbee2mqtt", topic: "Kitchen plug", plan: "kitchen" },
      ],
      home_assistant: { url: this.homeAssistant.url, token: this.homeAssistant.token },
      history: { months },
    });
    this.#hasEnded = false;
    const daemon = await this.installed.launch(START_ENVIRONMENT);
    this.#daemon = daemon;
    this.#isLimited = limitMemory(daemon.pid, MEMORY_BYTES);
    void daemon.exit.then(() => {
      removeGroup(daemon.pid);
      if (this.#daemon === daemon) this.#hasEnded = true;
    });
    this.#port = broker === "other" ? this.#broker.port : await this.#daemon.brokerPort();
    await this.#plug.connect(this.#port, this.#login(LOGIN));
  }

  async stop(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = null;
    this.#plug.disconnect();
    await daemon?.end("SIGTERM");
  }

  /** Whether the system ends the program if it has more than MEMORY_BYTES. */
  get isLimited(): boolean {
    return this.#isLimited;
  }

  /** True if the program has ended by itself. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get output(): string {
    return this.#daemon?.output ?? "";
  }

  get brokerPort(): number {
    return this.#port;
  }

  /** Returns the resident memory in MB now, and the highest since the last `forgetPeak`. */
  memory(): { readonly nowMb: number; readonly peakMb: number } {
    const status = readFileSync(`/proc/${this.#daemon?.pid}/status`, "utf8");
    const mb = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_024;
    return { nowMb: mb("VmRSS"), peakMb: mb("VmHWM") };
  }

  /** Source: proc(5), clear_refs: 5 resets the peak of the resident memory. */
  forgetPeak(): void {
    writeFileSync(`/proc/${this.#daemon?.pid}/clear_refs`, "5");
  }

  /** Switches the plug with a command of the owner. Returns the time in ms until the plug has switched. */
  async switchPlug(): Promise<number> {
    this.#isOn = !this.#isOn;
    const began = performance.now();
    await this.publish(`elbro/home/plan/heater/${this.#isOn ? "run_now" : "stop"}/set`, "PRESS", { login: LOGIN });
    while (this.#plug.device.on !== this.#isOn && performance.now() - began < GIVEN_UP_MS && !this.#hasEnded)
      await pause(10);
    return performance.now() - began;
  }

  static isLate(tookMs: number): boolean {
    return tookMs > SWITCHED_MS;
  }

  /** Publishes a message. Resolves when the broker has it, has closed the connection, or after 10 s. */
  async publish(topic: string, payload: Text, { login = STRANGER, retain = false } = {}): Promise<void> {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${this.#port}`, {
      ...this.#login(login),
      ...{ protocolVersion: 4, reconnectPeriod: 0 },
    });
    client.on("error", () => undefined);
    const published = client.publishAsync(topic, payload, { qos: 1, retain }).catch(() => undefined);
    await Promise.race([
      published,
      new Promise((resolve) => client.once("close", () => resolve(null))),
      pause(SENT_MS),
    ]);
    await client.endAsync(true);
  }

  /** Sends a request of the owner. Returns the status; null if the connection ends. */
  async request(place: string, type: string, body: Text): Promise<number | null> {
    const url = `http://127.0.0.1:${await this.#daemon?.apiPort()}${place}`;
    const headers = { authorization: `Bearer ${LAN_KEY}`, "content-type": type };
    const answer = fetch(url, { method: "POST", headers, body: body as string, signal: AbortSignal.timeout(SENT_MS) });
    return answer.then(
      async (given) => {
        await given.arrayBuffer();
        return given.status;
      },
      () => null,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.homeAssistant.down();
    await this.#broker.close();
    this.#service.closeAllConnections();
    this.#service.close();
    await this.installed[Symbol.asyncDispose]();
  }

  /** The other broker has no users, and knows no login. */
  #login(login: typeof LOGIN): Partial<typeof LOGIN> {
    return this.#port === this.#broker.port ? {} : login;
  }

  async #isPriced(): Promise<boolean> {
    const url = `http://127.0.0.1:${await this.#daemon?.apiPort()}/local/v1/now`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${LAN_KEY}` } });
    const { homes } = (await answer.json()) as { homes: { price: number | null }[] };
    return homes.length > 0 && homes.every(({ price }) => price !== null);
  }

  async #answer(
    url: string,
    headers: NodeJS.Dict<string | string[]>,
    response: import("node:http").ServerResponse,
  ): Promise<void> {
    if (this.serviceText !== null) {
      this.serviceAnswers++;
      response.writeHead(200, { "content-type": "application/json" }).end(this.serviceText);
      return;
    }
    const { host: _, connection: __, ...sent } = headers;
    const answer = await fetch(`${this.installed.simulator.url}${url}`, { headers: sent as Record<string, string> });
    const passed = [...answer.headers].filter(
      ([key]) => !/^(connection|keep-alive|transfer-encoding|content-length)$/.test(key),
    );
    response.writeHead(answer.status, Object.fromEntries(passed)).end(Buffer.from(await answer.arrayBuffer()));
  }
}
