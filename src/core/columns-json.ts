/**
 * Rows from their columns straight into the JSON of an answer: no object and no string per row. A year of hours is a
 * megabyte, written in about two milliseconds.
 */
import { type Column, type Columns, columnsOf, isPlain, NULL_SCALED } from "./columns.ts";
import { InstantWriter } from "./instant-text.ts";

/** Room for a first day of quarter-hours; it doubles as needed. */
const FIRST_BYTES = 16 * 1024;
/** The longest text of an instant with its quotes, and of a scaled number with sign, point and zeros. */
const MOST_SHORT_BYTES = 24;
/** From this length on a call of `set` is faster than a loop. Measured: 2.8 against 3.5 ms for a year of hours. */
const LONG_COPY = 12;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const encoder = new TextEncoder();
const NULL_TEXT = encoder.encode("null");

/** A field about to be written. */
interface Field {
  readonly column: Exclude<Column, { readonly form: "constant" }>;
  /** The JSON of every value of a column of any values. */
  readonly texts: readonly Uint8Array[];
}

/** Rows about to be written. */
interface Layout {
  readonly rows: Columns;
  readonly fields: readonly Field[];
  /**
   * What stands before the value of each field: its name, and the constants before it; last, what closes a row, and the
   * comma before the next.
   */
  readonly leads: readonly Uint8Array[];
}

/** After so many bytes others may run: half a millisecond of work, a few on a small machine. */
const BYTES_PER_SLICE = 256 * 1024;

/**
 * Writes `head`, the rows of all chunks as the inside of a JSON array, and `tail`. The text is the one that
 * JSON.stringify would give. In slices: yields between them, so that the caller may let others run. Errors: throws where
 * a chunk is not what `encodeRows` wrote.
 */
export function* writingRowsJson(
  head: string,
  chunks: readonly string[],
  tail: string,
): Generator<void, Uint8Array, void> {
  const writer = new Writer();
  writer.text(encoder.encode(head));
  const filled = chunks.filter((chunk) => chunk !== "[]");
  let sliceEnd = BYTES_PER_SLICE;
  for (const [i, chunk] of filled.entries()) {
    if (i > 0) writer.text(Uint8Array.of(COMMA));
    writer.rows(chunk);
    if (i === 0) writer.expect(filled.length);
    if (writer.length < sliceEnd) continue;
    sliceEnd = writer.length + BYTES_PER_SLICE;
    yield;
  }
  writer.text(encoder.encode(tail));
  return writer.finish();
}

class Writer {
  #bytes = new Uint8Array(FIRST_BYTES);
  #at = 0;
  /** The layout before: most chunks of an answer differ in their values only. */
  #last: Layout | null = null;

  get length(): number {
    return this.#at;
  }

  text(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  rows(chunk: string): void {
    if (isPlain(chunk)) {
      this.text(encoder.encode(chunk.slice(1, -1)));
      return;
    }
    const layout = layoutOf(chunk, this.#last);
    this.#last = layout;
    this.#reserve(mostBytes(layout));
    // One too far: the last row has no row after it.
    this.#at = writeRows(this.#bytes, this.#at, layout) - 1;
  }

  /** Makes room for as many chunks like what is written so far, and a tenth more. */
  expect(chunks: number): void {
    this.#reserve(Math.ceil(1.1 * chunks * this.#at));
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  #reserve(count: number): void {
    const needed = this.#at + count;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}

function layoutOf(chunk: string, last: Layout | null): Layout {
  const rows = columnsOf(chunk, last?.rows);
  const fields: Field[] = [];
  for (const column of rows.columns) {
    if (column.form === "constant") continue;
    const texts = column.form === "values" ? column.values.map((value) => encoder.encode(JSON.stringify(value))) : [];
    fields.push({ column, texts });
  }
  return { rows, fields, leads: last && sameLeads(rows, last.rows) ? last.leads : leadsOf(rows) };
}

function sameLeads(rows: Columns, last: Columns): boolean {
  return (
    rows.names === last.names &&
    rows.columns.every((column, i) => {
      const other = last.columns[i];
      if (column.form !== "constant") return other?.form !== "constant";
      return other?.form === "constant" && other.json === column.json;
    })
  );
}

function leadsOf({ names, columns }: Columns): Uint8Array[] {
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

function mostBytes({ rows: { count }, fields, leads }: Layout): number {
  const ofLeads = leads.reduce((sum, lead) => sum + count * lead.length, 0);
  return fields.reduce((sum, { texts }) => {
    return sum + (texts.length > 0 ? texts.reduce((all, text) => all + text.length, 0) : count * MOST_SHORT_BYTES);
  }, ofLeads);
}

/** Writes every row and a comma after it. Gives back the place after the last. */
function writeRows(bytes: Uint8Array, from: number, { rows: { count }, fields, leads }: Layout): number {
  const instants = new InstantWriter();
  const close = leads[fields.length] as Uint8Array;
  let at = from;
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < fields.length; i++) {
      const { column, texts } = fields[i] as Field;
      at = copy(leads[i] as Uint8Array, bytes, at);
      if (column.form === "instants") at = instants.write(bytes, at, column.seconds[row] as number);
      else if (column.form === "decimals") at = writeDecimal(bytes, at, column.scaled[row] as number, column.digits);
      else at = copy(texts[row] as Uint8Array, bytes, at);
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
  let rest = scaled < 0 ? -scaled : scaled;
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
