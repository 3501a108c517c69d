/** Overview for the terminal: the current prices and the next runs. */
import { contains, type EpochMs } from "../core/time/interval.ts";
import type { PlannedState } from "../plans/open-plans.ts";

export interface HouseOverview {
  readonly prices: readonly PriceOfHome[];
  readonly runs: ReturnType<typeof nextRuns>;
}

export type PriceOfHome = Readonly<ReturnType<typeof currentPrices>[number]>;

type Deps = Pick<PlannedState, "homes" | "homeReader" | "places" | "plans">;

/** Returns the prices at `now` of at most `most` homes, then places; null for an unknown price. */
export function currentPrices({ homes, homeReader, places }: Omit<Deps, "plans">, now: EpochMs, most: number) {
  const ofHomes = homes
    .list()
    .slice(0, most)
    .map((home) => ({ ...homeReader.snapshot(home, now), name: home.name }));
  const ofPlaces = places
    .snapshots(now, homes.ids)
    .slice(0, most - ofHomes.length)
    .map((each) => ({ ...each, name: each.place.name, currency: each.place.currency }));
  return [...ofHomes, ...ofPlaces].map(({ name, current, currency, level }) => {
    const estimate = current !== null && "estimate" in current && current.estimate;
    return { name, price: current?.price ?? null, currency, until: current?.end ?? null, level, estimate };
  });
}

/** Returns the current run, or else the next one, of each plan that has one. */
export function nextRuns({ plans }: Pick<Deps, "plans">, now: EpochMs) {
  return plans.snapshots.flatMap(({ definition, on, nextStart, nextEnd, runs }) => {
    const lasting = runs.find((run) => contains(run, now));
    const [start, end] = [lasting?.start ?? nextStart, lasting?.end ?? nextEnd];
    return start === null || end === null ? [] : [{ plan: definition.name, on, start, end }];
  });
}
