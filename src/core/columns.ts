/**
 * Rows kept by column in one compact text.
 *
 * A day of quarter-hour prices is 96 objects of four fields, of which two are instants on a grid and one is always
 * null. By column that is a base and a step, a distance, a constant, and a list of small differences: under three
 * characters a value. The round trip is exact for everything JSON can say; rows of unequal fields are kept as plain
 * JSON, in one line.
 *
 * Text: a line with the names of the fields as a JSON array (it is the same for years, so the shelf keeps it once), a
 * line with the number of rows, then one line per field: a letter for the form, then the values.
 *   `=` one JSON value for all rows       `t` instants: first, then (step, times) pairs, in seconds
 *   `+` instants of the column of instants before, all later by so many seconds
 *   `n` decimals: digits after the point, then differences of the scaled values (`~` is null)
 *   `j` a JSON array
 */
import { DecimalReader, InstantReader, NULL_MARK, NULL_SCALED } from "./column-readers.ts";
import { readInstantSeconds } from "./instant-text.ts";
import { type EpochMs, formatInstant, SECOND_MS } from "./interval.ts";
import { type Row, rowStart } from "./series.ts";
import { readVlq, writeVlq } from "./vlq.ts";

/** Stands between chunks in a text of several; JSON text never has it. Source: RFC 7464, record separator. */
export const CHUNK_SEPARATOR = "\x1e";

/**
 * The values of one field. Shape: one per row, in the order of the rows. Numbers are read from the text one after the
 * other, once: a large answer makes no list of them.
 */
export type Column =
  /** One value for all rows, as JSON. */
  | { readonly form: "constant"; readonly json: string }
  | InstantReader
  | DecimalReader
  | { readonly form: "values"; readonly values: readonly unknown[] };

/** More digits after the point than this are noise of binary fractions; such a column is kept as JSON. */
const MAX_DECIMALS = 6;
/** Scaled values stay within what 32-bit arithmetic can hold, differences included. */
const MAX_SCALED = 2 ** 29;
const QUOTE = 34;

/** Writes rows as compact text. Shape: any JSON objects, in their order. */
export function encodeRows(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  if (names.length === 0 || names.includes("__proto__") || !rows.every((row) => sameKeys(row, names)))
    return JSON.stringify(rows);
  let before: readonly number[] | null = null;
  const lines = names.map((name) => {
    const values = rows.map((row) => row[name]);
    const seconds = secondsOf(values);
    if (seconds === null) return encodeValues(values);
    const line = encodeInstants(seconds, before);
    before = seconds;
    return line;
  });
  return [JSON.stringify(names), rows.length, ...lines].join("\n");
}

/** Reads rows back from what `encodeRows` wrote. Errors: throws where the text is something else. */
export function decodeRows(text: string): Row[] {
  if (isPlain(text)) return JSON.parse(text) as Row[];
  const { count, names, columns } = openColumns(text);
  const rows: Record<string, unknown>[] = Array.from({ length: count }, () => ({}));
  columns.forEach((column, i) => {
    const name = names[i] ?? "";
    valuesOf(column, count).forEach((value, row) => {
      (rows[row] as Record<string, unknown>)[name] = value;
    });
  });
  return rows;
}

/** Whether rows are kept as plain JSON and not by column: as a list of objects, before which there are no names. */
export function isPlain(text: string, at = 0): boolean {
  return text.charCodeAt(at + 1) !== QUOTE;
}

/** Where the chunk that begins at `at` ends, in a text of several. */
export function endOfChunk(text: string, at: number): number {
  const end = text.indexOf(CHUNK_SEPARATOR, at);
  return end < 0 ? text.length : end;
}

/**
 * Reads single fields without making an object per row. Shape: `columns` in the order of `names`, null for a field that
 * the rows do not have; `firstStart` is the start of the first row, null without rows. Errors: throws as `decodeRows`.
 */
