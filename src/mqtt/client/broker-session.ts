/** Types of a connection to a broker. */

import type { Duplex } from "node:stream";
import type { Text } from "../../core/language/text.ts";
import type { PublishPort } from "./retained-publisher.ts";

/** An MQTT message as received. `retained` is true if the broker stored it before this subscription. */
export type IncomingMessage = { readonly topic: string; readonly payload: string; readonly retained: boolean };

/** An established connection to a broker. */
export interface BrokerSession extends PublishPort {
  /**
   * Sends a command to a device with QoS 1, not retained. Never sends it on a later connection.
   * Returns false if the command will not be sent.
   */
  sendCommand(topic: string, payload: string): boolean;
  /** Subscribes to more topic filters until the connection ends. */
  subscribe(topics: readonly string[]): void;
  unsubscribe(topics: readonly string[]): void;
}

/** Access to a broker: stream and login. */
export interface BrokerAccess {
  /** Opens a byte stream to the broker. */
  readonly open: (signal: AbortSignal) => Promise<Duplex>;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** How a connection ended, or why an attempt failed. */
export interface SessionEnd {
  readonly reason: Text;
  /** Oldest topic or topic filter that the broker had not answered; null for none. */
  readonly unanswered: string | null;
  /** Whether the last connections were short, so `unanswered` probably ended this one. */
  readonly isSuspicious: boolean;
}

/** One connection. */
export interface ConnectionOptions extends BrokerAccess {
  /** Constant, and unique per data directory: a broker disconnects the older of two clients with the same id. */
  readonly clientId: string;
  /** Retained topic with the payload `online`, or `offline`, which is also the will. Null if nothing is published. */
  readonly statusTopic: string | null;
  /** Topic filters to subscribe to; read at each connection. */
  readonly subscriptions?: () => readonly string[];
  /** Sends one message at a time, so that one that ends the connection is known. */
  readonly isCautious?: boolean;
  readonly onUp: (session: BrokerSession) => void;
  /** Called when the broker rejects a publish or subscribe for a topic, or the topic breaks a limit that it announced. */
  readonly onRejected?: (topic: string, reason: Text) => void;
  /** Called when the broker accepts a retained message, a command or a subscription. */
  readonly onAccepted?: (topic: string) => void;
  readonly onMessage?: (message: IncomingMessage) => void;
}

/** A connection that is opened again whenever it ends. */
export interface ReconnectOptions extends ConnectionOptions {
  /** Called when a connection ends, and when an attempt fails for another reason than the one before. */
  readonly onDown: (end: SessionEnd) => void;
  /** Returns a number from 0 to 1 for the jitter of the back-off. */
  readonly random: () => number;
}
