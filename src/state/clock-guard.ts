/**
 * Whether the clock can be right. A small machine boots without one, and a signal that is ON at the wrong time costs
 * its owner money: nothing is ON before the time is plausible.
 */

import type { MonotonicMs } from "../core/fetching/rate-limit.ts";
import { message, type Text } from "../core/language/text.ts";
import type { Clock } from "../core/runtime/clock.ts";
import type { Problems } from "../core/status/problem.ts";
import { CALENDAR_YEARS } from "../core/time/calendar.ts";
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from "../core/time/interval.ts";

export interface ClockGuardDeps {
  /** When this release was made: no clock that stands before it is right. */
  readonly releasedAt: EpochMs;
  /** What the service told in an earlier run; null where it never did. */
  readonly lastToldMs: EpochMs | null;
  /** What it told before a restart of this process, in the same boot of the machine. */
  readonly toldInBoot?: ServiceTime | null;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** The service's time when it last told, and how long this machine had been up. */
interface ServiceTime {
  readonly serverMs: EpochMs;
  readonly monotonicMs: MonotonicMs;
}

/** How far the clock and the service's may be apart: a header of whole seconds, a slow answer, and some drift. */
const MAX_APART_MS = 2 * MINUTE_MS;
const SUBJECT = "clock";

export class ClockGuard {
  readonly #deps: ClockGuardDeps;
  /** What the last two answers told. One alone may be odd; where they differ, the one that fits the clock counts. */
  #told: readonly ServiceTime[];

  constructor(deps: ClockGuardDeps) {
    this.#deps = deps;
    this.#told = deps.toldInBoot ? [deps.toldInBoot] : [];
  }

  /** Notes the service's own time, as an answer that has just come tells it. */
  note(serverMs: EpochMs): void {
    this.#told = [...this.#told.slice(-1), { serverMs, monotonicMs: this.#deps.clock.monotonicMs() }];
  }

  trusted(now: EpochMs): boolean {
    return this.why(now) === null;
  }

  /** Whether a clock shows this at all: at a start without one, nothing of a day can be asked. */
  isPossible(now: EpochMs): boolean {
    return now >= this.#deps.releasedAt && new Date(now).getUTCFullYear() < CALENDAR_YEARS.last;
  }

  /** Why the time cannot be trusted; null where it can. */
  why(now: EpochMs): Text | null {
    const { releasedAt, lastToldMs } = this.#deps;
    if (now < releasedAt) return message("found_clock_released", { time: shown(now) });
    const serviceNow = this.#serviceNow(now);
    if (serviceNow !== null && Math.abs(now - serviceNow) > MAX_APART_MS)
      return message(now > serviceNow ? "found_clock_ahead" : "found_clock_behind", {
        time: shown(now),
        length: lengthOf(now - serviceNow),
      });
    if (serviceNow === null && lastToldMs !== null && now < lastToldMs - MAX_APART_MS)
      return message("found_clock_set_back", { time: shown(now), before: shown(lastToldMs) });
    return null;
  }

  /** Starts or ends the problem that says so. */
  tell(problems: Pick<Problems, "start" | "end">, now: EpochMs): void {
    const detail = this.why(now);
    if (detail === null) problems.end(SUBJECT);
    else problems.start({ code: "clock_wrong", subject: SUBJECT, since: now, detail });
  }

  /** The service's time goes on with the machine's monotonic clock. */
  #serviceNow(now: EpochMs): EpochMs | null {
    const monotonicMs = this.#deps.clock.monotonicMs();
    const times = this.#told.map((told) => told.serverMs + monotonicMs - told.monotonicMs);
    return times.sort((a, b) => Math.abs(b - now) - Math.abs(a - now)).at(-1) ?? null;
  }
}

function shown(at: EpochMs): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** A length of time as people say it: `43 s`, `12 min`, `3 h`, `20541 days`. */
function lengthOf(ms: number): Text {
  const size = Math.abs(ms);
  if (size < 2 * MINUTE_MS) return `${Math.round(size / SECOND_MS)} s`;
  if (size < 2 * HOUR_MS) return `${Math.round(size / MINUTE_MS)} min`;
  if (size < 48 * HOUR_MS) return `${Math.round(size / HOUR_MS)} h`;
  return message("length_days", { count: Math.round(size / (24 * HOUR_MS)) });
}
