/** Clears the retained messages and discovery documents of a stopped daemon from a broker. */

import { setTimeout as pause } from "node:timers/promises";
import { textIn } from "../core/language/text.ts";
import type { KeyValue } from "../core/runtime/key-value.ts";
import type { BrokerAccess, BrokerSession } from "./client/broker-session.ts";
import { keepConnected } from "./client/reconnect.ts";
import { RetainedPublisher } from "./client/retained-publisher.ts";

export interface ClearOptions extends BrokerAccess {
  readonly clientId: string;
  /** List of the topics that were published. */
  readonly memory: KeyValue;
  /** Returns whether another daemon publishes a topic. Such topics are not cleared. */
  readonly isOthers: (topic: string) => boolean;
  /** Topic of Home Assistant's birth message, for which the clearing waits. Null to clear immediately. */
  readonly birthTopic: string | null;
  /** Time limit of the whole clearing, in ms. */
  readonly withinMs: number;
}

export interface ClearResult {
  readonly cleared: number;
  readonly left: number;
  /** Reason why topics are left; null if every topic was cleared. */
  readonly reason: string | null;
}

/** Interval in ms at which the number of remaining topics is read. */
const CHECK_EVERY_MS = 20;

/** Resolves when every topic is cleared, the connection has failed, or the time is over. Never rejects. */
export async function clearPublished(options: ClearOptions): Promise<ClearResult> {
  const { memory, isOthers, birthTopic, withinMs } = options;
  const publisher = new RetainedPublisher(memory, [], isOthers);
  // With an empty state, every published topic is obsolete.
  publisher.show([]);
  const total = publisher.obsolete;
  if (total === 0) return { cleared: 0, left: 0, reason: null };
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), withinMs);
  let session: BrokerSession | null = null;
  let reason: string | null = null;
  const connection = keepConnected(
    {
      ...options,
      statusTopic: null,
      subscriptions: () => (birthTopic === null ? [] : [birthTopic]),
      onUp(up) {
        session = up;
        if (birthTopic === null) publisher.attach(up);
      },
      onDown(end) {
        reason = textIn("en", end.reason);
        stop.abort();
      },
      onRejected(topic, why) {
        reason = `${topic}: ${textIn("en", why)}`;
      },
      onMessage({ topic, payload, retained }) {
        if (topic === birthTopic && payload === "online" && !retained && session) publisher.attach(session);
      },
      random: Math.random,
    },
    stop.signal,
  );
  while (publisher.obsolete > 0 && !stop.signal.aborted) await pause(CHECK_EVERY_MS);
  const left = publisher.obsolete;
  publisher.forgetCleared();
  clearTimeout(timer);
  stop.abort();
  await connection;
  const late = birthTopic !== null && session ? "Home Assistant did not connect" : "the broker did not answer in time";
  return { cleared: total - left, left, reason: left === 0 ? null : (reason ?? late) };
}
