/**
 * What to say to a plug, and when to look again. A pure state machine: everything that happens is an event, and time
 * is an argument.
 *
 * - A plug has a resting state: OFF, or ON for what must go on without elbro (`when_lost: on`). It is what the plug is
 *   told while nothing is known. With `keep` there is none: while nothing is known it is told what it was told before.
 * - At the start and whenever the way to the plug or the plug itself comes back, it is told at once what it should be.
 * - What is not the resting state lasts by itself until a little after the end of its quarter of an hour, or of its run
 *   if that is sooner, and is renewed at each quarter. A family without such a timer is told again at each quarter all
 *   the same.
 * - An answer is awaited for ten seconds, with three retries; then the plug counts as silent until it answers, and is
 *   told again each quarter.
 * - A planned OFF waits for the minimum on time, and an ON for the minimum off time, but never beyond the end that the
 *   device was given. A loss of trust and a start do not wait.
 * - A timer that may not exist is observed once: at the end of a run the plug is left to it, for three minutes at most.
 * - A hand on the button counts until what is wanted changes. What a hand has switched on is not renewed.
 */
import type { EpochMs } from "../time/interval.ts";
import { afterSetBack, heard, noted } from "./plug-events.ts";
import {
  DEAD_MAN_MARGIN_MS,
  ECHO_MS,
  MAX_RETRIES,
  type PlugCommand,
  type PlugEvent,
  type PlugRules,
  type PlugState,
  RENEWED_EVERY_MS,
  restsOn,
  type Sent,
  TIMER_SLACK_MS,
  type Wanted,
} from "./plug-types.ts";

/** Ends of an ON that are remembered; the device goes by one of them. */
const MAX_ENDS = 3;

/** Everything a decision is made from. */
export interface PlugMoment {
  readonly state: PlugState;
  readonly event: PlugEvent;
  /** Null where nothing is known: that is the resting state. */
  readonly wanted: Wanted | null;
  /** Whether the clock can be right. */
  readonly trusted: boolean;
  readonly rules: PlugRules;
  readonly now: EpochMs;
}

/** Why a plug is told what it is told, or nothing. */
export type PlugReason =
  | "wanted_on"
  | "wanted_off"
  | "no_signal"
  | "clock_not_trusted"
  | "no_broker"
  | "switched_on_by_hand"
  | "switched_off_by_hand"
  | "minimum_on_time"
  | "minimum_off_time"
  | "timer_test";

export interface PlugDecision {
  readonly state: PlugState;
  /** To be sent in this order, now. */
  readonly commands: readonly PlugCommand[];
  /** What the plug should be; null while nothing is decided: the time was never trusted, or a hand switched it on. */
  readonly aim: boolean | null;
  readonly reason: PlugReason;
  /** When to decide again if nothing happens; null for never. */
  readonly wakeAt: EpochMs | null;
}

/**
 * Decides what to do about a plug.
 * Errors: none; a plug that does not answer is `silent` in its state until it does.
 */
export function decide(moment: PlugMoment): PlugDecision {
  const { event, rules, trusted, now } = moment;
  const state = edged(observed(heard(afterSetBack(moment.state, now), event, rules, now), moment), moment);
  const { manualOverride } = state;
  const target = held(state, moment);
  const isLeftToHand = manualOverride !== null && manualOverride !== restsOn(rules);
  const aim = !state.begun || isLeftToHand ? null : (manualOverride ?? target.on);
  const reason = reasonOf(state, target, moment);
  const next = aim === null || !state.connected ? { state, commands: [] } : act(state, aim, target.until, moment);
  const wakeAt = earliest([moment.wanted?.until, target.until, ...due(next.state, aim, target.until, rules)], now);
  // The timer of the command before must not end what a hand switched on.
  const isNewHand = isLeftToHand && moment.state.manualOverride === null && rules.deadMan !== null;
  const commands = isNewHand ? [{ kind: "clear_timer" } as const] : next.commands;
  return { state: next.state, commands, aim, reason, wakeAt: trusted || state.begun ? wakeAt : null };
}

