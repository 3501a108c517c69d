/**
 * Whether the database takes what is written. A disk that is full or fails is the world's trouble, not ours: what must
 * be on disk first is not done meanwhile, and what may wait is kept here and written when there is room again.
 */
import type { DatabaseSync } from "node:sqlite";
import { transaction, withDigest } from "./database.ts";

/** Why nothing can be written, in SQLite's words. */
export interface WriteTrouble {
  readonly code: "disk_full" | "database_not_writable";
  readonly detail: string;
}

/** Primary result codes of SQLite that are the disk's doing. Source: https://www.sqlite.org/rescode.html */
const CODES: Readonly<Record<number, WriteTrouble["code"]>> = {
  8: "database_not_writable", // SQLITE_READONLY
  10: "database_not_writable", // SQLITE_IOERR
  13: "disk_full", // SQLITE_FULL
  14: "database_not_writable", // SQLITE_CANTOPEN
};
/** Room that has to be there before writing counts as fixed: more than a day of one home. Unit: characters. */
const ROOM_LENGTH = 64 * 1024;
/** Texts that wait to be written: those of settings are few, finished runs a few a day. */
const MAX_UNWRITTEN = 2_000;

export class WriteGuard {
  readonly #database: DatabaseSync;
  /** The newest of each name. Bounded by MAX_UNWRITTEN. */
  readonly #unwritten = new Map<string, () => void>();
  #trouble: WriteTrouble | null = null;
  #onTrouble: () => void = () => undefined;
  #onDamage: (what: string) => void = (what) => this.#damage.push(what);
  /** Found before anybody listens. Bounded by the values read while the daemon is opened. */
  readonly #damage: string[] = [];

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** What is wrong; null while all is well. It ends with `fix`. */
  get trouble(): WriteTrouble | null {
    return this.#trouble;
  }

  /** `told` is called when a trouble begins. */
  onTrouble(told: () => void): void {
    this.#onTrouble = told;
  }

  /** `told` is called for each stored value that is found damaged, also for those found before. */
  onDamage(told: (what: string) => void): void {
    this.#onDamage = told;
    for (const what of this.#damage.splice(0)) told(what);
  }

  /** A stored value is not what was written: `drop` takes it away, so that it counts as never stored. */
  damaged(what: string, drop: () => void): void {
    this.attempt(drop);
    this.#onDamage(what);
  }

  /** Writes, or returns null where that cannot be. While the trouble lasts the disk is not touched. */
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

  /** Writes now, or else with the next `fix`; of several under one name only the last. */
  keep(name: string, write: () => void): void {
    if (this.attempt(write)) return;
    if (this.#unwritten.has(name) || this.#unwritten.size < MAX_UNWRITTEN) this.#unwritten.set(name, write);
  }

  /** Tries whether there is room again, and writes what waited. Returns whether all of it is on disk. */
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

  /** What was free for this stays free in the file for what comes. */
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

/** What an error says of the disk; null for one that is ours. */
export function writeTroubleOf(error: unknown): WriteTrouble | null {
  if (!(error instanceof Error) || !("errcode" in error)) return null;
  // Extended codes carry the primary one in their low byte.
  const code = CODES[Number(error.errcode) & 0xff];
  return code === undefined ? null : { code, detail: error.message };
}
