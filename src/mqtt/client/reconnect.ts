/**
 * Reconnects to a broker. Each attempt uses a new client, so that nothing of an old connection is sent on a new one.
 */

import { setTimeout as pause } from "node:timers/promises";
import { textIn } from "../../core/language/text.ts";
import type { ReconnectOptions } from "./broker-session.ts";
import { explainEarlyDisconnects } from "./connect-errors.ts";
import { type ProtocolVersion, runSession, type SessionResult, type WillSupport } from "./session.ts";

/**
 * Back-off after a closed port or a lost connection. An attempt costs two small packets, so a restarted broker is found
 * within 0.5 s.
 */
const SOON_MS = { first: 125, longest: 500 };
/** Back-off after all other failures, such as a refused login, an unreachable host or a bad certificate. */
const SLOWLY_MS = { first: 1_000, longest: 60_000 };
/**
 * Maximum number of consecutive short connections that count as broker restarts. More of them usually mean that the
 * broker rejects a message.
 */
const ALLOWED_EARLY_ENDS = 3;
/** Short connections before the wait doubles. Each of them may find one topic that the broker rejects. */
const ENDS_PER_DOUBLING = 8;
/**
 * After another client took the client id, the wait is 16 to 32 s. Two clients with one id must not alternate all day.
 */
const DOUBLINGS_AFTER_TAKEOVER = 5;

/** Stays connected until the signal fires, then publishes `offline` and closes the connection. */
export async function keepConnected(options: ReconnectOptions, signal: AbortSignal): Promise<void> {
  let version: ProtocolVersion = 5;
  let history: History = { failures: 0, earlyEnds: 0 };
  let reported: string | null = null;
  let support: WillSupport = { qos: 1, retain: true };
  while (!signal.aborted) {
    const isCautious = history.earlyEnds >= ALLOWED_EARLY_ENDS - 1;
    const session = await runSession({ ...options, isCautious }, version, support, signal);
    if (signal.aborted) return;
    if (session.support !== support) {
      support = session.support;
      continue;
    }
    if (session.tryOlderVersion) {
      version = 4;
      continue;
    }
    if (!session.wasUp) version = 5;
    history = historyAfter(history, session);
    const { unanswered } = session;
    const isSuspicious = session.wasUp && history.earlyEnds >= ALLOWED_EARLY_ENDS;
    const isAgain = earlyDisconnects(history, session) > 0;
    const reason = isAgain ? explainEarlyDisconnects(session.reason, unanswered) : session.reason;
    if (session.wasUp || textIn("en", reason) !== reported) options.onDown({ reason, unanswered, isSuspicious });
    reported = textIn("en", reason);
    await pause(backoffMs(history, session, options.random()), undefined, { signal }).catch(() => undefined);
  }
}

interface History {
  /** Consecutive attempts without a connection. */
  readonly failures: number;
  /** Short connections since the last stable one or the last closed port. */
  readonly earlyEnds: number;
}

function historyAfter({ failures, earlyEnds }: History, session: SessionResult): History {
  if (session.wasStable) return { failures: 0, earlyEnds: 0 };
  if (session.wasUp) return { failures: 0, earlyEnds: earlyEnds + 1 };
  // The port was closed: the broker restarted, which explains the short connection before.
  return { failures: failures + 1, earlyEnds: session.retrySoon ? 0 : earlyEnds };
}

/** Returns by how many the short connections exceed the tolerated number; 0 if this attempt did not connect. */
function earlyDisconnects({ earlyEnds }: History, session: SessionResult): number {
  return session.wasUp ? Math.max(0, earlyEnds - ALLOWED_EARLY_ENDS) : 0;
}

/** Returns the wait in ms. It doubles with every failure; jitter reduces it by up to half. */
function backoffMs(history: History, session: SessionResult, random: number): number {
  const early = earlyDisconnects(history, session);
  const pace = session.retrySoon && early === 0 ? SOON_MS : SLOWLY_MS;
  const doublings = session.takenOver
    ? DOUBLINGS_AFTER_TAKEOVER
    : session.wasUp
      ? Math.floor(early / ENDS_PER_DOUBLING)
      : history.failures - 1;
  return Math.min(pace.longest, pace.first * 2 ** Math.min(doublings, 10)) * (0.5 + random / 2);
}
