/**
 * Memory of the embedded broker, used by aedes as its `persistence`: retained messages, and QoS 2 handshakes of
 * connected clients.
 * Nothing is kept for a disconnected client, whose queue would grow until it reconnects, if ever. So a session never
 * outlives its connection, and queued messages are never delivered late.
 *
 * It also adds what aedes 2.0.0-beta.1 lacks of 1.2.0. It limits unfinished QoS 2 messages and drops them at a
 * disconnect. It does not reject a second PUBREL, because the rejection ended the process.
 * Source: README of aedes-persistence 10, "API"; aedes 1.2.0, lib/handlers/publish.js and pubrel.js.
 */
import { Readable } from "node:stream";
import type { AedesPublishPacket, AuthorizeForwardHandler, Client } from "aedes";
import { levelsAt } from "../client/commands.ts";

/** Maximum number of unfinished QoS 2 messages of a client. Also sent to MQTT 5 clients as Receive Maximum. */
export const MAX_UNFINISHED = 20;

type Retained = Pick<AedesPublishPacket, "qos" | "payload" | "properties"> & { readonly messageExpiry?: number };

/** Payload of a topic that was cleared while its message waited to be sent. */
const EMPTIED = Buffer.alloc(0);

/** Skips a message whose topic was cleared before it was sent. */
export const forwardNonEmpty: AuthorizeForwardHandler = (_client, packet) =>
  packet.payload === EMPTIED ? null : packet;

export class BrokerMemory {
  /** Messages by topic. Bounded by `client-retained.ts` and the topics of the daemon. */
  readonly #retained = new Map<string, Retained>();
  /** Message ids of unfinished QoS 2 messages, by client. */
  readonly #unfinished = new WeakMap<Client, Set<number | undefined>>();

  async setup(): Promise<void> {}

  async storeRetained({ topic, qos, payload, properties, messageExpiry }: Retained & { readonly topic: string }) {
    // A copy, because the payload is part of a larger buffer that was read from a socket.
    const copy = { qos, payload: Buffer.from(payload), properties, messageExpiry };
    if (payload.length === 0) this.#retained.delete(topic);
    else this.#retained.set(topic, copy as Retained);
  }

  /**
   * Returns the retained messages of each filter in turn. aedes reads messages before it sends them. A message
   * published in between is sent at once, and the older one after it. So a message reads its content only when it is
   * sent.
   */
  createRetainedStreamCombi(filters: readonly string[]): Readable {
    const topics = filters.flatMap((filter) =>
      /[+#]/.test(filter)
        ? [...this.#retained.keys()].filter((topic) => levelsAt(filter, topic))
        : this.#retained.has(filter)
          ? [filter]
          : [],
    );
    return Readable.from(topics.map((topic) => this.#asSent(topic)));
  }

  #asSent(topic: string) {
    const newest = () => this.#retained.get(topic);
    return {
      cmd: "publish",
      topic,
      get qos() {
        return newest()?.qos ?? 0;
      },
      get payload() {
        return newest()?.payload ?? EMPTIED;
      },
      get properties() {
        return newest()?.properties;
      },
      get messageExpiry() {
        return newest()?.messageExpiry;
      },
    };
  }

  async incomingStorePacket(client: Client, { messageId }: AedesPublishPacket): Promise<void> {
    const ids = this.#unfinished.get(client) ?? new Set();
    this.#unfinished.set(client, ids);
    if (ids.size >= MAX_UNFINISHED) throw new Error("too many unfinished messages of QoS 2");
    ids.add(messageId);
  }

  /** Rejects if no unfinished message has this id. */
  async incomingGetPacket(client: Client, packet: AedesPublishPacket): Promise<AedesPublishPacket> {
    if (!this.#unfinished.get(client)?.has(packet.messageId)) throw new Error("no such message");
    return packet;
  }

  async incomingDelPacket(client: Client, { messageId }: AedesPublishPacket): Promise<void> {
    this.#unfinished.get(client)?.delete(messageId);
  }

  // Sessions and queues of absent clients are not kept.
  async addSubscriptions(): Promise<void> {}
  async removeSubscriptions(): Promise<void> {}
  async cleanSubscriptions(): Promise<void> {}
  async subscriptionsByClient(): Promise<readonly []> {
    return [];
  }
  async subscriptionsByTopic(): Promise<readonly []> {
    return [];
  }
  async outgoingEnqueue(): Promise<void> {}
  async outgoingEnqueueCombi(): Promise<void> {}
  async outgoingUpdate(): Promise<void> {}
  async outgoingClearMessageId(): Promise<void> {}
  outgoingStream(): Readable {
    return Readable.from([]);
  }

  // Other persistences keep wills for the brokers of a cluster. aedes reads the wills of its own clients from memory.
  async putWill(): Promise<void> {}
  async delWill(): Promise<void> {}
  streamWill(): Readable {
    return Readable.from([]);
  }
}
