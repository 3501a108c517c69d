/**
 * Connections to the embedded broker that have not logged in yet. There is always room for one more: the one that waited
 * longest is closed. A real client logs in within one round trip; only those that never meant to log in stay long.
 */

/** Places for clients that have not logged in, in all and from one address. */
const MAX_WAITING = 64;
const MAX_WAITING_OF_ADDRESS = 32;
/** Time from the first byte of TCP to an accepted login. */
const LOGIN_TIMEOUT_MS = 5_000;

export interface PendingLogin {
  /** The client logged in, or is gone. */
  leave(): void;
}

interface Entry extends PendingLogin {
  readonly address: string;
  readonly sendAway: (reason: string | null) => void;
}

export class PendingLogins {
  /** Shape: who waits longest first. Bounded by MAX_WAITING. */
  readonly #entries = new Set<Entry>();

  /** A client came in from `address`; `sendAway` closes its connection; its reason is null where the broker stops. */
  enter(address: string, sendAway: (reason: string | null) => void): PendingLogin {
    const timer = setTimeout(() => sendAway(`no login within ${LOGIN_TIMEOUT_MS / 1_000} s`), LOGIN_TIMEOUT_MS);
    const entry: Entry = {
      address,
      sendAway,
      leave: () => {
        clearTimeout(timer);
        this.#entries.delete(entry);
      },
    };
    this.#entries.add(entry);
    this.#makeRoom(address);
    return entry;
  }

  /** Sends everybody away. */
  close(): void {
    for (const entry of [...this.#entries]) {
      entry.leave();
      entry.sendAway(null);
    }
  }

  #makeRoom(address: string): void {
    const ofAddress = [...this.#entries].filter((entry) => entry.address === address);
    const crowded = ofAddress.length > MAX_WAITING_OF_ADDRESS ? ofAddress : [...this.#entries];
    const longest = crowded[0];
    if (!longest || (crowded !== ofAddress && crowded.length <= MAX_WAITING)) return;
    longest.leave();
    longest.sendAway("too many connections without a login");
  }
}
