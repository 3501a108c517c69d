/**
 * Publishes changed values as retained messages and clears topics that are no longer wanted. Nothing is queued while
 * the broker is offline. One wanted payload per topic is kept, and all are published at the next connection.
 */
import type { KeyValue } from "../../core/runtime/key-value.ts";
import type { RetainedMessage } from "./message.ts";
import {
  componentsGone,
  componentsOf,
  documentWithout,
  expiringTopicsOf,
  isDeviceDocument,
  PublishedTopics,
  withComponentsReduced,
} from "./published-topics.ts";

/** The operations of a connection that the publisher needs. */
export interface PublishPort {
  /** Maximum number of unacknowledged messages. */
  readonly window: number;
  /** Publishes a retained message. Calls `settled` after the broker has answered. */
  publish(topic: string, payload: string, settled: (result: PublishResult) => void): void;
  /** Publishes a message that is neither retained nor sent again. */
  publishTransient(topic: string, payload: string): void;
  /** Calls `answer` with whether the broker retains a message under a topic; true if the broker does not say. */
  askRetained(topic: string, answer: (retained: boolean) => void): void;
}

/** The broker's answer. `rejected` also if it was not sent, because the broker announced a limit. */
export type PublishResult = "accepted" | "rejected";

/** Name of the part of a state without parts. */
const ONLY_PART = "";

interface Sending {
  readonly payload: string;
  /** Called after the broker accepted the message. */
  readonly settled: () => void;
}

export class RetainedPublisher {
  readonly #memory: PublishedTopics;
  readonly #alsoOurs: ReadonlySet<string>;
  readonly #isOthers: (topic: string) => boolean;
  readonly #isLeftOut: (topic: string) => boolean;
  /** Wanted payloads by topic. Bounded by the topics of all homes. */
  readonly #wanted = new Map<string, string>();
  /** Topics by part. */
  readonly #parts = new Map<string, ReadonlySet<string>>();
  /** Whether all parts were shown. Before that, no topic counts as obsolete. */
  #isWhole = false;
  /** Published topics that are no longer wanted, documents first. Empty while `#isWhole` is false. */
  #obsolete = new Set<string>();
  /** Topics whose wanted payload was not sent yet; the urgent ones are sent first. */
  readonly #unsent = { urgent: new Set<string>(), rest: new Set<string>() };
  /** Topics that `showFirst` has changed since their part was shown, and that need no heartbeat. */
  readonly #first = new Set<string>();
  /** Topic that is sent when nothing else is in flight, and without others. */
  #alone: string | null = null;
  /** Acknowledged documents whose removed components are not forgotten yet, and those of them at the last `age`. */
  readonly #sentDocuments = new Set<string>();
  #agedDocuments: readonly string[] = [];
  /** Documents sent with reduced components on this connection, with the keys of these components. */
  readonly #reduced = new Map<string, string>();
  /** Topics that the broker has cleared, and those of them at the last `age`. */
  readonly #cleared = new Set<string>();
  #aged: readonly string[] = [];
  #port: PublishPort | null = null;
  #unacknowledged = 0;
  /** Obsolete documents for which the broker is being asked whether it retains them. Bounded by the window. */
  readonly #retentionQueries = new Set<string>();
  #accepted = 0;

  /**
   * `alsoOurs` are topics of this daemon that others publish: remembered, never sent from here.
   * `isOthers` returns whether another daemon publishes a topic now. Such topics are forgotten, never cleared.
   * `isLeftOut` returns whether a topic is sent only by `tryAlone`.
   */
  constructor(
    memory: KeyValue,
    alsoOurs: readonly string[],
    isOthers: (topic: string) => boolean = () => false,
    isLeftOut: (topic: string) => boolean = () => false,
  ) {
    this.#memory = new PublishedTopics(memory);
    this.#alsoOurs = new Set(alsoOurs);
    this.#isOthers = isOthers;
    this.#isLeftOut = isLeftOut;
  }

  /** Number of messages that brokers accepted. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Number of obsolete topics that are published and not cleared yet. */
  get obsolete(): number {
    return this.#obsolete.size;
  }

