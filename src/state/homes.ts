/** Which homes there are: the account's addresses, as the configuration picks and names them. */
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../config/schema.ts";
import type { CollectTarget } from "../core/fetching/fetch-types.ts";
import type { Home } from "../core/prices/home-snapshot.ts";
import { freeSlug, slugOf } from "../core/text/slug.ts";
import { addressSeries } from "../service/contract/polled-series.ts";
import type { Address } from "../service/contract/resources.ts";
import { seriesOf } from "../service/contract/series-mapping.ts";
import type { KeyValueStore } from "../storage/key-value-store.ts";
import type { SeriesRepository } from "./series-repository.ts";

/** An address as an account told it; `home` is null for one that the configuration leaves out. */
interface HeldAddress {
  readonly account: string;
  readonly address: Address;
  readonly home: Home | null;
}

/**
 * What an account tells is read once per change of it: a new account costs the same with a thousand others as alone.
 */
export class Homes {
  #config: ReadonlyMap<string, NonNullable<Config["homes"]>[number]> | null = null;
  readonly #library: SeriesRepository;
  readonly #settings: KeyValueStore;
  /** The addresses of each account, in the order of the accounts. */
  #told: ReadonlyMap<string, readonly Address[]> = new Map();
  /** Accounts whose addresses are to be read. */
  readonly #stale = new Set<string>();
  /** By id in lower case. An address that several accounts may read belongs to the first. */
  readonly #held = new Map<string, HeldAddress>();
  /** Ids of the configuration. */
  #given: ReadonlySet<string> = new Set();
  /** Those, and every id that an address has or had: no other home gets one of them. */
  readonly #taken = new Set<string>();
  #list: readonly Home[] | null = null;
  #ids: ReadonlySet<string> | null = null;
  readonly #byId = new Map<string, Home>();

