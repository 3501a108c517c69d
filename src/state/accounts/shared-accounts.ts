/**
 * Accounts of this shard when it last ran. Requests of an account from another shard are not in the request log here,
 * so they count as spent until the service returns the remaining quota.
 */
import * as z from "zod/mini";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import type { Shard } from "../../core/sharding/shard.ts";

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

  /** Returns whether requests of an account may be missing here. Always false if one process has all accounts. */
  isNew(account: string): boolean {
    return this.#isShared && !this.#known.has(account);
  }

  /** Stores these accounts as known. Has to be called after the lost requests of each new one were recorded. */
  keep(accounts: readonly { readonly name: string }[]): void {
    const names = accounts.map(({ name }) => name);
    if (!this.#isShared || (names.length === this.#known.size && names.every((name) => this.#known.has(name)))) return;
    this.#known = new Set(names);
    this.#memory.write(NAME, JSON.stringify(names));
  }
}