export function readColumns(
  text: string,
  names: readonly string[],
): {
  readonly count: number;
  readonly firstStart: EpochMs | null;
  readonly columns: readonly (readonly unknown[] | null)[];
} {
  if (isPlain(text)) {
    const rows = JSON.parse(text) as Row[];
    const columns = names.map((name) => (rows.some((row) => name in row) ? rows.map((row) => row[name]) : null));
    return { count: rows.length, firstStart: rows[0] ? rowStart(rows[0]) : null, columns };
  }
  const [shape = "", head = "", ...lines] = text.split("\n");
  const known = JSON.parse(shape) as string[];
  const count = Number(head);
  const lineOf = (name: string) => lines[known.indexOf(name)] ?? null;
  // A column of instants may lean on the one before it; any other is read by itself, and the rest not at all.
  const valuesNamed = (name: string) => {
    const line = lineOf(name);
    if (line === null) return null;
    if (line[0] !== "+") return valuesOf(openColumn(line, 0, line.length, null), count);
    return valuesOf(openColumns(text).columns[known.indexOf(name)] as Column, count);
  };
  const start = lineOf("start") ?? lineOf("date") ?? "";
  const seconds = start[0] === "t" ? Number(start.slice(1, start.indexOf(";"))) : Number.NaN;
  const firstStart = Number.isNaN(seconds)
    ? rowStart({ start: valuesNamed("start")?.[0], date: valuesNamed("date")?.[0] })
    : seconds * SECOND_MS;
  return { count, firstStart, columns: names.map(valuesNamed) };
}

/** Reads rows kept by column, field by field, one chunk after the other. Chunks of one shape share names and readers. */
export class ColumnsReader {
  count = 0;
  names: readonly string[] = [];
  /** Shape: in the order of `names`. */
  readonly columns: Column[] = [];
  /** The names as they are kept: a JSON array. */
  #shape = "";

  /**
   * Opens the chunk that stands from `at` to `end`. Gives back whether more than numbers differs from the one before.
   * Errors: throws as `decodeRows`.
   */
  open(text: string, at: number, end: number): boolean {
    let isOther = false;
    let lineEnd = endOfLine(text, at, end);
    if (lineEnd - at !== this.#shape.length || !text.startsWith(this.#shape, at)) {
      this.#shape = text.slice(at, lineEnd);
      this.names = JSON.parse(this.#shape) as string[];
      this.columns.length = 0;
      isOther = true;
    }
    const countAt = lineEnd + 1;
    lineEnd = endOfLine(text, countAt, end);
    this.count = Number(text.slice(countAt, lineEnd));
    let before: InstantReader | null = null;
    for (let i = 0; i < this.names.length && lineEnd < end; i++) {
      const lineAt = lineEnd + 1;
      lineEnd = endOfLine(text, lineAt, end);
      const known = this.columns[i];
      const column = openColumn(text, lineAt, lineEnd, before, known);
      if (column.form === "instants") before = column;
      if (column === known) continue;
      this.columns[i] = column;
      isOther = true;
    }
    if (lineEnd < end || this.columns.length < this.names.length || !Number.isInteger(this.count))
      throw this.#misfit(text.slice(at, end));
    return isOther;
  }

  #misfit(chunk: string): Error {
    const [, head = "", ...lines] = chunk.split("\n");
    return new Error(`a chunk of ${head.slice(0, 20)} rows has ${lines.length} columns; expected ${this.names.length}`);
  }
}

function openColumns(text: string): ColumnsReader {
  const reader = new ColumnsReader();
  reader.open(text, 0, text.length);
  return reader;
}

function endOfLine(text: string, at: number, end: number): number {
  const found = text.indexOf("\n", at);
  return found < 0 || found > end ? end : found;
}

function sameKeys(row: Row, names: readonly string[]): boolean {
  const keys = Object.keys(row);
  return keys.length === names.length && keys.every((key, i) => key === names[i]);
}

function encodeValues(values: readonly unknown[]): string {
  return constant(values) ?? decimals(values) ?? `j${JSON.stringify(values)}`;
}

