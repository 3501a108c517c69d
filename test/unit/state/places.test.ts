import { describe, expect, test } from "vitest";
import { type Config, configSchema } from "../../../src/config/schema/schema.ts";
import { formatInstant, HOUR_MS } from "../../../src/core/time/interval.ts";
import type { OperationId, ParamsOf } from "../../../src/service/contract/operations.ts";
import { Places } from "../../../src/state/places/places.ts";
import { SeriesRepository } from "../../../src/state/series-repository.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { local } from "../../support/service/fetch-schedule-model.ts";
import { calendar, StoreOnDisk } from "../../support/storage/store-on-disk.ts";

type ConfiguredPlace = NonNullable<Config["third_party"]>["places"][number];

const NOW = local("2026-03-10 09:00");
const REGION = { name: "Region", region: "DK1" };
const CABIN = { name: "Cabin", latitude: 56.1, longitude: 10.2 };
const FLAT = { name: "Flat", address: "Vesterbrogade 1" };

/** Places of a configuration, with a store for the service's responses. */
class Shown implements Disposable {
  readonly #store: StoreOnDisk;
  readonly #lent: boolean;
  readonly #library: SeriesRepository;
  readonly places: Places;

  constructor(places: readonly ConfiguredPlace[], lent?: StoreOnDisk) {
    const config = configSchema.parse({ third_party: { places } });
    this.#store = lent ?? new StoreOnDisk();
    this.#lent = lent !== undefined;
    this.#library = new SeriesRepository(this.#store.database, calendar, () => NOW);
    const memory = new KeyValueStore(this.#store.database);
    this.places = new Places({ config, repository: this.#library, calendar, memory });
  }

  async stored<Id extends OperationId>(operation: Id, params: ParamsOf<Id>, body: unknown): Promise<void> {
    await this.#library.keepAnswer("third_party", operation, params, { body: body as never, at: NOW });
  }

  /** Returns the requests at a time: operation, parameters, poll kind. */
  asked(now = NOW): string[] {
    return this.places.targets(now).map(({ series, poll }) => `${poll} ${series.operation} ${series.place}`);
  }

  [Symbol.dispose](): void {
    if (!this.#lent) this.#store[Symbol.dispose]();
  }
}

function hours(from: number, count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({ date: formatInstant(from + i * HOUR_MS), price: 1 + i / 100 }));
}

describe("a place requests", () => {
  const COUNTS = "daily requestCounts {}";

  test("by coordinates: prices, today's charges once, and their history since January of last year", () => {
    using shown = new Shown([CABIN]);
    const at = '"latitude":56.1,"longitude":10.2';
    expect(shown.asked()).toEqual([
      COUNTS,
      `placePrices locationPrices {${at}}`,
      `once charges {${at},"date":${local("2026-03-10")}}`,
      `daily chargesHistory {${at},"fromDate":${local("2025-01-01")}}`,
    ]);
  });

  test("the charges of the local day, also on days of clock changes", () => {
    using shown = new Shown([CABIN]);
    for (const day of ["2026-03-29", "2026-10-25"])
      for (const time of ["00:00", "12:00", "23:59"])
        expect(shown.asked(local(`${day} ${time}`)).join()).toContain(`"date":${local(day)}}`);
  });

  test("by an address that is not the first of the search: its own id", async () => {
    using shown = new Shown([FLAT]);
    await shown.stored("addressSuggestions", { query: "Vesterbrogade 1" }, [
      { id: "id-1", suggestion: "Vesterbrogade 1, 1. tv" },
      { id: "id-2", suggestion: "Vesterbrogade 1" },
    ]);
    expect(shown.asked()).toEqual([COUNTS, 'placePrices addressPrices {"addressId":"id-2"}']);
  });

  test("by an unknown address: its id only, once", async () => {
    using shown = new Shown([FLAT]);
    await shown.stored("addressSuggestions", { query: "Vesterbrogade 1" }, []);
    expect(shown.asked()).toEqual([COUNTS, 'addressSearch addressSuggestions {"query":"Vesterbrogade 1"}']);
  });

  test("a place requests prices until the end of the last one, also after an empty response", async () => {
    using shown = new Shown([REGION]);
    const reaches = () => shown.places.targets(NOW).find(({ poll }) => poll === "placePrices")?.reaches;
    expect(reaches()).toBeNull();
    await shown.stored("regionPrices", { region: "DK1" }, hours(local("2026-03-10"), 24));
    expect(reaches()).toBe(local("2026-03-11"));
    await shown.stored("regionPrices", { region: "DK1" }, []);
    expect(reaches()).toBe(local("2026-03-11"));
  });
});

describe("a displayed place", () => {
  const ids = (shown: Shown, taken: readonly string[] = []) =>
    shown.places.snapshots(NOW, new Set(taken)).map(({ place }) => place.id);
  const idsWith =
    (store: StoreOnDisk) =>
    (places: readonly ConfiguredPlace[], taken: readonly string[] = []) => {
      using later = new Shown(places, store);
      return ids(later, taken);
    };

  test("a displayed place has a unique slug that differs from those of homes", () => {
    using shown = new Shown([REGION, { ...REGION, name: "Home" }, { ...REGION, name: "région" }]);
    for (const _again of [1, 2]) expect(ids(shown, ["home"])).toEqual(["region", "home_2", "region_2"]);
  });

  test("a displayed place keeps its slug in any order of the configuration, and when others are added or removed", () => {
    using store = new StoreOnDisk();
    const idsOf = idsWith(store);
    const [north, south] = [
      { ...REGION, name: "Hut" },
      { ...CABIN, name: "hut!" },
    ];
    const east = { ...CABIN, longitude: 11, name: "HUT" };
    expect(idsOf([north, south])).toEqual(["hut", "hut_2"]);
    expect(idsOf([south, north])).toEqual(["hut_2", "hut"]);
    expect(idsOf([south])).toEqual(["hut_2"]);
    expect(idsOf([east, south, north])).toEqual(["hut_3", "hut_2", "hut"]);
  });

  test("a displayed place keeps its slug when renamed, and yields it only to a home", () => {
    using store = new StoreOnDisk();
    const idsOf = idsWith(store);
    const twin = { ...REGION, name: "Twin" };
    expect(idsOf([REGION, twin])).toEqual(["region", "twin"]);
    expect(idsOf([twin, { ...REGION, name: "Denmark west" }])).toEqual(["twin", "region"]);
    expect(idsOf([{ ...REGION, name: "Denmark west" }, twin])).toEqual(["region", "twin"]);
    expect(idsOf([twin, { ...REGION, name: "Denmark west" }], ["region"])).toEqual(["twin", "denmark_west"]);
  });

  test("a displayed place has the current price, or null without prices", async () => {
    using shown = new Shown([REGION, CABIN]);
    await shown.stored("regionPrices", { region: "DK1" }, hours(local("2026-03-10"), 24));
    const [region, cabin] = shown.places.snapshots(NOW, new Set());
    expect([region?.current?.price, cabin?.current ?? null]).toEqual([1.09, null]);
    const [later] = shown.places.snapshots(local("2026-03-11 00:00"), new Set());
    expect(later?.current).toBeNull();
  });
});
