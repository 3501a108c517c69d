import { LRUCache } from "lru-cache";
import type { Calendar } from "../../core/time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS, type Interval, MINUTE_MS } from "../../core/time/interval.ts";
import type { Home } from "./homes.ts";
import { Household } from "./household.ts";
import { createNoise, type Noise } from "./noise.ts";

export type Flow = "consumption" | "solarExport";

/** A metered hour. Unit: watt-hours, whole. */
export interface MeteredHour {
  readonly start: EpochMs;
  readonly wh: number;
  readonly isEstimate: boolean;
}

/** Nothing was metered before this. */
export const FIRST_METERED = Date.UTC(2021, 11, 31, 23);

/** A day's values arrive in the morning after it, between these minutes on the local clock. */
const ARRIVAL_MINUTE = { from: 6 * 60 + 30, to: 10 * 60 } as const;
/** Estimates become final this many days after the day they are for. */
const FINAL_DAYS = { from: 2, to: 5 } as const;
/** Hours are estimated in blocks, because a meter that does not answer stays silent for some time. */
const ESTIMATE = { blockMs: 3 * HOUR_MS, share: 0.3, miss: 0.24 } as const;
const GAPS = { hourShare: 0.004, dayShare: 0.012 } as const;
/** Four years of two flows, with room for days seen both as estimate and final. */
const KEPT_DAYS = 3_000;

type Phase = "awaited" | "estimated" | "final";

/** What the grid company tells of a home: a day late, estimated at first, with gaps that stay. */
export class Meter {
  readonly #calendar: Calendar;
  readonly #household: Household;
  readonly #days = new LRUCache<string, readonly MeteredHour[]>({ max: KEPT_DAYS });
  readonly #arrival: Noise;
  readonly #finality: Noise;
  readonly #estimate: Noise;
  readonly #gap: Noise;

  constructor(home: Home, seed: number, calendar: Calendar) {
    this.#calendar = calendar;
    this.#household = new Household(home, seed, calendar);
    this.#arrival = createNoise(seed, `arrival ${home.name}`);
    this.#finality = createNoise(seed, `finality ${home.name}`);
    this.#estimate = createNoise(seed, `estimate ${home.name}`);
    this.#gap = createNoise(seed, `gap ${home.name}`);
  }

  /** The hours of a local day as they are known at `now`. Shape: ascending; gaps; empty where nothing arrived yet. */
  hoursOn(flow: Flow, day: Interval, now: EpochMs): readonly MeteredHour[] {
    const phase = this.phaseOf(day, now);
    if (phase === "awaited" || day.start < FIRST_METERED) return [];
    const name = `${flow} ${phase} ${day.start}`;
    const hours = this.#days.get(name) ?? this.#make(flow, day, phase);
    this.#days.set(name, hours);
    return hours;
  }

  /** How far a local day has come on its way to final values. */
  phaseOf(day: Interval, now: EpochMs): Phase {
    const index = Math.round(day.start / DAY_MS);
    const { from, to } = ARRIVAL_MINUTE;
    const arrivesAt =
      this.#calendar.timeOnDay(day.end, from) + Math.round(this.#arrival(index) * (to - from)) * MINUTE_MS;
    if (now < arrivesAt) return "awaited";
    const finalDays = FINAL_DAYS.from + this.#finality(index) * (FINAL_DAYS.to - FINAL_DAYS.from);
    return now < day.end + finalDays * DAY_MS ? "estimated" : "final";
  }

  #make(flow: Flow, day: Interval, phase: Phase): readonly MeteredHour[] {
    const lane = flow === "consumption" ? 0 : 1;
    if (this.#gap(Math.round(day.start / DAY_MS) * 2 + lane) < GAPS.dayShare) return [];
    const hours: MeteredHour[] = [];
    for (let start = day.start; start < day.end; start += HOUR_MS) {
      const index = (start / HOUR_MS) * 2 + lane;
      if (this.#gap(index) < GAPS.hourShare) continue;
      const { importedWh, exportedWh } = this.#household.during(start);
      const finalWh = flow === "consumption" ? importedWh : exportedWh;
      const isEstimate = phase === "estimated" && this.#estimate(Math.floor(start / ESTIMATE.blockMs)) < ESTIMATE.share;
      const missed = isEstimate ? 1 + (this.#estimate(-index) - 0.5) * ESTIMATE.miss : 1;
      hours.push({ start, wh: Math.round(finalWh * missed), isEstimate });
    }
    return hours;
  }
}
