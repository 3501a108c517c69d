/** Formats a list of a response as CSV. Sources: RFC 4180; OWASP, "CSV Injection", for texts that start a formula. */

import type { Calendar } from "../../core/time/calendar.ts";
import { localInstant } from "../../core/time/local-instant.ts";
import type { LocalAnswer } from "../../http/response.ts";

export interface CsvTable {
  /** Name of the response's property that holds the list. */
  readonly list: string;
  /**
   * Paths of a row's properties, separated by spaces, each with its unit: `name start:time month.cost:{currency}`. `time`
   * stands for an instant. `{currency}` and `{unit}` are replaced by the value that all rows share.
   */
  readonly columns: string;
}

/** Decimal separators. With `comma`, semicolons separate the columns, as spreadsheets in such locales expect. */
export const decimalSigns = ["point", "comma"] as const;
const CSV_TYPE = "text/csv; charset=utf-8; header=present";
/** Marks the text as UTF-8. Without it, spreadsheets guess the encoding. */
const BYTE_ORDER_MARK = "\uFEFF";
/** Start of a text that spreadsheets would execute as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns the list of a JSON response as the file `elbro-<name>.csv`. Returns any other response unchanged. */
export function csvAnswer(answer: LocalAnswer, table: CsvTable, name: string, format: CsvFormat): LocalAnswer {
  const body = bodyOf(answer);
  if (!body) return answer;
  const headers = { "Content-Disposition": `attachment; filename="elbro-${name}.csv"`, Vary: "Accept" };
  return { kind: "text", type: CSV_TYPE, text: csvText(body, table, format), headers };
}

interface CsvFormat {
  readonly decimal: (typeof decimalSigns)[number];
  /** Calendar whose local time and offset instants are written in. */
  readonly calendar: Calendar;
}

type Fields = Readonly<Record<string, unknown>>;

function bodyOf(answer: LocalAnswer): Fields | null {
  if (answer.kind === "json") return answer.body as Fields;
  return answer.kind === "bytes" ? (JSON.parse(Buffer.from(answer.bytes).toString()) as Fields) : null;
}

/** Returns one line of column names with units, then one line per row. Each line ends with CR LF. */
export function csvText(body: Fields, { list, columns }: CsvTable, { decimal, calendar }: CsvFormat): string {
  const rows = body[list] as readonly Fields[];
  const table = columns.split(/\s+/).map((column) => column.split(":") as [path: string, unit?: string]);
  const separator = decimal === "comma" ? ";" : ",";
  const cellOf = (value: unknown, unit?: string): string => {
    if (typeof value === "number") return decimal === "comma" ? String(value).replace(".", ",") : String(value);
    if (unit === "time" && typeof value === "string") return localInstant(Date.parse(value), calendar);
    return textCell(Array.isArray(value) ? value.join(" ") : String(value ?? ""));
  };
  const lines = [
    table.map(([path, unit = ""]) => textCell(headingOf(path, unit, body, rows))),
    ...rows.map((row) => table.map(([path, unit]) => cellOf(valueAt(row, path), unit))),
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
