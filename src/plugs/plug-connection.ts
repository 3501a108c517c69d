/** Connection to one plug, whatever its protocol, and what it reports. */
import type { Text } from "../core/language/text.ts";
import type { PlugMessage } from "../core/plugs/families/plug-family.ts";

/** Connection to one plug. */
export interface PlugTransport {
  /** Sends a message now or never. */
  readonly send: (message: PlugMessage) => void;
  /** Returns true while a message has no answer yet, if the protocol answers each. No command follows until then. */
  readonly isBusy?: () => boolean;
  /** Interval of state requests; null for a plug that reports its state by itself. Unit: ms. */
  readonly pollMs: number | null;
  /** True if it depends on the connection to the broker. */
  readonly isOnBroker: boolean;
  /** Waits for the last messages. */
  readonly close: () => Promise<void>;
}

/** What a transport reports. */
export interface PlugListener {
  /** The connection is there, or is lost. */
  readonly isUp: (up: boolean) => void;
  readonly onMessage: (message: {
    readonly topic: string;
    readonly payload: string;
    readonly retained: boolean;
  }) => void;
  /** The plug answers, or does not answer. */
  readonly onAvailable: (available: boolean) => void;
  /** Why the device does not let elbro in; null if it does, or does not answer at all. */
  readonly onRefusal: (refusal: Text | null) => void;
}
