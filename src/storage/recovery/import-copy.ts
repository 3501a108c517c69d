/**
 * Copies a database from elsewhere, row by row, into a new one that the migrations made. Nothing else of the file is
 * taken: no header, trigger, view or table of others, no value that is longer than elbro writes it.
 */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { errorMessage } from "../../core/text/error-words.ts";
import { MINUTE_MS } from "../../core/time/interval.ts";
import { DatabaseError, openDatabase, transaction, versionOf } from "../database.ts";
import { FIRST_VERSION, MIGRATIONS } from "../migrations.ts";
import { isInflatable } from "../series/chunk-text.ts";
import { ACCESS_SETTINGS } from "./access-settings.ts";
import { type CheckOptions, flawOf } from "./file-check.ts";

/** Maximum rows of a table: ten times those of 20 homes, and of the request log of 100 homes. */
const MAX_ROWS = 1_000_000;
/** Maximum length of a value: many times the longest that elbro writes. Unit: bytes. */
const MAX_VALUE_BYTES = 256 * 1024;
/** As long as 50 states of page.yaml may be together; they are one setting. Unit: bytes. */
const MAX_SETTING_BYTES = 2 * 1024 * 1024;
/** Maximum length of all settings together. Unit: bytes. */
const MAX_SETTINGS_BYTES = 8 * 1024 * 1024;
/** Maximum length of an inflated chunk: 100 rows of 650 bytes. A year of chunks is read at once. Unit: bytes. */
const MAX_CHUNK_BYTES = 64 * 1024;
/** Command of the program that imports in a process of its own. */
export const IMPORT_COMMAND = "import-copy";
/** Maximum time of an import in a process of its own: many times that of the largest upload on a small machine. */
const MAX_IMPORT_MS = 10 * MINUTE_MS;
const MAX_HEAP_MB = 64;
/** Entry of this program: next to the built chunks, or the source. */
const ENTRY = path.join(import.meta.dirname, import.meta.filename.endsWith(".ts") ? "../../main.ts" : "elbro.cjs");

/**
 * Writes the rows of `source` to the new file `target`, without the settings `leftOut`, which are patterns of SQL's
 * `glob`. Throws DatabaseError if `source` cannot be used.
 */
export function importCopy(source: string, target: string, leftOut: readonly string[]): void {
  for (const ending of ["", "-wal", "-shm"]) rmSync(target + ending, { force: true });
  const flaw = flawOf(source);
  if (flaw !== null) throw new DatabaseError(flaw);
  const from = new DatabaseSync(source, { readOnly: true });
  try {
    const to = openDatabase(target, { migrations: MIGRATIONS.slice(0, versionOf(from) - FIRST_VERSION) });
    try {
      transaction(to, () => {
        for (const table of tablesOf(to)) copyTable(from, to, table, leftOut);
      });
      // One plain file: reading a database with a write-ahead log makes files next to it.
      to.exec("pragma journal_mode = delete");
    } finally {
      to.close();
    }
  } catch (error) {
    for (const ending of ["", "-wal", "-shm"]) rmSync(target + ending, { force: true });
    throw error instanceof DatabaseError ? error : new DatabaseError(errorMessage(error));
  } finally {
    from.close();
  }
}

