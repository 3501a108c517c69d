import type { DatabaseSync } from "node:sqlite";
import { WriteGuard } from "./write-guard.ts";

/** Small facts that outlive a restart, by name: the offset of this installation, a silence the service asked for. */
export class KeyValueStore {
  readonly #database: DatabaseSync;
  readonly #writing: WriteGuard;
  /** Values that are not on disk yet, because it takes none. Bounded by the names. */
  readonly #ahead = new Map<string, string>();

  constructor(database: DatabaseSync, writing: WriteGuard = new WriteGuard(database)) {
    this.#writing = writing;
    this.#database = database;
  }

  /** The value of a name; null if it was never set. */
  read(name: string): string | null {
    const ahead = this.#ahead.get(name);
    if (ahead !== undefined) return ahead;
    const found = this.#database.prepare("select value from setting where name = ?").get(name);
    return found ? String(found.value) : null;
  }

  /** Sets a value; on disk when this returns, or as soon as the disk takes it. */
  write(name: string, value: string): void {
    this.#ahead.set(name, value);
    this.#writing.keep(`setting ${name}`, () => {
      this.#database
        .prepare(
          "insert into setting (name, value) values (?, ?) on conflict (name) do update set value = excluded.value where value <> excluded.value",
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