  /** Whether urgent messages wait for the broker's answers to earlier ones. */
  get hasUrgent(): boolean {
    return this.#unsent.urgent.size > 0;
  }

  /**
   * Sets the wanted state of a part and clears its earlier topics that are not among `messages`.
   * Sends changed messages and heartbeats. A state without parts is complete after one call.
   */
  show(messages: readonly RetainedMessage[], part: string = ONLY_PART): void {
    const isFirst = part === ONLY_PART && !this.#isWhole;
    if (isFirst) this.#isWhole = true;
    this.#want(messages, part, isFirst ? "whole" : "part");
  }

  /** Publishes urgent messages of a part that changed, before all of it is shown. Clears nothing. */
  showFirst(messages: readonly RetainedMessage[], part: string = ONLY_PART): void {
    this.#want(messages, part, "first");
  }

  /** Sets which parts exist, after all of them were shown. Clears the topics of all other parts. */
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

  #want(messages: readonly RetainedMessage[], part: string, shown: "first" | "part" | "whole"): void {
    const before = this.#parts.get(part) ?? [];
    const topics = new Set<string>(shown === "first" ? before : []);
    const changed: RetainedMessage[] = [];
    for (const message of messages) {
      const { topic, payload, heartbeat } = message;
      const isNew = this.#wanted.get(topic) !== payload;
      if (isNew && payload !== "") this.#memory.note(topic, componentsOf(topic, payload));
      if (isNew || (heartbeat && shown !== "first" && !this.#first.has(topic))) changed.push(message);
      if (shown === "first" && isNew) this.#first.add(topic);
      else this.#first.delete(topic);
      if (isNew) this.#wanted.set(topic, payload);
      this.#cleared.delete(topic);
      topics.add(topic);
    }
    const gone = [...before].filter((topic) => !topics.has(topic));
    for (const topic of gone) this.#wanted.delete(topic);
    this.#parts.set(part, topics);
    if (shown === "whole" || gone.length > 0 || messages.some(({ topic }) => this.#obsolete.has(topic)))
      this.#findObsolete();
    for (const topic of this.#alsoOurs) this.#memory.note(topic, {});
    // Saved before publishing, so that after a crash every topic in the broker is known.
    this.#memory.save();
    this.#enqueue(
      changed.flatMap(({ topic, urgent }) => (urgent ? topic : [])),
      this.#unsent.urgent,
    );
    const rest = changed.flatMap(({ topic, urgent }) => (urgent ? [] : topic));
    const states = rest.filter((topic) => !isDeviceDocument(topic));
    this.#enqueue([...states, ...this.#obsolete, ...rest.filter(isDeviceDocument)]);
  }

  /** Publishes everything wanted on a new connection. */
  attach(port: PublishPort): void {
    this.#port = port;
    this.#unacknowledged = 0;
    this.#retentionQueries.clear();
    this.#forgetUnsent();
    this.#aged = [];
    this.#agedDocuments = [];
    this.repeat();
  }

  /**
   * Sends everything again for a new reader: first states, then the topics to clear and the documents. A broker that
   * refuses the documents then has the states.
   */
  repeat(): void {
    this.#reduced.clear();
    this.#cleared.clear();
    const topics = [...this.#wanted.keys()];
    this.#findObsolete();
    const states = topics.filter((topic) => !isDeviceDocument(topic));
    this.#enqueue([...states, ...this.#obsolete, ...topics.filter(isDeviceDocument)]);
  }

  /**
   * Forgets the topics that were cleared before the previous call.
   * Call it at intervals in which any broker saves acknowledged messages to disk. With shorter intervals, a broker that
   * loses power may restore a topic that is already forgotten.
   */
  age(): void {
    if (!this.#port) return;
    for (const topic of this.#agedDocuments) this.#settleComponents(topic);
    this.#agedDocuments = [...this.#sentDocuments];
    this.forgetCleared(this.#aged);
    this.#aged = [...this.#cleared];
  }

  /** Forgets topics that the broker has cleared; all of them by default. */
  forgetCleared(topics: Iterable<string> = this.#cleared): void {
    for (const topic of topics) if (this.#cleared.delete(topic)) this.#memory.forget(topic);
    this.#memory.save();
  }

  /** Stops publishing until the next `attach`. */
  detach(): void {
    this.#port = null;
    this.#alone = null;
    this.#forgetUnsent();
  }

  /** Sends a topic that is left out, as soon as nothing else is in flight. Returns false if it is not one of ours. */
  tryAlone(topic: string): boolean {
    if (!this.#port || !(this.#wanted.has(topic) || this.#obsolete.has(topic))) return false;
    this.#alone = topic;
    this.#send();
    return true;
  }

  #forgetUnsent(): void {
    for (const topics of Object.values(this.#unsent)) topics.clear();
  }

  #findObsolete(): void {
    if (!this.#isWhole) return;
    const unwanted = this.#memory.topics().filter((topic) => !this.#wanted.has(topic) && !this.#alsoOurs.has(topic));
    const obsolete = unwanted.filter((topic) => !this.#isOthers(topic) && !this.#cleared.has(topic));
    for (const topic of unwanted) if (this.#isOthers(topic)) this.#memory.forget(topic);
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
    for (const unsent of Object.values(this.#unsent)) if (this.#alone === null && !this.#sendOf(unsent)) return;
    if (this.#unacknowledged + this.#retentionQueries.size > 0) return;
    this.#memory.save();
    if (this.#port && this.#alone !== null) this.#publish(this.#port, this.#alone);
  }

  /** Sends as many messages as the window allows. Returns false if the window is full. */
  #sendOf(unsent: Set<string>): boolean {
    const port = this.#port;
    for (const topic of unsent) {
      if (!port || this.#unacknowledged + this.#retentionQueries.size >= port.window) return false;
      const isObsolete = !this.#wanted.has(topic);
      // The states of a removed device are cleared after its document, whose templates read them.
      if (isObsolete && this.#retentionQueries.size > 0 && !isDeviceDocument(topic)) continue;
      unsent.delete(topic);
      if (this.#isLeftOut(topic)) continue;
      if (isObsolete && isDeviceDocument(topic)) this.#clearIfRetained(port, topic);
      else this.#publish(port, topic);
    }
    return true;
  }

  #publish(port: PublishPort, topic: string): void {
    const { payload, settled } = this.#sendingOf(topic);
    this.#unacknowledged++;
    port.publish(topic, payload, (result) => {
      if (port !== this.#port) return;
      this.#unacknowledged--;
      if (this.#alone === topic) this.#alone = null;
      if (result === "accepted") this.#accepted++;
      if (result === "accepted") settled();
      this.#send();
    });
  }

  /**
   * Clears an obsolete document if the broker retains it. Otherwise sends a document without components.
   * Home Assistant logs a warning for the empty document of an unknown device. But it may know a device whose document
   * the broker has forgotten: the embedded broker forgets at each restart.
   */
  #clearIfRetained(port: PublishPort, topic: string): void {
    if (this.#retentionQueries.has(topic)) return;
    this.#retentionQueries.add(topic);
    port.askRetained(topic, (retained) => {
      if (port !== this.#port) return;
      this.#retentionQueries.delete(topic);
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
        if (this.#wanted.get(topic) === payload) this.#sentDocuments.add(topic);
        if (goneKeys === "") this.#settleComponents(topic);
        this.#enqueue(expiringTopicsOf(payload).filter((each) => this.#wanted.has(each)));
      },
    };
  }

  /**
   * Forgets the components that a document no longer has. Until then each birth of Home Assistant withdraws them again:
   * it may not have been connected, and the embedded broker does not keep the messages for it.
   */
  #settleComponents(topic: string): void {
    const payload = this.#wanted.get(topic);
    if (this.#sentDocuments.delete(topic) && payload) this.#memory.settle(topic, componentsOf(topic, payload));
  }

  #settleObsolete(topic: string): void {
    this.#obsolete.delete(topic);
    if (!this.#wanted.has(topic)) this.#cleared.add(topic);
  }
}
