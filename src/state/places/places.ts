/** Places of the third-party interface: which series to fetch, and their current state. */

import type { Config } from "../../config/schema/schema.ts";
import type { AccountTarget } from "../../core/fetching/fetch-types.ts";
import type { StatedPrice } from "../../core/prices/implausible.ts";
import { type LevelThresholds, REFERENCE_DAYS } from "../../core/prices/level.ts";
import {
  currencyOfRegion,
  type Place,
  type PlacePoint,
  type PlaceSnapshot,
  placeSnapshot,
} from "../../core/prices/place-snapshot.ts";
import type { KeyValue } from "../../core/runtime/key-value.ts";
import type { SeriesKey } from "../../core/series/series.ts";
import { slugOf } from "../../core/text/slug.ts";
import type { Calendar } from "../../core/time/calendar.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { accountTarget } from "../../service/contract/polled-series.ts";
import { seriesOf } from "../../service/contract/series-mapping.ts";
import { THIRD_PARTY } from "../accounts/open-account.ts";
import type { SeriesRepository } from "../series-repository.ts";
import { type ConfiguredPlace, PlaceIds } from "./place-ids.ts";

/** History of charges in years before 1 January of this year. */
const CHARGE_YEARS = 1;

export interface PlacesDeps {
  readonly config: Pick<Config, "third_party">;
  readonly repository: SeriesRepository;
  readonly calendar: Calendar;
  readonly memory: KeyValue;
  readonly thresholds?: LevelThresholds;
}

/** A place with its prices. Points as `placePoints` returns them; empty for an address whose id is not known yet. */
export interface PricedPlace {
  readonly place: Place;
  readonly points: readonly PlacePoint[];
  /** Stated prices that cannot be right, which are not in `points`. */
  readonly doubtful: readonly StatedPrice[];
}

export class Places {
  readonly #configured: readonly ConfiguredPlace[];
  readonly #library: SeriesRepository;
  readonly #calendar: Calendar;
  readonly #ids: PlaceIds;
  readonly #thresholds: LevelThresholds | undefined;

  constructor({ config, repository, calendar, memory, thresholds }: PlacesDeps) {
    this.#configured = config.third_party?.places ?? [];
    this.#library = repository;
    this.#calendar = calendar;
    this.#ids = new PlaceIds(this.#configured, memory);
    this.#thresholds = thresholds;
  }

  /** Returns the series that the collector of the third-party account fetches. */
  targets(now: EpochMs): AccountTarget[] {
    const counts = accountTarget(seriesOf(THIRD_PARTY, "requestCounts", {}));
    return [counts, ...this.#configured.flatMap((place) => this.#targetsOf(place, now))];
  }

  /** Returns every place at `now`. `homeIds` are the slugs of the homes, which share a level of the topics. */
  snapshots(now: EpochMs, homeIds: ReadonlySet<string>): PlaceSnapshot[] {
    return this.priced(now, homeIds).map(({ place, points }) =>
      placeSnapshot({ place, points, now, calendar: this.#calendar, thresholds: this.#thresholds }),
    );
  }

  /** Returns every place with its prices: the latest ones of the service, and stored ones of the last days. */
  priced(now: EpochMs, homeIds: ReadonlySet<string>): PricedPlace[] {
    return this.list(homeIds).map(({ place, configured }) => {
      const series = this.#priceSeries(configured);
      const doubtful = series ? this.#library.doubtful.of(series) : [];
      return { place, points: series ? this.#pricesOf(series, now) : [], doubtful };
    });
  }

  list(homeIds: ReadonlySet<string>): { readonly place: Place; readonly configured: ConfiguredPlace }[] {
    const ids = this.#ids.list(homeIds);
    return this.#configured.map((configured, i) => {
      const id = ids[i] ?? slugOf(configured.name);
      const region = configured.region ?? null;
      return { configured, place: { id, name: configured.name, region, currency: currencyOfRegion(region ?? "") } };
    });
  }

  #targetsOf(place: ConfiguredPlace, now: EpochMs): AccountTarget[] {
    const prices = this.#priceSeries(place);
    if (!prices) {
      const query = place.address ?? place.name;
      return [accountTarget(seriesOf(THIRD_PARTY, "addressSuggestions", { query }))];
    }
    const [firstDoubtful] = this.#library.doubtful.of(prices);
    const reaches = firstDoubtful?.start ?? this.#pricesOf(prices, now).at(-1)?.end ?? null;
    return [accountTarget(prices, reaches), ...this.#chargeTargets(place, now)];
  }

  #pricesOf(series: SeriesKey, now: EpochMs): readonly PlacePoint[] {
    const { doubtful, store } = this.#library;
    const since = this.#calendar.add("day", this.#calendar.startOf("day", now), -REFERENCE_DAYS);
    return doubtful.placePricesIn(series, store.latest(series) ?? [], since);
  }

  /** Returns the series of a place's prices; null for an address whose id is not known yet. */
  #priceSeries({ region, latitude, longitude, address }: ConfiguredPlace): SeriesKey | null {
    if (region !== undefined) return seriesOf(THIRD_PARTY, "regionPrices", { region });
    if (latitude !== undefined && longitude !== undefined) {
      return seriesOf(THIRD_PARTY, "locationPrices", { latitude, longitude });
    }
    const suggestions = seriesOf(THIRD_PARTY, "addressSuggestions", { query: address ?? "" });
    const found = this.#library.store.latest(suggestions) ?? [];
    const { id } = found.find(({ suggestion }) => suggestion === address) ?? found[0] ?? {};
    return typeof id === "string" ? seriesOf(THIRD_PARTY, "addressPrices", { addressId: id }) : null;
  }

  /** Returns the series of today's charges and of the history of charges. */
  #chargeTargets({ latitude, longitude }: ConfiguredPlace, now: EpochMs): AccountTarget[] {
    if (latitude === undefined || longitude === undefined) return [];
    const at = { latitude, longitude };
    const date = this.#calendar.startOf("day", now);
    const fromDate = this.#calendar.startOf("year", this.#calendar.shift(now, "year", -CHARGE_YEARS));
    return [
      accountTarget(seriesOf(THIRD_PARTY, "charges", { ...at, date })),
      accountTarget(seriesOf(THIRD_PARTY, "chargesHistory", { ...at, fromDate })),
    ];
  }
}
