/**
 * What is retained, sent to a new subscriber as it is in that moment.
 *
 * aedes reads the retained messages ahead of sending them, through a stream that holds a few dozen: a message that is
 * published meanwhile goes out live, and the older one behind it. Here a message tells its content only when it is sent.
 * aedes stores a message before it hands it to the subscribers, so what is newer than that content comes after it.
 * Source: aedes 1, lib/handlers/subscribe.js, `completeSubscribe`; aedes.js, `publishFuncsQoS`.
 */
import { Readable } from "node:stream";
import type { Aedes, AuthorizeForwardHandler } from "aedes";

/** A message as aedes keeps and sends it. */
interface Retained {
  readonly cmd: string;
  readonly topic: string;
  readonly qos: number;
  readonly payload: Buffer | string;
}

/** The part of aedes' memory that keeps retained messages. */
interface RetainedMemory {
  storeRetained(message: Retained): Promise<void>;
  createRetainedStreamCombi(filters: readonly string[]): AsyncIterable<Retained>;
}

/** Stands for the content of a topic that was emptied while its message waited to be sent. */
const EMPTIED = Buffer.alloc(0);

/** Makes a broker send retained messages as they are when they are sent. */
export function replayNewest(aedes: Aedes): void {
  const memory: RetainedMemory = Reflect.get(aedes, "persistence");
  const store = memory.storeRetained.bind(memory);
  const stream = memory.createRetainedStreamCombi.bind(memory);
  /** By topic; the messages themselves are the broker's. Bounded as those are. */
  const newest = new Map<string, Retained>();
  memory.storeRetained = (message) => {
    if (message.payload.length === 0) newest.delete(message.topic);
    else newest.set(message.topic, message);
    return store(message);
  };
  memory.createRetainedStreamCombi = (filters) => Readable.from(asSent(stream(filters), newest));
}

/** Leaves a message out whose topic was emptied before it was sent: nothing is retained any more. */
export const forwardWhatIsThere: AuthorizeForwardHandler = (_client, packet) =>
  packet.payload === EMPTIED ? null : packet;

async function* asSent(messages: AsyncIterable<Retained>, newest: ReadonlyMap<string, Retained>) {
  for await (const { cmd, topic } of messages)
    yield {
      ...{ cmd, topic },
      get qos() {
        return newest.get(topic)?.qos ?? 0;
      },
      get payload() {
        return newest.get(topic)?.payload ?? EMPTIED;
      },
    };
}
