/**
 * Rows from their columns straight into the JSON of an answer: no object and no string per row. A year of hours is a
 * megabyte, written in about two milliseconds.
 */
import { type DecimalReader, type InstantReader, NULL_SCALED } from "./column-readers.ts";
import { type Column, ColumnsReader, endOfChunk, isPlain } from "./columns.ts";
import { InstantWriter } from "./instant-text.ts";

/** Room for the head and a first day; after that the whole can be foreseen. */
const FIRST_BYTES = 8 * 1024;
/** A day may be longer than the longest before it by so much: the days of a year differ by less. */
const MARGIN = 1.03;
/** Where what was foreseen is too little, again and again, the room still grows by so much each time. */
const LEAST_GROWTH = 1.125;
/** The longest text of an instant with its quotes, and of a scaled number with sign, point and zeros. */
const MOST_SHORT_BYTES = 24;
/** From this length on a call of `set` is faster than a loop. Measured: 2.8 against 3.5 ms for a year of hours. */
const LONG_COPY = 12;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const encoder = new TextEncoder();
const NULL_TEXT = encoder.encode("null");
const COMMA = encoder.encode(",");
const NOTHING = new Uint8Array();

/** A field about to be written. Of a column of any values, the JSON of every one of them. */
type Field = InstantReader | DecimalReader | { readonly form: "texts"; readonly texts: readonly Uint8Array[] };

/** How rows are written. */
interface Layout {
  readonly fields: readonly Field[];
  /**
   * What stands before the value of each field: its name, and the constants before it; last, what closes a row, and the
   * comma before the next.
   */
  readonly leads: readonly Uint8Array[];
  /** The most bytes of a row, but for the texts. */
  readonly rowBytes: number;
  /** Bytes of all texts. */
  readonly textBytes: number;
}

/** After so many bytes others may run: a fifth of a millisecond of work, one or two on a small machine. */
const BYTES_PER_SLICE = 64 * 1024;
/** Of the first slice: before its code is compiled, the work takes ten times as long. */
const FIRST_SLICE_BYTES = BYTES_PER_SLICE / 2 + 1;
/** From this length on rows are written in other turns than the one in which they were looked for and read. */
const LARGE_TEXT = 4 * 1024;

/** The text of an answer before it is written out. */
export interface RowsText {
  readonly head: string;
  /** Chunks as `encodeRows` wrote them, with `CHUNK_SEPARATOR` between them: one text, as hundreds would be garbage. */
  readonly rows: string;
  readonly tail: string;
}

/** Gives memory of at least so many bytes, whatever stands in it; that which it gave before is needed no more after a copy. */
type Allocate = (count: number) => Uint8Array;

/**
 * Writes `head`, the rows of all chunks as the inside of a JSON array, and `tail`. The text is the one that
 * JSON.stringify would give. In slices: yields between them, so that the caller may let others run. Shape: the beginning
 * of what `allocate` gave last. Errors: throws where a chunk is not what `encodeRows` wrote.
 */
export function* writingRowsJson(
  { head, rows, tail }: RowsText,
  allocate: Allocate,
): Generator<void, Uint8Array, void> {
  if (rows.length >= LARGE_TEXT) yield;
  const writer = new Writer(filledChunks(rows), allocate);
  writer.text(encoder.encode(head));
  let sliceEnd = FIRST_SLICE_BYTES;
  for (let from = 0, to = 0; from < rows.length; from = to + 1) {
    to = endOfChunk(rows, from);
    if (isEmpty(from, to)) continue;
    writer.chunk(rows, from, to);
    if (writer.length < sliceEnd) continue;
    sliceEnd = writer.length + BYTES_PER_SLICE;
    yield;
  }
  writer.text(encoder.encode(tail));
  return writer.finish();
}

function filledChunks(rows: string): number {
  let count = 0;
  for (let from = 0, to = 0; from < rows.length; from = to + 1) {
    to = endOfChunk(rows, from);
    if (!isEmpty(from, to)) count++;
  }
  return count;
}

/** Whether a chunk has no rows, as `[]` has none. */
function isEmpty(from: number, to: number): boolean {
  return to - from <= 2;
}

/**
 * The writer of the last answer, with its readers. A collection of garbage that finds no object of a class has V8 forget
 * what it compiled for the class: the next year would take five times as long.
 */
const lastWriter: { writer: Writer | null } = { writer: null };

class Writer {
  readonly #chunks: number;
  readonly #allocate: Allocate;
  readonly #instants = new InstantWriter();
  #bytes: Uint8Array;
  #at = 0;
  #written = 0;
  /** Unit: bytes of the longest chunk so far; of a first one half a day may be asked. */
  #longest = 0;
  readonly #columns = new ColumnsReader();
  /** Most chunks of an answer differ in their numbers only. */
  #layout: Layout = { fields: [], leads: [], rowBytes: 0, textBytes: 0 };

