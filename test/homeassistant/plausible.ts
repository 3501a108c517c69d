/** Checks whether the state of an entity is plausible for its row. */
import type { EntityRow } from "../../src/mqtt/homeassistant/entity.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Keys of rows that may be unknown in this test, with the reasons. */
const MAY_BE_UNKNOWN: Readonly<Record<string, string>> = {
  tomorrow_mean: "tomorrow's prices come at about 13:00",
  tomorrow_published_at: "tomorrow's prices come at about 13:00",
  next_start: "a plan that is done has no next run",
  next_end: "a plan that is done has no next run",
  saving: "a plan without runs saves nothing",
  saving_per_kwh: "a plan without runs saves nothing",
  saving_now_per_kwh: "a plan that has started cannot start now",
  mean_price: "a plan without runs has no price",
  cost: "a plan without runs costs nothing",
  max_price: "is not set",
  wanted: "a hand may have switched the plug",
};

/** Plausible ranges of numbers, by unit. */
const RANGES: Readonly<Record<NonNullable<EntityRow<never>["unit"]>, readonly [least: number, most: number]>> = {
  perKwh: [-10, 20],
  currency: [-100_000, 100_000],
  kWh: [0, 100_000],
  "%": [0, 100],
  W: [0, 25_000],
  kW: [0, 100],
  h: [0, 24],
};

/** Returns why a state is not plausible; null if it is. */
export function implausible(row: EntityRow<never>, state: string, now: number): string | null {
  const wrong = (expected: string) => `${row.key} is ${state}, expected ${expected}`;
  if (row.isHidden) return state === "disabled" ? null : wrong("disabled");
  if (state === "unavailable" || state === "missing") return wrong("a state");
  if (row.platform === "button" || row.platform === "event") return null;
  if (state === "unknown") return row.key in MAY_BE_UNKNOWN ? null : wrong("a known state");
  if (row.platform === "update") return ["on", "off"].includes(state) ? null : wrong("on or off");
  if (row.platform === "binary_sensor" || row.platform === "switch")
    return ["on", "off"].includes(state) ? null : wrong("on or off");
  if (row.options) return row.options.includes(state) ? null : wrong(row.options.join(", "));
  if (row.deviceClass === "timestamp" || row.deviceClass === "date")
    return Math.abs(Date.parse(state) - now) < 400 * DAY_MS ? null : wrong("a day of this or last year");
  if (row.key === "away") return state === "off" ? null : wrong("off, because no holiday is set");
  if (row.platform === "text") return /^\d\d:\d\d(:00)?$/.test(state) ? null : wrong("a time of day");
  if (row.unit) {
    const [least, most] = RANGES[row.unit];
    const value = Number(state);
    return state !== "" && value >= least && value <= most ? null : wrong(`a number from ${least} to ${most}`);
  }
  return state === "" ? wrong("something") : null;
}
