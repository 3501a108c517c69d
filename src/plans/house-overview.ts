/** Overview for the terminal: the current prices and the next runs. */
import type { Level } from "../core/prices/level.ts";
import type { EpochMs, Interval } from "../core/time/interval.ts";
import type { PlannedState } from "../plans/open-plans.ts";

export interface HouseOverview {
  /** Homes, then places. `price` is null if it is unknown. */
  readonly prices: readonly PriceOfHome[];
  /** The current run, or else the next one, of each plan that has one. */
  readonly runs: readonly RunOfPlan[];
}

interface RunOfPlan extends Interval {
  readonly plan: string;
  readonly on: boolean;
}

export interface PriceOfHome {
  readonly name: string;
  readonly price: number | null;
  readonly currency: string | null;
  readonly until: EpochMs | null;
  readonly level: Level | null;
  readonly estimate: boolean;
}

type Deps = Pick<PlannedState, "homes" | "homeReader" | "places" | "plans">;

/** Returns the prices at `now` of at most `most` homes and places. */
export function currentPrices({ homes, homeReader, places }: Deps, now: EpochMs, most: number): PriceOfHome[] {
  const ofHomes = homes
    .list()
    .slice(0, most)
    .map((home): PriceOfHome => {
      const { current, currency, level } = homeReader.snapshot(home, now);
      const { price = null, end: until = null, estimate = false } = current ?? {};
      return { name: home.name, price, currency, until, level, estimate };
    });
  const ofPlaces = places
    .snapshots(now, homes.ids)
    .slice(0, most - ofHomes.length)
    .map(({ place, current, level }): PriceOfHome => {
      const { price = null, end: until = null } = current ?? {};
      return { name: place.name, price, currency: place.currency, until, level, estimate: false };
    });
  return [...ofHomes, ...ofPlaces];
}

/** Returns the current run, or else the next one, of each plan that has one. */
export function nextRuns({ plans }: Deps, now: EpochMs): RunOfPlan[] {
  return plans.snapshots.flatMap(({ definition, on, nextStart, nextEnd, runs: all }) => {
    const lasting = all.find(({ start, end }) => start <= now && now < end);
    const [start, end] = [lasting?.start ?? nextStart, lasting?.end ?? nextEnd];
    return start === null || end === null ? [] : [{ plan: definition.name, on, start, end }];
  });
}
