/**
 * Columns of numbers, read from their text one row after the other: a large answer makes no list of them. A reader is
 * opened anew for each chunk, so that a large answer makes no reader per chunk either.
 */
import { readVlq, type VlqReader } from "./vlq.ts";

export const NULL_MARK = "~";
const NULL_MARK_CODE = NULL_MARK.charCodeAt(0);
/** Stands for null among scaled values; beyond the largest of them. */
export const NULL_SCALED = 2 ** 31 - 1;

/** Reads a column of instants. Unit: seconds since 1970. */
export class InstantReader implements VlqReader {
  readonly form = "instants";
  text = "";
  at = 0;
  #first = 0;
  /** Where the steps begin. */
  #steps = 0;
  #seconds = 0;
  #step = 0;
  /** How often the step is still to be taken; the first instant is one that took a step of nothing. */
  #times = 0;

  /** Opens the column of the form `t` that begins at `at`, with its letter. */
  open(text: string, at: number): void {
    this.text = text;
    const semicolon = text.indexOf(";", at);
    this.#first = Number(text.slice(at + 1, semicolon));
    this.#steps = semicolon + 1;
    this.#begin();
  }

  /** Opens the column that another has open, from its start, with every instant later by `distance`. */
  openLater(other: InstantReader, distance: number): void {
    this.text = other.text;
    this.#first = other.#first + distance;
    this.#steps = other.#steps;
    this.#begin();
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

  #begin(): void {
    this.at = this.#steps;
    this.#seconds = this.#first;
    this.#step = 0;
    this.#times = 1;
  }
}

/** Reads a column of decimals as whole numbers, to be divided by 10 to the power of `digits`; `NULL_SCALED` stands for null. */
export class DecimalReader implements VlqReader {
  readonly form = "decimals";
  digits = 0;
  text = "";
  at = 0;
  #last = 0;

  /** Opens the column of the form `n` that begins at `at`, with its letter. */
  open(text: string, at: number): void {
    this.text = text;
    this.digits = Number(text[at + 1]);
    this.at = at + 2;
    this.#last = 0;
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
