/** Data source of the endpoints of `/local/v1`. */

import { message } from "../../core/language/text.ts";
import type { CheapSpec } from "../../core/planning/cheap-query.ts";
import { type Home, type HomeSnapshot, homeSnapshot } from "../../core/prices/home-snapshot.ts";
import type { StatedPrice } from "../../core/prices/implausible.ts";
import { colorOf, type LevelThresholds } from "../../core/prices/level.ts";
import { type PlacePoint, placeSnapshot } from "../../core/prices/place-snapshot.ts";
import { type PricePoint, type Timeline, tiled } from "../../core/prices/timeline.ts";
import type { UsageWanted } from "../../core/prices/usage-periods.ts";
import { type EpochMs, formatInstant, HOUR_MS, type Interval } from "../../core/time/interval.ts";
import { type LocalError, localError } from "../../http/errors.ts";
import { THIRD_PARTY } from "../../state/accounts/open-account.ts";
import { type CheapAnswer, CheapQueries, type Priced } from "../../state/cheap-queries.ts";
import { exportTimelineOf } from "../../state/export-prices.ts";
import type { PricedPlace } from "../../state/places/places.ts";
import { publishedSnapshot } from "../../state/price-reader.ts";
import type { ApiDeps } from "../deps.ts";
import { unexpected } from "../parameters.ts";

export interface PriceView extends Priced {
  readonly resolution: Home["resolution"];
  /** Price region, for instance `DK1`; null if unknown. */
  readonly region: string | null;
  readonly snapshot: HomeSnapshot;
  /** Parts of the current third-party price; null for a home, and if there is no current price. */
  readonly parts: PlacePoint | null;
  readonly doubtful: readonly StatedPrice[];
}

/** Export prices: those of the snapshot, and of a range. */
export interface ExportView extends PriceView {
  readonly timeline: Timeline;
}

export type LocalSource = ReturnType<typeof localSource>;

export function localSource(deps: ApiDeps) {
  const { state, config, storage } = deps;
  const { thresholds, calendar, plans, isTimeTrusted } = state;
  const cheap = new CheapQueries({ calendar, memory: storage.settings, isTimeTrusted, language: config.language });
  const views = priceViews(state);
  return {
    ...deps,
    calendar,
    thresholds,
    plans,
    ...views,
    askCheap: (view: PriceView, spec: CheapSpec, now: EpochMs): CheapAnswer =>
      cheap.ask(view, views.timelineOf(view.id, now), spec, now),
  };
}

function priceViews(state: ApiDeps["state"]) {
  const { thresholds, calendar, homes, homeReader, places } = state;
  const placeNamed = (id: string, now: EpochMs) =>
    places.priced(now, homes.ids).find(({ place }) => place.id === id) ?? null;
  const timelineOf = (id: string, now: EpochMs): Timeline | null => {
    const home = homes.named(id);
    if (home) return homeReader.timeline(home, now);
    const known = placeNamed(id, now);
    return known && placeTimeline(known);
  };
  return {
    timelineOf,
    /** Returns every home, then every place. */
    list: (): readonly Priced[] => [
      ...homes.list().map(({ id, name }) => ({ kind: "home" as const, id, name })),
      ...places.list(homes.ids).map(({ place: { id, name } }) => ({ kind: "place" as const, id, name })),
    ],
    /** Returns the prices of a home or place; null if the id is unknown. */
    view(id: string, now: EpochMs): PriceView | null {
      const home = homes.named(id);
      if (home) return homeView(state, home, now);
      const known = placeNamed(id, now);
      return known && placeView(state, known, thresholds, now);
    },
    /** Returns confirmed prices and estimates of `range`, and of the days before it from which levels are computed. */
    points(id: string, range: Interval, now: EpochMs): readonly PricePoint[] {
      const home = homes.named(id);
      return home ? homeReader.pricesIn(home, range, now) : (timelineOf(id, now)?.points ?? []);
    },
    /**
     * Returns the prices that a home gets for exported energy, in the form of `view`, and at least those of `range`; null
     * if they are not known. For a place they are its spot prices.
     */
    exportView(view: PriceView, now: EpochMs, range?: Interval): ExportView | null {
      const home = homes.named(view.id);
      const known = home ? null : placeNamed(view.id, now);
      const timeline = home
        ? exportTimelineOf(state, home, now, range && homeReader.pricesIn(home, range, now))
        : known && placeTimeline(known, "spot");
      if (!timeline) return null;
      const snapshot = homeSnapshot({ home: view.snapshot.home, timeline, now, calendar, thresholds });
      return { ...view, snapshot, timeline };
    },
    /** Returns the figures of the month of `at` of a home; null without consumption. */
    month(id: string, now: EpochMs, at: EpochMs) {
      const home = homes.named(id);
      return home && homeReader.month(home, now, at);
    },
    /** Returns a former home, of which only stored usage is readable; null for any other id. */
    former(id: string | null) {
      const home = id === null || homes.named(id) ? null : homes.stored(id);
      return home && { kind: "home" as const, id: home.id, name: home.name };
    },
    /** Returns the stored usage of a home or former home; null if the service has never returned it. */
    usage(id: string, wanted: UsageWanted) {
      const home = homes.stored(id);
      return home && homeReader.usageIn(home, wanted);
    },
  };
}

