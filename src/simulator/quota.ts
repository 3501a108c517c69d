import type { EpochMs } from "../core/time/interval.ts";
import { judgeAttempt, type QuotaLimits, type QuotaVerdict, windowStart } from "../http/quota-windows.ts";
import type { QuotaWindow } from "../service/contract/limits.ts";

/** Attempts by start of their fixed UTC window, oldest first; the newest `KEPT_WINDOWS` of each kind. */
export type AttemptsByWindow = Readonly<Record<QuotaWindow, ReadonlyMap<EpochMs, number>>>;

/** Maximum windows: a year of a client that sends a request every five minutes. */
const KEPT_WINDOWS = 110_000;

/** Counts the attempts on one interface per window. Rejected attempts count too. */
export class QuotaCounter {
  readonly #limits: QuotaLimits;
  readonly #counts = { minute: new Map<EpochMs, number>(), day: new Map<EpochMs, number>() };

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
  }

  count(now: EpochMs): QuotaVerdict {
    const counts = { minute: this.#countIn("minute", now), day: this.#countIn("day", now) };
    return judgeAttempt(counts, this.#limits, now);
  }

  get attempts(): AttemptsByWindow {
    return this.#counts;
  }

  #countIn(window: QuotaWindow, now: EpochMs): number {
    const start = windowStart(window, now);
    const counts = this.#counts[window];
    const count = (counts.get(start) ?? 0) + 1;
    counts.set(start, count);
    if (counts.size > KEPT_WINDOWS) counts.delete(counts.keys().next().value ?? start);
    return count;
  }
}
