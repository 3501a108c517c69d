/**
 * Quota arithmetic: when may the next attempt go out, so that no window of the service is ever overrun.
 *
 * The service counts in fixed UTC windows; here every window rolls and is longer by the time a request may be on its
 * way. Each fixed window fits inside a rolling one, so the bound holds whatever the local clock does. All times are on
 * a monotonic clock.
 */

/** Milliseconds on a clock that never jumps. Only differences mean something. */
export type MonotonicMs = number;

/** Who spends: the daemon's own timetable, or a device on the LAN. Neither can touch the other's part. */
export type Share = "poll" | "lan";

/** One request that was, or may have been, counted by the service. */
export interface Attempt {
  readonly at: MonotonicMs;
  readonly share: Share;
}

/** At most `limit` attempts in any `lengthMs`, and of these at most `shares[share]` by one share. */
export interface BudgetWindow {
  readonly lengthMs: number;
  readonly limit: number;
  readonly shares: Readonly<Record<Share, number>>;
}

/**
 * What the service itself said was left: until `until`, no more than `remaining` attempts after `since`.
 * It lowers the budget when another program uses the same key.
 */
export interface Ceiling {
  readonly remaining: number;
  readonly since: MonotonicMs;
  readonly until: MonotonicMs;
}

/** The longest a request may be on its way before it counts: the hard time-out, and two seconds for the rest. */
export const FLIGHT_MS = 32_000;
export const MINUTE_WINDOW_MS = 60_000 + FLIGHT_MS;
export const DAY_WINDOW_MS = 86_400_000 + FLIGHT_MS;

/** What is assumed before the first answer tells the limits. */
export const UNKNOWN_LIMITS = { minute: 5, day: 50 } as const;

/** Parts of a limit by share; the rest is never used and left to the user's other programs. */
const SHARE_PARTS: Readonly<Record<Share, number>> = { poll: 0.25, lan: 0.5 };

/** A window with its shares. Each share has at least one attempt, so that a small limit stops nobody for good. */
export function budgetWindow(lengthMs: number, limit: number): BudgetWindow {
  const part = (share: Share) => Math.max(1, Math.floor(limit * SHARE_PARTS[share]));
  return { lengthMs, limit, shares: { poll: part("poll"), lan: part("lan") } };
}

/** The consumer interface's budget for limits per minute and per day. */
export function consumerBudget(limits: { readonly minute: number; readonly day: number }): BudgetWindow[] {
  return [budgetWindow(MINUTE_WINDOW_MS, limits.minute), budgetWindow(DAY_WINDOW_MS, limits.day)];
}

/**
 * The third-party interface publishes no quota: one request per ten seconds, and a day's worth that the governor moves.
 * Nothing else is known of how it counts, so its shares are the same.
 */
export function thirdPartyBudget(perDay: number): BudgetWindow[] {
  const pace: BudgetWindow = { lengthMs: 10_000, limit: 1, shares: { poll: 1, lan: 1 } };
  return [pace, budgetWindow(DAY_WINDOW_MS, perDay)];
}

/**
 * The earliest moment at which a share may make its next attempt; `now` when it may at once.
 * Shape: attempts ascending.
 */
export function earliestAttempt(
  attempts: readonly Attempt[],
  share: Share,
  budget: readonly BudgetWindow[],
  ceilings: readonly Ceiling[],
  now: MonotonicMs,
): MonotonicMs {
  let earliest = now;
  const own = attempts.filter((attempt) => attempt.share === share);
  for (const window of budget) {
    earliest = Math.max(earliest, freeAt(attempts, window.limit, window.lengthMs, now));
    earliest = Math.max(earliest, freeAt(own, window.shares[share], window.lengthMs, now));
  }
  for (const ceiling of ceilings) {
    if (ceiling.until <= now) continue;
    const spent = attempts.filter((attempt) => attempt.at > ceiling.since).length;
    if (spent >= ceiling.remaining) earliest = Math.max(earliest, ceiling.until);
  }
  return earliest;
}

/** When one more attempt fits into a rolling window that may hold `limit`. */
function freeAt(attempts: readonly Attempt[], limit: number, lengthMs: number, now: MonotonicMs): MonotonicMs {
  const inside = attempts.filter((attempt) => attempt.at > now - lengthMs);
  const blocking = inside[inside.length - limit];
  return blocking ? blocking.at + lengthMs : now;
}
