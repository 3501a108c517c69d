/**
 * What an address may try that gave wrong keys: a few without a wait, then each after twice the wait of the one before.
 *
 * Behind one address there may be a whole house: a proxy, a container network, NAT. So a wait keeps out guesses and
 * nothing else. A key that cannot be guessed passes at any time; one that may be weak, because its owner made it up,
 * passes where it was right from that address before.
 */
import { LRUCache } from "lru-cache";
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";

/** Wrong keys that cost no wait: a slip of the hand, a device with yesterday's key. */
const FREE_TRIES = 5;
const FIRST_WAIT_MS = SECOND_MS;
const MAX_WAIT_MS = 15 * MINUTE_MS;
/** An address that gave no wrong key for so long begins again. */
const FORGOTTEN_AFTER_MS = HOUR_MS;
/** Addresses that are remembered; beyond it the one that has been quiet the longest is forgotten. */
const MAX_ADDRESSES = 1_000;
/** Pairs of key and address that are remembered as right. */
const MAX_PROVEN = 1_000;

interface Tries {
  readonly wrong: number;
  readonly lastAt: EpochMs;
  readonly waitMs: number;
}

export class LoginThrottle {
  /** By address. */
  readonly #tries = new LRUCache<string, Tries>({ max: MAX_ADDRESSES });
  readonly #proven = new LRUCache<string, true>({ max: MAX_PROVEN });

  /** How long an address has to wait until its next guess is looked at; 0 where it need not. */
  waitMs(address: string, now: EpochMs): number {
    const tries = this.#tries.peek(address);
    if (!tries) return 0;
    const passed = now - tries.lastAt;
    // A clock that was set back locks nobody out for longer than the wait.
    return passed < 0 ? 0 : Math.max(0, tries.waitMs - passed);
  }

  /** Counts a wrong key. Returns whether it is the one from which on the address has to wait. */
  wrong(address: string, now: EpochMs): boolean {
    const before = this.#tries.peek(address);
    const isForgotten = !before || now - before.lastAt > FORGOTTEN_AFTER_MS;
    const wrong = isForgotten ? 1 : before.wrong + 1;
    const waitMs = wrong < FREE_TRIES ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (wrong - FREE_TRIES));
    this.#tries.set(address, { wrong, lastAt: now, waitMs });
    return wrong === FREE_TRIES;
  }

  /** A key was right from an address. */
  prove(address: string, key: string): void {
    this.#proven.set(`${address} ${key}`, true);
  }

  /** Whether a key was right from an address, which is remembered anew by this. */
  isProven(address: string, key: string): boolean {
    return this.#proven.get(`${address} ${key}`) ?? false;
  }
}
