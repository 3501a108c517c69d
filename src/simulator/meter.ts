import { LRUCache } from "lru-cache";
import type { Calendar } from "../core/time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS, type Interval, MINUTE_MS } from "../core/time/interval.ts";
import type { SimulatedHome } from "./homes.ts";
import { Household } from "./household.ts";
import { createNoise, type Noise } from "./noise.ts";

export type Flow = "consumption" | "solarExport";

/** Metered hour. Unit: Wh, integer. */
export type MeteredHour = { readonly start: EpochMs; readonly wh: number; readonly isEstimate: boolean };

export const FIRST_METERED = Date.UTC(2021, 11, 31, 23);

/** Local time of arrival of a day's values on the next morning, in minutes since midnight. */
const ARRIVAL_MINUTE = { from: 6 * 60 + 30, to: 10 * 60 } as const;
/** Days after which the estimates of a day become final. */
const FINAL_DAYS = { from: 2, to: 5 } as const;
/** Estimates come in blocks of hours, because a meter that fails to report does so for some time. */
const ESTIMATE = { blockMs: 3 * HOUR_MS, share: 0.3, miss: 0.24 } as const;
const GAPS = { hourShare: 0.004, dayShare: 0.012 } as const;
/** Maximum cached days: four years of two flows, with room for days cached both as estimate and as final. */
const KEPT_DAYS = 3_000;

type Phase = "awaited" | "estimated" | "final";

/** Meter readings of a home: one day late, partly estimated at first, with permanent gaps. */
export class Meter {
  readonly #calendar: Calendar;
  readonly #household: Household;
  readonly #days = new LRUCache<string, readonly MeteredHour[]>({ max: KEPT_DAYS });
  readonly #noise: Readonly<Record<"arrival" | "finality" | "estimate" | "gap", Noise>>;

  constructor(home: SimulatedHome, seed: number, calendar: Calendar, loads?: (start: EpochMs) => number) {
    this.#calendar = calendar;
    this.#household = new Household(home, seed, calendar, loads);
    const noise = (of: string) => createNoise(seed, `${of} ${home.name}`);
    const [estimate, gap] = [noise("estimate"), noise("gap")];
    this.#noise = { arrival: noise("arrival"), finality: noise("finality"), estimate, gap };
  }

  /** Returns the hours of a local day as known at `now`. Shape: ascending, with gaps; empty before they arrive. */
  hoursOn(flow: Flow, day: Interval, now: EpochMs): readonly MeteredHour[] {
    const phase = this.phaseOf(day, now);
    if (phase === "awaited" || day.start < FIRST_METERED) return [];
    const name = `${flow} ${phase} ${day.start}`;
    const hours = this.#days.get(name) ?? this.#make(flow, day, phase);
    this.#days.set(name, hours);
    return hours;
  }

  /** Returns the state of a local day's values: awaited, estimated or final. */
  phaseOf(day: Interval, now: EpochMs): Phase {
    const index = Math.round(day.start / DAY_MS);
    const { from, to } = ARRIVAL_MINUTE;
    const arrivesAt =
      this.#calendar.timeOnDay(day.end, from) + Math.round(this.#noise.arrival(index) * (to - from)) * MINUTE_MS;
    if (now < arrivesAt) return "awaited";
    const finalDays = FINAL_DAYS.from + this.#noise.finality(index) * (FINAL_DAYS.to - FINAL_DAYS.from);
    return now < day.end + finalDays * DAY_MS ? "estimated" : "final";
  }

  #make(flow: Flow, day: Interval, phase: Phase): readonly MeteredHour[] {
    const lane = flow === "consumption" ? 0 : 1;
    if (this.#noise.gap(Math.round(day.start / DAY_MS) * 2 + lane) < GAPS.dayShare) return [];
    const hours: MeteredHour[] = [];
    for (let start = day.start; start < day.end; start += HOUR_MS) {
      const index = (start / HOUR_MS) * 2 + lane;
      if (this.#noise.gap(index) < GAPS.hourShare) continue;
      const { importedWh, exportedWh } = this.#household.during(start);
      const finalWh = flow === "consumption" ? importedWh : exportedWh;
      const estimate = this.#noise.estimate;
      const isEstimate = phase === "estimated" && estimate(Math.floor(start / ESTIMATE.blockMs)) < ESTIMATE.share;
      const missed = isEstimate ? 1 + (estimate(-index) - 0.5) * ESTIMATE.miss : 1;
      hours.push({ start, wh: Math.round(finalWh * missed), isEstimate });
    }
    return hours;
  }
}
