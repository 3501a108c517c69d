import type { DatabaseSync, StatementSync } from "node:sqlite";
import { withDigest } from "./database.ts";
import { WriteGuard } from "./write-guard.ts";

/** Named texts that survive a restart: the schedule offset of this installation, a pause requested by the service. */
export class KeyValueStore {
  readonly #database: DatabaseSync;
  readonly #writing: WriteGuard;
  #find: StatementSync | null = null;
  #store: StatementSync | null = null;
  /** Values that could not be written to disk yet. Bounded by the names. */
  readonly #ahead = new Map<string, string>();

  constructor(database: DatabaseSync, writing: WriteGuard = new WriteGuard(database)) {
    this.#writing = writing;
    this.#database = withDigest(database);
  }

  /** Returns the value of a name; null if it was never set or is damaged. */
  read(name: string): string | null {
    const ahead = this.#ahead.get(name);
    if (ahead !== undefined) return ahead;
    const database = this.#database;
    this.#find ??= database.prepare("select value, digest is digest(name, value) as sound from setting where name = ?");
    const found = this.#find.get(name);
    if (!found || found.sound === 1) return found ? String(found.value) : null;
    this.#writing.damaged(`the setting ${name}`, () =>
      database.prepare("delete from setting where name = ?").run(name),
    );
    return null;
  }

  /** Sets a value. It is on disk when this returns; if the disk rejects it, `WriteGuard` writes it later. */
  write(name: string, value: string): void {
    this.#ahead.set(name, value);
    this.#writing.keep(`setting ${name}`, () => {
      this.#store ??= this.#database.prepare(
        `insert into setting (name, value, digest) values (?1, ?2, digest(?1, ?2)) on conflict (name)
         do update set value = excluded.value, digest = excluded.digest
         where value <> excluded.value or digest is not excluded.digest`,
      );
      this.#store.run(name, value);
      this.#ahead.delete(name);
    });
  }

  /** Returns the value of a name; creates and stores it on first use. */
  once(name: string, make: () => string): string {
    const known = this.read(name);
    if (known !== null) return known;
    const made = make();
    this.write(name, made);
    return made;
  }
}