/** Returns the home or place with an id, or the only one if `home` is null. Returns an error if it does not exist. */
export function viewNamed(source: LocalSource, home: string | null, now: EpochMs): PriceView | LocalError {
  const named = home === null ? null : source.view(home, now);
  if (named) return named;
  const known = source.list();
  const ids = known.map(({ id }) => id).join(", ");
  if (known.length === 0) return localError("not_known", message("refused.no_home_yet"));
  const only = known.length === 1 ? known[0] : undefined;
  const id = home ?? only?.id;
  if (id === undefined) {
    const expected = message("mistake.expected_one_of", { values: ids });
    return localError("invalid_parameter", unexpected("home", expected, message("mistake.value_nothing")));
  }
  const view = source.view(id, now);
  return view ?? localError("resource_not_found", message("refused.unknown_home", { id, ids }));
}

export function noExportPrices({ name }: PriceView): LocalError {
  return localError("not_known", message("refused.export_prices", { home: name }));
}

/** Value of `Retry-After` if the time of the next price is not known. */
const ASK_AGAIN_SEC = 60;

export function noPrice({ name, snapshot }: PriceView, now: EpochMs): LocalError {
  const facts = { home: name, at: formatInstant(now) };
  const reason = snapshot.next
    ? message("refused.no_price_until", { ...facts, next: formatInstant(snapshot.next.start) })
    : message("refused.no_price", facts);
  return localError("not_known", reason, ASK_AGAIN_SEC);
}

function homeView(state: ApiDeps["state"], home: Home, now: EpochMs): PriceView {
  const { id, name, resolution, addressId } = home;
  return {
    kind: "home",
    id,
    name,
    resolution,
    region: state.homes.address(addressId)?.region ?? null,
    snapshot: publishedSnapshot(state, home, now),
    parts: null,
    doubtful: state.homeReader.doubtful(home, now),
  };
}

/** Returns the prices of a place with all charges, or its spot prices alone. */
function placeTimeline({ place, points }: PricedPlace, part: "price" | "spot" = "price"): Timeline | null {
  if (points.length === 0) return null;
  const plain = points.map(({ start, end, [part]: price }) => ({ start, end, price, estimate: false }));
  return { points: plain, currency: place.currency, vatIncluded: false };
}

/**
 * Returns the prices of a place in the form of a home's. `rank`, `percentile` and `day` are null if today's prices are
 * incomplete. The color is the one from the service, if it sends one.
 */
function placeView(
  { calendar, isTimeTrusted }: ApiDeps["state"],
  known: PricedPlace,
  thresholds: LevelThresholds,
  now: EpochMs,
): PriceView {
  const { place, points } = known;
  const { id, name, region, currency } = place;
  const timeline = placeTimeline(known);
  const [first] = points;
  const resolution: Home["resolution"] = first && first.end - first.start < HOUR_MS ? "fifteenMinutes" : "hour";
  const home = { id, name, account: THIRD_PARTY, addressId: "", resolution };
  const snapshot = homeSnapshot({ home, timeline, now, calendar, thresholds });
  const { current: parts, level, cheap } = placeSnapshot({ place, points, now, calendar, thresholds });
  const isWhole = tiled(snapshot.today, calendar.day(now));
  const shown: HomeSnapshot = {
    ...snapshot,
    currency,
    vatIncluded: null,
    level,
    color: parts?.color ?? (level && colorOf(level)),
    cheap: isTimeTrusted(now) ? cheap : null,
    ...(isWhole ? {} : { rank: null, rankOf: null, percentile: null, day: null }),
  };
  return { kind: "place", id, name, resolution, region, snapshot: shown, parts, doubtful: known.doubtful };
}