interface Table {
  readonly name: string;
  /** Columns that are not computed, with their types. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Returns the tables of a database in the order of their creation, so that rows come after those they refer to. */
function tablesOf(database: DatabaseSync): Table[] {
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by rowid").all();
  return tables.map(({ name }) => ({
    name: String(name),
    columns: database
      .prepare("select name, type from pragma_table_xinfo(?) where hidden = 0")
      .all(String(name)) as unknown as Table["columns"],
  }));
}

function copyTable(from: DatabaseSync, to: DatabaseSync, { name, columns }: Table, leftOut: readonly string[]): void {
  const names = columns.map((column) => column.name).join(", ");
  const isTaken = name === "setting" ? leftOut.map(() => "name not glob ?").join(" and ") : "true";
  const chosen = name === "setting" ? leftOut : [];
  refuseLong(from, { name, columns }, { isTaken, chosen });
  const read = from.prepare(`select ${names} from ${name} where ${isTaken}`);
  read.setReadBigInts(true);
  const write = to.prepare(`insert into ${name} (${names}) values (${columns.map(() => "?").join(", ")})`);
  for (const row of read.iterate(...chosen)) {
    // A chunk that is too long counts as never stored, as a damaged one: it is fetched again.
    if (name === "chunk" && !(row.rows instanceof Uint8Array && isInflatable(row.rows, MAX_CHUNK_BYTES))) continue;
    write.run(...(Object.values(row) as SQLInputValue[]));
  }
}

/** Throws DatabaseError if a table has too many rows or too long a value. Reads no value. */
function refuseLong(
  from: DatabaseSync,
  { name, columns }: Table,
  { isTaken, chosen }: { readonly isTaken: string; readonly chosen: readonly string[] },
): void {
  const long = columns.filter(({ type }) => type !== "INTEGER" && type !== "REAL");
  const lengths = long.map((column) => `octet_length(${column.name})`);
  const longest = lengths.map((length) => `coalesce(max(${length}), 0)`).join(", ");
  const [most, all] = [`max(0, ${longest || 0})`, lengths.map((length) => `total(${length})`).join(" + ") || "0"];
  const { rows, bytes, sum } = from
    .prepare(`select count(*) as rows, ${most} as bytes, ${all} as sum from ${name} where ${isTaken}`)
    .get(...chosen) as Readonly<Record<"rows" | "bytes" | "sum", number>>;
  const isSetting = name === "setting";
  const limit = isSetting ? MAX_SETTING_BYTES : MAX_VALUE_BYTES;
  if (rows > MAX_ROWS) throw new DatabaseError(`the table ${name} has ${rows} rows; expected at most ${MAX_ROWS}`);
  if (bytes > limit)
    throw new DatabaseError(`the table ${name} has a value of ${bytes} bytes; expected at most ${limit}`);
  if (isSetting && sum > MAX_SETTINGS_BYTES)
    throw new DatabaseError(`the table ${name} has ${sum} bytes; expected at most ${MAX_SETTINGS_BYTES}`);
}

/** Copies the settings with these names, patterns of SQL's `glob`, from a database that no process has open. */
export function copySettings(present: string, to: DatabaseSync, names: readonly string[]): void {
  const from = new DatabaseSync(present, { readOnly: true });
  try {
    const write = to.prepare("insert into setting (name, value, digest) values (?, ?, ?)");
    const isOne = names.map(() => "name glob ?").join(" or ");
    const kept = from.prepare(`select name, value, digest from setting where ${isOne}`);
    for (const row of kept.iterate(...names)) write.run(...(Object.values(row) as SQLInputValue[]));
  } catch {
    // The present database is damaged, so nobody is logged in.
  } finally {
    from.close();
  }
}

/**
 * Imports an upload in a process of its own, so that a hostile file can neither block nor end this one. Resolves with
 * why the file cannot be used; null if it is imported.
 */
export function importUpload(source: string, target: string, { node, signal }: CheckOptions): Promise<string | null> {
  const args = ["--no-warnings", `--max-old-space-size=${MAX_HEAP_MB}`, ENTRY, IMPORT_COMMAND, source, target];
  return new Promise((resolve) => {
    execFile(node, args, { signal, timeout: MAX_IMPORT_MS }, (error, flaw) =>
      resolve(error ? "the check of the copy ended without a result" : flaw || null),
    );
  });
}

/** The command of that process. Returns what it prints: why the file cannot be used, or nothing. */
export function importForUpload([source = "", target = ""]: readonly string[]): string {
  try {
    importCopy(source, target, ACCESS_SETTINGS);
    return "";
  } catch (error) {
    return errorMessage(error);
  }
}
