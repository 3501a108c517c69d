/** What follows for a plug from what was heard of it, before anything is decided. */
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

/** Between two commands that answer contradictions: a plug that always says the opposite is not flooded. */
const CONTRADICTION_PAUSE_MS = 2 * SECOND_MS;
/** After so long without a contradiction the next one is a new one; one that goes on is answered as seldom. */
const CALM_MS = MINUTE_MS;

/** The state after an event. */
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
      // What lies in the broker tells that it is there, not that it has just come.
      if (event.retained && state.available !== false) return { ...state, available: true };
      return { ...state, ...fresh, available: true };
    case "bridge":
      if (!event.up) return { ...state, available: false, reported: null, isBridgeDown: true };
      return state.isBridgeDown ? { ...state, ...fresh, available: null, isBridgeDown: false } : state;
    case "reported":
      return event.retained && state.reported !== null ? state : reported(state, event, rules, now);
    case "done":
      return state.sent && !state.sent.settled && state.sent.on === event.on
        ? settled(noted(state, event.on, now), state.sent)
        : state;
  }
}

/** A clock that was set back leaves no time further ahead than it can have been meant. */
export function afterSetBack(state: PlugState, now: EpochMs): PlugState {
  // What an earlier life remembered may have been noted by a clock that was wrong.
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

/** A plug that is known to be in a state from now on, unless it was before. */
export function noted(state: PlugState, on: boolean, now: EpochMs): PlugState {
  return { ...state, reported: on, since: state.since?.on === on ? state.since : { on, at: now } };
}

function settled(state: PlugState, sent: Sent): PlugState {
  return { ...state, unresponsive: false, sent: { ...sent, settled: true, echoBy: null } };
}

type Report = Extract<PlugEvent, { kind: "reported" }>;

function reported(before: PlugState, { on, retained }: Report, rules: PlugRules, now: EpochMs): PlugState {
  const state = noted(before, on, now);
  const { sent, manualOverride } = state;
  if (sent && !sent.settled) return sent.on === on ? settled(state, sent) : state;
  if (retained) return state;
  // The hand took it back. What it switched on has no end of its own yet, so everything is said again.
  if (manualOverride !== null) return manualOverride === on ? state : { ...state, manualOverride: null, sent: null };
  if (!sent || sent.on === on) return state;
  return contradicted(state, sent, rules, now);
}

/** A plug is not as it was told, after it had been: its own timer, a rest of its past, or a hand. */
function contradicted(state: PlugState, sent: Sent, rules: PlugRules, now: EpochMs): PlugState {
  if (rules.deadMan && sent.on !== restsOn(rules) && timedOut(state.ends, now))
    return { ...state, sent: null, timerWorks: true };
  if (rules.override === "respect" && now >= state.waryUntil)
    // A plug that a hand put into its resting state need not be told so.
    return { ...state, manualOverride: !sent.on, sent: { ...sent, on: restsOn(rules) } };
  const again = { ...sent, settled: false, echoBy: Math.max(now, sent.at + CONTRADICTION_PAUSE_MS) };
  if (now - sent.at > CALM_MS) return { ...state, sent: { ...again, retries: 0 } };
  if (sent.retries < MAX_RETRIES) return { ...state, sent: again };
  return { ...state, sent: { ...again, fights: true, echoBy: sent.at + CALM_MS } };
}

/** Whether the device's own timer may have fired: that of the last command, or of one whose renewal it missed. */
function timedOut(ends: readonly EpochMs[], now: EpochMs): boolean {
  return ends.some((end) => Math.abs(now - end) <= TIMER_SLACK_MS) || now >= Math.max(...ends);
}
