/** Energy through the meter of a home per hour: imported from the grid, or exported to it. */
import type { Calendar } from "../core/time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS } from "../core/time/interval.ts";
import type { SimulatedHome } from "./homes.ts";
import { createNoise, type Noise, smoothNoise } from "./noise.ts";
import { winterness } from "./season.ts";

/** Energy of one hour. Unit: Wh, integer; at most one of both is above zero. */
type HourFlow = Readonly<Record<"importedWh" | "exportedWh", number>>;

/** Cooking and washing by local hour on a working day and at the weekend. Unit: W. */
const HABITS = {
  workday: [0, 0, 0, 0, 0, 40, 420, 520, 180, 90, 80, 90, 110, 90, 80, 120, 380, 980, 1250, 760, 520, 420, 260, 90],
  weekend: [
    60, 0, 0, 0, 0, 0, 60, 160, 480, 620, 520, 430, 620, 480, 360, 330, 420, 860, 1180, 720, 520, 460, 340, 180,
  ],
} as const;

/** Time scale of changes in cloud cover. */
const CLOUD_MS = 5 * HOUR_MS;
const PANEL_EFFICIENCY = 0.82;
const RADIANS = Math.PI / 180;
const MINUTES_OF_HOUR = 60;

export class Household {
  readonly #home: SimulatedHome;
  readonly #calendar: Calendar;
  readonly #loads: (start: EpochMs) => number;
  readonly #noise: Readonly<Record<"habit" | "cold" | "cloud", Noise>>;

  /** `loads` returns what further appliances use in the hour from `start`. Unit: Wh. */
  constructor(home: SimulatedHome, seed: number, calendar: Calendar, loads: (start: EpochMs) => number = () => 0) {
    this.#home = home;
    this.#loads = loads;
    this.#calendar = calendar;
    const noise = (of: string) => createNoise(seed, `${of} ${home.name}`);
    this.#noise = { habit: noise("habit"), cold: noise("cold"), cloud: noise("cloud") };
  }

  during(start: EpochMs): HourFlow {
    const balance = Math.round(this.#usedWatts(start) + this.#loads(start) - this.#producedWatts(start + HOUR_MS / 2));
    return { importedWh: Math.max(0, balance), exportedWh: Math.max(0, -balance) };
  }

  #usedWatts(start: EpochMs): number {
    const { baseWatts, heatingWatts } = this.#home;
    const hour = Math.floor(this.#calendar.minuteOfDay(start) / MINUTES_OF_HOUR);
    const weekday = new Date(start + this.#calendar.offsetAt(start)).getUTCDay();
    const habits = weekday === 0 || weekday === 6 ? HABITS.weekend : HABITS.workday;
    const chance = this.#noise.habit(start / HOUR_MS);
    const heating = heatingWatts * winterness(start) * (0.4 + smoothNoise(this.#noise.cold, start / DAY_MS));
    return baseWatts * (0.9 + 0.2 * chance) + (habits[hour] ?? 0) * (0.4 + 1.2 * chance) + heating;
  }

  #producedWatts(middle: EpochMs): number {
    const { solarWatts, latitude, longitude } = this.#home;
    if (solarWatts === 0) return 0;
    const height = sineOfSunHeight(middle, latitude, longitude);
    const clear = 0.2 + 0.8 * smoothNoise(this.#noise.cloud, middle / CLOUD_MS);
    return solarWatts * PANEL_EFFICIENCY * Math.max(0, height) ** 1.15 * clear;
  }
}

/** Returns the sine of the sun's elevation, to about one degree; positive by day. */
function sineOfSunHeight(at: EpochMs, latitude: number, longitude: number): number {
  const dayOfYear = (at - Date.UTC(new Date(at).getUTCFullYear(), 0, 1)) / DAY_MS;
  const declination = 23.44 * RADIANS * Math.sin((2 * Math.PI * (dayOfYear - 80)) / 365.25);
  const hourAngle = (((at % DAY_MS) / HOUR_MS - 12) * 15 + longitude) * RADIANS;
  const north = latitude * RADIANS;
  return Math.sin(north) * Math.sin(declination) + Math.cos(north) * Math.cos(declination) * Math.cos(hourAngle);
}
