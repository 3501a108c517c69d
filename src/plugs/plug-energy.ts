/** Stores the energy of plugs, with the price that each pays. */
import { entryId } from "../config/entry-list.ts";
import type { PlanEntry } from "../config/schema/plan-schema.ts";
import { type PlugConfig, plansOf } from "../config/schema/plug-schema.ts";
import type { PlugMonth } from "../core/plugs/plug-snapshot.ts";
import type { Home } from "../core/prices/home-snapshot.ts";
import { pointAt } from "../core/prices/timeline.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { State } from "../state/open-state.ts";
import type { PlugEnergyStore, PlugQuarter } from "../storage/plug-energy-store.ts";

/** Where the energy of plugs is stored, and its prices. */
export type PlugEnergy = Readonly<ReturnType<typeof plugEnergy>>;

/** `plans` returns the plans of the configuration in use. */
export function plugEnergy(
  store: PlugEnergyStore,
  { homes, homeReader, calendar }: Pick<State, "homes" | "homeReader" | "calendar">,
  plans: () => readonly PlanEntry[],
) {
  /** Returns the home of a plug: its own or that of its plan, otherwise the only one. */
  const homeOf = ({ home, plan }: PlugConfig): Home | null => {
    const ids = plans().map(entryId);
    const [ofPlan] = plansOf({ plan }).flatMap((id) => plans()[ids.indexOf(id)]?.home ?? []);
    const [first, ...others] = homes.ids;
    const id = home ?? ofPlan ?? (others.length === 0 ? first : undefined);
    return id === undefined ? null : homes.named(id);
  };
  const monthOf = (plug: string, start: EpochMs, currency: string | null): PlugMonth => {
    const { kwh, cost, unpricedKwh } = store.totals(plug, { start, end: calendar.add("month", start, 1) });
    return { start, kwh, cost: kwh > unpricedKwh ? cost : null, currency };
  };
  return {
    add: (quarters: readonly PlugQuarter[]): void => store.add(quarters),
    /** Returns the confirmed price that a plug pays at `at`; null if it is unknown. */
    priceAt(plug: PlugConfig, at: EpochMs): number | null {
      const home = homeOf(plug);
      const point = home && pointAt(homeReader.timeline(home, at)?.points ?? [], at);
      return point && !point.estimate ? point.price : null;
    },
    /** Returns the sums of this month and of the previous one. */
    months(plug: PlugConfig, now: EpochMs): readonly [PlugMonth, PlugMonth] {
      const id = entryId(plug);
      const home = homeOf(plug);
      const currency = (home && homeReader.timeline(home, now)?.currency) ?? null;
      const start = calendar.startOf("month", now);
      return [monthOf(id, start, currency), monthOf(id, calendar.add("month", start, -1), currency)];
    },
  };
}
