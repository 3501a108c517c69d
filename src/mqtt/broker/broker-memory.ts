/**
 * Memory of the embedded broker, given to aedes as its `persistence`: retained messages, and QoS 2 handshakes of
 * connected clients. Nothing is kept for a client that is away: queues of absent clients would grow until it comes
 * back, if ever. So a session never outlives its connection, and no queued message is ever delivered late.
 *
 * It also holds what aedes 2.0.0-beta.1 lacks of 1.2.0: a bound on unfinished QoS 2 messages, no left-overs of them
 * after a disconnect, and no rejection for a second PUBREL (it ended the process).
 * Source: README of aedes-persistence 10, "API"; aedes 1.2.0, lib/handlers/publish.js and pubrel.js.
 */
import { Readable } from "node:stream";
import type { AedesPublishPacket, AuthorizeForwardHandler, Client } from "aedes";

/** Unfinished QoS 2 messages of one client; also the Receive Maximum that clients of MQTT 5 are told. */
export const MAX_UNFINISHED = 20;

type Retained = Pick<AedesPublishPacket, "qos" | "payload" | "properties"> & { readonly messageExpiry?: number };

/** Stands for the content of a topic that was emptied while its message waited to be sent. */
const EMPTIED = Buffer.alloc(0);

/** Leaves a message out whose topic was emptied before it was sent: nothing is retained any more. */
export const forwardWhatIsThere: AuthorizeForwardHandler = (_client, packet) =>
  packet.payload === EMPTIED ? null : packet;

export class BrokerMemory {
  /** By topic. Bounded by what the rules of the broker let clients leave. */
  readonly #retained = new Map<string, Retained>();
  /** Message ids of unfinished QoS 2 messages; gone with the client. */
  readonly #unfinished = new WeakMap<Client, Set<number | undefined>>();

  async setup(): Promise<void> {}

  async storeRetained({ topic, qos, payload, properties, messageExpiry }: Retained & { readonly topic: string }) {
    // A copy: the payload is part of a larger buffer that was read from a socket.
    const kept = { qos, payload: Buffer.from(payload), properties, messageExpiry };
    if (payload.length === 0) this.#retained.delete(topic);
    else this.#retained.set(topic, kept as Retained);
  }

  /**
   * The retained messages of each filter in turn. aedes reads ahead of what it sends: a message that is published
   * meanwhile goes out live, and the older one behind it. So a message tells its content only when it is sent.
   */
  createRetainedStreamCombi(filters: readonly string[]): Readable {
    const topics = filters.flatMap((filter) => [...this.#retained.keys()].filter(matcher(filter)));
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

  /** Errors: rejects if no message of this id is unfinished. */
  async incomingGetPacket(client: Client, packet: AedesPublishPacket): Promise<AedesPublishPacket> {
    if (!this.#unfinished.get(client)?.has(packet.messageId)) throw new Error("no such message");
    return packet;
  }

  async incomingDelPacket(client: Client, { messageId }: AedesPublishPacket): Promise<void> {
    this.#unfinished.get(client)?.delete(messageId);
  }

  // Sessions and queues of absent clients: there are none.
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

  // Wills are kept here for other brokers of a cluster; aedes itself reads them from its clients.
  async putWill(): Promise<void> {}
  async delWill(): Promise<void> {}
  streamWill(): Readable {
    return Readable.from([]);
  }
}

/** Tells whether a topic fits a filter (MQTT 5, 4.7). */
function matcher(filter: string): (topic: string) => boolean {
  const wanted = filter.split("/");
  const takesAll = wanted.at(-1) === "#";
  const fixed = takesAll ? wanted.slice(0, -1) : wanted;
  return (topic) => {
    const levels = topic.split("/");
    if (takesAll ? levels.length < fixed.length : levels.length !== fixed.length) return false;
    return fixed.every((level, i) => level === "+" || level === levels[i]);
  };
}
