/** The places of the third-party interface: what to ask for each, and what is known of it. */

import type { Config } from "../config/schema.ts";
import type { AccountTarget } from "../core/fetching/fetch-types.ts";
import type { LevelThresholds } from "../core/prices/level.ts";
import {
  currencyOfRegion,
  type Place,
  type PlacePoint,
  type PlaceSnapshot,
  placePoints,
  placeSnapshot,
} from "../core/prices/place-snapshot.ts";
import type { KeyValue } from "../core/runtime/key-value.ts";
import { type SeriesKey, seriesName } from "../core/series/series.ts";
import { slugOf } from "../core/text/slug.ts";
import type { Calendar } from "../core/time/calendar.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { accountTarget } from "../service/contract/polled-series.ts";
import { seriesOf } from "../service/contract/series-mapping.ts";
import { THIRD_PARTY } from "./accounts.ts";
import { PlaceHistory } from "./place-history.ts";
import { PlaceIds } from "./place-ids.ts";
import type { SeriesRepository } from "./series-repository.ts";

type ConfiguredPlace = NonNullable<Config["third_party"]>["places"][number];

/** How far back the history of charges is asked: to the first of January before last. */
const CHARGE_YEARS = 1;

export interface PlacesDeps {
  readonly config: Pick<Config, "third_party">;
  readonly repository: SeriesRepository;
  readonly calendar: Calendar;
  readonly memory: KeyValue;
  readonly thresholds?: LevelThresholds;
}

/** A place with its prices. Shape: as `placePoints` gives them; empty for an address whose id is not known yet. */
export interface PricedPlace {
  readonly place: Place;
  readonly points: readonly PlacePoint[];
}

export class Places {
  readonly #configured: readonly ConfiguredPlace[];
  readonly #library: SeriesRepository;
  readonly #calendar: Calendar;
  readonly #past: PlaceHistory;
  readonly #ids: PlaceIds;
  readonly #thresholds: LevelThresholds | undefined;

  constructor({ config, repository, calendar, memory, thresholds }: PlacesDeps) {
    this.#configured = config.third_party?.places ?? [];
    this.#library = repository;
    this.#calendar = calendar;
    this.#past = new PlaceHistory(memory, calendar);
    this.#ids = new PlaceIds(this.#configured, memory);
    this.#thresholds = thresholds;
  }

  /** What the collector of the third-party account asks for. */
  targets(now: EpochMs): AccountTarget[] {
    const counts = accountTarget(seriesOf(THIRD_PARTY, "requestCounts", {}));
    return [counts, ...this.#configured.flatMap((place) => this.#targetsOf(place, now))];
  }

  /** Every place as it is at `now`. `taken` are the slugs of the homes: both stand at one level of the topics. */
  snapshots(now: EpochMs, taken: ReadonlySet<string>): PlaceSnapshot[] {
    return this.priced(now, taken).map(({ place, points }) =>
      placeSnapshot({ place, points, now, calendar: this.#calendar, thresholds: this.#thresholds }),
    );
  }

  /** Every place with its prices: those that the service last told, and the ones of the last days that are kept. */
  priced(now: EpochMs, taken: ReadonlySet<string>): PricedPlace[] {
    return this.list(taken).map(({ place, configured }) => {
      const series = this.#priceSeries(configured);
      const latest = placePoints((series && this.#library.store.latest(series)) ?? []);
      return { place, points: series ? this.#past.joined(place.id, seriesName(series), latest, now) : [] };
    });
  }

  /** Every place, as it is configured. */
  list(taken: ReadonlySet<string>): { readonly place: Place; readonly configured: ConfiguredPlace }[] {
    const ids = this.#ids.list(taken);
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
    const last = placePoints(this.#library.store.latest(prices) ?? []).at(-1);
    return [accountTarget(prices, last?.end ?? null), ...this.#chargeTargets(place, now)];
  }

  /** The series of a place's prices; null for an address whose id is not known yet. */
  #priceSeries({ region, latitude, longitude, address }: ConfiguredPlace): SeriesKey | null {
    if (region !== undefined) return seriesOf(THIRD_PARTY, "regionPrices", { region });
    if (latitude !== undefined && longitude !== undefined) {
      return seriesOf(THIRD_PARTY, "locationPrices", { latitude, longitude });
    }
    const suggestions = seriesOf(THIRD_PARTY, "addressSuggestions", { query: address ?? "" });
    const id = this.#library.store.latest(suggestions)?.[0]?.id;
    return typeof id === "string" ? seriesOf(THIRD_PARTY, "addressPrices", { addressId: id }) : null;
  }

  /** The charges of today, and since when each was valid. */
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
