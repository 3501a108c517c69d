/**
 * Answers written out once and kept for the next caller: the body, what became of it by compression, and the tag by
 * which a caller names it. Kept until what they were made of changes, or others need the room.
 */
import { isAscii } from "node:buffer";
import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Allocate, type RowsText, writingRowsJson } from "../core/columns-json.ts";
import { compress } from "./compression.ts";
import { type Coding, codingsFor, holdsTag } from "./negotiation.ts";

/** What an answer is made of. */
export interface AnswerSource {
  /** Another with every change of the series. */
  readonly version: number;
  readonly read: () => RowsText;
}

/** What a caller said it takes and has. */
export interface Wishes {
  readonly "accept-encoding"?: string | undefined;
  readonly "if-none-match"?: string | undefined;
}

/** An answer in the form a caller gets it. `headers` are names and values in turn; a body of text is ASCII. */
export type Representation =
  | {
      readonly status: 200;
      readonly headers: readonly string[];
      readonly body: string | Uint8Array;
      /** To be called, once by each caller, when the body is needed no more: what comes later is written over it. */
      readonly sent?: () => void;
    }
  | { readonly status: 304; readonly headers: readonly string[]; readonly body: ""; readonly sent?: undefined };

type Whole = Extract<Representation, { status: 200 }>;

interface Entry {
  readonly key: string;
  readonly tag: string;
  version: number;
  /** By coding, each from when it was first wanted. */
  readonly forms: Map<Coding, Whole>;
  readonly underWay: Map<Coding, Promise<Whole>>;
  bytes: number;
  /** Callers who wait for a body, or to whom one is on its way that is in memory of `#memory`. */
  users: number;
}

/** Room for kept answers: three years of hours with their compressed forms. It is never more, also on a small machine. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** An answer that has only been named by its tag takes no room of the above. */
const MOST_KEPT = 500;
/**
 * From this size on a body is written into memory that others were written in. New memory for each would have the
 * garbage collector walk through the whole heap after every few of them: 10 ms in which nobody else is served.
 */
const LARGE_BYTES = 64 * 1024;
/** Memory is used again where no more than a fifth of it is left over. */
const MOST_ROOM = 1.25;
/** Up to this size an answer of plain letters is kept as text: Node sends it in one piece with its headers. */
const TEXT_BYTES = 8 * 1024;
/** What fits into one packet with its headers is not made smaller. */
const LEAST_COMPRESSED_BYTES = 1_024;
/** Compressions at a time: two of the four threads of Node's pool stay free for others. */
const MOST_COMPRESSING = 2;
const TAG_CHARS = 22;

export class FinishedAnswers {
  readonly #mostBytes: number;
  readonly #compress: typeof compress;
  /** By key; the one used last stands last. Bounded by MOST_KEPT, and its bodies by KEPT_BYTES. */
  readonly #entries = new Map<string, Entry>();
  #newest: Entry | null = null;
  #bytes = 0;
  #compressing = 0;

  constructor(options: { readonly mostBytes?: number; readonly compress?: typeof compress } = {}) {
    this.#mostBytes = options.mostBytes ?? KEPT_BYTES;
    this.#compress = options.compress ?? compress;
  }

  /** Unit: bytes of the bodies that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The answer as the caller wants it; `key` names the request. The source is read before this returns or not at all,
   * so that what is read is of its version.
   */
  represent(key: string, source: AnswerSource, wishes: Wishes): Representation | Promise<Representation> {
    let text: RowsText | null = null;
    let entry = this.#entries.get(key);
    if (entry?.version !== source.version) {
      text = source.read();
      entry = this.#entryOf(key, source.version, text, entry);
    }
    this.#used(entry);
    const codings = codingsFor(wishes["accept-encoding"]);
    const held = codings.find((coding) => holdsTag(wishes["if-none-match"], tagOf(entry, coding)));
    if (held !== undefined) return { status: 304, headers: namingHeaders(entry, held), body: "" };
    const form = this.#formOf(entry, codings, () => text ?? source.read());
    return lend(entry, form);
  }