/** Whether it is known what the plug should be. */
function isKnown({ wanted, trusted, now }: PlugMoment): boolean {
  return trusted && wanted !== null && !wanted.lost && (wanted.until === null || now < wanted.until);
}

/** A planned edge ends what a hand did; the plug is then told again, whatever it was told before. */
function edged(state: PlugState, moment: PlugMoment): PlugState {
  const { whenLost } = moment.rules;
  const begun = state.begun || moment.trusted || whenLost === "on";
  const lost = whenLost === "keep" ? state.desired : whenLost === "on";
  const desired = isKnown(moment) ? moment.wanted?.on === true : lost;
  const ended = state.manualOverride !== null && desired !== state.desired;
  return { ...state, begun, desired, ...(ended ? { manualOverride: null, sent: null } : {}) };
}

/** A timer that should have fired and did not is none. */
function observed(state: PlugState, { rules, now }: PlugMoment): PlugState {
  const isMissed = isObserving(state, rules) && state.connected && now >= timerEnd(state) + TIMER_SLACK_MS;
  return isMissed ? { ...state, timerWorks: false } : state;
}

/** Whether the plug is out of its resting state on a timer that nobody saw work yet. */
function isObserving({ sent, reported, timerWorks }: PlugState, rules: PlugRules): boolean {
  const isAway = sent?.settled === true && sent.on !== restsOn(rules) && reported === sent.on;
  return rules.isTimerUnsure === true && rules.deadMan !== null && timerWorks === null && isAway;
}

function timerEnd({ ends }: PlugState): EpochMs {
  return Math.max(...ends);
}

interface Target {
  /** Null where nothing was ever known and the plug keeps what it is. */
  readonly on: boolean | null;
  /** Until when it is held against what is wanted; null where it is not. */
  readonly until: EpochMs | null;
  readonly why?: PlugReason;
}

/** What the plug should be: what is wanted, or its state before if that is held. */
function held(state: PlugState, moment: PlugMoment): Target {
  const { rules, trusted, now } = moment;
  const { desired, since, sent } = state;
  if (desired === restsOn(rules) && isKnown(moment) && isObserving(state, rules)) {
    const until = timerEnd(state) + TIMER_SLACK_MS;
    if (now < until && until <= now + DEAD_MAN_MARGIN_MS + 2 * TIMER_SLACK_MS)
      return { on: !desired, until, why: "timer_test" };
  }
  if (desired === null || since === null || since.on === desired) return { on: desired, until: null };
  const isAway = sent !== null && sent.on !== restsOn(rules);
  const isHeld = desired === restsOn(rules) ? trusted && isAway : !isAway;
  const minimum = since.at + (desired ? rules.minOffMs : rules.minOnMs);
  const until = isAway && rules.whenLost !== "keep" ? Math.min(minimum, timerEnd(state)) : minimum;
  if (!isHeld || now >= until) return { on: desired, until: null };
  return { on: !desired, until, why: desired ? "minimum_off_time" : "minimum_on_time" };
}

type Action = Pick<PlugDecision, "state" | "commands">;

function act(state: PlugState, aim: boolean, heldUntil: EpochMs | null, moment: PlugMoment): Action {
  const { sent } = state;
  const { now } = moment;
  if (!sent || sent.on !== aim) return sendCommand(state, aim, 0, moment);
  // What is held out of its resting state is at its end: nothing makes it longer.
  const isTimed = aim !== restsOn(moment.rules);
  if (isTimed && heldUntil !== null) return { state, commands: [] };
  if (sent.echoBy !== null) {
    if (now < sent.echoBy) return { state, commands: [] };
    if (sent.fights) return sendCommand(state, aim, 0, moment);
    if (sent.retries < MAX_RETRIES) return sendCommand(state, aim, sent.retries + 1, moment);
    return act({ ...state, unresponsive: true, sent: { ...sent, echoBy: null } }, aim, heldUntil, moment);
  }
  if ((isTimed || !sent.settled) && now >= sent.renewAt)
    return sendCommand(state, aim, sent.settled ? 0 : MAX_RETRIES, moment);
  return { state, commands: [] };
}