  constructor(
    accounts: readonly string[],
    config: Config["homes"],
    repository: SeriesRepository,
    settings: KeyValueStore,
  ) {
    this.#library = repository;
    this.#settings = settings;
    this.take(accounts, config);
    repository.store.watch("addresses", ({ account }) => {
      if (this.#told.has(account)) this.#stale.add(account);
    });
  }

  /**
   * Takes these accounts and this choice of homes in place of those there are. Only new accounts are read. Returns
   * whether the choice is another one.
   */
  take(accounts: readonly string[], config: Config["homes"]): boolean {
    const chosen = config ? new Map(config.map((home) => [home.address_id.toLowerCase(), home])) : null;
    const isOther = !isDeepStrictEqual(chosen, this.#config);
    this.#config = chosen;
    this.#given = new Set(config?.flatMap((home) => home.id ?? []));
    for (const id of this.#given) this.#taken.add(id);
    const before = this.#told;
    this.#told = new Map(accounts.map((account) => [account, before.get(account) ?? []]));
    for (const account of accounts) if (!before.has(account)) this.#stale.add(account);
    for (const account of this.#stale) if (!this.#told.has(account)) this.#stale.delete(account);
    this.#joinAll();
    return isOther;
  }

  /** Every home known by now. A home keeps its id permanently, also when its label changes in the app. */
  list(): readonly Home[] {
    this.#read();
    this.#list ??= [...this.#told.keys()].flatMap((account) => this.of(account));
    return this.#list;
  }

  /** The ids of all homes. */
  get ids(): ReadonlySet<string> {
    this.#read();
    this.#ids ??= new Set(this.#byId.keys());
    return this.#ids;
  }

  /** The home with this id; null where there is none. */
  named(id: string): Home | null {
    this.#read();
    return this.#byId.get(id) ?? null;
  }

  /** The home at an address; null where there is none. */
  at(addressId: string): Home | null {
    return this.#find(addressId)?.home ?? null;
  }

  /** The homes of one account. */
  of(account: string): readonly Home[] {
    this.#read();
    return (this.#told.get(account) ?? []).flatMap(({ id }) => {
      const held = this.#held.get(id.toLowerCase());
      return held?.account === account ? (held.home ?? []) : [];
    });
  }

  /** What to collect for one account. */
  targets(account: string): CollectTarget[] {
    return this.of(account).map(({ addressId, resolution }) => {
      const address = this.address(addressId);
      return { account, addressId, resolution, series: address ? addressSeries(account, address, resolution) : [] };
    });
  }

  /** An address by its id; null for one nobody has told of. */
  address(addressId: string): Address | null {
    return this.#find(addressId)?.address ?? null;
  }

  /** Whether any account has told its addresses. */
  get known(): boolean {
    this.#read();
    return this.#held.size > 0;
  }

  /** The account an address belongs to; null for an address nobody has told of. */
  accountOf(addressId: string): string | null {
    return this.#find(addressId)?.account ?? null;
  }

  /** Ids are UUIDs: their case says nothing. */
  #find(addressId: string): HeldAddress | undefined {
    this.#read();
    return this.#held.get(addressId) ?? this.#held.get(addressId.toLowerCase());
  }

  /** Reads what changed. An account that is new joins; where one changed, which is rare, all are put together again. */
  #read(): void {
    if (this.#stale.size === 0) return;
    const stale = [...this.#stale];
    this.#stale.clear();
    const before = stale.flatMap((account) => this.#told.get(account) ?? []);
    const told = new Map(this.#told);
    for (const account of stale) {
      const rows = this.#library.store.latest(seriesOf(account, "addresses", {})) ?? [];
      told.set(account, rows as unknown as readonly Address[]);
    }
    this.#told = told;
    for (const account of stale)
      for (const address of this.#told.get(account) ?? [])
        this.#taken.add(this.#settings.read(nameOfId(address)) ?? "");
    if (before.length > 0) this.#joinAll();
    else {
      this.#list = null;
      this.#ids = null;
      for (const account of stale) this.#join(account);
    }
  }

  #joinAll(): void {
    this.#list = null;
    this.#ids = null;
    this.#held.clear();
    this.#byId.clear();
    for (const account of this.#told.keys()) this.#join(account);
  }

  #join(account: string): void {
    for (const address of this.#told.get(account) ?? []) {
      if (this.#isOthers(account, address)) continue;
      const key = address.id.toLowerCase();
      const home = this.#homeAt(account, address, this.#held.get(key)?.home?.id);
      this.#held.set(key, { account, address, home });
      if (home) this.#byId.set(home.id, home);
    }
  }

  /** Whether an earlier account has told the same address. */
  #isOthers(account: string, { id }: Address): boolean {
    const owner = this.#held.get(id.toLowerCase())?.account;
    if (owner === undefined || owner === account) return false;
    const accounts = [...this.#told.keys()];
    return accounts.indexOf(owner) < accounts.indexOf(account);
  }

  /** `known` is the id that it has already, through a later account. */
  #homeAt(account: string, address: Address, known?: string): Home | null {
    const configured = this.#config?.get(address.id.toLowerCase());
    if (this.#config && !configured) return null;
    const id = configured?.id ?? known ?? this.#idOf(address);
    const resolution = configured?.resolution ?? "fifteenMinutes";
    const format = configured?.format;
    return { id, name: address.label, account, addressId: address.id, resolution, ...(format ? { format } : {}) };
  }

  /** The id that was made for a home before; a new one where another home has been given it since. */
  #idOf(address: Address): string {
    const remembered = this.#settings.read(nameOfId(address));
    if (remembered !== null && !this.#byId.has(remembered) && !this.#given.has(remembered)) return remembered;
    const id = freeSlug(slugOf(address.label), this.#taken);
    this.#settings.write(nameOfId(address), id);
    this.#taken.add(id);
    return id;
  }
}

/** Under which the id of a home is remembered. */
function nameOfId({ id }: Address): string {
  return `home/${id}`;
}
