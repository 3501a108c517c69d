/**
 * The connection to a broker: one client after the other, each with its own life, so that nothing of an old
 * connection is ever sent on a new one.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { ConnectionOptions } from "./broker-session.ts";
import { explainYoungEnds } from "./connect-errors.ts";
import { type ProtocolVersion, runSession, type SessionResult } from "./session.ts";

/**
 * A closed port on a machine that is there costs two small packets to ask, so a broker that restarts is found within
 * half a second.
 */
const SOON_MS = { first: 125, longest: 500 };
/** Everything else (a login refused, a machine that is off, a certificate) is asked for more and more rarely. */
const SLOWLY_MS = { first: 1_000, longest: 60_000 };
/** Connections that break young are no broker that restarts but, for instance, a broker that dislikes a message. */
const YOUNG_LIVES_FORGIVEN = 3;
/** After another client took the id, waiting starts at 32 s: two that fight for one shall not do it all day. */
const DOUBLINGS_AFTER_TAKEOVER = 5;

/** Keeps a connection until the signal fires, then says `offline` and closes it. */
export async function keepConnected(options: ConnectionOptions, signal: AbortSignal): Promise<void> {
  let version: ProtocolVersion = 5;
  let history: History = { failures: 0, youngLives: 0 };
  let told: string | null = null;
  while (!signal.aborted) {
    const life = await runSession(options, version, signal);
    if (signal.aborted) return;
    if (life.tryOlderVersion) {
      version = 4;
      continue;
    }
    if (!life.wasUp) version = 5;
    history = afterLife(history, life);
    const reason = tooYoung(history, life) > 0 ? explainYoungEnds(life.reason, life.brokeAt) : life.reason;
    if (life.wasUp || reason !== told) options.onDown(reason);
    told = reason;
    await pause(backoffMs(history, life, options.random()), undefined, { signal }).catch(() => undefined);
  }
}

interface History {
  /** Attempts in a row that led to no connection. */
  readonly failures: number;
  /** Connections that broke young, since the last that grew old. */
  readonly youngLives: number;
}

function afterLife({ failures, youngLives }: History, life: SessionResult): History {
  if (life.wasStable) return { failures: 0, youngLives: 0 };
  if (life.wasUp) return { failures: 0, youngLives: youngLives + 1 };
  // Nothing listened: the broker was restarted, so the young life before was not broken off by its fault.
  return { failures: failures + 1, youngLives: life.retrySoon ? 0 : youngLives };
}

/** How many connections broke young, beyond those that are forgiven. */
function tooYoung({ youngLives }: History, life: SessionResult): number {
  return life.wasUp ? Math.max(0, youngLives - YOUNG_LIVES_FORGIVEN) : 0;
}

/** Doubles with every failure, with a jitter of up to the half. */
function backoffMs(history: History, life: SessionResult, random: number): number {
  const young = tooYoung(history, life);
  const pace = life.retrySoon && young === 0 ? SOON_MS : SLOWLY_MS;
  const doublings = life.takenOver ? DOUBLINGS_AFTER_TAKEOVER : life.wasUp ? young : history.failures - 1;
  return Math.min(pace.longest, pace.first * 2 ** Math.min(doublings, 10)) * (0.5 + random / 2);
}
