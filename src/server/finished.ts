/**
 * Answers written out once and kept for the next caller: the body, what became of it by compression, and the tag by
 * which a caller names it. Kept until what they were made of changes, or others need the room.
 */
import { isAscii } from "node:buffer";
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type HeaderLines, linesOf } from "../contract/header-lines.ts";
import { compress } from "./compression.ts";
import { type Entry, KeptAnswers, lend, type Whole } from "./kept-answers.ts";
import { type Coding, codingsFor, holdsTag } from "./negotiation.ts";

/** What an answer is made of. */
export interface AnswerSource {
  /** Another with every change of the series. */
  readonly version: number;
  /** Returns the whole body. */
  readonly read: () => string;
}

/** What a caller said it takes and has. */
export interface Wishes {
  readonly "accept-encoding"?: string | undefined;
  readonly "if-none-match"?: string | undefined;
}

/** An answer in the form a caller gets it: whole, or the word that the caller has it. */
export type Representation =
  | Whole
  | { readonly status: 304; readonly head: HeaderLines; readonly body: ""; readonly sent?: undefined };

/** Up to this size an answer of plain letters is kept as text: Node sends it in one piece with its headers. */
const TEXT_BYTES = 8 * 1024;
/** What fits into one packet with its headers is not made smaller. */
const LEAST_COMPRESSED_BYTES = 1_024;
/** Answers made in a turn of the loop, each a fraction of a millisecond's work: when many come at once, others run between. */
const MOST_MADE = 4;
/** Compressions at a time: two of the four threads of Node's pool stay free for others. */
const MOST_COMPRESSING = 2;
const TAG_CHARS = 22;

export class FinishedAnswers {
  readonly #kept: KeptAnswers;
  readonly #compress: typeof compress;
  #compressing = 0;
  /** How many answers were made in this turn of the loop, and the next turn once there is one to wait for. */
  #made = 0;
  #turn: Promise<void> | null = null;

  constructor(options: { readonly mostBytes?: number; readonly compress?: typeof compress } = {}) {
    this.#kept = new KeptAnswers(options.mostBytes);
    this.#compress = options.compress ?? compress;
  }

  /** Unit: bytes of the bodies that are kept. */
  get bytes(): number {
    return this.#kept.bytes;
  }

  /** Waits for a turn of the loop in which an answer may be made; null where that is this one. */
  wait(): Promise<void> | null {
    return this.#made < MOST_MADE ? null : this.#turn;
  }

  /**
   * The answer as the caller wants it; `key` names the request. The source is read before this returns or not at all,
   * so that what is read is of its version.
   */
  represent(key: string, source: AnswerSource, wishes: Wishes): Representation | Promise<Representation> {
    let text: string | null = null;
    let entry = this.#kept.get(key);
    if (entry?.version !== source.version) {
      this.#countMade();
      text = source.read();
      entry = this.#entryOf(key, source.version, text, entry);
    }
    this.#kept.use(entry);
    const codings = codingsFor(wishes["accept-encoding"]);
    const held = codings.find((coding) => holdsTag(wishes["if-none-match"], tagOf(entry, coding)));
    if (held !== undefined) return { status: 304, head: linesOf(namingHeaders(entry, held)), body: "" };
    return lend(
      entry,
      this.#formOf(entry, codings, () => text ?? source.read()),
    );
  }

  #formOf(entry: Entry, codings: readonly Coding[], read: AnswerSource["read"]): Whole | Promise<Whole> {
    const [best = "identity"] = codings;
    const plain = entry.forms.get("identity");
    if (plain && (best === "identity" || (codings.includes("identity") && isSmall(plain)))) return plain;
    const form = entry.forms.get(best);
    if (form) return form;
    const written = plain ?? this.#write(entry, read);
    return best === "identity" ? written : this.#smaller(entry, written, codings);
  }

  /**
   * Whoever takes a compressed answer waits for it, and gets what was asked for: ten milliseconds, once. Where too many
   * wait already, the answer goes out as it is to whoever takes that.
   */
  async #smaller(entry: Entry, written: Whole | Promise<Whole>, codings: readonly Coding[]): Promise<Whole> {
    const [best = "identity"] = codings;
    const plain = await written;
    const flying = entry.underWay.get(best);
    if (flying) return flying;
    const isBusy = this.#compressing >= MOST_COMPRESSING;
    if (best === "identity" || (codings.includes("identity") && (isBusy || isSmall(plain)))) return plain;
    return this.#once(entry, best, async () => {
      this.#compressing++;
      try {
        return await this.#compress(best, typeof plain.body === "string" ? Buffer.from(plain.body) : plain.body);
      } finally {
        this.#compressing--;
      }
    });
  }

  #countMade(): void {
    this.#made++;
    this.#turn ??= nextTurn().then(() => {
      this.#made = 0;
      this.#turn = null;
    });
  }

  #write(entry: Entry, read: AnswerSource["read"]): Whole | Promise<Whole> {
    return entry.underWay.get("identity") ?? this.#keep(entry, "identity", Buffer.from(read()));
  }

  /** Equal callers wait for one body. */
  #once(entry: Entry, coding: Coding, make: () => Promise<Uint8Array>): Promise<Whole> {
    const flying = entry.underWay.get(coding);
    if (flying) return flying;
    const flight = make()
      .then((bytes) => this.#keep(entry, coding, bytes))
      .finally(() => entry.underWay.delete(coding));
    entry.underWay.set(coding, flight);
    return flight;
  }

  #keep(entry: Entry, coding: Coding, bytes: Uint8Array): Whole {
    const head = linesOf({
      "Content-Type": "application/json",
      ...(coding === "identity" ? {} : { "Content-Encoding": coding }),
      ...namingHeaders(entry, coding),
    });
    const form: Whole = { status: 200, head, body: coding === "identity" ? shortest(bytes) : Buffer.from(bytes) };
    this.#kept.add(entry, coding, form, bytes.byteLength);
    return form;
  }

  /** A body that came out the same as before is the same, whatever else of its series changed. */
  #entryOf(key: string, version: number, text: string, before: Entry | undefined): Entry {
    const tag = tagOfText(text);
    if (before?.tag === tag) {
      before.version = version;
      return before;
    }
    if (before) this.#kept.drop(before);
    return { key, tag, version, forms: new Map(), underWay: new Map(), bytes: 0, users: 0 };
  }
}

/** A copy, which is as long as the body; what was reserved beyond it while it was written is not kept. */
function shortest(bytes: Uint8Array): string | Buffer {
  const copy = Buffer.from(bytes);
  return copy.length <= TEXT_BYTES && isAscii(copy) ? copy.toString("latin1") : copy;
}

function tagOfText(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, TAG_CHARS);
}

/** Each coding is a body of its own, byte for byte, and has a strong tag of its own. */
function tagOf(entry: Entry, coding: Coding): string {
  return coding === "identity" ? `"${entry.tag}"` : `"${entry.tag}-${coding}"`;
}

function namingHeaders(entry: Entry, coding: Coding): Record<string, string> {
  return { ETag: tagOf(entry, coding), Vary: "Accept-Encoding" };
}

function isSmall({ body }: Whole): boolean {
  return body.length < LEAST_COMPRESSED_BYTES;
}
