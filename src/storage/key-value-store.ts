import type { DatabaseSync, StatementSync } from "node:sqlite";
import { withDigest } from "./database.ts";
import { WriteGuard } from "./write-guard.ts";

/** Small facts that outlive a restart, by name: the offset of this installation, a silence the service asked for. */
export class KeyValueStore {
  readonly #database: DatabaseSync;
  readonly #writing: WriteGuard;
  #find: StatementSync | null = null;
  /** Values that are not on disk yet, because it takes none. Bounded by the names. */
  readonly #ahead = new Map<string, string>();

  constructor(database: DatabaseSync, writing: WriteGuard = new WriteGuard(database)) {
    this.#writing = writing;
    this.#database = withDigest(database);
  }

  /** The value of a name; null if it was never set. */
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

  /** Sets a value; on disk when this returns, or as soon as the disk takes it. */
  write(name: string, value: string): void {
    this.#ahead.set(name, value);
    this.#writing.keep(`setting ${name}`, () => {
      this.#database
        .prepare(
          `insert into setting (name, value, digest) values (?1, ?2, digest(?1, ?2)) on conflict (name)
           do update set value = excluded.value, digest = excluded.digest
           where value <> excluded.value or digest is not excluded.digest`,
        )
        .run(name, value);
      this.#ahead.delete(name);
    });
  }

  /** The value of a name, made and kept on first use. */
  once(name: string, make: () => string): string {
    const known = this.read(name);
    if (known !== null) return known;
    const made = make();
    this.write(name, made);
    return made;
  }
}
