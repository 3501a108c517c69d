import type { PublishPort, PublishResult } from "../../../src/mqtt/client/retained-publisher.ts";

/** Replaces a broker: keeps every retained message in the order of sending. `answer` acknowledges messages. */
export class RetainingPort implements PublishPort {
  readonly window: number;
  readonly sent: { readonly topic: string; readonly payload: string }[] = [];
  /** Messages that were sent without being retained. */
  readonly transient: { readonly topic: string; readonly payload: string }[] = [];
  /** Topics for which `askRetained` was called. */
  readonly asked: string[] = [];
  mostOnTheWay = 0;
  readonly #retained: Map<string, string>;
  readonly #unanswered: ((taken: boolean) => void)[] = [];

  /** `retained` holds the broker's retained messages; pass the same map again to simulate a reconnection. */
  constructor(retained: Map<string, string> = new Map(), window = 16) {
    this.#retained = retained;
    this.window = window;
  }

  publish(topic: string, payload: string, settled: (result: PublishResult) => void): void {
    this.sent.push({ topic, payload });
    if (payload === "") this.#retained.delete(topic);
    else this.#retained.set(topic, payload);
    this.#unanswered.push((taken) => settled(taken ? "accepted" : "rejected"));
    this.mostOnTheWay = Math.max(this.mostOnTheWay, this.#unanswered.length);
  }

  publishTransient(topic: string, payload: string): void {
    this.transient.push({ topic, payload });
  }

  askRetained(topic: string, answer: (retained: boolean) => void): void {
    this.asked.push(topic);
    this.#unanswered.push(() => answer(this.#retained.has(topic)));
  }

  /**
   * Acknowledges up to `most` pending messages, including those sent during the call. `taken` is the broker's result.
   */
  answer(most = Number.POSITIVE_INFINITY, taken = true): void {
    for (let i = 0; i < most; i++) {
      const settled = this.#unanswered.shift();
      if (!settled) return;
      settled(taken);
    }
  }

  /** Topics in the order they were sent. */
  topics(): string[] {
    return this.sent.map(({ topic }) => topic);
  }
}
