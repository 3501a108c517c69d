/** Entities of prices that homes and places have. */
import { CHEAPEST_HOURS, type CheapestWindow } from "../../core/prices/cheapest.ts";
import { colors, levels } from "../../core/prices/level.ts";
import { type EntityRow, type EntityValue, entityRow } from "./entity.ts";

/** Returns the rows of level, colour and signal. They are unavailable while the value under `needs` is null. */
export function levelRows<State>(
  valuesIn: (state: State) => Readonly<Record<"level" | "color" | "cheap", EntityValue>>,
  needs: string,
) {
  const row = entityRow<State>;
  const shared = { platform: "sensor", deviceClass: "enum", needs, expires: true } as const;
  return {
    level: row("level", "price_level", (state) => valuesIn(state).level, {
      ...shared,
      options: levels,
      icon: "mdi:speedometer",
    }),
    color: row("color", "price_color", (state) => valuesIn(state).color, {
      ...shared,
      options: colors,
      icon: "mdi:traffic-light",
    }),
    cheap: row("cheap", "cheap_now", (state) => valuesIn(state).cheap, {
      platform: "binary_sensor",
      needs,
      expires: true,
      icon: "mdi:cash-check",
    }),
  };
}

/** The cheapest hours in a row that a new installation shows; the entities of the others are disabled at first. */
const SHOWN_HOURS = 3;

/** Returns one row for each of `CHEAPEST_HOURS`, with the start of the cheapest hours in a row. */
export function cheapestRows<State>(cheapestIn: (state: State) => readonly CheapestWindow[]): EntityRow<State>[] {
  return CHEAPEST_HOURS.map((hours) => ({
    key: hours === 1 ? "cheapest_hour" : `cheapest_${hours}_hours`,
    ...(hours === 1 ? { name: "cheapest_hour_from" } : { name: "cheapest_hours_from", facts: { count: hours } }),
    platform: "sensor",
    value: (state) => cheapestIn(state).find((each) => each.hours === hours)?.start ?? null,
    ...(hours !== SHOWN_HOURS && { isHidden: true }),
    deviceClass: "timestamp",
    icon: "mdi:clock-star-four-points-outline",
  }));
}
