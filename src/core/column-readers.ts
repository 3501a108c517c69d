/** Columns of numbers, read from their text one row after the other: a large answer makes no list of them. */
import { readVlq, type VlqReader } from "./vlq.ts";

export const NULL_MARK = "~";
const NULL_MARK_CODE = NULL_MARK.charCodeAt(0);
/** Stands for null among scaled values; beyond the largest of them. */
export const NULL_SCALED = 2 ** 31 - 1;

/** Reads a column of instants. Unit: seconds since 1970. */
export class InstantReader implements VlqReader {
  readonly form = "instants";
  readonly text: string;
  at: number;
  readonly #distance: number;
  #seconds: number;
  #step = 0;
  /** How often the step is still to be taken; the first instant is one that took a step of nothing. */
  #times = 1;

  /** `text` is a column of the form `t`; every instant is later than in it by `distance`. */
  constructor(text: string, distance = 0) {
    const semicolon = text.indexOf(";");
    this.text = text;
    this.at = semicolon + 1;
    this.#distance = distance;
    this.#seconds = Number(text.slice(1, semicolon)) + distance;
  }

  /** The next instant. Errors: throws where the column has no more. */
  next(): number {
    while (this.#times <= 0) {
      this.#step = readVlq(this);
      this.#times = readVlq(this);
    }
    this.#times--;
    this.#seconds += this.#step;
    return this.#seconds;
  }

  /** Reads the same column from its start, all of it later. */
  later(distance: number): InstantReader {
    return new InstantReader(this.text, this.#distance + distance);
  }
}

/** Reads a column of decimals as whole numbers, to be divided by 10 to the power of `digits`; `NULL_SCALED` stands for null. */
export class DecimalReader implements VlqReader {
  readonly form = "decimals";
  readonly digits: number;
  readonly text: string;
  at = 2;
  #last = 0;

  /** `text` is a column of the form `n`. */
  constructor(text: string) {
    this.text = text;
    this.digits = Number(text[1]);
  }

  /** The next number. Errors: throws where the column has no more. */
  next(): number {
    if (this.text.charCodeAt(this.at) === NULL_MARK_CODE) {
      this.at++;
      return NULL_SCALED;
    }
    this.#last += readVlq(this);
    return this.#last;
  }
}
