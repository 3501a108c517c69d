/** Reads everything that is stored, and says what is not as it was written. */
import { DatabaseSync } from "node:sqlite";
import { ChunkTable } from "./chunk-table.ts";
import { withDigest } from "./database.ts";
import { KeyValueStore } from "./key-value-store.ts";
import { lostCommits } from "./log-damage.ts";
import { RUN_COLUMNS } from "./plan-store.ts";
import { flawOf, SPENDS_UNKNOWN } from "./recovery.ts";
import { DAMAGED_ATTEMPT } from "./request-log.ts";
import type { WriteGuard } from "./write-guard.ts";

/** How to find the damaged rows of each table, and what a row is called. The chunks have a digest of their own. */
const DAMAGED_ROWS: Readonly<Record<string, string>> = {
  setting: "digest is not digest(name, value)",
  series: "name not like 'damaged %' and digest is not digest(id, name, envelope)",
  attempt: DAMAGED_ATTEMPT,
  plan_state: "digest is not digest(plan, memory)",
  plan_setting: "digest is not digest(plan, name, value)",
  plan_run: `digest is not digest(plan, ${RUN_COLUMNS})`,
};

/** Takes away what is damaged, but for the chunks, which are looked at when they are read: their series are long. */
export function dropDamagedRows(database: DatabaseSync, writing: WriteGuard): void {
  for (const [table, damaged] of Object.entries(DAMAGED_ROWS)) {
    const count = damagedIn(database, table);
    // Attempts and chunks name their series by its id, which may be another's: the row stays, under no name.
    const drop =
      table === "series"
        ? `update series set name = 'damaged ' || id where ${damaged}`
        : `delete from ${table} where ${damaged}`;
    if (count === 0) continue;
    writing.damaged(damageText(table, count), () => database.exec(drop));
    // An attempt less lets a request more out.
    if (table === "attempt") new KeyValueStore(database, writing).write(SPENDS_UNKNOWN, "yes");
  }
}

/** What is damaged in a database, in words; empty where nothing is. */
export function damageIn(database: DatabaseSync): string[] {
  const counts = Object.keys(DAMAGED_ROWS).map((table) => [table, damagedIn(database, table)] as const);
  const chunks = new ChunkTable(database, () => undefined).countDamaged();
  return [...counts, ["chunk", chunks] as const].flatMap(([table, count]) =>
    count > 0 ? damageText(table, count) : [],
  );
}

function damagedIn(database: DatabaseSync, table: string): number {
  const sql = `select count(*) as n from ${table} where ${DAMAGED_ROWS[table]}`;
  return Number(withDigest(database).prepare(sql).get()?.n);
}

export function lostCommitsText(count: number): string {
  return `${count} writes lost with a damaged write-ahead log`;
}

function damageText(table: string, count: number): string {
  return `${count} damaged in the table ${table}`;
}

/** The same for the file of a database that no process holds, and for its write-ahead log. */
export function damageInFile(databasePath: string): string[] {
  const lost = lostCommits(`${databasePath}-wal`);
  if (lost > 0) return [lostCommitsText(lost)];
  const flaw = flawOf(databasePath);
  if (flaw !== null) return [flaw];
  const database = new DatabaseSync(databasePath, { readOnly: true });
  try {
    return damageIn(database);
  } finally {
    database.close();
  }
}