  #formOf(entry: Entry, codings: readonly Coding[], read: AnswerSource["read"]): Whole | Promise<Whole> {
    const [best = "identity"] = codings;
    const plain = entry.forms.get("identity");
    if (plain && (best === "identity" || (codings.includes("identity") && isSmall(plain)))) return plain;
    const form = entry.forms.get(best);
    if (form) return form;
    const written = plain ?? this.#once(entry, "identity", () => write(read(), (count) => this.#memory(count)));
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
    const headers = [
      ...["Content-Type", "application/json"],
      ...(coding === "identity" ? [] : ["Content-Encoding", coding]),
      ...namingHeaders(entry, coding),
    ];
    const isLarge = coding === "identity" && bytes.byteLength >= LARGE_BYTES;
    const form: Whole = isLarge
      ? { status: 200, headers, body: inPlace(bytes), sent: () => entry.users-- }
      : { status: 200, headers, body: coding === "identity" ? shortest(bytes) : Buffer.from(bytes) };
    entry.forms.set(coding, form);
    entry.bytes += bytes.byteLength;
    if (this.#entries.get(entry.key) !== entry) return form;
    this.#bytes += bytes.byteLength;
    if (entry.bytes > this.#mostBytes) this.#drop(entry);
    else this.#makeRoom();
    return form;
  }

  /** A body that came out the same as before is the same, whatever else of its series changed. */
  #entryOf(key: string, version: number, text: RowsText, before: Entry | undefined): Entry {
    const tag = tagOfText(text);
    if (before?.tag === tag) {
      before.version = version;
      return before;
    }
    if (before) this.#drop(before);
    return { key, tag, version, forms: new Map(), underWay: new Map(), bytes: 0, users: 0 };
  }

  #used(entry: Entry): void {
    if (entry === this.#newest) return;
    this.#newest = entry;
    this.#entries.delete(entry.key);
    this.#entries.set(entry.key, entry);
    this.#makeRoom();
  }

  #makeRoom(): void {
    for (const oldest of this.#entries.values()) {
      if (this.#bytes <= this.#mostBytes && this.#entries.size <= MOST_KEPT) return;
      this.#drop(oldest);
    }
  }

  /** Memory for a body: what is large takes that of the answers that make way for it, if they are on their way to nobody. */
  #memory(count: number): Uint8Array {
    if (count < LARGE_BYTES || count > this.#mostBytes) return new Uint8Array(count);
    let found: ArrayBufferLike | null = null;
    for (const oldest of this.#entries.values()) {
      if (this.#bytes + count <= this.#mostBytes) break;
      this.#drop(oldest);
      const idle = idleMemory(oldest);
      if (idle && idle.byteLength >= count && idle.byteLength <= MOST_ROOM * count) found = idle;
    }
    return new Uint8Array(found ?? new ArrayBuffer(count));
  }

  #drop(entry: Entry): void {
    if (this.#entries.get(entry.key) !== entry) return;
    this.#entries.delete(entry.key);
    if (entry === this.#newest) this.#newest = null;
    this.#bytes -= entry.bytes;
  }
}

/** A large answer is written in slices, so that it keeps nobody waiting. */
async function write(text: RowsText, allocate: Allocate): Promise<Uint8Array> {
  const writing = writingRowsJson(text, allocate);
  for (let step = writing.next(); ; step = writing.next()) {
    if (step.done) return step.value;
    await nextTurn();
  }
}

/** Counts who waits for a body, and who is to say that it was sent. */
function lend(entry: Entry, form: Whole | Promise<Whole>): Whole | Promise<Whole> {
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

/** The bytes where they stand. */
function inPlace({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** A copy, which is as long as the body; what was reserved beyond it while it was written is not kept. */
function shortest(bytes: Uint8Array): string | Buffer {
  const copy = Buffer.from(bytes);
  return copy.length <= TEXT_BYTES && isAscii(copy) ? copy.toString("latin1") : copy;
}

/** The memory of a large body that nobody needs any more. */
function idleMemory({ forms, users }: Entry): ArrayBufferLike | null {
  const plain = forms.get("identity");
  return users === 0 && plain?.sent && typeof plain.body !== "string" ? plain.body.buffer : null;
}

/** The text decides every byte of the body and is a tenth of it, so its digest is a strong tag of the body. */
function tagOfText({ head, chunks, tail }: RowsText): string {
  return hash("sha256", [head, ...chunks, tail].join("\0"), "base64url").slice(0, TAG_CHARS);
}

/** Each coding is a body of its own, byte for byte, and has a strong tag of its own. */
function tagOf(entry: Entry, coding: Coding): string {
  return coding === "identity" ? `"${entry.tag}"` : `"${entry.tag}-${coding}"`;
}

function namingHeaders(entry: Entry, coding: Coding): string[] {
  return ["ETag", tagOf(entry, coding), "Vary", "Accept-Encoding"];
}

function isSmall({ body }: Whole): boolean {
  return body.length < LEAST_COMPRESSED_BYTES;
}
