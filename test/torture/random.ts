/** Pseudo-random numbers. The same seed gives the same numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 up to but not including 1. Source: mulberry32, public domain. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from 0 up to but not including `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  pick<Item>(items: readonly Item[]): Item {
    const picked = items[this.below(items.length)];
    if (picked === undefined) throw new RangeError("nothing to pick from");
    return picked;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}
