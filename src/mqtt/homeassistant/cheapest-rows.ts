/** Entities for the start of the cheapest hours, shared by homes and places. */
import { CHEAPEST_HOURS, type CheapestHours } from "../../core/prices/cheapest.ts";
import { formatInstantOrNull } from "../../core/time/interval.ts";
import type { EntityRow } from "./entity.ts";

/** Returns one row for each of `CHEAPEST_HOURS`. `prices` describes the prices in the documentation. */
export function cheapestRows<State>(
  prices: string,
  cheapestIn: (state: State) => readonly CheapestHours[],
): EntityRow<State>[] {
  return CHEAPEST_HOURS.map((hours) => {
    const length = hours === 1 ? "hour" : `${hours} hours`;
    return {
      key: hours === 1 ? "cheapest_hour" : `cheapest_${hours}_hours`,
      ...(hours === 1 ? { name: "cheapest_hour_from" } : { name: "cheapest_hours_from", facts: { count: hours } }),
      about: `Start of the cheapest ${length} in a row, among ${prices} from now on.`,
      platform: "sensor",
      value: (state) => formatInstantOrNull(cheapestIn(state).find((each) => each.hours === hours)?.start),
      deviceClass: "timestamp",
      icon: "mdi:clock-star-four-points-outline",
    };
  });
}
