/**
 * The accounts that this shard looked after when it last ran. One that comes from another shard, or to an empty volume,
 * has spends that are not in the request log here: they count as spent until the service tells what is left.
 */
import * as z from "zod/mini";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import type { Shard } from "../core/sharding/shard.ts";

const NAME = "shard_accounts";

export class SharedAccounts {
  readonly #isShared: boolean;
  readonly #memory: KeyValue;
  #known: ReadonlySet<string>;

  constructor(shard: Shard | null, memory: KeyValue) {
    this.#isShared = shard !== null;
    this.#memory = memory;
    this.#known = new Set(readJson(memory, NAME, z.array(z.string())) ?? []);
  }

  /** Whether spends of an account may be missing here; never where one process has all accounts. */
  isNew(account: string): boolean {
    return this.#isShared && !this.#known.has(account);
  }

  /** These accounts are looked after from now on, once it is noted for each that is new. */
  keep(accounts: readonly { readonly name: string }[]): void {
    const names = accounts.map(({ name }) => name);
    if (!this.#isShared || (names.length === this.#known.size && names.every((name) => this.#known.has(name)))) return;
    this.#known = new Set(names);
    this.#memory.write(NAME, JSON.stringify(names));
  }
}
