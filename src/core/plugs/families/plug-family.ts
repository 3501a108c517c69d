/**
 * Row of a plug family: ON and OFF messages (with the device's timer if it has one), state requests and message
 * readers. Rows are pure. ON and OFF are those of the relay.
 *
 * All messages use QoS 1 without the retain flag, because a retained ON would switch a plug on when it boots.
 */
import type { Message } from "../../language/text.ts";
import type { DeadManLimits, PlugRules } from "../plug-types.ts";
import type { MeterReader } from "./meter-readers.ts";
import type { Reader } from "./payload-readers.ts";

/** Message to a plug. */
export type PlugMessage = { readonly topic: string; readonly payload: string };

/** Configured topics and payloads of a plug without a family. */
export interface CustomTopics {
  readonly on: PlugMessage;
  readonly off: PlugMessage;
  readonly dead_man?: PlugMessage | undefined;
  readonly ask?: PlugMessage | undefined;
  readonly state?: (ValueTopic & { readonly on: Payloads; readonly off: Payloads }) | undefined;
  readonly availability?: (ValueTopic & { readonly online: Payloads; readonly offline: Payloads }) | undefined;
}

interface ValueTopic {
  readonly topic: string;
  /** Place of the value in a JSON payload, such as `relay.state`; absent if the payload is the value. */
  readonly key?: string | undefined;
}

/** One payload, or several. Upper and lower case do not matter. */
export type Payloads = string | readonly string[];

/** Facts about a plug from its bridge; see `learns`. */
export interface LearnedPlug {
  /** Complete topic of the plug. */
  readonly fullTopic: string;
  /** Base topic of its bridge. */
  readonly bridge: string;
  /** Address that it keeps when it is renamed; absent if its bridge does not say. */
  readonly hardware?: string;
  /** Property that sets the time after which an ON ends. */
  readonly timer: string;
  readonly maxTimerSec: number;
  /** True if the device switches itself off shortly after an ON without a load. */
  readonly cutsIdle?: boolean;
}

/** A plug that its bridge no longer has under its name. `renamedTo` is null if it has no other one. */
export type GonePlug = { readonly renamedTo: string | null };

/** States that the device can end by itself. */
export type DeviceTimers = { readonly on: DeadManLimits | null; readonly off: DeadManLimits | null };

/** Topic, channel and related settings of one plug. */
export interface PlugAddress {
  readonly topic: string;
  /** Output of the device; empty for a device with one output. */
  readonly channel: string;
  /** Topic by which the plug identifies elbro; the plug may publish responses below it. */
  readonly caller: string;
  readonly custom?: CustomTopics | undefined;
  readonly learned?: LearnedPlug | undefined;
  /** Values of an entity of Home Assistant that mean ON and OFF. */
  readonly values?: EntityValues | undefined;
  /** Sensors of Home Assistant that measure the plug. */
  readonly meters?: { readonly power?: string | undefined; readonly energy?: string | undefined } | undefined;
}

export type EntityValues = { readonly on: string | number; readonly off: string | number };

/** Plug that it or its bridge announced on the broker. */
export interface AnnouncedPlug {
  /** Topic in the form of the family's `topic`. */
  readonly topic: string;
  /** Channel in the form of the family's `channel`; empty for the default channel. */
  readonly channel: string;
  readonly name: string;
  /** Model name from the device; null if it does not state one. */
  readonly model: string | null;
  readonly learned?: LearnedPlug;
}

/** Topics where plugs of a family announce themselves. */
export interface Announcement {
  readonly filter: string;
  /** Pattern of a topic in `filter`, with groups for its parts. */
  readonly topic: RegExp;
  /** Returns the plugs in a message, or an empty list. `parts` are the groups of `topic`. */
  readonly read: (payload: string, parts: readonly string[]) => readonly AnnouncedPlug[];
  /** Message that requests the announcements, if they are not retained. */
  readonly ask?: PlugMessage;
}

/** Form of the user name and password over HTTP: a header of RFC 7617 or RFC 7616, or `user` and `password` in the URL. */
export type HttpLogin = "basic" | "digest" | "query";

/** Commands and state requests over one protocol. Over HTTP a message is a GET whose path is the topic. */
export interface PlugCommands {
  readonly deadMan: (address: PlugAddress) => DeviceTimers;
  readonly answers: (address: PlugAddress) => PlugRules["answers"];
  /** True if the timer must be observed once: some devices accept its command and ignore it. */
  readonly isTimerUnsure?: boolean;
  /** Shape: one message that switches and sets the timer, if possible: of two, the timer could get lost. */
  readonly turn: (address: PlugAddress, on: boolean, deadManSec: number | null) => PlugMessage[];
  readonly ask: (address: PlugAddress) => PlugMessage[];
  /** Clears a timer stored in the device; absent for families without one. */
  readonly clearTimer?: (address: PlugAddress) => PlugMessage[];
}

export interface PlugFamilyRow extends PlugCommands {
  /** Key that addresses the plug, if it is not `topic`. */
  readonly address?: "topic" | "entity";
  /** Meaning of `topic`, or of that key. */
  readonly topic: Message;
  /** Start of `topic` that may be left out, so that one plug has two spellings. */
  readonly optionalStart?: string;
  /** Meaning, pattern and default of `channel`; `ordinary` is null if the channel is required. */
  readonly channel: { readonly about: Message; readonly fits: RegExp; readonly ordinary: string | null };
  /** For the documentation: whether and how the device ends an ON or an OFF by itself. */
  readonly deadManNote: { readonly on: string; readonly off: string };
  /** Settings that commands leave in the device, and how to restore their defaults; absent without such settings. */
  readonly leaves?: string;
  /** Setting of the whole device that all its channels share, so that they need the same `when_lost`. */
  readonly shared?: string;
  /** Readers of the plug's messages, by topic. */
  readonly listens: (address: PlugAddress) => Readonly<Record<string, Reader>>;
  /** Readers of what the plug measures, by topic; absent for a family that needs topics of the owner. */
  readonly measures?: (address: PlugAddress) => Readonly<Record<string, MeterReader>>;
  /** Readers of the bridge's messages about the plug, by topic; null for one that says nothing about it. */
  readonly learns?: (
    address: PlugAddress,
  ) => Readonly<Record<string, (payload: string) => LearnedPlug | GonePlug | null>>;
  /** Announcements of the family, if it has any. */
  readonly announces?: Announcement;
  /** Same commands over HTTP, without a broker. */
  readonly http?: PlugCommands & {
    /** Creates a reader of the state in a response. */
    readonly reads: (address: PlugAddress) => Reader;
    /** Creates a reader of the measurements in a response. */
    readonly measures: (address: PlugAddress) => MeterReader;
    readonly login: HttpLogin;
    /** Matches the body of a response with the status 200 that refuses the login. */
    readonly refusal?: RegExp;
  };
}

/** Returns the plug's topic: a name without slashes is below `root`, a topic of several levels is unchanged. */
export function withRoot(root: string, { topic }: PlugAddress): string {
  return topic.includes("/") ? topic : `${root}/${topic}`;
}
