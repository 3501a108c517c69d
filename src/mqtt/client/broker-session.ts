/** Types shared by everything that talks over one connection to a broker. */
import type { Duplex } from "node:stream";
import type { PublishPort } from "./retained-publisher.ts";

/** A message as it came; `retained` where it lay in the broker from before. */
export interface IncomingMessage {
  readonly topic: string;
  readonly payload: string;
  readonly retained: boolean;
}

/** A connection that is up. */
export interface BrokerSession extends PublishPort {
  /**
   * Sends a command to a device: with QoS 1, not retained, and never on a later connection. False where it will not be
   * sent.
   */
  sendCommand(topic: string, payload: string): boolean;
  /** Subscribes to more topic filters for as long as the connection lasts. */
  subscribe(topics: readonly string[]): void;
}

/** How a client reaches its broker and logs in. */
export interface BrokerAccess {
  /** Opens a byte stream to the broker. */
  readonly open: (signal: AbortSignal) => Promise<Duplex>;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

export interface ConnectionOptions extends BrokerAccess {
  /** Stable, and another one for every data directory: two clients of one id push each other out. */
  readonly clientId: string;
  /** Retained topic that says `online` and, as the will, `offline`. */
  readonly statusTopic: string;
  /** Topic filters to subscribe to, read at each connection. */
  readonly subscriptions: () => readonly string[];
  readonly onUp: (session: BrokerSession) => void;
  /** Told once per reason, not once per attempt. */
  readonly onDown: (reason: string) => void;
  /** The broker is there and does not take or give a topic. */
  readonly onRefused: (topic: string, reason: string) => void;
  readonly onMessage: (message: IncomingMessage) => void;
  /** A number from 0 to 1, for the jitter of the back-off. */
  readonly random: () => number;
}
