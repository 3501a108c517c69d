/**
 * One row per family of plugs: how to switch ON and OFF (with a timer on the device where it can), how to ask for the
 * state, and how to read its messages. Rows are pure. ON and OFF are those of the relay.
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

/** What a bridge tells of a plug: see `learns`. */
export interface LearnedPlug {
  /** The whole topic of the plug. */
  readonly fullTopic: string;
  /** The topic of its bridge. */
  readonly bridge: string;
  /** The property that takes the time after which an ON ends. */
  readonly timer: string;
  readonly maxTimerSec: number;
}

/** Which states the device can end by itself. */
export interface DeviceTimers {
  readonly on: DeadManLimits | null;
  readonly off: DeadManLimits | null;
}

/** Where a plug is. */
export interface PlugAddress {
  readonly topic: string;
  /** Which of the device's outputs; empty where it has one. */
  readonly channel: string;
  /** What the daemon calls itself towards this plug: a topic, below which the plug may answer. */
  readonly caller: string;
  readonly custom?: CustomTopics | undefined;
  readonly learned?: LearnedPlug | undefined;
}

/** A plug as it announces itself on the broker, or as its bridge does. */
export interface AnnouncedPlug {
  /** As `topic` of the family's row says it. */
  readonly topic: string;
  /** As `channel` of the family's row says it; empty for the ordinary one. */
  readonly channel: string;
  readonly name: string;
  /** What the device calls its model; null where it does not say. */
  readonly model: string | null;
  readonly learned?: LearnedPlug;
}

/** Where plugs of a family announce themselves. */
export interface Announcement {
  readonly filter: string;
  /** A topic of the filter, by its parts. */
  readonly topic: RegExp;
  /** The plugs that a message tells of; none for one that tells of no plug. `parts` are the groups of `topic`. */
  readonly read: (payload: string, parts: readonly string[]) => readonly AnnouncedPlug[];
  /** What makes them announce themselves now, where it does not lie in the broker. */
  readonly ask?: PlugMessage;
}

/** How a plug is switched and asked over one protocol. A message over HTTP is a GET: its topic is the path. */
export interface PlugCommands {
  readonly deadMan: (address: PlugAddress) => DeviceTimers;
  readonly answers: (address: PlugAddress) => PlugRules["answers"];
  /** Whether the timer has to be observed once: some devices accept its command and ignore it. */
  readonly isTimerUnsure?: boolean;
  /** Shape: one message that says both, wherever the family can: of two, the end could be the one that is lost. */
  readonly on: (address: PlugAddress, deadManSec: number | null) => PlugMessage[];
  readonly off: (address: PlugAddress, deadManSec: number | null) => PlugMessage[];
  readonly ask: (address: PlugAddress) => PlugMessage[];
  /** Clears a timer that is stored in the device; only where there is such a timer. */
  readonly clearTimer?: (address: PlugAddress) => PlugMessage[];
}

export interface PlugFamilyRow extends PlugCommands {
  /** For the documentation: what `topic` is. */
  readonly topic: string;
  /** What `channel` is, and what it is where nothing is said; null where it has to be said. */
  readonly channel: { readonly about: string; readonly fits: RegExp; readonly ordinary: string | null };
  /** For the documentation: whether and how the device ends an ON by itself, and an OFF. */
  readonly deadManNote: { readonly on: string; readonly off: string };
  /** Readers of what the plug tells, by topic. */
  readonly listens: (address: PlugAddress) => Readonly<Record<string, Reader>>;
  /** Readers of what a bridge tells of the plug, by topic. */
  readonly learns?: (address: PlugAddress) => Readonly<Record<string, (payload: string) => LearnedPlug | null>>;
  /** Where plugs of the family announce themselves, for those that do. */
  readonly announces?: Announcement;
  /** The same over HTTP, without a broker. `reads`: reads the plug's state from an answer. */
  readonly http?: PlugCommands & { readonly reads: (address: PlugAddress) => Reader };
}

/** The plug's topic: a bare name is put below the family's root, a topic of several levels is used as it is. */
export function withRoot(root: string, { topic }: PlugAddress): string {
  return topic.includes("/") ? topic : `${root}/${topic}`;
}
