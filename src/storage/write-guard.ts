/** Guard of all writes. While the disk is full or failing, it refuses them and keeps the deferrable ones. */
import type { DatabaseSync } from "node:sqlite";
import { isReadFailure, transaction, withDigest } from "./database.ts";

/** Reason why the database cannot be written; `detail` is SQLite's message. */
export type WriteTrouble = { readonly code: "disk_full" | "database_not_writable"; readonly detail: string };

/** Primary result codes of SQLite that are caused by the disk. Source: https://www.sqlite.org/rescode.html */
const CODES: Readonly<Record<number, WriteTrouble["code"]>> = {
  8: "database_not_writable", // SQLITE_READONLY
  10: "database_not_writable", // SQLITE_IOERR
  13: "disk_full", // SQLITE_FULL
  14: "database_not_writable", // SQLITE_CANTOPEN
};
/** Free space required before writes resume: more than a day of one home. Unit: characters. */
const ROOM_LENGTH = 64 * 1024;
/** Maximum deferred writes: one per setting, and a few finished runs a day. */
const MAX_UNWRITTEN = 2_000;

export class WriteGuard {
  readonly #database: DatabaseSync;
  /** Newest deferred write of each name. Bounded by MAX_UNWRITTEN. */
  readonly #unwritten = new Map<string, () => void>();
  #trouble: WriteTrouble | null = null;
  #onTrouble: () => void = () => undefined;
  #onDamage: (what: string) => void = (what) => this.#damage.push(what);
  /** Damage found before `onDamage` was called. Bounded by the values read while the storage opens. */
  readonly #damage: string[] = [];

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Current trouble; null if writes succeed. `recover` ends it. */
  get trouble(): WriteTrouble | null {
    return this.#trouble;
  }

  /** Sets the callback for the start of a trouble. */
  onTrouble(listener: () => void): void {
    this.#onTrouble = listener;
  }

  /** Sets the callback for damaged values, and calls it for those found before. */
  onDamage(listener: (what: string) => void): void {
    this.#onDamage = listener;
    for (const what of this.#damage.splice(0)) listener(what);
  }

  /** Reports a damaged value. `drop` removes it, so that it counts as never stored. */
  damaged(what: string, drop: () => void): void {
    this.attempt(drop);
    this.#onDamage(what);
  }

  /** Runs `write`. Returns null if the disk rejects it or a trouble lasts. Rethrows errors of another cause. */
  attempt<Result>(write: () => Result): { readonly value: Result } | null {
    if (this.#trouble) return null;
    try {
      return { value: write() };
    } catch (error) {
      this.#trouble = writeTroubleOf(error);
      if (!this.#trouble) throw error;
      this.#onTrouble();
      return null;
    }
  }

  /** Runs `write` now, or defers it to the next `recover`; per name only the last write is kept. */
  keep(name: string, write: () => void): void {
    if (this.attempt(write)) return;
    if (this.#unwritten.has(name) || this.#unwritten.size < MAX_UNWRITTEN) this.#unwritten.set(name, write);
  }

  /** Checks for free space and runs the deferred writes. Returns true if all of them are on disk. */
  recover(): boolean {
    if (!this.#trouble) return true;
    try {
      this.#tryRoom();
      for (const [name, write] of this.#unwritten) {
        write();
        this.#unwritten.delete(name);
      }
      this.#trouble = null;
    } catch (error) {
      const trouble = writeTroubleOf(error);
      if (!trouble) throw error;
      this.#trouble = trouble;
    }
    return this.#trouble === null;
  }

  /** Writes and deletes a large value; the freed pages stay available in the file. */
  #tryRoom(): void {
    const database = this.#database;
    transaction(database, () =>
      withDigest(database)
        .prepare(
          `insert into setting (name, value, digest) values ('room', ?1, digest('room', ?1)) on conflict (name)
           do update set value = excluded.value, digest = excluded.digest`,
        )
        .run("-".repeat(ROOM_LENGTH)),
    );
    transaction(database, () => database.exec("delete from setting where name = 'room'"));
  }
}

/** Returns the trouble behind an error; null if the disk did not cause it. */
export function writeTroubleOf(error: unknown): WriteTrouble | null {
  // A read failure inside a write does not pass: the file is damaged.
  if (!(error instanceof Error) || !("errcode" in error) || isReadFailure(error)) return null;
  // Extended codes contain the primary code in their low byte.
  const code = CODES[Number(error.errcode) & 0xff];
  return code === undefined ? null : { code, detail: error.message };
}
