/** Searches the whole database for damaged values. */
import { DatabaseSync } from "node:sqlite";
import { versionOf, withDigest } from "../database.ts";
import { KeyValueStore } from "../key-value-store.ts";
import { SCHEMA_VERSION } from "../migrations.ts";
import { RUN_COLUMNS } from "../plan-store.ts";
import { ENERGY_COLUMNS } from "../plug-energy-store.ts";
import { DAMAGED_ATTEMPT } from "../request-log.ts";
import { ChunkTable } from "../series/chunk-table.ts";
import type { WriteGuard } from "../write-guard.ts";
import { flawOf } from "./file-check.ts";
import { SPENDS_UNKNOWN } from "./recovery.ts";

/** SQL condition for the damaged rows of each table. Chunks have a digest of their own. */
const DAMAGED_ROWS: Readonly<Record<string, string>> = {
  setting: "digest is not digest(name, value)",
  series: "name not like 'damaged %' and digest is not digest(id, name, envelope)",
  attempt: DAMAGED_ATTEMPT,
  plan_state: "digest is not digest(plan, memory)",
  plan_setting: "digest is not digest(plan, name, value)",
  plan_run: `digest is not digest(plan, ${RUN_COLUMNS})`,
  plug_energy: `digest is not digest(plug, ${ENERGY_COLUMNS})`,
};

/** Removes the damaged rows of all tables except chunks: there are many, so they are checked when they are read. */
export function dropDamagedRows(database: DatabaseSync, writing: WriteGuard): void {
  for (const [table, damaged] of Object.entries(DAMAGED_ROWS)) {
    const count = damagedIn(database, table);
    if (count === 0) continue;
    // Attempts and chunks refer to a series by its id, which may belong to another series. So the row stays, under a
    // name that is not used.
    const change = table === "series" ? "update series set name = 'damaged ' || id" : `delete from ${table}`;
    const drop = `${change} where ${damaged}`;
    writing.damaged(damageText(table, count), () => database.exec(drop));
    // A missing attempt would allow one request too many.
    if (table === "attempt") new KeyValueStore(database, writing).write(SPENDS_UNKNOWN, "yes");
  }
}

/** Describes the damage in a database; empty if it is intact. */
export function damageIn(database: DatabaseSync): string[] {
  const counts = Object.keys(DAMAGED_ROWS).map((table) => [table, damagedIn(database, table)] as const);
  const chunks = ["chunk", new ChunkTable(database, () => undefined).countDamaged()] as const;
  return [...counts, chunks].flatMap(([table, count]) => (count > 0 ? damageText(table, count) : []));
}

function damagedIn(database: DatabaseSync, table: string): number {
  const sql = `select count(*) as n from ${table} where ${DAMAGED_ROWS[table]}`;
  return Number(withDigest(database).prepare(sql).get()?.n);
}

function damageText(table: string, count: number): string {
  return `${count} damaged rows in the table ${table}`;
}

/** Describes the damage in a database file that no process has open. */
export function damageInFile(databasePath: string): string[] {
  const flaw = flawOf(databasePath);
  if (flaw !== null) return [flaw];
  const database = new DatabaseSync(databasePath, { readOnly: true });
  try {
    // The next start upgrades an older version, and then checks its values.
    return versionOf(database) === SCHEMA_VERSION ? damageIn(database) : [];
  } finally {
    database.close();
  }
}
