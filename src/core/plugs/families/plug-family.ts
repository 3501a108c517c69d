/**
 * One row per family of plugs: how to switch ON (with a timer on the device where it can), how to switch OFF, how to ask
 * for the state, and how to read its messages. Rows are pure.
 *
 * Every message is sent with QoS 1 and not retained: a retained ON would switch a plug on when it boots.
 */
import type { DeadManLimits, PlugRules } from "../plug-types.ts";
import type { Reader } from "./payload-readers.ts";

/** Something to say to a plug. */
export interface PlugMessage {
  readonly topic: string;
  readonly payload: string;
}

/** The topics and payloads of a plug that belongs to no family here. */
export interface CustomTopics {
  readonly on: PlugMessage;
  readonly off: PlugMessage;
  readonly dead_man?: PlugMessage | undefined;
  readonly ask?: PlugMessage | undefined;
  readonly state?: { readonly topic: string; readonly on: string; readonly off: string } | undefined;
  readonly availability?: { readonly topic: string; readonly online: string; readonly offline: string } | undefined;
}

/** Where a plug is. */
export interface PlugAddress {
  readonly topic: string;
  /** Which of the device's outputs; empty where it has one. */
  readonly channel: string;
  /** What the daemon calls itself towards this plug: a topic, below which the plug may answer. */
  readonly caller: string;
  readonly custom?: CustomTopics | undefined;
}

export interface PlugFamilyRow {
  /** For the documentation: what `topic` is. */
  readonly topic: string;
  /** What `channel` is, and what it is where nothing is said; null where it has to be said. */
  readonly channel: { readonly about: string; readonly fits: RegExp; readonly ordinary: string | null };
  /** For the documentation: whether and how the device ends an ON by itself. */
  readonly deadManNote: string;
  readonly deadMan: (address: PlugAddress) => DeadManLimits | null;
  readonly answers: (address: PlugAddress) => PlugRules["answers"];
  /** Shape: one message that says both, wherever the family can: of two, the end could be the one that is lost. */
  readonly on: (address: PlugAddress, deadManSec: number | null) => PlugMessage[];
  readonly off: (address: PlugAddress) => PlugMessage[];
  readonly ask: (address: PlugAddress) => PlugMessage[];
  /** Readers of what the plug tells, by topic. */
  readonly listens: (address: PlugAddress) => Readonly<Record<string, Reader>>;
}

/** The plug's topic: a bare name is put below the family's root, a topic of several levels is used as it is. */
export function withRoot(root: string, { topic }: PlugAddress): string {
  return topic.includes("/") ? topic : `${root}/${topic}`;
}
