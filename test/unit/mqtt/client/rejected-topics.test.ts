import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { message } from "../../../../src/core/language/text.ts";
import { RejectedTopics } from "../../../../src/mqtt/client/rejected-topics.ts";
import { RetainedPublisher } from "../../../../src/mqtt/client/retained-publisher.ts";
import { TestMemory } from "../../../support/storage/test-memory.ts";

const REASON = message("mqtt.closed");
const ALLOWED_EARLY_ENDS = 3;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Publisher and rejected topics, with a broker that ends the connection at each topic of `bad`. */
class HostileBroker {
  readonly bad: Set<string>;
  readonly retained = new Map<string, string>();
  readonly #window: number;
  readonly publisher: RetainedPublisher;
  readonly rejected: RejectedTopics;
  connections = 0;
  #earlyEnds = 0;
  #inFlight: { topic: string; payload: string; settled: (result: "accepted") => void }[] = [];

  constructor(bad: readonly string[], window: number) {
    this.bad = new Set(bad);
    this.#window = window;
    const isLeftOut = (topic: string) => this.rejected.isLeftOut(topic);
    this.publisher = new RetainedPublisher(new TestMemory(), [], () => false, isLeftOut);
    this.rejected = new RejectedTopics(this.publisher, { warn: () => undefined }, () => undefined);
  }

  /** Connects until a connection stays. */
  connect(): void {
    for (let stays = false; !stays; ) {
      this.connections++;
      this.#inFlight = [];
      this.rejected.onUp();
      this.publisher.attach({
        window: this.#window,
        publish: (topic, payload, settled) => this.#inFlight.push({ topic, payload, settled }),
        publishTransient: () => undefined,
        askRetained: () => undefined,
      });
      stays = this.#answer();
      if (!stays) this.#end(++this.#earlyEnds >= ALLOWED_EARLY_ENDS);
    }
    this.#earlyEnds = 0;
  }

  /** Lets time pass on the present connection, and connects again whenever it ends. */
  pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += MINUTE_MS) {
      vi.advanceTimersByTime(MINUTE_MS);
      if (this.#answer()) continue;
      this.#end(false);
      this.connect();
    }
  }

  /** Acknowledges in order, up to a topic at which the broker ends the connection. Returns whether it stays. */
  #answer(): boolean {
    for (let next = this.#inFlight[0]; next; next = this.#inFlight[0]) {
      if (this.bad.has(next.topic)) return false;
      this.#inFlight.shift();
      this.retained.set(next.topic, next.payload);
      this.rejected.onAccepted(next.topic);
      next.settled("accepted");
    }
    return true;
  }

  #end(isSuspicious: boolean): void {
    this.publisher.detach();
    this.rejected.onDown({ reason: REASON, unanswered: this.#inFlight[0]?.topic ?? null, isSuspicious });
  }
}

const topics = Array.from({ length: 20 }, (_, i) => `elbro/t${i}`);
const states = topics.map((topic) => ({ topic, payload: "1" }));

test("every topic that does not end the connection is published, whichever do, and those are named", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.constantFrom(...topics), { maxLength: 6 }),
      fc.integer({ min: 1, max: 16 }),
      (bad, window) => {
        const broker = new HostileBroker(bad, window);
        broker.publisher.show(states);
        broker.connect();
        expect([...broker.retained.keys()].sort()).toEqual(topics.filter((topic) => !bad.includes(topic)).sort());
        expect([...broker.rejected.reasons.keys()].sort()).toEqual([...bad].sort());
        expect(broker.connections).toBe(bad.length === 0 ? 1 : ALLOWED_EARLY_ENDS + bad.length);
      },
    ),
  );
});

test("a topic that the broker accepts later is published within a day, and is named no more", () => {
  const broker = new HostileBroker(["elbro/t3", "elbro/t7"], 4);
  broker.publisher.show(states);
  broker.connect();
  broker.pass(3 * MINUTE_MS);
  broker.bad.delete("elbro/t7");
  broker.pass(DAY_MS);
  expect(broker.retained.size).toBe(topics.length - 1);
  expect([...broker.rejected.reasons.keys()]).toEqual(["elbro/t3"]);
});

test("a topic that stays bad ends at most twelve connections in a day after it was found", () => {
  const broker = new HostileBroker(["elbro/t3"], 16);
  broker.publisher.show(states);
  broker.connect();
  const before = broker.connections;
  broker.pass(DAY_MS);
  expect(broker.connections - before).toBeLessThanOrEqual(12);
  expect([...broker.rejected.reasons.keys()]).toEqual(["elbro/t3"]);
});
