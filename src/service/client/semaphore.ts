/** Semaphore: runs at most `most` tasks at a time. Between two waiting tasks the event loop can do other work. */
export class Semaphore {
  #free: number;
  /** Bounded by the accounts. */
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) setImmediate(next);
      else this.#free++;
    }
  }
}
