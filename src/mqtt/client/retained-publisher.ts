/**
 * Publishes what changed, retained, and takes away what is no longer wanted. Nothing waits in line while the broker is
 * away: what is wanted is kept as one value per topic, and published whole on the next connection.
 */
import type { KeyValue } from "../../core/runtime/key-value.ts";
import type { Message } from "./message.ts";
import {
  componentsGone,
  componentsOf,
  documentWithout,
  isDeviceDocument,
  NO_PART,
  PublishedTopics,
  withComponentsReduced,
} from "./published-topics.ts";

/** A connection as the publisher needs it. */
export interface PublishPort {
  /** How many messages may be on their way at the same time. */
  readonly window: number;
  /** `settled` is called once the broker has answered, with whether it took the message. */
  publish(topic: string, payload: string, settled: (taken: boolean) => void): void;
  /** Sends a message that nobody needs later: neither retained nor sent again. */
  publishTransient(topic: string, payload: string): void;
  /** Finds out whether the broker retains a message under a topic; true where it does not say. */
  askRetained(topic: string, answer: (retained: boolean) => void): void;
}

interface Sending {
  readonly payload: string;
  /** What to do once the broker has taken it. */
  readonly settled: () => void;
}

export class RetainedPublisher {
  readonly #memory: PublishedTopics;
  readonly #alsoOurs: ReadonlySet<string>;
  readonly #isOthers: (topic: string) => boolean;
  /** The wanted state, by topic. Bounded by the topics of the house. */
  readonly #wanted = new Map<string, string>();
  /** The topics of each part of it. */
  readonly #parts = new Map<string, ReadonlySet<string>>();
  /** Whether what is wanted is all that is wanted; before, nothing is a ghost. */
  #isWhole = false;
  /** Remembered topics that nobody wants: documents first. Empty as long as it is unknown what is wanted. */
  #obsolete = new Set<string>();
  /** Topics whose wanted state the broker has not been sent yet; the urgent ones go first. */
  readonly #unsent = { urgent: new Set<string>(), rest: new Set<string>() };
  /** Documents that were sent with reduced components on this connection, with the keys of those. */
  readonly #reduced = new Map<string, string>();
  /** Cleared topics that were cleared already when `age` was called last. */
  #aged: readonly string[] = [];
  #port: PublishPort | null = null;
  #onTheWay = 0;
  /** Obsolete documents of which the broker has not said yet whether it retains them. Bounded by the window. */
  readonly #asked = new Set<string>();
  #taken = 0;

  /**
   * `alsoOurs` are topics of this daemon that others publish: remembered, never sent from here. `isOthers` tells those
   * that another daemon publishes now: they are forgotten, never taken away.
   */
  constructor(memory: KeyValue, alsoOurs: readonly string[], isOthers: (topic: string) => boolean = () => false) {
    this.#memory = new PublishedTopics(memory);
    this.#alsoOurs = new Set(alsoOurs);
    this.#isOthers = isOthers;
  }

  /** How many messages brokers have taken. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Sets the wanted state of a part: topics that it had and that are not among `messages` are taken away from the broker.
   * Sends what differs from before, and the heartbeats. A state that has no parts is whole.
   */
  show(messages: readonly Message[], part: string = NO_PART): void {
    const isFirst = part === NO_PART && !this.#isWhole;
    if (isFirst) this.#isWhole = true;
    this.#want(messages, part, isFirst);
  }

