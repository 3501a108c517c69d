/** Sends commands to devices: with QoS 1, never retained, and never on a later connection. */
import type { IClientPublishOptions, MqttClient } from "mqtt";

export interface CommandSenderOptions {
  readonly client: Pick<MqttClient, "connected" | "publish">;
  /** Whether the broker can be told for how long a message is good. */
  readonly expires: boolean;
  readonly onRefused: (topic: string, error: Error) => void;
}

/**
 * Commands on their way at the same time. Mosquitto lets a client of MQTT 5 have 20 messages on their way; 16 are the
 * publisher's.
 */
export const COMMAND_WINDOW = 4;
/** Commands that wait for the ones before them on the same connection: a few for each plug of a large house. */
const MAX_WAITING = 512;
/**
 * A broker drops a command that it could not deliver for so long (MQTT 5, 3.3.2.3.3): a plug that comes back hours
 * later must not do what was right hours ago. Unit: seconds.
 */
const GOOD_FOR_SEC = 10;

interface Command {
  readonly topic: string;
  readonly payload: string;
}

export class CommandSender {
  readonly #options: CommandSenderOptions;
  /** Bounded by MAX_WAITING, and gone with the connection. */
  readonly #waiting: Command[] = [];
  #onTheWay = 0;

  constructor(options: CommandSenderOptions) {
    this.#options = options;
  }

  /** Sends a command. False where it will not be sent. */
  send(topic: string, payload: string): boolean {
    if (!this.#options.client.connected || this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push({ topic, payload });
    this.#next();
    return true;
  }

  #next(): void {
    const { client, expires, onRefused } = this.#options;
    const options: IClientPublishOptions = {
      qos: 1,
      retain: false,
      ...(expires ? { properties: { messageExpiryInterval: GOOD_FOR_SEC } } : {}),
    };
    while (this.#onTheWay < COMMAND_WINDOW) {
      const command = this.#waiting.shift();
      if (!command || !client.connected) return;
      this.#onTheWay++;
      client.publish(command.topic, command.payload, options, (error) => {
        this.#onTheWay--;
        if (error) onRefused(command.topic, error);
        this.#next();
      });
    }
  }
}
