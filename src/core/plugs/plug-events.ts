/** State changes of a plug that follow from its messages, before the decision. */
import { type EpochMs, MINUTE_MS, SECOND_MS } from "../time/interval.ts";
import {
  ECHO_MS,
  MAX_DEAD_MAN_MS,
  MAX_RETRIES,
  type PlugEvent,
  type PlugRules,
  type PlugState,
  RENEWED_EVERY_MS,
  restsOn,
  type Sent,
  TIMER_SLACK_MS,
} from "./plug-types.ts";

/** Pause between two commands that answer a contradiction, so that a plug that always contradicts is not flooded. */
const CONTRADICTION_PAUSE_MS = 2 * SECOND_MS;
/** A contradiction after this pause counts as new. A plug that keeps contradicting is sent commands only this often. */
const CALM_MS = MINUTE_MS;

/** Longest time from an ON until a device switches itself off without a load: 11 s, and delays. */
const CUT_IDLE_MS = 20 * SECOND_MS;

/** Returns the state after an event. */
export function heard(state: PlugState, event: PlugEvent, rules: PlugRules, now: EpochMs): PlugState {
  const fresh = { reported: null, sent: null, waryUntil: now + ECHO_MS };
  switch (event.kind) {
    case "tick":
      return state;
    case "connected":
      return { ...state, ...fresh, connected: true, available: null };
    case "disconnected":
      return { ...state, connected: false, available: null, reported: null, sent: null };
    case "availability":
      if (!event.available) return { ...state, available: false, reported: null };
      // A retained message shows that the plug is there, not that it has just returned.
      if (event.retained && state.available !== false) return { ...state, available: true };
      return { ...state, ...fresh, available: true };
    case "bridge":
      if (!event.up) return { ...state, available: false, reported: null, isBridgeDown: true };
      return state.isBridgeDown ? { ...state, ...fresh, available: null, isBridgeDown: false } : state;
    case "reported":
      return event.retained && state.reported !== null ? state : reported(state, event, rules, now);
    case "done":
      return state.sent && !state.sent.settled && state.sent.on === event.on
        ? settled(withReported(state, event.on, now), state.sent)
        : state;
  }
}

/** Limits all times in the state after the clock was set back. */
export function afterSetBack(state: PlugState, now: EpochMs): PlugState {
  // The stored time may come from a wrong clock before a restart.
  const since = state.since && state.since.at > now ? { on: state.since.on, at: now } : state.since;
  if (now >= state.lookedAt) return { ...state, since, lookedAt: now };
  const { sent } = state;
  return {
    ...state,
    lookedAt: now,
    since,
    waryUntil: Math.min(state.waryUntil, now + ECHO_MS),
    sent: sent && {
      ...sent,
      at: Math.min(sent.at, now),
      echoBy: sent.echoBy && Math.min(sent.echoBy, now + ECHO_MS),
      renewAt: Math.min(sent.renewAt, now + RENEWED_EVERY_MS),
    },
    ends: state.ends.map((end) => Math.min(end, now + MAX_DEAD_MAN_MS)),
  };
}

/** Records a known state; keeps `since` if the state is unchanged. */
export function withReported(state: PlugState, on: boolean, now: EpochMs): PlugState {
  return { ...state, reported: on, since: state.since?.on === on ? state.since : { on, at: now } };
}

function settled(state: PlugState, sent: Sent): PlugState {
  return { ...state, unresponsive: false, sent: { ...sent, settled: true, echoBy: null } };
}

type Report = Extract<PlugEvent, { kind: "reported" }>;

function reported(before: PlugState, { on, retained, isIdle }: Report, rules: PlugRules, now: EpochMs): PlugState {
  const state = withReported(before, on, now);
  const { sent, manualOverride } = state;
  if (sent && !sent.settled) return sent.on === on ? settled(state, sent) : state;
  if (retained) return state;
  // The manual change was undone. The state now has no timer, so the command is sent again.
  if (manualOverride !== null) return manualOverride === on ? state : { ...state, manualOverride: null, sent: null };
  if (!sent || sent.on === on) return state;
  // Nobody switched it. The next renewal tries again.
  if (rules.cutsIdle && isIdle && before.since?.on && now - before.since.at <= CUT_IDLE_MS) return state;
  return contradicted(state, sent, rules, now);
}

/** Timers below it fit into 8 bits. */
const SHORT_TIMERS_SEC = 256;

/** Handles a report that contradicts a confirmed command: a timer fired, a message was old, or a button pressed. */
function contradicted(state: PlugState, sent: Sent, rules: PlugRules, now: EpochMs): PlugState {
  if (rules.deadMan && sent.on !== restsOn(rules) && timedOut(state.ends, now))
    return { ...state, sent: null, timerWorks: isTelling(state) ? true : state.timerWorks };
  const { leastSec = 0, mostSec = 0 } = rules.deadMan ?? {};
  // A timer of a fixed length gets no seconds.
  const mayMisfit = rules.isTimerUnsure && state.timerWorks === null && leastSec < mostSec;
  if (mayMisfit && isTimerModulo256(state, sent, now))
    return { ...state, sent: null, timerWorks: false, timerMisfits: true };
  if (rules.override === "respect" && now >= state.waryUntil)
    // If someone set the resting state manually, the command for it is not needed.
    return { ...state, manualOverride: !sent.on, sent: { ...sent, on: restsOn(rules) } };
  const again = { ...sent, settled: false, echoBy: Math.max(now, sent.at + CONTRADICTION_PAUSE_MS) };
  if (now - sent.at > CALM_MS) return { ...state, sent: { ...again, retries: 0 } };
  if (sent.retries < MAX_RETRIES) return { ...state, sent: again };
  return { ...state, sent: { ...again, fights: true, echoBy: sent.at + CALM_MS } };
}

/** Returns true if the device's timer may have fired: that of the last command, or of one before missed renewals. */
function timedOut(ends: readonly EpochMs[], now: EpochMs): boolean {
  return ends.some((end) => Math.abs(now - end) <= TIMER_SLACK_MS) || now >= Math.max(...ends);
}

/** Some plugs keep only 8 bits of the timer's seconds: 1,050 s as 26 s. Source: zigbee2mqtt issues 28325 and 28570. */
function isTimerModulo256(state: PlugState, sent: Sent, now: EpochMs): boolean {
  const keptAt = sent.at + (timerSec(state) % SHORT_TIMERS_SEC) * SECOND_MS;
  return isTelling(state) && Math.abs(now - keptAt) <= TIMER_SLACK_MS;
}

/** Returns whether the end of the last command's timer tells if the device keeps long timers: a short one does not. */
export function isTelling(state: PlugState): boolean {
  return timerSec(state) >= SHORT_TIMERS_SEC;
}

function timerSec({ ends, sent }: PlugState): number {
  return sent ? Math.ceil(((ends.at(-1) ?? sent.at) - sent.at) / SECOND_MS) : 0;
}
