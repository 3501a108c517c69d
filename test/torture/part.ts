/** Options and report of each part of the torture test. */
import type { Random } from "./random.ts";

/** Counters of failures. All are 0 if the program works. */
export interface Broken {
  /** Acknowledged or stored data that is missing or has another value. */
  lost: number;
  /** Failed starts, uncaught exceptions, and daemons that do not recover or respond. */
  stuck: number;
  /** Requests that the service refused, and requests to elbro that succeeded without a key. */
  denied: number;
}

export interface PartOptions {
  readonly random: Random;
  /** 1 by default, less for the short form. */
  readonly scale: number;
}

/** Counts failures, and prints the first 10 of each kind. */
export class Report implements Broken {
  lost = 0;
  stuck = 0;
  denied = 0;
  readonly #part: string;

  constructor(part: string) {
    this.#part = part;
  }

  broken(fact: keyof Broken, why: string): void {
    this[fact]++;
    if (this[fact] <= MAX_SAID) process.stdout.write(`${this.#part}: ${fact}: ${why}\n`);
  }
}

const MAX_SAID = 10;

/** Status codes of the service that must not occur while elbro respects the quota. */
export const DENIED: readonly number[] = [401, 403, 429];
