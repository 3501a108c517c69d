import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Small facts that outlive a restart, by name: the offset of this installation, a silence the service asked for. */
export class Settings {
  readonly #read: StatementSync;
  readonly #write: StatementSync;

  constructor(database: DatabaseSync) {
    this.#read = database.prepare("select value from setting where name = ?");
    this.#write = database.prepare(
      "insert into setting (name, value) values (?, ?) on conflict (name) do update set value = excluded.value where value <> excluded.value",
    );
  }

  /** The value of a name; null if it was never set. */
  read(name: string): string | null {
    const found = this.#read.get(name);
    return found ? String(found.value) : null;
  }

  /** Sets a value; on disk when this returns. */
  write(name: string, value: string): void {
    this.#write.run(name, value);
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
