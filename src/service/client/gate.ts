/** Lets so many at a time through. The others wait in line, and between two of them everything else has its turn. */
export class Gate {
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
