/** Types of plug control: wanted state, known state and sent commands. */
import type { WhenLost } from "../planning/model/plan-spec.ts";
import { type EpochMs, QUARTER_MS, SECOND_MS } from "../time/interval.ts";

/** State that a plan or signal wants. */
export interface Wanted {
  readonly on: boolean;
  /** End of the wanted state, when it is computed again. Null if only an event can change it. */
  readonly until: EpochMs | null;
  /** Reason in words, for the owner: `cheap at Home`. */
  readonly reason?: string;
  /** `when_lost` of the plan, set if the plan knows no data to decide `on`; then `when_lost` of the plug decides. */
  readonly lost?: WhenLost;
  /** Longest time OFF, which also ends a manual OFF. Unit: ms. */
  readonly maxOffMs?: number;
  /** Test by the owner: the device's own timer ends it at `until`, without a margin. */
  readonly isTrial?: true;
}

/** Limits of a device's own timer. Unit: seconds. */
export type DeadManLimits = { readonly leastSec: number; readonly mostSec: number };

/** Control rules of a plug. ON and OFF are those of the appliance; the caller translates an inverted relay. */
export interface PlugRules {
  /** Resting state: applies while no signal is known and after elbro has stopped. `keep` means none. */
  readonly whenLost: WhenLost;
  /** Limits of the timer that returns the device to its resting state; null if the device has none. */
  readonly deadMan: DeadManLimits | null;
  /** True if the timer must be observed once: some devices accept its command and ignore it. */
  readonly isTimerUnsure?: boolean;
  /** When it reports its state after a command. `changes`: if it changed. `asked`: with a timer, on request. */
  readonly answers: "always" | "changes" | "asked" | "never";
  /** `respect`: a manual change counts until the next planned change. `enforce`: it is reverted. */
  readonly override: "respect" | "enforce";
  /** True if the device switches itself off shortly after an ON without a load. */
  readonly cutsIdle?: boolean;
  readonly minOnMs: number;
  readonly minOffMs: number;
}

/** Message of a plug, or change of its connection. `retained`: the broker had stored the message before. */
export type PlugEvent =
  | { readonly kind: "tick" }
  | { readonly kind: "connected" }
  | { readonly kind: "disconnected" }
  | { readonly kind: "availability"; readonly available: boolean; readonly retained: boolean }
  /** The bridge between broker and plug went online or offline. */
  | { readonly kind: "bridge"; readonly up: boolean }
  | {
      readonly kind: "reported";
      readonly on: boolean;
      readonly retained: boolean;
      /** True if the appliance drew no power before. */
      readonly isIdle?: boolean;
    }
  /** The plug confirmed a command. A confirmation may arrive late, so it does not prove the current state. */
  | { readonly kind: "done"; readonly on: boolean };

/** Command to a plug. `ask` requests the state, if the family can. */
export type PlugCommand =
  | { readonly kind: "on" | "off"; readonly deadManSec: number | null }
  /** Clears a timer stored in the device, without switching. */
  | { readonly kind: "clear_timer" }
  | { readonly kind: "ask" };

/** Last command on the current connection since the plug last became available. */
export interface Sent {
  readonly on: boolean;
  readonly at: EpochMs;
  readonly retries: number;
  /** True if the plug has answered or need not answer. */
  readonly settled: boolean;
  /** True if the plug confirmed the command and still changed its state, more than `MAX_RETRIES` times. */
  readonly fights: boolean;
  /** Deadline of the response; null if none is awaited. */
  readonly echoBy: EpochMs | null;
  readonly renewAt: EpochMs;
}

/** Time since which a plug is ON or OFF. */
export type Since = { readonly on: boolean; readonly at: EpochMs };

/** State of a plug as the daemon knows it. */
export interface PlugState {
  /** True if the clock was ever trusted, or the resting state is ON. Nothing is switched before. */
  readonly begun: boolean;
  readonly connected: boolean;
  /** Null until the plug reports it. */
  readonly available: boolean | null;
  /** Null while unknown: no report on this connection, or since the plug was last unavailable. */
  readonly reported: boolean | null;
  readonly since: Since | null;
  /** Wanted state at the last decision; a change of it is a planned change. Null before the first decision. */
  readonly desired: boolean | null;
  readonly sent: Sent | null;
  /** When the device's own timer may fire: of the last command, or of earlier ones if renewals were missed. */
  readonly ends: readonly EpochMs[];
  /** True if the timer was observed to work; null before it was observed. */
  readonly timerWorks: boolean | null;
  /** True if the timer was observed to end an ON much too early. Commands then carry no timer. */
  readonly timerMisfits: boolean;
  /** True if the bridge to the plug reported that it is offline. */
  readonly isBridgeDown: boolean;
  /** State that was set manually against the wanted state; null if none. */
  readonly manualOverride: boolean | null;
  /** Until then a contradiction is not a manual change: a returned plug may execute retained commands first. */
  readonly waryUntil: EpochMs;
  /** True if the plug did not answer, including three retries. */
  readonly unresponsive: boolean;
  readonly lookedAt: EpochMs;
}

/** Maximum wait for the response to a command. */
export const ECHO_MS: number = 10 * SECOND_MS;
export const MAX_RETRIES = 3;
/** Commands out of the resting state are renewed at multiples of this, so that they end soon after elbro dies. */
export const RENEWED_EVERY_MS: number = QUARTER_MS;
/** Margin of the device's timer. A trusted clock may be wrong by two minutes and be corrected between two renewals. */
export const DEAD_MAN_MARGIN_MS: number = 150 * SECOND_MS;
/** Tolerance for a device's own timer: its clock and the delay of the command. */
export const TIMER_SLACK_MS: number = 10 * SECOND_MS;
/** Longest time until the device returns to its resting state after the daemon or the broker has died. */
export const MAX_DEAD_MAN_MS: number = RENEWED_EVERY_MS + DEAD_MAN_MARGIN_MS;

/** Returns true if the resting state is ON. `keep` counts as OFF where a choice is needed. */
export function restsOn({ whenLost }: Pick<PlugRules, "whenLost">): boolean {
  return whenLost === "on";
}

/** Returns the state of a plug without any message; `since` is restored from storage. */
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
    timerMisfits: false,
    isBridgeDown: false,
    manualOverride: null,
    waryUntil: Number.NEGATIVE_INFINITY,
    unresponsive: false,
    lookedAt: Number.NEGATIVE_INFINITY,
  };
}

/** Duration of the ON when the owner tests a plug. */
export const TRIAL_MS: number = 10 * SECOND_MS;
