/**
 * Separates the data of services. The setting `source` names the service of all rows. Rows of another service have a
 * name that begins with their source and "/": they are not read, and return with their service.
 */
import type { DatabaseSync } from "node:sqlite";
import { message } from "../core/language/text.ts";
import { PassingStartError } from "../core/status/start-error.ts";
import { transaction, withDigest } from "./database.ts";
import type { KeyValueStore } from "./key-value-store.ts";
import { RUN_COLUMNS } from "./plan-store.ts";
import { ENERGY_COLUMNS } from "./plug-energy-store.ts";
import { digestWith } from "./request-log.ts";
import { writeTroubleOf } from "./write-guard.ts";

const SOURCE = "source";

/** Source of the demo's data, because its simulator has another port at each start. */
const DEMO_SOURCE = "demo";

/** Settings that describe a service: limits and pauses of its accounts, marks of their keys, and prices of its places. */
const SETTINGS = [
  "limits/",
  "per-day/",
  "ceilings/",
  "idle/",
  "silence/",
  "key_mark/",
  "past_prices/",
  "present_homes",
];

interface NamedRows {
  readonly table: string;
  readonly column: string;
  /** Number of "/" in the name of an unmarked row. */
  readonly slashes: number;
  /** Returns SQL for the digest of a row whose name is the SQL expression `name`. */
  readonly digest: (name: string) => string;
}

const NAMED_ROWS: readonly NamedRows[] = [
  { table: "series", column: "name", slashes: 3, digest: (name) => `digest(id, ${name}, envelope)` },
  { table: "attempt", column: "account", slashes: 0, digest: (account) => digestWith({ account }) },
  { table: "plan_state", column: "plan", slashes: 0, digest: (plan) => `digest(${plan}, memory)` },
  { table: "plan_run", column: "plan", slashes: 0, digest: (plan) => `digest(${plan}, ${RUN_COLUMNS})` },
  { table: "plug_energy", column: "plug", slashes: 0, digest: (plug) => `digest(${plug}, ${ENERGY_COLUMNS})` },
];

/** Returns the source of a configuration's data. Equal services have equal sources. */
export function sourceOf(baseUrl: string, isDemo: boolean): string {
  return isDemo ? DEMO_SOURCE : (URL.parse(baseUrl)?.href ?? baseUrl).replace(/\/+$/, "");
}

/** Returns the name of a row of another source than that of the stored data, which it has until its source is in use. */
export function nameAt(source: string, name: string): string {
  return `${encodeURIComponent(source)}/${name}`;
}

/**
 * Makes `source` the source of the stored data, before anything is read. Data of another source ends. A database that
 * does not know its source belongs to `source`. Throws PassingStartError if the database cannot be written.
 */
export function takeSource(database: DatabaseSync, settings: KeyValueStore, source: string): void {
  const before = settings.read(SOURCE);
  if (before === source) return;
  if (before === null) {
    settings.write(SOURCE, source);
    return;
  }
  try {
    transaction(withDigest(database), () => {
      for (const rows of NAMED_ROWS) {
        mark(database, rows, nameAt(before, ""));
        unmark(database, rows, nameAt(source, ""));
      }
      for (const prefix of SETTINGS) database.prepare("delete from setting where name glob ?").run(`${prefix}*`);
      const keep = "insert or replace into setting (name, value, digest) values (?1, ?2, digest(?1, ?2))";
      database.prepare(keep).run(SOURCE, source);
    });
  } catch (error) {
    const trouble = writeTroubleOf(error);
    if (!trouble) throw error;
    throw new PassingStartError(message("start.other_data", { source: before, why: trouble.detail }));
  }
}

function mark(database: DatabaseSync, { table, column, slashes, digest }: NamedRows, prefix: string): void {
  const marked = `?1 || ${column}`;
  const isUnmarked = `length(${column}) - length(replace(${column}, '/', '')) = ${slashes}`;
  // The digest of a damaged row stays wrong, so that the damage is still detected.
  const sql = `update ${table} set ${column} = ${marked}, digest = ${digest(marked)}
               where ${isUnmarked} and digest is ${digest(column)}`;
  database.prepare(sql).run(prefix);
}

function unmark(database: DatabaseSync, { table, column, digest }: NamedRows, prefix: string): void {
  const unmarked = `substr(${column}, length(?1) + 1)`;
  const sql = `update or ignore ${table} set ${column} = ${unmarked}, digest = ${digest(unmarked)}
               where substr(${column}, 1, length(?1)) = ?1 and digest is ${digest(column)}`;
  database.prepare(sql).run(prefix);
}
