/** Requests that come by the hundred a second, as no house asks. */

const REQUESTS = 500;
const WITHIN_MS = 5_000;

export class Rush {
  readonly #monotonicMs: () => number;
  readonly #onRush: () => void;
  #came = 0;
  #since = Number.NEGATIVE_INFINITY;
  #isTold = false;

  /** `onRush` is told once. */
  constructor(onRush: () => void, monotonicMs: () => number = () => performance.now()) {
    this.#onRush = onRush;
    this.#monotonicMs = monotonicMs;
  }

  /** A request came. */
  came(): void {
    if (this.#isTold || ++this.#came < REQUESTS) return;
    const now = this.#monotonicMs();
    this.#isTold = now - this.#since <= WITHIN_MS;
    this.#came = 0;
    this.#since = now;
    if (this.#isTold) this.#onRush();
  }
}
