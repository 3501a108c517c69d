/**
 * The answers that are kept, and the memory that their bodies are written in.
 *
 * A body of more than a few rows is written into memory that other bodies were written in before. New memory for each
 * would have the garbage collector walk through the whole heap after every few of them: 5 to 15 ms in which nobody is
 * served.
 */

import type { HeaderLines } from "../contract/header-lines.ts";
import type { Coding } from "./negotiation.ts";

/** A whole answer. A body of text is ASCII. */
export interface Whole {
  readonly status: 200;
  readonly head: HeaderLines;
  readonly body: string | Uint8Array;
  /** To be called, once by each caller, when the body is needed no more: what comes later is written over it. */
  readonly sent?: () => void;
}

export interface Entry {
  readonly key: string;
  readonly tag: string;
  version: number;
  /** By coding, each from when it was first wanted. */
  readonly forms: Map<Coding, Whole>;
  readonly underWay: Map<Coding, Promise<Whole>>;
  bytes: number;
  /** Callers who wait for a body, or to whom one is on its way whose memory is to be used again. */
  users: number;
}

/** Room for kept answers: three years of hours with their compressed forms. It is never more, also on a small machine. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** An answer that has only been named by its tag takes no room of the above. */
const MOST_KEPT = 500;
/** Less than is written before others may run. */
const SCRATCH_BYTES = 32 * 1024;
/** Memory is used again where no more than a fifth of it is left over. */
const MOST_ROOM = 1.25;

export class KeptAnswers {
  readonly #mostBytes: number;
  /** By key; the one used last stands last. Bounded by MOST_KEPT, and its bodies by KEPT_BYTES. */
  readonly #entries = new Map<string, Entry>();
  #newest: Entry | null = null;
  #bytes = 0;
  /** Where small bodies are written, of which a copy is kept. One is done before the next begins. */
  readonly #scratch = new Uint8Array(SCRATCH_BYTES);

  constructor(mostBytes = KEPT_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** Unit: bytes of the bodies that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** Keeps an answer, as the one that was used last. */
  use(entry: Entry): void {
    if (entry === this.#newest) return;
    this.#newest = entry;
    this.#entries.delete(entry.key);
    this.#entries.set(entry.key, entry);
    this.#makeRoom();
  }

  /** Keeps one more form of an answer, if there is room for it. Unit: bytes of its body. */
  add(entry: Entry, coding: Coding, form: Whole, bytes: number): void {
    entry.forms.set(coding, form);
    entry.bytes += bytes;
    if (this.#entries.get(entry.key) !== entry) return;
    this.#bytes += bytes;
    if (entry.bytes > this.#mostBytes) this.drop(entry);
    else this.#makeRoom();
  }

  drop(entry: Entry): void {
    if (this.#entries.get(entry.key) !== entry) return;
    this.#entries.delete(entry.key);
    if (entry === this.#newest) this.#newest = null;
    this.#bytes -= entry.bytes;
  }

  /**
   * Memory for a body of so many bytes, with anything in it: for a small one the scratch, for a large one that of the
   * answers that make way for it, if they are on their way to nobody.
   */
  memory(count: number): Uint8Array {
    if (count <= SCRATCH_BYTES) return this.#scratch;
    if (count > this.#mostBytes) return new Uint8Array(count);
    let found: ArrayBufferLike | null = null;
    for (const oldest of this.#entries.values()) {
      if (this.#bytes + count <= this.#mostBytes) break;
      this.drop(oldest);
      const idle = idleMemory(oldest);
      if (idle && idle.byteLength >= count && idle.byteLength <= MOST_ROOM * count) found = idle;
    }
    return new Uint8Array(found ?? new ArrayBuffer(roomFor(count)));
  }

  /** Whether a body is in memory that the next is written in. */
  isScratch(body: Uint8Array): boolean {
    return body.buffer === this.#scratch.buffer;
  }

  #makeRoom(): void {
    for (const oldest of this.#entries.values()) {
      if (this.#bytes <= this.#mostBytes && this.#entries.size <= MOST_KEPT) return;
      this.drop(oldest);
    }
  }
}

/** Counts who waits for a body, and who is to say that it was sent. */
export function lend(entry: Entry, form: Whole | Promise<Whole>): Whole | Promise<Whole> {
  if (!(form instanceof Promise)) {
    if (form.sent) entry.users++;
    return form;
  }
  entry.users++;
  return form.then(
    (whole) => {
      if (!whole.sent) entry.users--;
      return whole;
    },
    (error: unknown) => {
      entry.users--;
      throw error;
    },
  );
}

/**
 * Bodies of much the same length get memory of the same: a year that is a few bytes longer fits where another was. It is
 * at most an eighth more.
 */
function roomFor(count: number): number {
  const step = 2 ** (Math.floor(Math.log2(count)) - 3);
  return step * Math.ceil(count / step);
}

/** The memory of a large body that nobody needs any more. */
function idleMemory({ forms, users }: Entry): ArrayBufferLike | null {
  const plain = forms.get("identity");
  return users === 0 && plain?.sent && typeof plain.body !== "string" ? plain.body.buffer : null;
}