  constructor(chunks: number, allocate: Allocate) {
    this.#chunks = chunks;
    this.#allocate = allocate;
    this.#bytes = allocate(FIRST_BYTES);
  }

  get length(): number {
    return this.#at;
  }

  text(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Writes the rows of the chunk that stands from `from` to `to`, and a comma before them where others are. */
  chunk(text: string, from: number, to: number): void {
    if (this.#written > 0) this.text(COMMA);
    const began = this.#at;
    if (isPlain(text, from)) this.text(encoder.encode(text.slice(from + 1, to - 1)));
    else {
      if (this.#columns.open(text, from, to)) this.#layout = layoutOf(this.#columns);
      const { count } = this.#columns;
      this.#reserve(count * this.#layout.rowBytes + this.#layout.textBytes);
      // One too far: the last row has no row after it.
      this.#at = writeRows(this.#bytes, this.#at, count, this.#layout, this.#instants) - 1;
    }
    this.#written++;
    this.#longest = Math.max(this.#longest, this.#at - began);
  }

  /** Gives away what was written. */
  finish(): Uint8Array {
    const written = this.#bytes.subarray(0, this.#at);
    this.#bytes = NOTHING;
    lastWriter.writer = this;
    return written;
  }

  #reserve(count: number): void {
    const { length } = this.#bytes;
    if (this.#at + count <= length) return;
    const toCome = Math.ceil(MARGIN * this.#longest * (this.#chunks - this.#written));
    const larger = this.#allocate(Math.max(this.#at + toCome + count, Math.ceil(LEAST_GROWTH * length)));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}

function layoutOf(columns: ColumnsReader): Layout {
  const fields = columns.columns.filter((column) => column.form !== "constant").map(fieldOf);
  const leads = leadsOf(columns);
  const numbers = fields.filter((field) => field.form !== "texts").length;
  const texts = fields.flatMap((field) => (field.form === "texts" ? field.texts : []));
  return { fields, leads, rowBytes: bytesOf(leads) + numbers * MOST_SHORT_BYTES, textBytes: bytesOf(texts) };
}

function fieldOf(column: Exclude<Column, { readonly form: "constant" }>): Field {
  if (column.form !== "values") return column;
  return { form: "texts", texts: column.values.map((value) => encoder.encode(JSON.stringify(value))) };
}

function leadsOf({ names, columns }: ColumnsReader): Uint8Array[] {
  const leads: string[] = [];
  let lead = "{";
  columns.forEach((column, i) => {
    lead += `${i > 0 ? "," : ""}${JSON.stringify(names[i])}:`;
    if (column.form === "constant") {
      lead += column.json;
      return;
    }
    leads.push(lead);
    lead = "";
  });
  return [...leads, `${lead}},`].map((text) => encoder.encode(text));
}

function bytesOf(texts: readonly Uint8Array[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** Writes every row and a comma after it. Gives back the place after the last. */
function writeRows(
  bytes: Uint8Array,
  from: number,
  count: number,
  { fields, leads }: Layout,
  instants: InstantWriter,
): number {
  const close = leads[fields.length] as Uint8Array;
  let at = from;
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i] as Field;
      at = copy(leads[i] as Uint8Array, bytes, at);
      if (field.form === "instants") at = instants.write(bytes, at, field.next());
      else if (field.form === "decimals") at = writeDecimal(bytes, at, field.next(), field.digits);
      else at = copy(field.texts[row] as Uint8Array, bytes, at);
    }
    at = copy(close, bytes, at);
  }
  return at;
}

function copy(text: Uint8Array, bytes: Uint8Array, at: number): number {
  const { length } = text;
  if (length >= LONG_COPY) bytes.set(text, at);
  else for (let i = 0; i < length; i++) bytes[at + i] = text[i] as number;
  return at + length;
}

/** Writes a scaled number as JavaScript writes the number it stands for: no zeros at its end, no point without digits. */
function writeDecimal(bytes: Uint8Array, at: number, scaled: number, digits: number): number {
  if (scaled === NULL_SCALED) return copy(NULL_TEXT, bytes, at);
  let rest = Math.abs(scaled);
  let decimals = digits;
  while (decimals > 0 && rest % 10 === 0) {
    rest = (rest / 10) | 0;
    decimals--;
  }
  let start = at;
  if (scaled < 0) bytes[start++] = MINUS;
  let length = 1;
  for (let over = (rest / 10) | 0; over > 0; over = (over / 10) | 0) length++;
  const end = start + Math.max(length, decimals + 1) + (decimals > 0 ? 1 : 0);
  for (let place = end - 1, written = 0; place >= start; place--, written++) {
    if (decimals > 0 && written === decimals) {
      bytes[place] = POINT;
      continue;
    }
    const over = (rest / 10) | 0;
    bytes[place] = ZERO + rest - over * 10;
    rest = over;
  }
  return end;
}
