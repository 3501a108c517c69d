/**
 * Throttling of wrong API keys per address: a few attempts without a wait, then the wait doubles with each wrong key.
 *
 * One address may hide a whole household: a proxy, a container network, NAT. So the wait blocks guesses only. A
 * generated key, which cannot be guessed, is accepted at any time. A key chosen by the owner may be weak; it is
 * accepted from addresses where it was right before.
 */
import { LRUCache } from "lru-cache";
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";

/** Attempts without a wait, for typing errors and devices with an old key. */
const FREE_TRIES = 5;
const FIRST_WAIT_MS = SECOND_MS;
const MAX_WAIT_MS = 15 * MINUTE_MS;
/** Time without a wrong key after which the count restarts. */
const FORGOTTEN_AFTER_MS = HOUR_MS;
/** Maximum remembered addresses; the least recently used one is dropped first. */
const MAX_ADDRESSES = 1_000;
/** Maximum remembered pairs of address and correct key. */
const MAX_PROVEN = 1_000;

export class LoginThrottle {
  readonly #tries = new LRUCache<string, { readonly wrong: number; readonly lastAt: EpochMs; readonly waitMs: number }>(
    { max: MAX_ADDRESSES },
  );
  readonly #proven = new LRUCache<string, true>({ max: MAX_PROVEN });
  readonly #freeTries: number;

  constructor(freeTries: number = FREE_TRIES) {
    this.#freeTries = freeTries;
  }

  /** Returns the time until the address may try its next key, at most `mostMs`; 0 if it may try now. Unit: ms. */
  waitMs(address: string, now: EpochMs, mostMs: number = MAX_WAIT_MS): number {
    const tries = this.#tries.peek(address);
    if (!tries) return 0;
    const passed = now - tries.lastAt;
    // If the clock was set back, the wait does not grow.
    return passed < 0 ? 0 : Math.max(0, Math.min(tries.waitMs, mostMs) - passed);
  }

  /** Returns true if a wrong key of the address is remembered. */
  knows(address: string): boolean {
    return this.#tries.has(address);
  }

  /** Records a wrong key. Returns true if it is the one that starts the waits. */
  wrong(address: string, now: EpochMs): boolean {
    const before = this.#tries.peek(address);
    const isForgotten = !before || now - before.lastAt > FORGOTTEN_AFTER_MS;
    const wrong = isForgotten ? 1 : before.wrong + 1;
    const waitMs = wrong < this.#freeTries ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (wrong - this.#freeTries));
    this.#tries.set(address, { wrong, lastAt: now, waitMs });
    return wrong === this.#freeTries;
  }

  prove(address: string, key: string): void {
    this.#proven.set(`${address} ${key}`, true);
  }

  /** Returns true if the key was correct from this address, and marks the pair as recently used. */
  isProven(address: string, key: string): boolean {
    return this.#proven.get(`${address} ${key}`) ?? false;
  }
}
