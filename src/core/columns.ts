/**
 * Rows kept by column in one compact text.
 *
 * A day of quarter-hour prices is 96 objects of four fields, of which two are instants on a grid and one is always
 * null. By column that is a base and a step, a constant, and a list of small differences: about three characters a
 * value. The round trip is exact for everything JSON can say; rows of unequal shape are kept as plain JSON.
 *
 * Text: a line `rows=<count>`, then one line per field: its name as JSON, a tab, a letter for the form, the values.
 *   `=` one JSON value for all rows       `t` instants: first, then (step, times) pairs, in seconds
 *   `n` decimals: digits after the point, then differences of the scaled values (`~` is null)
 *   `j` a JSON array
 */
import { formatInstant, SECOND_MS } from "./interval.ts";
import type { Row } from "./series.ts";
import { readVlq, writeVlq } from "./vlq.ts";

/** More digits after the point than this are noise of binary fractions; such a column is kept as JSON. */
const MAX_DECIMALS = 6;
/** Scaled values stay within what 32-bit arithmetic can hold, differences included. */
const MAX_SCALED = 2 ** 29;
const NULL_MARK = "~";

/** A field of many rows: its name and one value per row. */
interface Column {
  readonly name: string;
  readonly values: readonly unknown[];
}

/** Writes rows as compact text. Shape: any JSON objects, in their order. */
export function encodeRows(rows: readonly Row[]): string {
  const [first] = rows;
  if (!first) return "rows=0";
  const names = Object.keys(first);
  if (names.includes("__proto__") || !rows.every((row) => sameKeys(row, names))) return JSON.stringify(rows);
  const lines = names.map((name) => `${JSON.stringify(name)}\t${encodeColumn(rows.map((row) => row[name]))}`);
  return [`rows=${rows.length}`, ...lines].join("\n");
}

/** Reads rows back from what `encodeRows` wrote. Errors: throws where the text is something else. */
export function decodeRows(text: string): Row[] {
  if (text.startsWith("[")) return JSON.parse(text) as Row[];
  const columns = decodeColumns(text);
  const rows: Record<string, unknown>[] = Array.from({ length: columns.count }, () => ({}));
  for (const column of columns.columns) {
    for (let i = 0; i < rows.length; i++) (rows[i] as Record<string, unknown>)[column.name] = column.values[i];
  }
  return rows;
}

/** Writes the rows as the JSON of an array's inside, without brackets and without making an object per row. */
export function encodedRowsToJson(text: string): string {
  if (text.startsWith("[")) return text.slice(1, -1);
  const { count, columns } = decodeColumns(text);
  const parts = columns.map((column, i) => ({ lead: `${i === 0 ? "{" : ","}${JSON.stringify(column.name)}:`, column }));
  let json = "";
  for (let row = 0; row < count; row++) {
    if (row > 0) json += ",";
    for (const { lead, column } of parts) json += lead + JSON.stringify(column.values[row]);
    json += "}";
  }
  return json;
}

function decodeColumns(text: string): { readonly count: number; readonly columns: readonly Column[] } {
  const [head = "", ...lines] = text.split("\n");
  if (!head.startsWith("rows=")) throw new Error(`a chunk starts with "${head.slice(0, 20)}"; expected rows=<count>`);
  const count = Number(head.slice("rows=".length));
  const columns = lines.map((line) => {
    const tab = line.indexOf("\t");
    return { name: JSON.parse(line.slice(0, tab)) as string, values: decodeColumn(line.slice(tab + 1), count) };
  });
  return { count, columns };
}

function sameKeys(row: Row, names: readonly string[]): boolean {
  const keys = Object.keys(row);
  return keys.length === names.length && keys.every((key, i) => key === names[i]);
}

function encodeColumn(values: readonly unknown[]): string {
  return constant(values) ?? instants(values) ?? decimals(values) ?? `j${JSON.stringify(values)}`;
}

function decodeColumn(text: string, count: number): readonly unknown[] {
  const body = text.slice(1);
  switch (text[0]) {
    case "=":
      return new Array(count).fill(JSON.parse(body));
    case "t":
      return readInstants(body);
    case "n":
      return readDecimals(body);
    case "j":
      return JSON.parse(body) as unknown[];
    default:
      throw new Error(`a column has the form "${text[0] ?? ""}"; expected one of = t n j`);
  }
}

function constant(values: readonly unknown[]): string | null {
  const [first] = values;
  if (typeof first === "object" && first !== null) return null;
  return values.every((value) => value === first) ? `=${JSON.stringify(first)}` : null;
}

function instants(values: readonly unknown[]): string | null {
  const seconds: number[] = [];
  for (const value of values) {
    const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(at) || at % SECOND_MS !== 0 || formatInstant(at) !== value) return null;
    seconds.push(at / SECOND_MS);
  }
  const runs: { readonly step: number; times: number }[] = [];
  for (let i = 1; i < seconds.length; i++) {
    const step = (seconds[i] as number) - (seconds[i - 1] as number);
    if (Math.abs(step) > MAX_SCALED) return null;
    const run = runs.at(-1);
    if (run?.step === step) run.times++;
    else runs.push({ step, times: 1 });
  }
  return `t${seconds[0]};${runs.map((run) => writeVlq(run.step) + writeVlq(run.times)).join("")}`;
}

function readInstants(body: string): string[] {
  const semicolon = body.indexOf(";");
  let at = Number(body.slice(0, semicolon));
  const found = [formatInstant(at * SECOND_MS)];
  const reader = { text: body, at: semicolon + 1 };
  while (reader.at < body.length) {
    const step = readVlq(reader);
    for (let times = readVlq(reader); times > 0; times--) {
      at += step;
      found.push(formatInstant(at * SECOND_MS));
    }
  }
  return found;
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
    if (typeof value !== "number" || Object.is(value, -0)) return null;
    const scaled = Math.round(value * scale);
    if (scaled / scale !== value || Math.abs(scaled) > MAX_SCALED) return null;
    text += writeVlq(scaled - last);
    last = scaled;
  }
  return text;
}

function readDecimals(body: string): (number | null)[] {
  const scale = 10 ** Number(body[0]);
  const found: (number | null)[] = [];
  const reader = { text: body, at: 1 };
  let last = 0;
  while (reader.at < body.length) {
    if (body[reader.at] === NULL_MARK) {
      found.push(null);
      reader.at++;
    } else {
      last += readVlq(reader);
      found.push(last / scale);
    }
  }
  return found;
}
