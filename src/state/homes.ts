/** The homes: addresses of the accounts, selected and named by the configuration. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import type { Config } from "../config/schema/schema.ts";
import type { CollectTarget } from "../core/fetching/fetch-types.ts";
import type { ExportTerms } from "../core/prices/export-price.ts";
import type { Home } from "../core/prices/home-snapshot.ts";
import { readJson } from "../core/runtime/key-value.ts";
import { WHOLE } from "../core/series/series.ts";
import { freeId, RESERVED_IDS, slugOf } from "../core/text/slug.ts";
import { addressSeries } from "../service/contract/polled-series.ts";
import type { Address } from "../service/contract/resources.ts";
import { seriesOf } from "../service/contract/series-mapping.ts";
import type { KeyValueStore } from "../storage/key-value-store.ts";
import type { SeriesRepository } from "./series-repository.ts";

/** Names of the present and former homes in the settings, and maximum number of the latter. */
const PRESENT = "present_homes";
const FORMER = "former_homes";
const MAX_FORMER = 50;
const resolution = z.enum(["hour", "fifteenMinutes"]);
const formerHome = z.looseObject({
  ...{ id: z.string(), name: z.string(), account: z.string(), addressId: z.string(), resolution },
});

type ConfiguredHome = NonNullable<Config["homes"]>[number];

type PlacedHome = Home & { readonly region?: string | undefined };

/** An address of an account. `home` is null if the configuration omits it. */
interface HeldAddress {
  readonly account: string;
  readonly address: Address;
  readonly home: Home | null;
}

/** Homes of all accounts. Only changed addresses are read. */
export class Homes {
  #config: ReadonlyMap<string, ConfiguredHome> | null = null;
  readonly #library: SeriesRepository;
  readonly #settings: KeyValueStore;
  /** Addresses of each account, in the order of the accounts. */
  #addresses: ReadonlyMap<string, readonly Address[]> = new Map();
  /** Accounts whose addresses have to be read. */
  readonly #stale = new Set<string>();
  /** Addresses by id in lower case. An address that several accounts may read belongs to the first. */
  readonly #held = new Map<string, HeldAddress>();
  /** Home ids in the configuration. */
  #given: ReadonlySet<string> = new Set();
  /** The ids in `#given`, and every id that an address has or had. A new home never gets one of them. */
  readonly #usedIds = new Set<string>();
  #list: readonly Home[] | null = null;
  #ids: ReadonlySet<string> | null = null;
  readonly #byId = new Map<string, Home>();
  /** Homes whose addresses are in no list any more, newest first. Their data stays readable. */
  #former: readonly Home[];
  /** Homes that are former ones, or in another region, since the last call of `takeChanges`. */
  #changes: { readonly gone: Home[]; readonly relocated: Home[] } = { gone: [], relocated: [] };

