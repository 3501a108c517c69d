/** The nouns of switching a plug: what is wanted, what is known of it, what was said to it. */
import type { WhenLost } from "../planning/model/plan-spec.ts";
import { type EpochMs, QUARTER_MS, SECOND_MS } from "../time/interval.ts";

/** What a plan or a signal wants of a plug at a moment. */
export interface Wanted {
  readonly on: boolean;
  /** Until when it wants that; what it wants from then on is asked again. Null where only an event can tell. */
  readonly until: EpochMs | null;
  /** In words, for the owner: `cheap at Home`. */
  readonly reason?: string;
  /** `when_lost` of the plan, where nothing is known that `on` could come from: `when_lost` of the plug decides. */
  readonly lost?: WhenLost;
  /** Its owner tries the plug: the device's own timer ends it at `until`, without any margin. */
  readonly isTrial?: true;
}

/** What a device can enforce by itself. Unit: seconds. */
export interface DeadManLimits {
  readonly leastSec: number;
  readonly mostSec: number;
}

/** How a plug is to be treated. ON and OFF are those of the appliance: an inverted relay is the edge's to translate. */
export interface PlugRules {
  /** What the plug is while nothing is known, and after elbro died: its resting state. `keep`: it has none. */
  readonly whenLost: WhenLost;
  /** Limits of the timer that returns the device to its resting state. Null if the device has no such timer. */
  readonly deadMan: DeadManLimits | null;
  /** Whether the timer has to be observed once: some devices accept its command and ignore it. */
  readonly isTimerUnsure?: boolean;
  /**
   * When a plug tells its state after a command. `changes`: not where the command changes nothing. `asked`: after a
   * command with a timer only if it is asked.
   */
  readonly answers: "always" | "changes" | "asked" | "never";
  /** Whether a hand on the button counts until the next planned edge. */
  readonly override: "respect" | "enforce";
  readonly minOnMs: number;
  readonly minOffMs: number;
}

/** What a plug or the way to it tells. `retained`: it lay in the broker from before. */
export type PlugEvent =
  | { readonly kind: "tick" }
  | { readonly kind: "connected" }
  | { readonly kind: "disconnected" }
  | { readonly kind: "availability"; readonly available: boolean; readonly retained: boolean }
  /** The bridge between the broker and the plug came or went. */
  | { readonly kind: "bridge"; readonly up: boolean }
  | { readonly kind: "reported"; readonly on: boolean; readonly retained: boolean }
  /** The plug has done a command. Unlike a report it says nothing of later: it may come late. */
  | { readonly kind: "done"; readonly on: boolean };

/** What is to be said to a plug now. `ask` is for its state, where a family has a way to ask. */
export type PlugCommand =
  | { readonly kind: "on" | "off"; readonly deadManSec: number | null }
  /** Clears a timer that is stored in the device, without switching. */
  | { readonly kind: "clear_timer" }
  | { readonly kind: "ask" };

/** The last command, on the present connection and since the plug was last there. */
export interface Sent {
  readonly on: boolean;
  readonly at: EpochMs;
  /** Tries after the first. */
  readonly retries: number;
  /** Whether the plug has answered, or need not. */
  readonly settled: boolean;
  /** It was answered, and the plug went its own way all the same, as often as there are retries. */
  readonly fights: boolean;
  /** When the answer is overdue; null once nobody waits for it any more. */
  readonly echoBy: EpochMs | null;
  readonly renewAt: EpochMs;
}

/** Since when a plug is ON or OFF. */
export interface Since {
  readonly on: boolean;
  readonly at: EpochMs;
}

/** A plug as the daemon knows it. */
export interface PlugState {
  /** Whether the time was trusted once in this life of the daemon: before, nothing is switched. */
  readonly begun: boolean;
  readonly connected: boolean;
  /** Null while the plug has not told. */
  readonly available: boolean | null;
  /** Null while it is unknown: not told on this connection, or not since the plug was away. */
  readonly reported: boolean | null;
  readonly since: Since | null;
  /** What was wanted at the last decision; a change of it is a planned edge. Null before the first. */
  readonly desired: boolean | null;
  readonly sent: Sent | null;
  /** When the device's own timer may fire: by the last command, or by one before whose renewals it missed. */
  readonly ends: readonly EpochMs[];
  /** Whether the timer was seen to work. Null before it was observed. */
  readonly timerWorks: boolean | null;
  /** The bridge to the plug said that it is gone. */
  readonly isBridgeDown: boolean;
  /** What a hand has switched to, against what was wanted. */
  readonly manualOverride: boolean | null;
  /** Until when a contradiction is no hand's: a plug that just came back may first do what it finds in the broker. */
  readonly waryUntil: EpochMs;
  /** It did not answer, three retries included. */
  readonly unresponsive: boolean;
  readonly lookedAt: EpochMs;
}

/** The answer to a command is awaited this long. Source: issue 5. */
export const ECHO_MS: number = 10 * SECOND_MS;
export const MAX_RETRIES = 3;
/** What is not the resting state is renewed at the bounds of these intervals, so that it ends soon after a daemon that died. */
export const RENEWED_EVERY_MS: number = QUARTER_MS;
/**
 * How much longer than its interval an ON lasts by itself: a clock that is trusted may be two minutes off, and be put
 * right between two renewals.
 */
export const DEAD_MAN_MARGIN_MS: number = 150 * SECOND_MS;
/** How far a device's own timer may be off: its clock, and the way of the command to it. */
export const TIMER_SLACK_MS: number = 10 * SECOND_MS;
/** The longest time until the device returns to its resting state after the daemon or the broker has died. */
export const MAX_DEAD_MAN_MS: number = RENEWED_EVERY_MS + DEAD_MAN_MARGIN_MS;

/** The state of a plug that nobody controls; without one (`keep`) OFF counts as such where a choice is needed. */
export function restsOn({ whenLost }: Pick<PlugRules, "whenLost">): boolean {
  return whenLost === "on";
}

/** A plug nobody has heard of yet; `since` is what an earlier life of the daemon knew. */
export function unknownPlug(since: Since | null): PlugState {
  return {
    begun: false,
    connected: false,
    available: null,
    reported: null,
    since,
    desired: null,
    sent: null,
    ends: [],
    timerWorks: null,
    isBridgeDown: false,
    manualOverride: null,
    waryUntil: Number.NEGATIVE_INFINITY,
    unresponsive: false,
    lookedAt: Number.NEGATIVE_INFINITY,
  };
}

/** How long a plug is ON when its owner tries it. */
export const TRIAL_MS: number = 10 * SECOND_MS;
