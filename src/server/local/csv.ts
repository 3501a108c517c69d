/** A list of an answer as CSV. Source: RFC 4180; of what begins a formula: OWASP, CSV injection. */

import type { Calendar } from "../../core/time/calendar.ts";
import { MINUTE_MS } from "../../core/time/interval.ts";
import type { LocalAnswer } from "../http/response.ts";
import type { LocalRequest } from "../http/route.ts";

/** The table that an answer has, as its list and the columns of that. */
export interface CsvTable {
  /** The property of the answer that is the list. */
  readonly list: string;
  /**
   * Units by property of a row, as `month.hours` also of an object in it: `time` for an instant, an empty text without a
   * unit. `{currency}` and `{unit}` stand for what the answer says of all rows.
   */
  readonly columns: Readonly<Record<string, string>>;
}

/** How numbers are written; with a comma, columns are divided by semicolons, as spreadsheets in such countries expect. */
export const decimalSigns = ["point", "comma"] as const;
export type DecimalSign = (typeof decimalSigns)[number];

const CSV_TYPE = "text/csv; charset=utf-8; header=present";
/** Tells spreadsheets, which guess otherwise, that the text is UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";
/** Spreadsheets run a cell that begins so as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

export function wantsCsv({ headers }: Pick<LocalRequest, "headers">): boolean {
  return /\btext\/csv\b/i.test(headers.accept ?? "");
}

/** The list of a JSON answer as a file `elbro-<name>.csv`; any other answer as it is. */
export function csvAnswer(answer: LocalAnswer, table: CsvTable, name: string, format: CsvFormat): LocalAnswer {
  const body = bodyOf(answer);
  if (!body) return answer;
  const headers = { "Content-Disposition": `attachment; filename="elbro-${name}.csv"`, Vary: "Accept" };
  return { kind: "text", type: CSV_TYPE, text: csvText(body, table, format), headers };
}

interface CsvFormat {
  readonly decimal: DecimalSign;
  /** Instants are written on its clock, with the offset. */
  readonly calendar: Calendar;
}

type Fields = Readonly<Record<string, unknown>>;

function bodyOf(answer: LocalAnswer): Fields | null {
  if (answer.kind === "json") return answer.body as Fields;
  return answer.kind === "bytes" ? (JSON.parse(Buffer.from(answer.bytes).toString()) as Fields) : null;
}

/** Shape: a line of names with units, then one per row, each ended by CR LF. */
export function csvText(body: Fields, { list, columns }: CsvTable, { decimal, calendar }: CsvFormat): string {
  const rows = body[list] as readonly Fields[];
  const separator = decimal === "comma" ? ";" : ",";
  const cellOf = (value: unknown, unit: string): string => {
    if (typeof value === "number") return decimal === "comma" ? String(value).replace(".", ",") : String(value);
    if (unit === "time" && typeof value === "string") return localInstant(Date.parse(value), calendar);
    return textCell(Array.isArray(value) ? value.join(" ") : String(value ?? ""));
  };
  const lines = [
    Object.entries(columns).map(([path, unit]) => textCell(headingOf(path, unit, body, rows))),
    ...rows.map((row) => Object.entries(columns).map(([path, unit]) => cellOf(valueAt(row, path), unit))),
  ];
  return `${decimal === "comma" ? BYTE_ORDER_MARK : ""}${lines.map((cells) => `${cells.join(separator)}\r\n`).join("")}`;
}

function textCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function headingOf(path: string, unit: string, body: Fields, rows: readonly Fields[]): string {
  const name = path.replaceAll(".", "_");
  if (unit === "" || unit === "time") return name;
  const written = unit.replace(/\{(\w+)\}/g, (_, what: string) => {
    const values = new Set([body[what], ...rows.map((row) => row[what])].filter((value) => value != null));
    const [only] = values;
    return values.size === 1 ? String(only) : what;
  });
  return `${name} (${written})`;
}

function valueAt(row: Fields, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (value as Fields | null)?.[name], row);
}

/** As in 2026-03-10T09:00:00+01:00. */
function localInstant(at: number, calendar: Calendar): string {
  const offset = calendar.offsetAt(at);
  const minutes = Math.abs(offset) / MINUTE_MS;
  const part = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const local = new Date(at + offset).toISOString().slice(0, 19);
  return `${local}${offset < 0 ? "-" : "+"}${part(minutes / 60)}:${part(minutes % 60)}`;
}