  constructor(
    accounts: readonly string[],
    config: Config["homes"],
    repository: SeriesRepository,
    settings: KeyValueStore,
  ) {
    this.#library = repository;
    this.#settings = settings;
    this.#former = this.#kept(FORMER);
    this.#replace(accounts, config);
    repository.store.watch("addresses", ({ account }) => {
      if (this.#addresses.has(account)) this.#stale.add(account);
    });
  }

  /** Replaces accounts and selection. Returns the homes that were added, changed (in the new form) or removed. */
  configure(accounts: readonly string[], config: Config["homes"]): readonly Home[] {
    const before = new Map(this.list().map((home) => [home.addressId, home]));
    this.#replace(accounts, config);
    const changed: Home[] = [];
    for (const home of this.list()) {
      if (!isDeepStrictEqual(home, before.get(home.addressId))) changed.push(home);
      before.delete(home.addressId);
    }
    return [...changed, ...before.values()];
  }

  #replace(accounts: readonly string[], config: Config["homes"]): void {
    this.#config = config ? new Map(config.map((home) => [home.address_id.toLowerCase(), home])) : null;
    this.#given = new Set(config?.flatMap((home) => home.id ?? []));
    for (const id of this.#given) this.#usedIds.add(id);
    const before = this.#addresses;
    this.#addresses = new Map(accounts.map((account) => [account, before.get(account) ?? []]));
    for (const account of accounts) if (!before.has(account)) this.#stale.add(account);
    for (const account of this.#stale) if (!this.#addresses.has(account)) this.#stale.delete(account);
    this.#join();
  }

  /** Returns every known home. A home keeps its id permanently, even if its label changes in the service's app. */
  list(): readonly Home[] {
    this.#read();
    this.#list ??= [...this.#addresses.keys()].flatMap((account) => this.of(account));
    return this.#list;
  }

  get ids(): ReadonlySet<string> {
    this.#read();
    this.#ids ??= new Set(this.#byId.keys());
    return this.#ids;
  }

  named(id: string): Home | null {
    this.#read();
    return this.#byId.get(id) ?? null;
  }

  /** Returns a home or a former one by its id, for what is stored of it. */
  stored(id: string): Home | null {
    return this.named(id) ?? this.#former.find((home) => home.id === id) ?? null;
  }

  /** Returns the homes that a new list of addresses has removed, and those whose region it has changed, once. */
  takeChanges() {
    this.#read();
    const { gone, relocated } = this.#changes;
    return { gone: gone.splice(0), relocated: relocated.splice(0) };
  }

  get former(): readonly Home[] {
    this.#read();
    return this.#former.filter(({ id }) => !this.#byId.has(id));
  }

  formerAt(addressId: string): Home | null {
    const isHere = (home: Home) => home.addressId.toLowerCase() === addressId.toLowerCase();
    return this.at(addressId) ? null : (this.former.find(isHere) ?? null);
  }

  /**
   * Ends a former home: forgets it, or with `to` gives its id, and so its plans and entities, to the home with that id. It
   * gets another id then. Returns null if one of them does not exist, or has its id from the configuration.
   */
  endFormer(id: string, to: string | null): Home | null {
    const former = this.former.find((home) => home.id === id);
    const next = to === null ? null : this.named(to);
    if (!former || (to !== null && !next) || this.#given.has(to ?? "")) return null;
    if (next) this.#settings.write(nameOfId({ id: next.addressId }), id);
    else this.#keepFormer(this.#former.filter((home) => home !== former));
    this.#join();
    return former;
  }

  /** Gives a former home another id if a home at another address has its id now. */
  #renameFormer(former: Home): Home {
    const { id, addressId } = former;
    if ([undefined, addressId].includes(this.#byId.get(id)?.addressId)) return former;
    const formerId = freeId(`${id}_former`, this.#usedIds);
    this.#usedIds.add(formerId);
    this.#settings.write(nameOfId({ id: addressId }), formerId);
    return { ...former, id: formerId };
  }

  #keepFormer(former: readonly Home[]): void {
    this.#former = former.slice(0, MAX_FORMER);
    this.#settings.write(FORMER, JSON.stringify(this.#former));
  }

  at(addressId: string): Home | null {
    return this.#find(addressId)?.home ?? null;
  }

  of(account: string): readonly Home[] {
    this.#read();
    return (this.#addresses.get(account) ?? []).flatMap(({ id }) => {
      const held = this.#held.get(id.toLowerCase());
      return held?.account === account ? (held.home ?? []) : [];
    });
  }

  targets(account: string): CollectTarget[] {
    return this.of(account).map(({ addressId, resolution }) => {
      const address = this.address(addressId);
      return { account, addressId, resolution, series: address ? addressSeries(account, address, resolution) : [] };
    });
  }

  address(addressId: string): Address | null {
    return this.#find(addressId)?.address ?? null;
  }

  /** Whether the addresses of any account are known. */
  get known(): boolean {
    this.#read();
    return this.#held.size > 0;
  }

  /** Returns whether the list of an account's addresses was ever received. */
  isListed(account: string): boolean {
    return this.#library.store.covers(seriesOf(account, "addresses", {}), WHOLE);
  }

  /** Returns the account of an address, also of a former home; null if the address is unknown. */
  accountOf(addressId: string): string | null {
    return this.#find(addressId)?.account ?? this.formerAt(addressId)?.account ?? null;
  }

  /** Ignores the case of ids, because they are UUIDs. */
  #find(addressId: string): HeldAddress | undefined {
    this.#read();
    return this.#held.get(addressId) ?? this.#held.get(addressId.toLowerCase());
  }

  #read(): void {
    if (this.#stale.size === 0) return;
    const stale = [...this.#stale];
    this.#stale.clear();
    // After a start, the homes that the earlier process had: it may have ended between a new list and what follows.
    const had = this.#byId.size > 0 ? this.#withRegions() : this.#kept(PRESENT);
    const before = had.filter(({ account }) => stale.includes(account));
    const read = stale.map((account) => {
      const rows = this.#library.store.latest(seriesOf(account, "addresses", {}));
      return [account, (rows ?? []) as unknown as readonly Address[], rows !== null] as const;
    });
    this.#addresses = new Map([...this.#addresses, ...read.map(([account, rows]) => [account, rows] as const)]);
    for (const [, addresses] of read)
      for (const address of addresses) this.#usedIds.add(this.#settings.read(nameOfId(address)) ?? "");
    this.#join();
    const isMoved = ({ addressId: id, region: was }: PlacedHome) => was && (this.address(id)?.region ?? was) !== was;
    this.#changes.relocated.push(...before.filter(isMoved));
    const listed = new Set(read.flatMap(([account, , isListed]) => (isListed ? [account] : [])));
    const gone = before.filter(
      ({ account, addressId }) => listed.has(account) && !this.#held.has(addressId.toLowerCase()),
    );
    if (gone.length > 0) {
      this.#changes.gone.push(...gone);
      const others = this.#former.filter(({ id }) => !gone.some((home) => home.id === id));
      this.#keepFormer([...gone, ...others]);
    }
    const present = JSON.stringify(this.#withRegions());
    if (present !== this.#settings.read(PRESENT)) this.#settings.write(PRESENT, present);
  }

  #kept(name: string): readonly PlacedHome[] {
    return (readJson(this.#settings, name, z.array(formerHome)) ?? []) as readonly PlacedHome[];
  }

  #withRegions(): PlacedHome[] {
    return [...this.#byId.values()].map((home) => ({ ...home, region: this.address(home.addressId)?.region }));
  }

  #join(): void {
    this.#list = null;
    this.#ids = null;
    this.#held.clear();
    this.#byId.clear();
    for (const [account, addresses] of this.#addresses) {
      for (const address of addresses) {
        const key = address.id.toLowerCase();
        if ((this.#held.get(key)?.account ?? account) !== account) continue;
        const home = this.#homeAt(account, address);
        this.#held.set(key, { account, address, home });
        if (home) this.#byId.set(home.id, home);
      }
    }
    const former = this.#former.map((home) => this.#renameFormer(home));
    if (former.some((home, i) => home !== this.#former[i])) this.#keepFormer(former);
  }

  /** Returns the home at an address; null if the configuration omits it. */
  #homeAt(account: string, address: Address): Home | null {
    const configured = this.#config?.get(address.id.toLowerCase());
    if (this.#config && !configured) return null;
    const id = configured?.id ?? this.#idOf(address);
    const resolution = configured?.resolution ?? "fifteenMinutes";
    return {
      id,
      name: address.label,
      account,
      addressId: address.id,
      resolution,
      ...(configured?.format ? { format: configured.format } : {}),
      ...(configured?.away ? { away: configured.away } : {}),
      ...(configured?.export ? { exportTerms: termsOf(configured.export) } : {}),
    };
  }

  /** Returns the stored id of a home; a new one if another home has it now. */
  #idOf(address: Address): string {
    const remembered = this.#settings.read(nameOfId(address));
    const isUsed = (id: string) => this.#byId.has(id) || this.#given.has(id) || RESERVED_IDS.has(id);
    if (remembered !== null && !isUsed(remembered)) return remembered;
    const id = freeId(slugOf(address.label), this.#usedIds);
    this.#settings.write(nameOfId(address), id);
    this.#usedIds.add(id);
    return id;
  }
}

function nameOfId({ id }: Pick<Address, "id">): string {
  return `home/${id}`;
}

function termsOf({ vat_factor, deductions }: NonNullable<ConfiguredHome["export"]>): ExportTerms {
  return {
    vatFactor: vat_factor,
    deductions: deductions.map(({ per_kwh, ...rest }) => ({ ...rest, perKwh: per_kwh })),
  };
}
