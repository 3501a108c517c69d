/** What every part of the torture is given and says. */
import type { Random } from "./random.ts";

/** Facts that were broken. Every one of them is 0 for a sound program. */
export interface Broken {
  /** What was acknowledged or stored and is not there, or is there with another value. */
  lost: number;
  /** A start that did not come up, an exception that nobody caught, a daemon that does not come back or does not answer. */
  stuck: number;
  /** Requests that the service refused, and doors that opened without a key. */
  denied: number;
}

export interface PartOptions {
  readonly random: Random;
  /** 1 for the minutes of `npm run torture`, less for the short form. */
  readonly scale: number;
}

/** Counts what is broken, and says each once as it is found. */
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

/** Refusals of the service that an elbro that keeps within its quota never meets. */
export const DENIED: readonly number[] = [401, 403, 429];
