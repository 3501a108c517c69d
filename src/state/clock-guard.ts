/** Checks whether the clock is plausible, because a small machine boots without one. Before, no price signal is ON. */

import type { MonotonicMs } from "../core/fetching/rate-limit.ts";
import { message, type Text } from "../core/language/text.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { type Problems, setProblem } from "../core/status/problem.ts";
import { CALENDAR_YEARS } from "../core/time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from "../core/time/interval.ts";

export interface ClockGuardDeps {
  /** When this release was made. An earlier time is wrong. */
  readonly releasedAt: EpochMs;
  /** The service's time in an earlier run; null if it was never received. */
  readonly lastServerMs: EpochMs | null;
  /** The service's time before a restart of this process, in the same boot of the machine. */
  readonly serverTimeInBoot?: Omit<ServiceTime, "agreed"> | null;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Called when the clock is in doubt, and again while it is: one response of the service settles it. */
  readonly onDoubt?: () => void;
}

/** The service's time, and the machine's monotonic time when it was received. */
interface ServiceTime {
  readonly serverMs: EpochMs;
  readonly monotonicMs: MonotonicMs;
  /** True if the clock agreed with it. */
  readonly agreed: boolean;
}

/** Maximum difference to the service's time: its header has whole seconds, its answer may be slow, clocks drift. */
const MAX_APART_MS = 2 * MINUTE_MS;
/**
 * Time for which a clock stays trusted that agreed with the service's last answer and then moved away from the monotonic
 * clock: the machine was paused or asleep, or NTP set the clock late. Runs in progress continue meanwhile.
 */
const DOUBT_MS = 10 * MINUTE_MS;
/** Longest pause of a machine after which runs can still be in progress. */
const MAX_PAUSE_MS = DAY_MS;
/** Pause between two requests that settle the doubt, also after `DOUBT_MS`. */
const SETTLE_EVERY_MS = 30 * SECOND_MS;
const SETTLE_LATER_MS = 5 * MINUTE_MS;

export class ClockGuard {
  readonly #deps: ClockGuardDeps;
  /** The service's time in the last two answers. One alone may be wrong; the one closer to the clock counts. */
  #serverTimes: readonly ServiceTime[];
  /** Start of the doubt and last request that could settle it, in monotonic time; null without doubt. */
  #doubt: { readonly since: MonotonicMs; readonly askedAt: MonotonicMs } | null = null;

  constructor(deps: ClockGuardDeps) {
    this.#deps = deps;
    this.#serverTimes = deps.serverTimeInBoot ? [{ ...deps.serverTimeInBoot, agreed: false }] : [];
  }

  /** Records the service's time from an answer that has just arrived, at `now` by the clock if that is known. */
  note(serverMs: EpochMs, now: EpochMs | null = null): void {
    const agreed = now !== null && Math.abs(now - serverMs) <= MAX_APART_MS;
    this.#serverTimes = [
      ...this.#serverTimes.slice(-1),
      { serverMs, monotonicMs: this.#deps.clock.monotonicMs(), agreed },
    ];
    this.#doubt = null;
  }

  trusted(now: EpochMs): boolean {
    return this.why(now) === null;
  }

  /** Returns whether the time is possible. If not, for instance without a clock, no day can be requested. */
  isPossible(now: EpochMs): boolean {
    return now >= this.#deps.releasedAt && new Date(now).getUTCFullYear() < CALENDAR_YEARS.last;
  }

  /** Returns why the time is not trusted; null if it is. */
  why(now: EpochMs): Text | null {
    const { releasedAt, lastServerMs } = this.#deps;
    if (now < releasedAt) return message("found.clock_released", { time: secondOf(now) });
    const serviceNow = this.#serviceNow(now);
    if (serviceNow !== null && Math.abs(now - serviceNow) > MAX_APART_MS && !this.#isBearable(now - serviceNow))
      return message(now > serviceNow ? "found.clock_ahead" : "found.clock_behind", {
        time: secondOf(now),
        length: lengthOf(now - serviceNow),
      });
    if (serviceNow === null && lastServerMs !== null && now < lastServerMs - MAX_APART_MS)
      return message("found.clock_set_back", { time: secondOf(now), before: secondOf(lastServerMs) });
    return null;
  }

  /** Starts or ends the problem, and settles a doubt. Returns when to call this again; infinity without doubt. */
  report(problems: Pick<Problems, "start" | "end">, now: EpochMs): EpochMs {
    const checkAt = this.#settleDoubt(now);
    setProblem(problems, { code: "clock_wrong", subject: "clock", since: now, detail: this.why(now) });
    return checkAt;
  }

  /** Returns true while a clock in recent doubt stays trusted: it agreed, and went on by the time of a pause. */
  #isBearable(aheadMs: number): boolean {
    if (this.#serverTimes.at(-1)?.agreed !== true || aheadMs < 0 || aheadMs > MAX_PAUSE_MS) return false;
    return this.#doubt === null || this.#deps.clock.monotonicMs() - this.#doubt.since < DOUBT_MS;
  }

  #settleDoubt(now: EpochMs): EpochMs {
    const serviceNow = this.#serviceNow(now);
    const isDoubted = this.#serverTimes.at(-1)?.agreed === true && serviceNow !== null;
    if (!isDoubted || Math.abs(now - serviceNow) <= MAX_APART_MS) {
      this.#doubt = null;
      return Number.POSITIVE_INFINITY;
    }
    const monotonicMs = this.#deps.clock.monotonicMs();
    const since = this.#doubt?.since ?? monotonicMs;
    const everyMs = monotonicMs - since < DOUBT_MS ? SETTLE_EVERY_MS : SETTLE_LATER_MS;
    if (this.#doubt && monotonicMs - this.#doubt.askedAt < everyMs) return now + everyMs;
    this.#doubt = { since, askedAt: monotonicMs };
    this.#deps.onDoubt?.();
    return now + everyMs;
  }

  /** Returns the service's time now, by the machine's monotonic clock; null if it was never received. */
  #serviceNow(now: EpochMs): EpochMs | null {
    const monotonicMs = this.#deps.clock.monotonicMs();
    const times = this.#serverTimes.map((time) => time.serverMs + monotonicMs - time.monotonicMs);
    return times.sort((a, b) => Math.abs(b - now) - Math.abs(a - now)).at(-1) ?? null;
  }
}

function secondOf(at: EpochMs): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** Formats a duration: `43 s`, `12 min`, `3 h`, `20541 days`. */
function lengthOf(ms: number): Text {
  const size = Math.abs(ms);
  if (size < 2 * MINUTE_MS) return `${Math.round(size / SECOND_MS)} s`;
  if (size < 2 * HOUR_MS) return `${Math.round(size / MINUTE_MS)} min`;
  if (size < 48 * HOUR_MS) return `${Math.round(size / HOUR_MS)} h`;
  return message("format.length_days", { count: Math.round(size / (24 * HOUR_MS)) });
}
