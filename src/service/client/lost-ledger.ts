/**
 * Spends that nobody knows of any more: the database was lost, and an older copy took its place. Until the service
 * tells what is left of the day, or the day is over, all of this daemon's shares count as used: what goes out meanwhile
 * is out of the part that is never used otherwise.
 */
import * as z from "zod/mini";
import { DAY_WINDOW_MS, type MonotonicMs, type RateLimit, UNUSED_PART } from "../../core/fetching/rate-limit.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";

/** A minute of the service and a flight: after it, no unknown spend counts in the minute's window. */
const MINUTE_OVER_MS = 92_000;

const keptLoss = z.object({ boot: z.string(), since: z.number() });
type Kept = z.infer<typeof keptLoss>;

/** Notes that spends of an account may be missing from now on; before its rate limiter is made. */
export function noteLostLedger(memory: KeyValue, account: string): void {
  memory.write(nameOf(account), JSON.stringify({ boot: "", since: 0 } satisfies Kept));
}

export class LostLedger {
  readonly #name: string;
  readonly #memory: KeyValue;
  #since: MonotonicMs | null = null;

  /** How long a machine was off is not known: each boot begins the day again. */
  constructor(memory: KeyValue, account: string, boot: string, now: MonotonicMs) {
    this.#name = nameOf(account);
    this.#memory = memory;
    const kept = readJson(memory, this.#name, keptLoss);
    if (!kept) return;
    this.#since = kept.boot === boot ? kept.since : now;
    if (kept.boot !== boot) memory.write(this.#name, JSON.stringify({ boot, since: now } satisfies Kept));
  }

  /** Until when nothing may go out; the past where it may. `spent` counts all known attempts of the last day. */
  until(budget: readonly RateLimit[], spent: () => number, now: MonotonicMs): MonotonicMs {
    if (this.#since === null) return Number.NEGATIVE_INFINITY;
    const over = this.#since + DAY_WINDOW_MS;
    if (now >= over) {
      this.end();
      return Number.NEGATIVE_INFINITY;
    }
    const day = budget.find(({ name }) => name === "day");
    const unused = Math.ceil((day?.limit ?? 0) * UNUSED_PART);
    return spent() >= unused ? over : this.#since + MINUTE_OVER_MS;
  }

  /** The service told what is left of the day, or the day is over. */
  end(): void {
    if (this.#since === null) return;
    this.#since = null;
    this.#memory.write(this.#name, "");
  }
}

function nameOf(account: string): string {
  return `unknown_spends/${account}`;
}