/** Opens the column that stands from `at` to `end`; `known` is the same column of another chunk, to be used again. */
function openColumn(text: string, at: number, end: number, before: InstantReader | null, known?: Column): Column {
  switch (text[at]) {
    case "=": {
      const isSame = known?.form === "constant" && known.json.length === end - at - 1;
      return isSame && text.startsWith(known.json, at + 1)
        ? known
        : { form: "constant", json: text.slice(at + 1, end) };
    }
    case "t": {
      const instants = known?.form === "instants" ? known : new InstantReader();
      instants.open(text, at);
      return instants;
    }
    case "+": {
      if (before === null) throw new Error("a column leans on instants before it, and there are none");
      const instants = known?.form === "instants" ? known : new InstantReader();
      instants.openLater(before, readVlq({ text, at: at + 1 }));
      return instants;
    }
    case "n": {
      const decimals = known?.form === "decimals" ? known : new DecimalReader();
      decimals.open(text, at);
      return decimals;
    }
    case "j":
      return { form: "values", values: JSON.parse(text.slice(at + 1, end)) as unknown[] };
    default:
      throw new Error(`a column has the form "${text.slice(at, end)[0] ?? ""}"; expected one of = t + n j`);
  }
}

function valuesOf(column: Column, count: number): readonly unknown[] {
  switch (column.form) {
    case "constant":
      return new Array(count).fill(JSON.parse(column.json));
    case "instants":
      return Array.from({ length: count }, () => formatInstant(column.next() * SECOND_MS));
    case "decimals": {
      const scale = 10 ** column.digits;
      return Array.from({ length: count }, () => {
        const scaled = column.next();
        return scaled === NULL_SCALED ? null : scaled / scale;
      });
    }
    case "values":
      return column.values;
  }
}

function constant(values: readonly unknown[]): string | null {
  const [first] = values;
  if (typeof first === "object" && first !== null) return null;
  return values.every((value) => value === first) ? `=${JSON.stringify(first)}` : null;
}

/** The values as seconds, where every one is an instant as the service writes it. */
function secondsOf(values: readonly unknown[]): number[] | null {
  const seconds: number[] = [];
  for (const value of values) {
    const at = typeof value === "string" ? readInstantSeconds(value) : null;
    if (at === null || Math.abs(at - (seconds.at(-1) ?? at)) > MAX_SCALED) return null;
    seconds.push(at);
  }
  return seconds;
}

function encodeInstants(seconds: readonly number[], before: readonly number[] | null): string {
  const [first = 0] = seconds;
  const distance = first - (before?.[0] ?? 0);
  if (before && Math.abs(distance) <= MAX_SCALED && seconds.every((at, i) => at - (before[i] ?? 0) === distance))
    return `+${writeVlq(distance)}`;
  const runs: { readonly step: number; times: number }[] = [];
  for (let i = 1; i < seconds.length; i++) {
    const step = (seconds[i] as number) - (seconds[i - 1] as number);
    const run = runs.at(-1);
    if (run?.step === step) run.times++;
    else runs.push({ step, times: 1 });
  }
  return `t${first};${runs.map((run) => writeVlq(run.step) + writeVlq(run.times)).join("")}`;
}

function decimals(values: readonly unknown[]): string | null {
  for (let digits = 0; digits <= MAX_DECIMALS; digits++) {
    const text = scaledBy(values, digits);
    if (text !== null) return `n${digits}${text}`;
  }
  return null;
}

function scaledBy(values: readonly unknown[], digits: number): string | null {
  const scale = 10 ** digits;
  let text = "";
  let last = 0;
  for (const value of values) {
    if (value === null) {
      text += NULL_MARK;
      continue;
    }
    if (typeof value !== "number") return null;
    const scaled = Math.round(value * scale);
    if (scaled / scale !== value || Math.abs(scaled) > MAX_SCALED) return null;
    text += writeVlq(scaled - last);
    last = scaled;
  }
  return text;
}
