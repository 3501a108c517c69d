import type { Text } from "../../../src/core/language/text.ts";
import type { KeyValue } from "../../../src/core/runtime/key-value.ts";
import type { CommandTable } from "../../../src/mqtt/client/commands.ts";
import type { RetainedMessage } from "../../../src/mqtt/client/message.ts";
import { MqttClient } from "../../../src/mqtt/client/mqtt-client.ts";
import { type BrokerAddress, openBrokerStream } from "../../../src/mqtt/client/transport.ts";
import { loopMs } from "../runner/loop-time.ts";
import { HANG_MS } from "../runner/time-limits.ts";
import { TestMemory } from "../storage/test-memory.ts";

export interface TestMqttClientOptions extends Omit<BrokerAddress, "url"> {
  /** A URL, or the port of a broker of this machine. */
  readonly to: string | number;
  readonly discoveryPrefix?: string;
  readonly username?: string;
  readonly password?: string;
  readonly clientId?: string;
  readonly baseTopic?: string;
  readonly commands?: CommandTable;
  readonly memory?: KeyValue;
}

/** The daemon's MQTT client without the rest of the daemon. */
export class TestMqttClient implements AsyncDisposable {
  readonly lines: Readonly<{ text: string; facts: { readonly reason?: string; readonly topic?: string } }>[] = [];
  attempts = 0;
  readonly #stop = new AbortController();
  readonly link: MqttClient;
  readonly #waiting = new Set<() => void>();

  constructor(options: TestMqttClientOptions) {
    const { to, ca, cert, key } = options;
    const url = typeof to === "number" ? `mqtt://127.0.0.1:${to}` : to;
    const note = (facts: object, text: string) => {
      this.lines.push({ text, facts });
      for (const look of [...this.#waiting]) look();
    };
    this.link = new MqttClient(
      {
        open: (signal) => {
          this.attempts++;
          return openBrokerStream({ url, ca, cert, key }, signal);
        },
        username: options.username,
        password: options.password,
        clientId: options.clientId ?? "elbro_test",
        baseTopic: options.baseTopic ?? "elbro",
        discoveryPrefix: options.discoveryPrefix ?? "homeassistant",
        commands: options.commands ?? {},
        memory: options.memory ?? new TestMemory(),
        log: { info: note, warn: note },
        random: () => 0,
      },
      this.#stop.signal,
    );
  }

  show(messages: readonly RetainedMessage[]): void {
    this.link.retained.show(messages);
  }

  /** What the broker refuses now. */
  get refused(): ReadonlyMap<string, Text> {
    return this.link.status().refused;
  }

  publishOnce(topic: string, payload: string): boolean {
    return this.link.sendCommand(topic, payload);
  }

  /** Publishes one payload per topic. */
  showStates(states: Readonly<Record<string, string>>): void {
    this.show(Object.entries(states).map(([topic, payload]) => ({ topic, payload })));
  }

  /** Returns the reasons of failed connections, in order. */
  reasons(): string[] {
    return this.lines.flatMap(({ text, facts }) => (text === "broker not connected" ? [facts.reason ?? ""] : []));
  }

  /** Waits until a line was logged for the nth time. Rejects after `HANG_MS`. */
  async logged(text: string, times = 1): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (this.lines.filter((line) => line.text === text).length < times) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`not logged: ${text}; but ${JSON.stringify(this.lines)}`));
      }, HANG_MS);
      this.#waiting.add(look);
      look();
    });
  }

  up(times = 1): Promise<void> {
    return this.logged("broker connected", times);
  }

  /** Waits until the client has found the port closed. */
  async closed(): Promise<void> {
    while (!this.reasons().at(-1)?.includes("nothing listens there"))
      await this.logged("broker not connected", this.reasons().length + 1);
  }

  /** Returns the reason of the first failed connection. */
  async firstReason(): Promise<string> {
    await this.logged("broker not connected");
    return this.reasons()[0] ?? "";
  }

  /** Stops the client. Returns the time it took in ms, as `loopMs` counts it. */
  stop(): Promise<number> {
    this.#stop.abort();
    return loopMs(this.link.closed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
