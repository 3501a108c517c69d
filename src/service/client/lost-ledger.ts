/** Limits requests after the request log lost attempts: to the part of the quota that is otherwise never used, for a day. */
import * as z from "zod/mini";
import { DAY_WINDOW_MS, type MonotonicMs, type RateLimit, UNUSED_PART } from "../../core/fetching/rate-limit.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";

/** Time after which unknown attempts no longer count in the minute window: its length plus the time in flight. */
const MINUTE_OVER_MS = 92_000;

const storedLoss = z.object({ boot: z.string(), since: z.number() });
type StoredLoss = z.infer<typeof storedLoss>;

/** Records that attempts of an account may be missing; call it before the account's rate limiter is created. */
export function noteLostLedger(memory: KeyValue, account: string): void {
  memory.write(nameOf(account), JSON.stringify({ boot: "", since: 0 } satisfies StoredLoss));
}

export class LostLedger {
  readonly #name: string;
  readonly #memory: KeyValue;
  #since: MonotonicMs | null = null;

  /** Restores the state. After a reboot the day starts again, because the time the machine was off is unknown. */
  constructor(memory: KeyValue, account: string, boot: string, now: MonotonicMs) {
    this.#name = nameOf(account);
    this.#memory = memory;
    const stored = readJson(memory, this.#name, storedLoss);
    if (!stored) return;
    this.#since = stored.boot === boot ? stored.since : now;
    if (stored.boot !== boot) memory.write(this.#name, JSON.stringify({ boot, since: now } satisfies StoredLoss));
  }

  /** Returns until when no request may be sent. `spent` returns the number of known attempts of the last day. */
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

  /** Ends the limit: the service reported the remaining day quota, or the day has passed. */
  end(): void {
    if (this.#since === null) return;
    this.#since = null;
    this.#memory.write(this.#name, "");
  }
}

function nameOf(account: string): string {
  return `unknown_spends/${account}`;
}
