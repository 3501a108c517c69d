/** Checks database files that no process has open: copies, and files from elsewhere. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { errorMessage } from "../../core/text/error-words.ts";
import { MINUTE_MS } from "../../core/time/interval.ts";
import { SCHEMA_OBJECTS, type SchemaObject, schemaFlaw, versionOf } from "../database.ts";

/** Maximum time of a check in a process of its own: many times that of the largest upload on a small machine. */
const MAX_CHECK_MS = 10 * MINUTE_MS;

export interface CheckOptions {
  /** Path of the Node executable. */
  readonly node: string;
  readonly signal: AbortSignal;
}

/**
 * Checks all pages, indexes and types of a file. A database of ten years takes 20 ms on a desktop, about 200 ms on a
 * small machine, and one made for this purpose many seconds. It runs in a process of its own, because a thread would use
 * 9 MB here, most of which V8 keeps for seconds. It leaves one plain file without a write-ahead log, which can be copied
 * further. It is plain JavaScript in a string, because the product is one file.
 */
const CHECK = `
  const { DatabaseSync } = require("node:sqlite");
  try {
    const database = new DatabaseSync(process.argv[1]);
    database.exec("pragma locking_mode = exclusive; pragma journal_mode = delete");
    process.stdout.write(database.prepare("pragma integrity_check(1)").get().integrity_check);
    database.close();
  } catch (error) {
    process.stdout.write(error.message);
  }
`;

/** Checks a file in a process of its own. Resolves with SQLite's result, "ok" for an intact file. */
export function integrityOf(file: string, { node, signal }: CheckOptions): Promise<string> {
  const args = ["--no-warnings", "-e", CHECK, file];
  return new Promise((resolve, reject) => {
    execFile(node, args, { signal, timeout: MAX_CHECK_MS }, (error, found) => {
      if (error) reject(new Error("the check of the copy ended without a result", { cause: error }));
      else resolve(found);
    });
  });
}

/** Returns why a file cannot be used as this program's database; null if it can. Does not change the file. */
export function flawOf(file: string): string | null {
  if (!existsSync(file)) return "the file does not exist";
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const integrity = String(database.prepare("pragma integrity_check(1)").get()?.integrity_check);
    const objects = database.prepare(SCHEMA_OBJECTS).all() as unknown as SchemaObject[];
    return integrity === "ok" ? schemaFlaw(versionOf(database), objects) : `it is damaged: ${integrity}`;
  } catch (error) {
    return errorMessage(error);
  } finally {
    database?.close();
  }
}
