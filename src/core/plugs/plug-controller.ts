/**
 * State machine of a plug: returns the commands to send and the time of the next decision. Pure: events and time are
 * arguments.
 *
 * - A plug has a resting state: OFF, or ON with `when_lost: on`. It applies while no signal is known. A plug with
 *   `when_lost: keep` has no resting state; its last command stays.
 * - At the start, and when the connection or the plug returns, the plug is sent its target state immediately.
 * - A command out of the resting state carries a timer on the device. The timer ends shortly after the next
 *   quarter-hour, or after the end of the run if that is sooner. Each quarter-hour renews it. A family without a timer
 *   is sent the command again each quarter-hour.
 * - A response is awaited for 10 s, with three retries. Then the plug counts as unresponsive until it answers, and is
 *   sent the command each quarter-hour.
 * - A planned OFF waits for the minimum on time, a planned ON for the minimum off time, but never beyond the device's
 *   timer. A start and a loss of clock trust do not wait.
 * - An unconfirmed timer is observed once. At the end of a run no OFF is sent until the timer is due, at most 3
 *   minutes.
 * - A timer that ended an ON as if its seconds had 8 bits does not fit: the ON is sent again, from then on without it.
 * - A manual change lasts until the wanted state changes. A manual ON is not renewed.
 */
import { invariant } from "../invariant.ts";
import { type EpochMs, stepEnd } from "../time/interval.ts";
import { afterSetBack, heard, isTelling, withReported } from "./plug-events.ts";
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

/** Maximum remembered timer ends; the device follows one of them. */
const MAX_ENDS = 3;

/** Input of a decision. */
export interface PlugMoment {
  readonly state: PlugState;
  readonly event: PlugEvent;
  /** Null if no signal is known; then the resting state applies. */
  readonly wanted: Wanted | null;
  /** True if the clock is plausible. */
  readonly trusted: boolean;
  readonly rules: PlugRules;
  readonly now: EpochMs;
}

/** Reason for the commands, or for sending none. */
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
  /** Commands to send now, in this order. */
  readonly commands: readonly PlugCommand[];
  /** Target state; null while undecided: the clock was never trusted, or the plug was switched manually. */
  readonly targetOn: boolean | null;
  readonly reason: PlugReason;
  /** Time of the next decision if no event occurs; null for never. */
  readonly wakeAt: EpochMs | null;
}

/** Decides the commands for a plug. Does not throw; a plug that does not answer is `unresponsive` in its state. */
export function decide(moment: PlugMoment): PlugDecision {
  const { event, rules, trusted, now } = moment;
  const state = edged(observed(heard(afterSetBack(moment.state, now), event, rules, now), moment), moment);
  const { manualOverride } = state;
  const target = held(state, moment);
  const isManual = manualOverride !== null && manualOverride !== restsOn(rules);
  const targetOn = !state.begun || isManual ? null : (manualOverride ?? target.on);
  const reason = reasonOf(state, target, moment);
  const next =
    targetOn === null || !state.connected ? { state, commands: [] } : act(state, targetOn, target.until, moment);
  const wakeAt = earliest(
    [moment.wanted?.until, target.until, offEnd(state, moment), ...due(next.state, targetOn, target.until, rules)],
    now,
  );
  // The timer of the previous command must not end a state that was switched manually.
  const isNewManual = isManual && moment.state.manualOverride === null && rules.deadMan !== null;
  const commands = isNewManual ? [{ kind: "clear_timer" } as const] : next.commands;
  return { state: next.state, commands, targetOn, reason, wakeAt: trusted || state.begun ? wakeAt : null };
}

function isKnown({ wanted, trusted, now }: PlugMoment): boolean {
  return trusted && wanted !== null && !wanted.lost && (wanted.until === null || now < wanted.until);
}

/** Updates the wanted state. A planned change ends a manual override, and the command is sent again. */
function edged(state: PlugState, moment: PlugMoment): PlugState {
  const { whenLost } = moment.rules;
  const begun = state.begun || moment.trusted || whenLost === "on";
  const lost = whenLost === "keep" ? state.desired : whenLost === "on";
  const desired = isKnown(moment) ? moment.wanted?.on === true : lost;
  const isOffTooLong = moment.now >= (offEnd(state, moment) ?? Number.POSITIVE_INFINITY);
  const ended = state.manualOverride !== null && (desired !== state.desired || isOffTooLong);
  return { ...state, begun, desired, ...(ended ? { manualOverride: null, sent: null } : {}) };
}

/** Returns when a manual OFF has lasted as long as the plan allows; null without one. */
function offEnd({ manualOverride, since }: PlugState, { wanted }: PlugMoment): EpochMs | null {
  const isOff = manualOverride === false && since?.on === false;
  return isOff && wanted?.maxOffMs !== undefined ? since.at + wanted.maxOffMs : null;
}

/** Records that the timer does not work if it is overdue. */
function observed(state: PlugState, { rules, now }: PlugMoment): PlugState {
  const isMissed = isObserving(state, rules) && state.connected && now >= timerEnd(state) + TIMER_SLACK_MS;
  return isMissed ? { ...state, timerWorks: false } : state;
}

/** Returns true if the plug is out of its resting state on a timer that has not been observed yet. */
function isObserving(state: PlugState, rules: PlugRules): boolean {
  const { sent, reported, timerWorks } = state;
  const isAway = sent?.settled === true && sent.on !== restsOn(rules) && reported === sent.on;
  return rules.isTimerUnsure === true && rules.deadMan !== null && timerWorks === null && isAway && isTelling(state);
}

