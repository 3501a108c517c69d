/**
 * Who knocks at the embedded broker and has not logged in yet. There is always room for one more: the one who waited
 * longest has to go. A real client is through within one round trip; only those who never meant to come in stay long.
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
  readonly sendAway: () => void;
}

export class PendingLogins {
  /** Shape: who waits longest first. Bounded by MAX_WAITING. */
  readonly #entries = new Set<Entry>();

  /** A client came in from `address`; `sendAway` closes its connection. */
  enter(address: string, sendAway: () => void): PendingLogin {
    const timer = setTimeout(sendAway, LOGIN_TIMEOUT_MS);
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
      entry.sendAway();
    }
  }

  #makeRoom(address: string): void {
    const ofAddress = [...this.#entries].filter((entry) => entry.address === address);
    const crowded = ofAddress.length > MAX_WAITING_OF_ADDRESS ? ofAddress : [...this.#entries];
    const longest = crowded[0];
    if (!longest || (crowded !== ofAddress && crowded.length <= MAX_WAITING)) return;
    longest.leave();
    longest.sendAway();
  }
}
