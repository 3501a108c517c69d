/** Stores the energy of plugs, with the price that each pays. */
import { entryId } from "../config/entry-list.ts";
import type { PlanEntry } from "../config/plan-schema.ts";
import { type PlugConfig, plansOf } from "../config/plug-schema.ts";
import type { PlugMonth } from "../core/plugs/plug-snapshot.ts";
import type { Home } from "../core/prices/home-snapshot.ts";
import { pointAt } from "../core/prices/timeline.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { State } from "../state/open-state.ts";
import type { PlugEnergyStore } from "../storage/plug-energy-store.ts";
import type { PlugEnergy } from "./plug-meter.ts";

/** `plans` returns the plans of the configuration in use. */
export function plugEnergy(
  store: PlugEnergyStore,
  { homes, homeReader, calendar }: Pick<State, "homes" | "homeReader" | "calendar">,
  plans: () => readonly PlanEntry[],
): PlugEnergy {
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
    add: (quarters) => store.add(quarters),
    priceAt(plug, at) {
      const home = homeOf(plug);
      const point = home && pointAt(homeReader.timeline(home, at)?.points ?? [], at);
      return point && !point.estimate ? point.price : null;
    },
    months(plug, now) {
      const id = entryId(plug);
      const home = homeOf(plug);
      const currency = (home && homeReader.timeline(home, now)?.currency) ?? null;
      const start = calendar.startOf("month", now);
      return [monthOf(id, start, currency), monthOf(id, calendar.add("month", start, -1), currency)];
    },
  };
}