/** Says ON or OFF. A plug that may stay quiet is asked for its state, too. */
function sendCommand(state: PlugState, on: boolean, retries: number, moment: PlugMoment): Action {
  const { rules, now } = moment;
  const renewAt = Math.floor(now / RENEWED_EVERY_MS) * RENEWED_EVERY_MS + RENEWED_EVERY_MS;
  const isTimed = rules.whenLost !== "keep" && on !== restsOn(rules);
  const lastsMs = isTimed ? lastingMs(renewAt, moment) : 0;
  // Where a command was never answered, what was reported before it says nothing.
  const isSo = state.reported === on && (!state.sent || state.sent.settled);
  const settled = rules.answers === "never" || (rules.answers === "changes" && isSo);
  const echoBy = settled ? null : now + ECHO_MS;
  const sent: Sent = { on, at: now, retries, settled, fights: false, echoBy, renewAt };
  const ends = isTimed ? endsWith(state.ends, now + lastsMs) : state.ends;
  const deadManSec = isTimed && rules.deadMan ? Math.ceil(lastsMs / 1_000) : null;
  const command: PlugCommand = { kind: on ? "on" : "off", deadManSec };
  const known = rules.answers === "never" ? { ...noted(state, on, now), reported: null } : state;
  const asks = rules.answers === "asked" ? isTimed || retries > 0 : retries > 0 && isTelling(state, on, rules);
  return { state: { ...known, sent, ends }, commands: asks ? [command, { kind: "ask" }] : [command] };
}

/** Whether the state tells that a command was taken: not where the plug may have been so before. */
function isTelling({ reported }: PlugState, on: boolean, { answers }: PlugRules): boolean {
  return answers === "changes" || (reported !== null && reported !== on);
}

/** The ends a device may have been given; those of retries are one. A few renewals may be missed in a row. */
function endsWith(before: readonly EpochMs[], end: EpochMs): EpochMs[] {
  return [...before.filter((each) => Math.abs(each - end) > TIMER_SLACK_MS), end].slice(-MAX_ENDS);
}

/**
 * How long the device may stay out of its resting state by itself. Unit: ms, of whole seconds. An OFF that must not go
 * on ends with its gap: its margin is that of the device's clock only.
 */
function lastingMs(renewAt: EpochMs, { wanted, rules, now }: PlugMoment): number {
  const end = Math.min(renewAt, wanted?.until ?? renewAt);
  const ordinaryMs = restsOn(rules) && end < renewAt ? TIMER_SLACK_MS : DEAD_MAN_MARGIN_MS;
  const marginMs = wanted?.isTrial ? 0 : ordinaryMs;
  const seconds = Math.ceil((end - now + marginMs) / 1_000);
  const { leastSec, mostSec } = rules.deadMan ?? { leastSec: 0, mostSec: seconds };
  return Math.min(mostSec, Math.max(leastSec, seconds)) * 1_000;
}

/** When something is to be done for a plug that was told something. */
function due(
  { sent, connected }: PlugState,
  aim: boolean | null,
  heldUntil: EpochMs | null,
  rules: PlugRules,
): (EpochMs | null)[] {
  const isTimed = aim !== restsOn(rules);
  if (!sent || !connected || aim === null || (isTimed && heldUntil !== null)) return [];
  return [sent.echoBy ?? (isTimed || !sent.settled ? sent.renewAt : null)];
}

function earliest(times: readonly (EpochMs | null | undefined)[], now: EpochMs): EpochMs | null {
  const ahead = times.filter((at) => typeof at === "number" && at > now);
  return ahead.length === 0 ? null : Math.min(...(ahead as EpochMs[]));
}

function reasonOf({ connected, manualOverride }: PlugState, target: Target, moment: PlugMoment): PlugReason {
  if (!moment.trusted) return "clock_not_trusted";
  if (!connected) return "no_broker";
  if (manualOverride !== null) return manualOverride ? "switched_on_by_hand" : "switched_off_by_hand";
  if (target.why) return target.why;
  if (!moment.wanted || moment.wanted.lost) return "no_signal";
  return target.on ? "wanted_on" : "wanted_off";
}