  /** Shows what cannot wait until the whole state of a part is made. Takes nothing away. */
  showFirst(messages: readonly Message[], part: string = NO_PART): void {
    if (!this.#parts.has(part)) this.#want(messages, part, false);
  }

  /** There are these parts and no others, and all of them were shown: what is in none of them is taken away. */
  keepParts(parts: ReadonlySet<string>): void {
    if (this.#isWhole && [...this.#parts.keys()].every((part) => parts.has(part))) return;
    for (const [part, topics] of this.#parts) {
      if (parts.has(part)) continue;
      this.#parts.delete(part);
      for (const topic of topics) this.#wanted.delete(topic);
    }
    this.#isWhole = true;
    this.#findObsolete();
    this.#enqueue([...this.#obsolete]);
  }

  #want(messages: readonly Message[], part: string, isWholeNow: boolean): void {
    const before = this.#parts.get(part) ?? [];
    const topics = new Set<string>();
    const changed: Message[] = [];
    for (const message of messages) {
      const { topic, payload, heartbeat } = message;
      const isNew = this.#wanted.get(topic) !== payload;
      if (isNew && payload !== "") this.#memory.note(topic, componentsOf(topic, payload), part);
      if (isNew || heartbeat) changed.push(message);
      if (isNew) this.#wanted.set(topic, payload);
      topics.add(topic);
    }
    const gone = [...before].filter((topic) => !topics.has(topic));
    for (const topic of gone) this.#wanted.delete(topic);
    this.#parts.set(part, topics);
    if (isWholeNow || gone.length > 0 || messages.some(({ topic }) => this.#obsolete.has(topic))) this.#findObsolete();
    for (const topic of this.#alsoOurs) this.#memory.note(topic, {});
    // On disk before anything of it is in a broker: a crash in between leaves no ghost.
    this.#memory.save();
    this.#enqueue(
      changed.flatMap(({ topic, urgent }) => (urgent ? topic : [])),
      this.#unsent.urgent,
    );
    this.#enqueue([...this.#obsolete, ...changed.flatMap(({ topic, urgent }) => (urgent ? [] : topic))]);
  }

  /** A broker is there: everything wanted is sent to it. */
  attach(port: PublishPort): void {
    this.#port = port;
    this.#onTheWay = 0;
    this.#asked.clear();
    this.#forgetUnsent();
    this.#reduced.clear();
    this.#aged = [];
    this.repeat();
  }

  /** Sends everything again, for a reader that just came: first what is to go, then the documents, then the states. */
  repeat(): void {
    const topics = [...this.#wanted.keys()];
    this.#findObsolete();
    const gone = this.#isWhole
      ? [...this.#obsolete, ...this.#memory.cleared().filter((topic) => !this.#isOthers(topic))]
      : [];
    const states = topics.filter((topic) => !isDeviceDocument(topic));
    this.#enqueue([...gone, ...topics.filter(isDeviceDocument), ...states]);
  }

  /**
   * Told now and then on one connection, at intervals in which any broker writes to disk what it acknowledged. What was
   * cleared a whole interval ago is forgotten; before, a broker that loses power may have it again.
   */
  age(): void {
    if (!this.#port) return;
    const cleared = this.#memory.cleared();
    for (const topic of this.#aged) this.#memory.forget(topic);
    this.#aged = cleared;
    this.#memory.save();
  }

  /** The broker is gone. */
  detach(): void {
    this.#port = null;
    this.#forgetUnsent();
  }

  #forgetUnsent(): void {
    for (const topics of Object.values(this.#unsent)) topics.clear();
  }

  #findObsolete(): void {
    if (!this.#isWhole) return;
    const unwanted = this.#memory.topics().filter((topic) => !this.#wanted.has(topic) && !this.#alsoOurs.has(topic));
    const obsolete = unwanted.filter((topic) => !this.#isOthers(topic));
    for (const topic of unwanted) if (this.#isOthers(topic)) this.#memory.leave(topic);
    this.#obsolete = new Set([
      ...obsolete.filter(isDeviceDocument),
      ...obsolete.filter((topic) => !isDeviceDocument(topic)),
    ]);
  }

  #enqueue(topics: readonly string[], unsent: Set<string> = this.#unsent.rest): void {
    if (!this.#port) return;
    for (const topic of topics) unsent.add(topic);
    this.#send();
  }

  #send(): void {
    for (const unsent of Object.values(this.#unsent)) if (!this.#sendOf(unsent)) return;
    if (this.#onTheWay + this.#asked.size === 0) this.#memory.save();
  }

  /** Sends as many as the window takes. Returns whether there is room for more. */
  #sendOf(unsent: Set<string>): boolean {
    const port = this.#port;
    for (const topic of unsent) {
      if (!port || this.#onTheWay + this.#asked.size >= port.window) return false;
      const isObsolete = !this.#wanted.has(topic);
      // The states of a removed device go after its document, whose templates read them.
      if (isObsolete && this.#asked.size > 0 && !isDeviceDocument(topic)) continue;
      unsent.delete(topic);
      if (isObsolete && isDeviceDocument(topic)) this.#clearIfRetained(port, topic);
      else this.#publish(port, topic);
    }
    return true;
  }

  #publish(port: PublishPort, topic: string): void {
    const { payload, settled } = this.#sendingOf(topic);
    this.#onTheWay++;
    port.publish(topic, payload, (taken) => {
      if (port !== this.#port) return;
      this.#onTheWay--;
      if (taken) this.#taken++;
      if (taken) settled();
      this.#send();
    });
  }

  /**
   * Home Assistant logs a warning for the empty document of a device that it does not know. So a document is emptied only
   * where the broker retains it. Where it does not, Home Assistant may know the device from before the broker forgot it
   * (the embedded broker does at each restart), and is sent a document without components.
   */
  #clearIfRetained(port: PublishPort, topic: string): void {
    if (this.#asked.has(topic)) return;
    this.#asked.add(topic);
    port.askRetained(topic, (retained) => {
      if (port !== this.#port) return;
      this.#asked.delete(topic);
      const isWantedAgain = this.#wanted.has(topic);
      if (retained && !isWantedAgain) this.#publish(port, topic);
      else if (!isWantedAgain) this.#withdraw(port, topic);
      this.#send();
    });
  }

  #withdraw(port: PublishPort, topic: string): void {
    const document = documentWithout(topic, this.#memory.components(topic));
    if (document !== null) port.publishTransient(topic, document);
    this.#settleObsolete(topic);
  }

  #sendingOf(topic: string): Sending {
    const payload = this.#wanted.get(topic);
    if (payload === undefined) return { payload: "", settled: () => this.#settleObsolete(topic) };
    if (payload === "" || !isDeviceDocument(topic)) return { payload, settled: () => undefined };
    const components = componentsOf(topic, payload);
    const gone = componentsGone(this.#memory.components(topic), components);
    const goneKeys = Object.keys(gone).join();
    if (goneKeys !== "" && this.#reduced.get(topic) !== goneKeys) {
      this.#reduced.set(topic, goneKeys);
      this.#unsent.rest.add(topic);
      return { payload: withComponentsReduced(payload, gone), settled: () => undefined };
    }
    return {
      payload,
      settled: () => {
        if (this.#wanted.get(topic) === payload) this.#memory.settle(topic, components);
      },
    };
  }

  #settleObsolete(topic: string): void {
    this.#obsolete.delete(topic);
    if (!this.#wanted.has(topic)) this.#memory.clear(topic);
  }
}
