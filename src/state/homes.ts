/** Which homes there are: the account's addresses, as the configuration picks and names them. */
import type { Config } from "../config/schema.ts";
import type { CollectTarget } from "../core/fetching/fetch-types.ts";
import type { Home } from "../core/prices/home-snapshot.ts";
import { freeSlug, slugOf } from "../core/text/slug.ts";
import { addressSeries } from "../service/contract/polled-series.ts";
import type { Address } from "../service/contract/resources.ts";
import { seriesOf } from "../service/contract/series-mapping.ts";
import type { KeyValueStore } from "../storage/key-value-store.ts";
import type { SeriesRepository } from "./series-repository.ts";

export class Homes {
  readonly #accounts: readonly string[];
  readonly #config: Config["homes"];
  readonly #library: SeriesRepository;
  readonly #settings: KeyValueStore;
  /** The addresses as of the last change of the series store: each request of the LAN looks one up. */
  #seen: { readonly changes: number; readonly byId: ReadonlyMap<string, HeldAddress> } | null = null;

  constructor(
    accounts: readonly string[],
    config: Config["homes"],
    repository: SeriesRepository,
    settings: KeyValueStore,
  ) {
    this.#accounts = accounts;
    this.#config = config;
    this.#library = repository;
    this.#settings = settings;
  }

  /** Every home known by now. A home keeps its id permanently, also when its label changes in the app. */
  list(): Home[] {
    const given = new Set(this.#config?.flatMap((home) => home.id ?? []));
    const known = [...this.#addresses().values()];
    const taken = new Set([...given, ...known.map(({ address }) => this.#settings.read(nameOfId(address)) ?? "")]);
    const used = new Set(given);
    return known.flatMap(({ account, address }) => {
      const configured = this.#config?.find((home) => home.address_id.toLowerCase() === address.id.toLowerCase());
      if (this.#config && !configured) return [];
      const id = configured?.id ?? this.#idOf(address, { taken, used });
      const resolution = configured?.resolution ?? "fifteenMinutes";
      const format = configured?.format;
      return [{ id, name: address.label, account, addressId: address.id, resolution, ...(format ? { format } : {}) }];
    });
  }

  /** The id that was made for a home before; a new one where another home has been given it since. */
  #idOf(address: Address, { taken, used }: { readonly taken: Set<string>; readonly used: Set<string> }): string {
    const remembered = this.#settings.read(nameOfId(address));
    const isFree = remembered !== null && !used.has(remembered);
    const id = isFree ? remembered : freeSlug(slugOf(address.label), taken);
    if (!isFree) this.#settings.write(nameOfId(address), id);
    taken.add(id);
    used.add(id);
    return id;
  }

  /** What to collect for one account. */
  targets(account: string): CollectTarget[] {
    const byId = this.#addresses();
    return this.list()
      .filter((home) => home.account === account)
      .map(({ addressId, resolution }) => {
        const address = byId.get(addressId.toLowerCase())?.address;
        return { account, addressId, resolution, series: address ? addressSeries(account, address, resolution) : [] };
      });
  }

  /** An address by its id; null for one nobody has told of. */
  address(addressId: string): Address | null {
    return this.#find(addressId)?.address ?? null;
  }

  /** Whether any account has told its addresses. */
  get known(): boolean {
    return this.#addresses().size > 0;
  }

  /** The account an address belongs to; null for an address nobody has told of. */
  accountOf(addressId: string): string | null {
    return this.#find(addressId)?.account ?? null;
  }

  /** Ids are UUIDs: their case says nothing. */
  #find(addressId: string): HeldAddress | undefined {
    const byId = this.#addresses();
    return byId.get(addressId) ?? byId.get(addressId.toLowerCase());
  }

  /** By id in lower case, in the order of the accounts. An address that several may read belongs to the first. */
  #addresses(): ReadonlyMap<string, HeldAddress> {
    const { store } = this.#library;
    if (this.#seen?.changes === store.changes) return this.#seen.byId;
    const byId = new Map<string, HeldAddress>();
    for (const account of this.#accounts) {
      for (const row of store.latest(seriesOf(account, "addresses", {})) ?? []) {
        const address = row as Address;
        const id = address.id.toLowerCase();
        if (!byId.has(id)) byId.set(id, { account, address });
      }
    }
    this.#seen = { changes: store.changes, byId };
    return byId;
  }
}

interface HeldAddress {
  readonly account: string;
  readonly address: Address;
}

/** Under which the id of a home is remembered. */
function nameOfId({ id }: Address): string {
  return `home/${id}`;
}