function timerEnd({ ends }: PlugState): EpochMs {
  return Math.max(...ends);
}

interface Target {
  /** Null if no state was ever known and `when_lost` is `keep`. */
  readonly on: boolean | null;
  /** End of the delay against the wanted state; null if there is no delay. */
  readonly until: EpochMs | null;
  readonly why?: PlugReason;
}

/** Returns the target state: the wanted state, or the previous one while a minimum time or a timer test delays it. */
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

function act(state: PlugState, targetOn: boolean, heldUntil: EpochMs | null, moment: PlugMoment): Action {
  const { sent } = state;
  const { now } = moment;
  if (!sent || sent.on !== targetOn) return sendCommand(state, targetOn, 0, moment);
  // A delayed return to the resting state is not renewed.
  const isTimed = targetOn !== restsOn(moment.rules);
  if (isTimed && heldUntil !== null) return { state, commands: [] };
  if (sent.echoBy !== null) {
    if (now < sent.echoBy) return { state, commands: [] };
    if (sent.fights) return sendCommand(state, targetOn, 0, moment);
    if (sent.retries < MAX_RETRIES) return sendCommand(state, targetOn, sent.retries + 1, moment);
    return act({ ...state, unresponsive: true, sent: { ...sent, echoBy: null } }, targetOn, heldUntil, moment);
  }
  if ((isTimed || !sent.settled) && now >= sent.renewAt)
    return sendCommand(state, targetOn, sent.settled ? 0 : MAX_RETRIES, moment);
  return { state, commands: [] };
}

/** Creates the command ON or OFF. Also requests the state if the plug may not report it. */
function sendCommand(state: PlugState, on: boolean, retries: number, moment: PlugMoment): Action {
  const { rules, now } = moment;
  const renewAt = stepEnd(now, RENEWED_EVERY_MS);
  const isTimed = rules.whenLost !== "keep" && on !== restsOn(rules);
  const lastsMs = isTimed ? lastingMs(renewAt, moment) : 0;
  // If the last command was never answered, an earlier report proves nothing.
  const isSo = state.reported === on && (!state.sent || state.sent.settled);
  const settled = rules.answers === "never" || (rules.answers === "changes" && isSo);
  const echoBy = settled ? null : now + ECHO_MS;
  const sent: Sent = { on, at: now, retries, settled, fights: false, echoBy, renewAt };
  const ends = isTimed ? endsWith(endsBefore(state, renewAt), now + lastsMs) : state.ends;
  const deadManSec = isTimed && rules.deadMan && !state.timerMisfits ? Math.ceil(lastsMs / 1_000) : null;
  const command: PlugCommand = { kind: on ? "on" : "off", deadManSec };
  const known = rules.answers === "never" ? { ...withReported(state, on, now), reported: null } : state;
  // A report of this state proves that the command was executed if the plug did not have it before.
  const isProof = rules.answers === "changes" || (state.reported !== null && state.reported !== on);
  const asks = rules.answers === "asked" ? isTimed || retries > 0 : retries > 0 && isProof;
  return { state: { ...known, sent, ends }, commands: asks ? [command, { kind: "ask" }] : [command] };
}

/** Checks that a command out of the resting state ends by the device's own timer, unless it has none that works. */
export function checkCommand(command: PlugCommand, rules: PlugRules, { timerMisfits }: PlugState): void {
  if (command.kind !== "on" && command.kind !== "off") return;
  const { deadManSec } = command;
  const rests = rules.whenLost === "keep" || (command.kind === "on") === restsOn(rules);
  const hasNone = deadManSec === null && (rules.deadMan === null || timerMisfits);
  invariant(rests || hasNone || (deadManSec !== null && deadManSec > 0), "an ON has a timer");
}

/** Returns the remembered timer ends. Without one, a timer of the previous process may still run. */
function endsBefore({ ends }: PlugState, renewAt: EpochMs): readonly EpochMs[] {
  return ends.length > 0 ? ends : [renewAt - RENEWED_EVERY_MS + DEAD_MAN_MARGIN_MS];
}

/** Adds the end of a timer, unless it is the same within `TIMER_SLACK_MS`. A plug may miss a few renewals. */
function endsWith(before: readonly EpochMs[], end: EpochMs): EpochMs[] {
  return [...before.filter((each) => Math.abs(each - end) > TIMER_SLACK_MS), end].slice(-MAX_ENDS);
}

/** Returns how long the device may stay out of its resting state by itself. Unit: ms, of whole seconds. */
function lastingMs(renewAt: EpochMs, { wanted, rules, now }: PlugMoment): number {
  const until = wanted?.until ?? Number.POSITIVE_INFINITY;
  const end = Math.min(renewAt, until);
  const ordinaryMs = restsOn(rules) && until <= renewAt ? TIMER_SLACK_MS : DEAD_MAN_MARGIN_MS;
  const marginMs = wanted?.isTrial ? 0 : ordinaryMs;
  const seconds = Math.ceil((end - now + marginMs) / 1_000);
  const { leastSec, mostSec } = rules.deadMan ?? { leastSec: 0, mostSec: seconds };
  return Math.min(mostSec, Math.max(leastSec, seconds)) * 1_000;
}

function due(
  { sent, connected }: PlugState,
  targetOn: boolean | null,
  heldUntil: EpochMs | null,
  rules: PlugRules,
): (EpochMs | null)[] {
  const isTimed = targetOn !== restsOn(rules);
  if (!sent || !connected || targetOn === null || (isTimed && heldUntil !== null)) return [];
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
