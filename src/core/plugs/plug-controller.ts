/**
 * What to say to a plug, and when to look again. A pure state machine: everything that happens is an event, and time
 * is an argument.
 *
 * - At the start and whenever the way to the plug or the plug itself comes back, it is told at once what it should be:
 *   OFF, unless an ON is wanted right now. Unknown is OFF.
 * - An ON lasts by itself until a little after the end of its quarter of an hour, or of its run if that is sooner, and is
 *   renewed at each quarter. A family without such a timer is told ON again at each quarter all the same.
 * - An answer is awaited for ten seconds, with three retries; then the plug counts as silent until it answers, and is
 *   told again each quarter.
 * - A planned OFF waits for the minimum on time, but never beyond the end that the device was given: a minimum that is
 *   longer than what is left of the device's timer is cut. A loss of trust and a start do not wait.
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
  /** Null where nothing is known: that is OFF. */
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
  | "minimum_off_time";

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
  const state = edged(heard(afterSetBack(moment.state, now), event, rules, now), moment);
  const target = held(state, moment);
  const aim = !state.begun || state.manualOverride === true ? null : (state.manualOverride ?? target.on);
  const reason = reasonOf(state, target, moment);
  const next = aim === null || !state.connected ? { state, commands: [] } : act(state, aim, target.until, moment);
  const wakeAt = earliest([moment.wanted?.until, target.until, ...due(next.state, aim, target.until)], now);
  return { ...next, aim, reason, wakeAt: trusted || state.begun ? wakeAt : null };
}

/** A planned edge ends what a hand did; the plug is then told again, whatever it was told before. */
function edged(state: PlugState, { wanted, trusted, now }: PlugMoment): PlugState {
  const begun = state.begun || trusted;
  const desired = trusted && wanted?.on === true && (wanted.until === null || now < wanted.until);
  const ended = state.manualOverride !== null && desired !== state.desired;
  return { ...state, begun, desired, ...(ended ? { manualOverride: null, sent: null } : {}) };
}

interface Target {
  readonly on: boolean;
  /** Until when a minimum time holds it against what is wanted; null where none does. */
  readonly until: EpochMs | null;
}

function held(state: PlugState, { rules, trusted, now }: PlugMoment): Target {
  const { desired, since, sent } = state;
  if (desired) {
    const from = since?.on === false && !sent?.on ? since.at + rules.minOffMs : now;
    return now < from ? { on: false, until: from } : { on: true, until: null };
  }
  if (!trusted || !sent?.on || !since?.on) return { on: false, until: null };
  const until = Math.min(since.at + rules.minOnMs, Math.max(...sent.ends));
  return now < until ? { on: true, until } : { on: false, until: null };
}

type Action = Pick<PlugDecision, "state" | "commands">;

function act(state: PlugState, aim: boolean, heldUntil: EpochMs | null, moment: PlugMoment): Action {
  const { sent } = state;
  const { now } = moment;
  if (!sent || sent.on !== aim) return sendCommand(state, aim, 0, moment);
  // An ON that a minimum time holds is at its end: nothing makes it longer.
  if (aim && heldUntil !== null) return { state, commands: [] };
  if (sent.echoBy !== null) {
    if (now < sent.echoBy) return { state, commands: [] };
    if (sent.fights) return sendCommand(state, aim, 0, moment);
    if (sent.retries < MAX_RETRIES) return sendCommand(state, aim, sent.retries + 1, moment);
    return act({ ...state, unresponsive: true, sent: { ...sent, echoBy: null } }, aim, heldUntil, moment);
  }
  if ((aim || !sent.settled) && now >= sent.renewAt)
    return sendCommand(state, aim, sent.settled ? 0 : MAX_RETRIES, moment);
  return { state, commands: [] };
}

/** Says ON or OFF. A retry also asks for the state: some plugs answer to changes only. */
function sendCommand(state: PlugState, on: boolean, retries: number, moment: PlugMoment): Action {
  const { rules, now } = moment;
  const renewAt = Math.floor(now / RENEWED_EVERY_MS) * RENEWED_EVERY_MS + RENEWED_EVERY_MS;
  const lastsMs = on ? lastingMs(renewAt, moment) : 0;
  // Where a command was never answered, what was reported before it says nothing.
  const isKnown = state.reported === on && (!state.sent || state.sent.settled);
  const settled = rules.answers === "never" || (rules.answers === "changes" && isKnown);
  const echoBy = settled ? null : now + ECHO_MS;
  const sent: Sent = {
    on,
    at: now,
    retries,
    settled,
    fights: false,
    echoBy,
    renewAt,
    ends: on ? endsWith(state.sent, now + lastsMs) : [],
  };
  const command: PlugCommand = on
    ? { kind: "on", deadManSec: rules.deadMan && Math.ceil(lastsMs / 1_000) }
    : { kind: "off" };
  const known = rules.answers === "never" ? { ...noted(state, on, now), reported: null } : state;
  // A plug that answers every command and is as it should could only tell that it still is, not that it took this one.
  const asks = retries > 0 && (rules.answers === "changes" || state.reported !== on);
  return { state: { ...known, sent }, commands: asks ? [command, { kind: "ask" }] : [command] };
}

/** The ends a device may have been given; those of retries are one. A few renewals may be missed in a row. */
function endsWith(before: Sent | null, end: EpochMs): EpochMs[] {
  const others = (before?.on ? before.ends : []).filter((each) => Math.abs(each - end) > TIMER_SLACK_MS);
  return [...others, end].slice(-MAX_ENDS);
}

/** How long an ON may go on by itself. Unit: ms, of whole seconds. */
function lastingMs(renewAt: EpochMs, { wanted, rules, now }: PlugMoment): number {
  const end = Math.min(renewAt, wanted?.until ?? renewAt);
  const seconds = Math.ceil((end - now + DEAD_MAN_MARGIN_MS) / 1_000);
  const { leastSec, mostSec } = rules.deadMan ?? { leastSec: 0, mostSec: seconds };
  return Math.min(mostSec, Math.max(leastSec, seconds)) * 1_000;
}

/** When something is to be done for a plug that was told something. */
function due({ sent, connected }: PlugState, aim: boolean | null, heldUntil: EpochMs | null): (EpochMs | null)[] {
  if (!sent || !connected || aim === null || (aim && heldUntil !== null)) return [];
  return [sent.echoBy ?? (aim || !sent.settled ? sent.renewAt : null)];
}

function earliest(times: readonly (EpochMs | null | undefined)[], now: EpochMs): EpochMs | null {
  const ahead = times.filter((at) => typeof at === "number" && at > now);
  return ahead.length === 0 ? null : Math.min(...(ahead as EpochMs[]));
}

function reasonOf(
  { connected, manualOverride }: PlugState,
  target: Target,
  { wanted, trusted }: PlugMoment,
): PlugReason {
  if (!trusted) return "clock_not_trusted";
  if (!connected) return "no_broker";
  if (manualOverride !== null) return manualOverride ? "switched_on_by_hand" : "switched_off_by_hand";
  if (target.until !== null) return target.on ? "minimum_on_time" : "minimum_off_time";
  if (!wanted) return "no_signal";
  return target.on ? "wanted_on" : "wanted_off";
}
