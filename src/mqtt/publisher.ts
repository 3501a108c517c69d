/**
 * Publishes what changed, retained. Nothing waits in line while the broker is away: what is wanted is kept as one value
 * per topic, and published whole on the next connection.
 */
import type { Message } from "./message.ts";

/** A connection as the publisher needs it: `acknowledged` is called when the broker has the message. */
export interface PublishPort {
  publish(topic: string, payload: string, acknowledged: () => void): void;
}

/**
 * Messages on their way at the same time. Mosquitto lets a client of MQTT 5 have 20; a window of one would cost 41 ms
 * a message, since it answers late to a publisher that waits.
 */
const WINDOW = 16;

export class Publisher {
  /** The wanted state, by topic. Bounded by the topics of the house. */
  readonly #wanted = new Map<string, string>();
  /** Topics whose wanted state the broker has not been sent yet. */
  readonly #unsent = new Set<string>();
  #port: PublishPort | null = null;
  #onTheWay = 0;

  /** Sets the wanted payload of topics and sends those that differ from before, and the heartbeats. */
  show(messages: readonly Message[]): void {
    for (const { topic, payload, heartbeat } of messages) {
      if (!heartbeat && this.#wanted.get(topic) === payload) continue;
      this.#wanted.set(topic, payload);
      if (this.#port) this.#unsent.add(topic);
    }
    this.#send();
  }

  /** A broker is there: everything wanted is sent to it. */
  attach(port: PublishPort): void {
    this.#port = port;
    this.#onTheWay = 0;
    for (const topic of this.#wanted.keys()) this.#unsent.add(topic);
    this.#send();
  }

  /** The broker is gone. */
  detach(): void {
    this.#port = null;
    this.#unsent.clear();
  }

  #send(): void {
    const port = this.#port;
    for (const topic of this.#unsent) {
      if (!port || this.#onTheWay >= WINDOW) return;
      this.#unsent.delete(topic);
      this.#onTheWay++;
      port.publish(topic, this.#wanted.get(topic) ?? "", () => {
        if (port !== this.#port) return;
        this.#onTheWay--;
        this.#send();
      });
    }
  }
}
